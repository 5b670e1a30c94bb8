"""scikit-learn's own estimator checks.

They feed tables of random features, which are not triplets. So each estimator is checked through a subclass that turns
every row of a table into a triplet, by itself and always in the same way, and hands the result to the real method.
"""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted, validate_data

from tete import CKL, GNMDS, STE, TETE, TSTE, Triplets

N_OBJECTS = 6


def rows_to_triplets(X):
    """Three different objects for each row, whatever its numbers."""
    codes = np.floor(np.abs(X @ np.arange(1, X.shape[1] + 1)) * 1000).astype(np.int64)
    anchor = codes % N_OBJECTS
    near = (anchor + 1 + codes // N_OBJECTS % (N_OBJECTS - 2)) % N_OBJECTS
    return Triplets(anchor=anchor, near=near, far=(near + 1) % N_OBJECTS, n_objects=N_OBJECTS)


def adapted(estimator):
    """A subclass of the same name whose methods take features."""

    class Adapter(estimator):
        def fit(self, X, y=None, sample_weight=None, n_objects=None):
            X = validate_data(self, X, dtype=np.float64)
            n_features = self.n_features_in_
            super().fit(rows_to_triplets(X), sample_weight=sample_weight)
            self.n_features_in_ = n_features
            return self

        def _read(self, X, y=None, sample_weight=None):
            check_is_fitted(self)
            X = validate_data(self, X, dtype=np.float64, reset=False)
            return super()._read(rows_to_triplets(X), sample_weight=sample_weight)

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.positive_only = False
            tags.input_tags.categorical = False
            return tags

    Adapter.__name__ = Adapter.__qualname__ = f"Adapted{estimator.__name__}"
    globals()[Adapter.__name__] = Adapter  # so that it can be pickled
    return Adapter()


@pytest.mark.filterwarnings(
    "ignore::tete.exceptions.UnmentionedObjectsWarning",
    "ignore::tete.exceptions.DisconnectedAnswersWarning",
    "ignore::sklearn.exceptions.SkipTestWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
@parametrize_with_checks([adapted(estimator) for estimator in (TETE, TSTE, STE, CKL, GNMDS)])
def test_estimator_checks(estimator, check):
    check(estimator)
