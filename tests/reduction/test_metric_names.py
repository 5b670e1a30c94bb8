import pytest

from tete.exceptions import InvalidParameterError
from tete.reduction.metric_names import PROJECTED, check_metric, known_metrics


def test_all_that_are_known_pass_and_no_others():
    for metric in known_metrics():
        check_metric(metric)
    assert {*PROJECTED, "precomputed", "manhattan", "jaccard"} <= set(known_metrics())
    for metric in ("haversine", "nan_euclidean", "nearness", None):
        with pytest.raises(InvalidParameterError, match="`metric` must be"):
            check_metric(metric)
