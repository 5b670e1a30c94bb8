"""Tables as people have them, as numbers: kinds of columns, gaps filled in, every column weighing alike."""
