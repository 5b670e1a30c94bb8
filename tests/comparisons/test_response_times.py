import numpy as np

from tete import Triplets
from tete.comparisons.response_times import response_times

ROWS = [(0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1)]


def test_medians_and_shares_by_person():
    triplets = Triplets.from_array(ROWS, annotators=["x", "y", "x", "y"], times=[100.0, 800.0, 1200.0, np.nan])
    found = response_times(triplets)
    assert (found.median, found.n_known) == (800.0, 3)
    assert found.too_fast == 1 / 3
    assert found.by_annotator == {"x": (100.0, 0.5), "y": (800.0, 0.0)}
    assert "median 800 ms, 33.3% below 200 ms (3 answers)" in str(found)
    assert "x: median 100 ms, 50% below 200 ms" in str(found)


def test_an_answer_counts_once_and_unknown_times_do_not():
    odd = Triplets.from_odd_one_out([(0, 1, 2), (1, 2, 3)], 0, times=[150.0, np.nan])
    assert response_times(odd).n_known == 1
    assert response_times(Triplets.from_array(ROWS)) is None
    assert response_times(Triplets.from_array(ROWS, times=[np.nan] * 4)) is None
