"""The listwise loss: affinities to neighbours, draws of outliers, farther neighbours on surfaces, and its loop."""
