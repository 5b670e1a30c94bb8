"""What every room stands on. Nothing here knows of answers, features or files.

A fit needs `types` (what the stages pass to each other), `validation` and `randomness` (parameters checked, a seed
made a generator), `start` (random or given), `optimization` (from an objective to a minimum) and `progress` (a bar).
Sums over shards on `threads`, with `blas` on one thread, have the same bits on any number of threads; `compilation`
compiles loops and keeps them on disk, and `hashed_draws` are random numbers for them. `geometry` turns and aligns
maps, `matrices` are dense or sparse tables, `printing` lays out short tables of text, `lazy` loads public names when
they are first used, and `interrupts` ends a command at Ctrl-C.
"""
