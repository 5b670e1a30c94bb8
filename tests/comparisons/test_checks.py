from pathlib import Path

import numpy as np
import pytest

from tete.comparisons.checks import (
    LARGEST_WEIGHT,
    SMALLEST_WEIGHT,
    check_labels,
    check_n_objects,
    check_names,
    check_rows,
    check_weights,
    frozen,
    refuse_self_comparisons,
    refuse_zero_weights,
    whole_numbers,
)
from tete.exceptions import InvalidTripletsError

COLUMNS = [np.array([0, 1]), np.array([1, 2]), np.array([2, 0])]


def test_whole_numbers_are_never_rounded():
    assert whole_numbers("X", np.array([1.0, 3.0])).tolist() == [1, 3]
    assert whole_numbers("X", np.array([True, False])).tolist() == [1, 0]
    unsigned = np.array([1, 2], dtype=np.uint8)
    assert whole_numbers("X", unsigned) is unsigned
    with pytest.raises(InvalidTripletsError, match=r"Row 1 of `X` holds 0\.5: whole numbers below 2\^53 .* \(2 such"):
        whole_numbers("X", np.array([1.0, 0.5, 2.0**53]))
    with pytest.raises(InvalidTripletsError, match="`X` must hold whole numbers, got values of type complex128"):
        whole_numbers("X", np.array([1j]))


def test_rows_have_three_columns():
    with pytest.raises(InvalidTripletsError, match=r"`X` must have 3 columns \(anchor, near, far\), got 4 columns"):
        check_rows([(0, 1, 2, 3)], n_columns=3)


@pytest.mark.parametrize(
    "rows", [[("tea", "mate", "oak")], np.array([["a", "b", "c"]]), np.array([["a", 1, 2]], object)]
)
def test_names_in_an_array_are_told_where_to_go(rows):
    with pytest.raises(InvalidTripletsError, match=r"holds texts such as '(tea|a)': .* data frame with columns anchor"):
        check_rows(rows)


@pytest.mark.parametrize("file", ["answers.csv", Path("answers.csv")])
def test_a_file_is_told_what_reads_it(file):
    with pytest.raises(InvalidTripletsError, match=r"`X` is 'answers.csv': a file is read by `tete.read_answers`"):
        check_rows(file)


def test_the_number_of_objects_is_given_or_read_off():
    assert check_n_objects(COLUMNS, None, None) == 3
    assert check_n_objects(COLUMNS, 7, None) == 7
    assert check_n_objects(COLUMNS, None, ("a", "b", "c", "d")) == 4
    with pytest.raises(
        InvalidTripletsError, match=r"Row 0 is \(0, 1, 2\): object numbers go from 0 to 1 \(2 such rows"
    ):
        check_n_objects(COLUMNS, 2, None)
    with pytest.raises(InvalidTripletsError, match="`names` must have one name for each of 3 objects, got 2"):
        check_n_objects(COLUMNS, 3, ("a", "b"))


def test_an_object_is_not_compared_with_itself():
    refuse_self_comparisons(*COLUMNS)
    with pytest.raises(InvalidTripletsError, match=r"Row 1 is \(1, 1, 0\): an object cannot be .* \(1 such row\)"):
        refuse_self_comparisons(COLUMNS[0], np.array([1, 1]), COLUMNS[2])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"`w` must have 2 entries, got shape \(1,\)"),
        ([1.0, -1.0], r"Row 1 of `w` is -1\.0: weights must be finite and not negative \(1 such row\)"),
        ([np.nan, np.inf], r"Row 0 of `w` is nan: .* \(2 such rows\)"),
        (["a", 1], "`w` must hold numbers"),
        ([1.0, SMALLEST_WEIGHT / 10], r"`w` must be 0 or at least 1e-100, got 1e-101"),
        ([1.0, 10 * LARGEST_WEIGHT], r"`w` must be at most 1e\+100, got 1e\+101"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(InvalidTripletsError, match=message):
        check_weights("w", weights, 2)


def test_weights_that_leave_nothing():
    refuse_zero_weights(None)
    refuse_zero_weights(np.array([0.0, 1.0]))
    with pytest.raises(InvalidTripletsError, match="must not all be zero, got 2 zeros"):
        refuse_zero_weights(np.zeros(2))


def test_labels_are_of_one_kind_and_without_gaps():
    assert check_labels("annotators", None, 2) is None
    assert check_labels("annotators", np.array(["b", "a"], dtype=object), 2).dtype.kind == "U"
    with pytest.raises(InvalidTripletsError, match="`annotators` must hold labels of one kind, got int and str"):
        check_labels("annotators", np.array([1, "1"], dtype=object), 2)
    with pytest.raises(InvalidTripletsError, match=r"Row 1 of `annotators` is missing \(1 such row\)"):
        check_labels("annotators", np.array(["a", None], dtype=object), 2)


def test_names_differ():
    assert check_names(["a", 1]) == ("a", 1)
    with pytest.raises(InvalidTripletsError, match="`names` must all differ, got 'a' more than once"):
        check_names(["a", "b", "a"])


def test_frozen_copies_once():
    given = np.array([1.0, 2.0])
    kept = frozen(given, np.float64)
    given[0] = 9.0
    assert kept.tolist() == [1.0, 2.0]
    assert frozen(kept, np.float64) is kept
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 3.0
