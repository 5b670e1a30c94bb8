"""The interactive page of a map: one HTML file with everything inside.

`document` fills `page.html` with the map, Bokeh's drawing of it (`linked_maps`), `page.css` and scripts: `placement.js`
(names beside points), `walking.js` (from object to object by keys) and `page.js` (all the rest). `thumbnails` are the
pictures of objects that it shows, and `notebook` puts the page into a frame under a notebook's cell.
"""
