"""Small random data for tests."""

import numpy as np

from tete import Triplets
from tete.reduction.weighted.kernel import SeparableWeights

TEMPERATURES = [(2.0, 2.0), (2.0, 1.5), (1.5, 2.0), (1.0, 2.0), (1.0, 1.0), (1.3, 1.001), (1.005, 1.7)]


def random_triplets(rng, n_objects=12, n_triplets=200, **details):
    rows = np.array([rng.choice(n_objects, size=3, replace=False) for _ in range(n_triplets)])
    return Triplets.from_array(rows, n_objects=n_objects, **details)


def anchored_problem(n=30, m=4, m_far=5, n_components=2, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    others = np.array([rng.permutation(np.delete(np.arange(n), i))[: m + m_far] for i in range(n)], dtype=np.int32)
    near, far = np.ascontiguousarray(others[:, :m]), np.ascontiguousarray(others[:, m:])
    weights = SeparableWeights(
        rng.random((n, m), dtype=np.float32), rng.random((n, m_far), dtype=np.float32), rng.random(n, dtype=np.float32)
    )
    return rng.normal(scale=spread, size=(n, n_components)), near, far, weights
