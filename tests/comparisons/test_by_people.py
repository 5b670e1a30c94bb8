from dataclasses import replace

import numpy as np
import pytest

from tete.comparisons.by_people import check_by, numbers_of_people, too_few_people
from tete.exceptions import InvalidParameterError


def people(triplets, n_people):
    return replace(triplets, annotators=np.arange(len(triplets)) % n_people)


def test_people_are_numbered(clean_triplets):
    assert numbers_of_people(clean_triplets) is None
    named = replace(clean_triplets, annotators=np.array(["b", "a"])[np.arange(2000) % 2])
    assert numbers_of_people(named)[:3].tolist() == [1, 0, 1]


def test_the_unit(clean_triplets):
    many, few = people(clean_triplets, 15), people(clean_triplets, 14)
    assert check_by(None, many) == "annotators"
    assert check_by(None, few) == check_by(None, clean_triplets) == check_by("answers", many) == "answers"
    with pytest.raises(
        InvalidParameterError,
        match=r"`by` must be 'answers' here, got 'annotators'. 14 people are too few to say how far people differ, 15",
    ):
        check_by("annotators", few)
    with pytest.raises(InvalidParameterError, match="The answers do not say who gave them"):
        check_by("annotators", clean_triplets)
    with pytest.raises(InvalidParameterError, match="`by` must be 'answers' or 'annotators', got 'people'"):
        check_by("people", many)
    silent = many.with_weights((many.annotators != 3).astype(float))
    assert too_few_people(people(clean_triplets, 1)).startswith("1 person is too few to say how far people differ")
    assert too_few_people(silent) == "14 people are too few to say how far people differ, 15 are needed."
