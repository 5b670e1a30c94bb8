"""From the questions people were asked to rows (anchor, near, far).

The expanding functions return the rows and, for every row, the number of the answer it came from. Screens may show
different numbers of objects: those of one shape are expanded together.
"""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.comparisons.checks import check_rows, whole_numbers
from tete.core.printing import counted, were
from tete.exceptions import DroppedAnswersWarning, InvalidParameterError, InvalidTripletsError, warn

__all__ = ["check_answers", "most_central", "odd_one_out", "selection"]

Rows: TypeAlias = NDArray[np.int64]
Screens: TypeAlias = Any  # an array, or a list of lists of different lengths, which no type of NumPy's describes


def check_answers(y: ArrayLike, n_rows: int, *, drop_ties: bool = True) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which answers are decided, and which say "the second", from +1, -1, 0 or booleans as in cblearn."""
    answers = np.asarray(y)
    if answers.shape != (n_rows,):
        raise InvalidTripletsError(
            f"`y` must have one answer for each of the {n_rows} rows, got shape {answers.shape}."
        )
    valid = np.isin(answers, (-1, 0, 1)) if answers.dtype.kind in "biuf" else np.zeros(n_rows, dtype=bool)
    if not valid.all():
        raise InvalidTripletsError(
            f"Row {np.argmin(valid)} of `y` is {answers[np.argmin(valid)]!r}: answers are +1, -1, 0 or booleans "
            f"({counted(int((~valid).sum()), 'such row')})."
        )
    if answers.dtype.kind == "b" or not np.any(answers < 0):  # zeros and ones alone count as booleans
        return np.ones(n_rows, dtype=bool), answers == 0
    decided = answers != 0
    if drop_ties and not decided.all():
        n_tied = int((~decided).sum())
        said = f"{n_tied} of {counted(n_rows, 'answer')} {were(n_tied)} left out: undecided (0)."
        warn(said, DroppedAnswersWarning)
    return decided, answers < 0


def odd_one_out(X: Screens, odd: int | ArrayLike) -> tuple[Rows, Rows]:
    """Any two of the others are more like each other than like the odd one."""
    if _is_ragged(X):
        return _by_shape(odd_one_out, X, _for_each("odd", odd, len(X)))
    shown, columns = _chosen_first("odd", X, odd)
    pairs = permutations(range(1, columns), 2)
    return _expand(shown, [(one, other, 0) for one, other in pairs])


def most_central(X: Screens, central: int | ArrayLike) -> tuple[Rows, Rows]:
    """Each of the others is more like the central one than like any other."""
    if _is_ragged(X):
        return _by_shape(most_central, X, _for_each("central", central, len(X)))
    shown, columns = _chosen_first("central", X, central)
    pairs = permutations(range(1, columns), 2)
    return _expand(shown, [(one, 0, other) for one, other in pairs])


def selection(X: Screens, selected: int | Screens, ranked: bool) -> tuple[Rows, Rows]:
    """Picks are more like the anchor (column 0) than what was not picked, and, if ranked, than later picks."""
    if _is_ragged(X) or _is_ragged(selected):

        def expand(shown: Any, picks: Any) -> tuple[Rows, Rows]:
            return selection(
                shown, picks if isinstance(selected, (list, tuple)) or np.ndim(selected) else int(picks[0]), ranked
            )

        return _by_shape(expand, X, _for_each("selected", selected, len(X)))
    shown = check_rows(X)
    n_choices = shown.shape[1] - 1
    picks = whole_numbers("selected", np.atleast_1d(np.asarray(selected)))
    if np.ndim(selected) == 0:  # a number of picks, which are the first columns
        picks = np.tile(np.arange(1, int(picks[0]) + 1), (len(shown), 1))
    if picks.ndim != 2 or len(picks) != len(shown) or not 1 <= picks.shape[1] < n_choices:
        raise InvalidParameterError(
            f"`selected` must pick between 1 and {n_choices - 1} of the {n_choices} choices in each of "
            f"{len(shown)} rows, got shape {picks.shape}."
        )
    _check_columns("selected", picks, 1, n_choices)
    is_pick = np.zeros(shown.shape, dtype=bool)
    np.put_along_axis(is_pick, picks, True, axis=1)
    n_picks = picks.shape[1]
    if np.any(is_pick.sum(axis=1) != n_picks):
        row = int(np.argmax(is_pick.sum(axis=1) != n_picks))
        raise InvalidTripletsError(f"Row {row} of `selected` is {picks[row].tolist()}: a choice was picked twice.")
    rest = ~is_pick
    rest[:, 0] = False
    ordered = np.column_stack(
        [shown[:, 0], np.take_along_axis(shown, picks, axis=1), shown[rest].reshape(len(shown), -1)]
    )
    pattern = [
        (0, pick, other)
        for pick in range(1, n_picks + 1)
        for other in range(pick + 1 if ranked else n_picks + 1, n_choices + 1)
    ]
    return _expand(ordered, pattern)


def _is_ragged(X: Any) -> bool:
    """Whether this is a list of rows of different lengths."""
    if hasattr(X, "shape") or not isinstance(X, (list, tuple)) or not all(np.ndim(row) == 1 for row in X):
        return False
    return len({len(row) for row in X}) > 1


def _for_each(name: str, chosen: Any, n_rows: int) -> list[Any]:
    """What was chosen, once for each row."""
    each = list(chosen) if isinstance(chosen, (list, tuple)) or np.ndim(chosen) else [chosen] * n_rows
    if len(each) != n_rows:
        raise InvalidParameterError(f"`{name}` must have one entry for each of the {n_rows} rows, got {len(each)}.")
    return each


def _by_shape(
    expand: Callable[[Any, Any], tuple[Rows, Rows]], X: Sequence[Any], chosen: Sequence[Any]
) -> tuple[Rows, Rows]:
    """Expand screens of equal shapes together; the triplets are in the order of the screens."""
    places: dict[tuple[int, int], list[int]] = {}
    for place, (row, choice) in enumerate(zip(X, chosen, strict=True)):
        places.setdefault((len(row), np.size(choice)), []).append(place)
    rows, sources = [], []
    for (n_shown, n_chosen), together in places.items():
        if n_shown < 3 or not n_chosen:
            raise InvalidTripletsError(
                f"Row {together[0]} shows {counted(n_shown, 'object')} of which {n_chosen} were chosen: at least 3 "
                f"objects and a choice are needed ({counted(len(together), 'such row')})."
            )
        found, source = expand([X[place] for place in together], [chosen[place] for place in together])
        rows.append(found)
        sources.append(np.array(together)[source])
    source = np.concatenate(sources)
    order = np.argsort(source, kind="stable")
    return np.concatenate(rows)[order], source[order]


def _chosen_first(name: str, X: ArrayLike, chosen: int | ArrayLike) -> tuple[Rows, int]:
    """The rows with the chosen object moved to the front, and the number of columns."""
    shown = check_rows(X)
    columns = whole_numbers(name, np.atleast_1d(np.asarray(chosen)))
    if columns.shape not in ((1,), (len(shown),)):
        raise InvalidParameterError(
            f"`{name}` must be one column or one for each of the {len(shown)} rows, got shape {columns.shape}."
        )
    n_columns = shown.shape[1]
    _check_columns(name, columns[:, None], -n_columns, n_columns - 1)
    columns = np.broadcast_to(columns % n_columns, len(shown))
    others = np.arange(n_columns) != columns[:, None]
    chosen_objects = np.take_along_axis(shown, columns[:, None], axis=1)
    return np.column_stack([chosen_objects, shown[others].reshape(len(shown), -1)]), n_columns


def _check_columns(name: str, columns: NDArray[Any], lowest: int, highest: int) -> None:
    outside = ((columns < lowest) | (columns > highest)).any(axis=1)
    if outside.any():
        row = int(np.argmax(outside))
        raise InvalidTripletsError(
            f"Row {row} of `{name}` is {columns[row].tolist()}: columns go from {lowest} to {highest} "
            f"({counted(int(outside.sum()), 'such row')})."
        )


def _expand(shown: NDArray[Any], pattern: list[tuple[int, int, int]]) -> tuple[Rows, Rows]:
    """Pick three columns of every row for each entry of the pattern; an answer's triplets stay together."""
    rows = shown[:, np.array(pattern)].reshape(-1, 3)
    return rows, np.repeat(np.arange(len(shown)), len(pattern))
