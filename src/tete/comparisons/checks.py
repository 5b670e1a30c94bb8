"""Checks of the parts of triplets: each says in one sentence what is wrong, with the first bad row and their number."""

from collections.abc import Hashable, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from tete.core.printing import counted
from tete.core.validation import check_whole
from tete.exceptions import InvalidTripletsError

__all__ = [
    "check_labels",
    "check_length",
    "check_lines",
    "check_marks",
    "check_n_objects",
    "check_names",
    "check_rows",
    "check_times",
    "check_weights",
    "frozen",
    "object_numbers",
    "refuse_self_comparisons",
    "refuse_texts",
    "refuse_torn_answers",
    "refuse_zero_weights",
    "whole_numbers",
]

SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-100, 1e100  # beyond, sums of squares would vanish or not be finite


def check_rows(X: ArrayLike, *, n_columns: int | None = None) -> NDArray[Any]:
    """A two-dimensional array of whole numbers from any array-like, or an error that names the first bad row."""
    refuse_texts(X)
    rows = check_array(X, dtype="numeric", ensure_min_features=3, input_name="X")
    if n_columns is not None and rows.shape[1] != n_columns:
        raise InvalidTripletsError(
            f"`X` must have {counted(n_columns, 'column')} (anchor, near, far), got {counted(rows.shape[1], 'column')}."
        )
    return whole_numbers("X", rows)


def refuse_texts(X: Any) -> None:
    """Say how files and names are read, because an array has neither."""
    if isinstance(X, (str, PathLike)):
        raise InvalidTripletsError(
            f"`X` is {str(X)!r}: a file is read by `tete.read_answers`, whose result can be given."
        )
    values = np.asarray(X) if isinstance(X, (list, tuple, np.ndarray)) else np.empty(0)
    first = values.flat[0] if values.size else None
    if isinstance(first, str):
        raise InvalidTripletsError(
            f"`X` holds texts such as {str(first)!r}: an array has the numbers of objects; "
            "names are taken from a data frame with columns anchor, near and far."
        )


def whole_numbers(name: str, values: ArrayLike) -> NDArray[Any]:
    """The same numbers as integers; numbers that are not whole are an error, never rounded."""
    array = np.asarray(values)
    if array.dtype.kind in "iu":
        return array
    if array.dtype.kind not in "fb":
        raise InvalidTripletsError(f"`{name}` must hold whole numbers, got values of type {array.dtype}.")
    whole = (np.abs(array) < 2**53) & (array == np.floor(array))  # beyond 2^53 floats cannot tell numbers apart
    if not whole.all():
        where = np.argwhere(~whole)[0]
        raise InvalidTripletsError(
            f"Row {where[0]} of `{name}` holds {array[tuple(where)]}: whole numbers below 2^53 are needed "
            f"({counted(int((~whole).sum()), 'such value')})."
        )
    return array.astype(np.int64)


def object_numbers(name: str, values: ArrayLike) -> NDArray[Any]:
    """One column of object numbers."""
    numbers = whole_numbers(name, values)
    if numbers.ndim != 1:
        raise InvalidTripletsError(f"`{name}` must be one-dimensional, got shape {numbers.shape}.")
    return numbers


def check_n_objects(columns: list[NDArray[Any]], n_objects: int | None, names: tuple[Hashable, ...] | None) -> int:
    """The number of objects, given or read off the triplets, with every object number below it."""
    if n_objects is not None:
        check_whole("n_objects", n_objects, least=1)
    if names is not None and n_objects is not None and len(names) != n_objects:
        raise InvalidTripletsError(f"`names` must have one name for each of {n_objects} objects, got {len(names)}.")
    lowest, highest = min(int(c.min()) for c in columns), max(int(c.max()) for c in columns)
    declared = n_objects if names is None else len(names)
    limit = highest + 1 if declared is None else declared
    if lowest < 0 or highest >= limit or limit > np.iinfo(np.int32).max:
        limit = min(limit, np.iinfo(np.int32).max)
        outside = np.logical_or.reduce([(column < 0) | (column >= limit) for column in columns])
        row = int(np.argmax(outside))
        values = ", ".join(str(column[row]) for column in columns)
        raise InvalidTripletsError(
            f"Row {row} is ({values}): object numbers go from 0 to {limit - 1} "
            f"({counted(int(outside.sum()), 'such row')})."
        )
    return int(limit)


def refuse_self_comparisons(anchor: NDArray[Any], near: NDArray[Any], far: NDArray[Any]) -> None:
    """Name the first row whose three objects do not differ."""
    repeated = (anchor == near) | (anchor == far) | (near == far)
    if repeated.any():
        row = int(np.argmax(repeated))
        raise InvalidTripletsError(
            f"Row {row} is ({anchor[row]}, {near[row]}, {far[row]}): an object cannot be compared with itself "
            f"({counted(int(repeated.sum()), 'such row')})."
        )


def check_weights(name: str, weights: ArrayLike, length: int) -> NDArray[np.float64]:
    """Finite, non-negative weights as a read-only copy."""
    try:
        array = frozen(weights, np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidTripletsError(f"`{name}` must hold numbers: {error}.") from None
    check_length(name, array, length)
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidTripletsError(
            f"Row {row} of `{name}` is {array[row]}: weights must be finite and not negative "
            f"({counted(int(bad.sum()), 'such row')})."
        )
    if array.max(initial=0.0) > LARGEST_WEIGHT:
        raise InvalidTripletsError(f"`{name}` must be at most {LARGEST_WEIGHT:g}, got {array.max():g}.")
    least = array.min(initial=np.inf, where=array > 0.0)
    if least < SMALLEST_WEIGHT:
        raise InvalidTripletsError(f"`{name}` must be 0 or at least {SMALLEST_WEIGHT:g}, got {least:g}.")
    return array


def check_times(name: str, times: ArrayLike, length: int) -> NDArray[np.float64]:
    """Response times from 0 on, NaN where they are not known, as a read-only copy."""
    try:
        array = frozen(times, np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidTripletsError(f"`{name}` must hold numbers: {error}.") from None
    check_length(name, array, length)
    bad = (array < 0.0) | np.isinf(array)
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidTripletsError(
            f"Row {row} of `{name}` is {array[row]}: response times are finite and not negative "
            f"({counted(int(bad.sum()), 'such row')})."
        )
    return array


def check_lines(name: str, lines: ArrayLike, length: int) -> NDArray[np.int64]:
    """Numbers of lines, as a read-only copy."""
    numbers = whole_numbers(name, lines)
    check_length(name, numbers, length)
    return frozen(numbers, np.int64)


def check_marks(name: str, marks: ArrayLike, length: int) -> NDArray[np.bool_]:
    """True and false, or 1 and 0, as a read-only copy."""
    values = np.asarray(marks)
    check_length(name, values, length)
    known = values.dtype.kind in "biuf" and np.isin(values, (0, 1)).all()
    if not known:
        raise InvalidTripletsError(f"`{name}` must be true or false for each triplet, got {values.dtype}.")
    return frozen(values, np.bool_)


def refuse_torn_answers(answers: NDArray[Any] | None, groups: NDArray[Any] | None) -> None:
    """Name the first triplet that is in another group than the rest of its answer."""
    if answers is None or groups is None:
        return
    _, first, numbers = np.unique(answers, return_index=True, return_inverse=True)
    torn = groups != groups[first[numbers]]
    if torn.any():
        row = int(np.argmax(torn))
        raise InvalidTripletsError(
            f"Row {row} is of answer {answers[row]!s} and of group {groups[row]!s}, which the rest of the answer is "
            f"not: what is one answer is held out as a whole ({counted(int(torn.sum()), 'such row')})."
        )


def refuse_zero_weights(weights: NDArray[np.float64] | None) -> None:
    """Refuse weights that leave nothing to average."""
    if weights is not None and not weights.any():
        raise InvalidTripletsError(f"The weights must not all be zero, got {len(weights)} zeros.")


def check_labels(name: str, labels: NDArray[Any] | None, length: int) -> NDArray[Any] | None:
    """Labels without gaps, all of one kind, as a read-only copy."""
    if labels is None:
        return None
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    array = np.asarray(labels)
    check_length(name, array, length)
    missing = pd.isna(array)
    if np.any(missing):
        raise InvalidTripletsError(
            f"Row {int(np.argmax(missing))} of `{name}` is missing ({counted(int(np.sum(missing)), 'such row')})."
        )
    if array.dtype.kind == "O":
        kinds = sorted({type(label).__name__ for label in array})
        if len(kinds) > 1:  # as text, 1 and "1" would become one
            raise InvalidTripletsError(f"`{name}` must hold labels of one kind, got {' and '.join(kinds)}.")
        array = array.astype(str)
    return frozen(array, array.dtype)


def check_names(names: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Names that all differ."""
    checked = tuple(names)
    if len(set(checked)) != len(checked):
        repeated = next(name for place, name in enumerate(checked) if name in checked[:place])
        raise InvalidTripletsError(f"`names` must all differ, got {repeated!r} more than once.")
    return checked


def check_length(name: str, values: NDArray[Any], length: int) -> None:
    """Refuse anything but a one-dimensional array of this length."""
    if values.shape != (length,):
        raise InvalidTripletsError(
            f"`{name}` must have {counted(length, 'entry', 'entries')}, got shape {values.shape}."
        )


def frozen(values: ArrayLike, dtype: Any) -> NDArray[Any]:
    """A read-only copy; what is already read-only and its own stays itself, so that operations need not copy it."""
    if isinstance(values, np.ndarray) and values.dtype == dtype and values.flags.owndata and not values.flags.writeable:
        return values
    copy = np.array(values, dtype=dtype)
    copy.setflags(write=False)
    return copy
