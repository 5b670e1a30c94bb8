"""What is known before any map.

`triplets` holds answers, made from other kinds of questions by `questions` and tested by `checks`. `summary` counts
what they contain, `agreement` says how far people agree, and `folds` holds whole answers out.
"""
