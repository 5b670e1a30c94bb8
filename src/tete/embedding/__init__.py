"""Maps from comparisons.

A fit walks: `estimators` (which loss) -> `fitting` -> `objective` (answers and a loss to a function of the map) ->
`spectral_start` -> `stages` -> `core.optimization`. What a finished map can do is in `triplet_map`: predict, score,
tell how reliable answers are (`answer_model`), place new objects (`new_objects`). `fitted_map` is the contract by which
other rooms use it.
"""
