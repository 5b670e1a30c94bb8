"""Maps from features.

A fit walks: `estimators` (which recipe) -> `feature_map` -> `table_reading` -> `merged_rows` (`projection`, `search`:
points and their neighbours) -> `feature_start` -> the recipe's `problem` (`weighted` or `listwise`: neighbourhoods and
what is minimised) -> `core.optimization` -> the problem's `placer`. New rows walk: `feature_map.transform` -> `placer`
-> `points` (`projection`, `search`) -> the method's own `placer` -> `descent`; `novelty` tells which do not belong.
`model_files` keeps placers in files. `encoding` makes numbers of tables that are not all numbers.
"""
