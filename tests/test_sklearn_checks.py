"""scikit-learn's own estimator checks, in two ways.

Most of them feed tables of random features, which are not triplets and rightly refused: run as they are, those are the
expected failures below. So that what they check is checked all the same, each estimator also runs through a subclass
that turns every row of a table into a triplet, by itself and always in the same way, and hands the result to the real
method; then every check passes.
"""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted, validate_data

from tete import CKL, GNMDS, SOE, STE, TETE, TETECV, TSTE, MultiViewTETE, Triplets

ESTIMATORS = (TETE, TSTE, STE, CKL, GNMDS, SOE)
N_OBJECTS = 6
FEED_FEATURES = (
    "check_all_zero_sample_weights_error",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit2d_1sample",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
)


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

        def read(self, X, y=None, sample_weight=None):
            check_is_fitted(self)
            X = validate_data(self, X, dtype=np.float64, reset=False)
            return super().read(rows_to_triplets(X), sample_weight=sample_weight)

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.positive_only = False
            tags.input_tags.categorical = False
            return tags

    Adapter.__name__ = Adapter.__qualname__ = f"Adapted{estimator.__name__}"
    globals()[Adapter.__name__] = Adapter  # so that it can be pickled
    # The squared hinge is flat where answers are satisfied: two ways to the same minimum must go all of it to agree.
    return Adapter(tol=1e-15) if estimator is SOE else Adapter()


@pytest.mark.filterwarnings(
    "ignore::tete.exceptions.UnmentionedObjectsWarning",
    "ignore::tete.exceptions.DisconnectedAnswersWarning",
    "ignore::sklearn.exceptions.SkipTestWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
@parametrize_with_checks([adapted(estimator) for estimator in ESTIMATORS])
def test_checks_on_triplets(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [estimator() for estimator in (*ESTIMATORS, TETECV, MultiViewTETE)],
    expected_failed_checks=lambda _: dict.fromkeys(FEED_FEATURES, "feeds a table of features, which is refused"),
)
def test_checks_as_they_are(estimator, check):
    check(estimator)
