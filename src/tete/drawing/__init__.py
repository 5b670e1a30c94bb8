"""Static pictures.

`figures` makes what is drawn on and saves it. `map_picture` draws maps, with names where there is room
(`label_placement`) and as a `density` where points are too many; `curves` draws measures. `themes` has the colours of
light and dark paper and `class_order` says which class has which, also for `tete.page`.
"""
