"""Our estimators as cblearn would use them; runs in cblearn's environment. Exits with 1 if anything fails.

cblearn tests its estimators by turning the random features of scikit-learn's checks into triplets; its releases do not
contain those tests, so the same is done here with cblearn's own `make_random_triplets`. Then our `fit`, `predict` and
`score` are compared with cblearn's formats of answers and its metrics.
"""

import sys
import warnings

import numpy as np
from cblearn import datasets, metrics
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

from tete import CKL, GNMDS, SOE, STE, TETE, TSTE

ESTIMATORS = (TETE, TSTE, STE, CKL, GNMDS, SOE)
EXPECTED = {
    "check_methods_subset_invariance": "triplets drawn from a part of the rows are other triplets",
    "check_methods_sample_order_invariance": "triplets drawn from reordered rows are other triplets",
    "check_sample_weight_equivalence_on_dense_data": "weights belong to triplets, not to the rows they were drawn from",
    "check_fit2d_1sample": "no triplets can be drawn from one row",
}


def on_cblearns_triplets(estimator: type) -> type:
    """A subclass that takes features and draws as many triplets from them with cblearn."""

    class Adapted(estimator):
        def fit(self, X, y=None, sample_weight=None, n_objects=None):
            features = validate_data(self, X, dtype=np.float64, ensure_min_samples=3)
            super().fit(_draw(features), sample_weight=sample_weight)
            self.n_features_in_ = features.shape[1]
            return self

        def read(self, X, y=None, sample_weight=None):
            check_is_fitted(self)
            features = validate_data(self, X, dtype=np.float64, reset=False, ensure_min_samples=3)
            return super().read(_draw(features) % len(self.embedding_), sample_weight=sample_weight)

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.positive_only = tags.input_tags.categorical = False
            return tags

    Adapted.__name__ = Adapted.__qualname__ = f"Adapted{estimator.__name__}"
    globals()[Adapted.__name__] = Adapted
    return Adapted


def _draw(features: np.ndarray) -> np.ndarray:
    return datasets.make_random_triplets(features, size=len(features), result_format="list-order", random_state=1)


def run_checks() -> int:
    failures = 0
    for estimator in ESTIMATORS:
        results = check_estimator(
            on_cblearns_triplets(estimator)(), expected_failed_checks=EXPECTED, on_fail=None, on_skip=None
        )
        failed = [result for result in results if result["status"] == "failed"]
        passed = sum(result["status"] == "passed" for result in results)
        print(f"{estimator.__name__}: {passed} of {len(results)} checks passed, {len(failed)} failed")
        for result in failed:
            print(f"  {result['check_name']}: {result['exception']}")
        failures += len(failed)
    return failures


def compare_formats() -> int:
    """Answers in all of cblearn's list formats give the same map, and its accuracy is our score."""
    failures = 0
    points = np.random.default_rng(0).normal(size=(30, 2))
    for estimator in ESTIMATORS:
        queries, counts = datasets.make_random_triplets(points, size=2000, result_format="list-count", random_state=0)
        ordered = np.where(counts[:, None] > 0, queries, queries[:, [0, 2, 1]])
        maps = [
            estimator().fit(ordered),
            estimator().fit(queries, counts),
            estimator().fit(queries, counts > 0),
        ]
        same = all(np.allclose(maps[0].embedding_, other.embedding_) for other in maps[1:])
        accuracy = metrics.query_accuracy(ordered, maps[0].embedding_)
        agrees = np.isclose(accuracy, maps[0].score(queries, counts)) and accuracy > 0.9
        print(f"{estimator.__name__}: formats {'agree' if same else 'DIFFER'}, query_accuracy {accuracy:.3f}")
        failures += (not same) + (not agrees)
        try:
            estimator().predict(ordered)
            failures += 1
        except NotFittedError:
            pass
    return failures


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(min(run_checks() + compare_formats(), 1))
