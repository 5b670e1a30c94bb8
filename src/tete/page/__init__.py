"""The interactive page of a map: one HTML file with everything inside.

`document` fills `page.html` with the map, Bokeh's drawing of it, `page.css` and `page.js`; `thumbnails` are the
pictures of objects that it shows.
"""
