import numpy as np
import pytest

from samples import random_triplets
from tete import Triplets
from tete.comparisons.agreement import agreement


def test_pairs_of_answers_to_the_same_question():
    rows = [(0, 1, 2), (0, 1, 2), (0, 2, 1), (3, 4, 5)]
    found = agreement(Triplets.from_array(rows, annotators=["a", "b", "c", "a"]))
    assert found.n_repeated == 1
    assert found.share == pytest.approx(1 / 3)
    assert found.by_annotator == {"c": (0.0, 2), "a": (0.5, 2), "b": (0.5, 2)}
    assert "33.3% of pairs" in str(found)
    assert "c: 0% of 2 answers of others" in str(found)


def test_nothing_repeated():
    found = agreement(Triplets.from_array([(0, 1, 2), (1, 0, 2)]))
    assert found.share is None
    assert found.by_annotator is None
    assert "no question was asked twice" in str(found)


def test_own_answers_are_no_one_elses_opinion(rng):
    triplets = random_triplets(rng, 4, 100, annotators=rng.integers(3, size=100))
    found = agreement(triplets).by_annotator
    rows, who = triplets.to_array().tolist(), triplets.annotators
    for person, (share, count) in found.items():
        votes = [
            rows[mine] == rows[other]
            for mine in range(100)
            for other in range(100)
            if who[mine] == person != who[other] and rows[mine] in (rows[other], [rows[other][k] for k in (0, 2, 1)])
        ]
        assert count == len(votes)
        assert share == pytest.approx(np.mean(votes))
