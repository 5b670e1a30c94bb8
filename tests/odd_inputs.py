"""Strategies for tables and answers that are odd in every way a user's may be."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from tete import Triplets

EXTREME = st.floats(-1e300, 1e300, allow_subnormal=True)
ORDINARY = st.floats(-100.0, 100.0, width=32)
SIZES = st.tuples(st.integers(2, 14), st.integers(1, 5))


@st.composite
def numbers(draw):
    """A table of finite numbers: ordinary or extreme, with equal rows, constant columns and columns of any size."""
    kind = draw(st.sampled_from([ORDINARY, ORDINARY, EXTREME, st.integers(-3, 3).map(float)]))
    values = draw(arrays.arrays(np.float64, SIZES, elements=kind, fill=st.nothing()))
    if kind is not EXTREME and draw(st.booleans()):
        sizes = arrays.arrays(np.int64, values.shape[1], elements=st.integers(-250, 250))
        values = values * 10.0 ** draw(sizes)
    if draw(st.booleans()):
        values = values[draw(arrays.arrays(np.int64, len(values), elements=st.integers(0, len(values) - 1)))]
    if draw(st.booleans()):
        values[:, draw(st.integers(0, values.shape[1] - 1))] = draw(st.sampled_from([0.0, -0.0, 7.0, 1e300]))
    return values


@st.composite
def tables(draw):
    """The same in one of many types, now and then with cells that are no finite numbers or codes for "missing"."""
    values = draw(numbers())
    if draw(st.integers(0, 5)) == 0:
        cell = draw(st.tuples(*(st.integers(0, size - 1) for size in values.shape)))
        values[cell] = draw(st.sampled_from([np.nan, np.inf, -3.4e38, 9.97e36, -9999.0]))
    with np.errstate(over="ignore", invalid="ignore"):
        kind = draw(st.sampled_from(["plain", "single", "half", "whole", "true", "sparse", "frame", "list", ">f8"]))
        return {
            "plain": lambda: values,
            "single": lambda: values.astype(np.float32),
            "half": lambda: values.astype(np.float16),
            "whole": lambda: np.nan_to_num(values).clip(-1e9, 1e9).astype(np.int64),
            "true": lambda: values > 0,
            "sparse": lambda: sparse.csr_array(values),
            "frame": lambda: draw(frames(values)),
            "list": values.tolist,
            ">f8": lambda: values.astype(">f8"),
        }[kind]()


@st.composite
def frames(draw, values):
    """A data frame to which a column of another type may be added."""
    frame = pd.DataFrame(values, columns=[f"c{column}" for column in range(values.shape[1])])
    n_rows = len(frame)
    odd = {
        "none": None,
        "whole": pd.array(range(n_rows), dtype="Int64"),
        "gap": pd.array([None, *range(n_rows - 1)], dtype="Int64"),
        "text": ["a"] * n_rows,
        "classes": pd.Categorical(["a"] * n_rows),
        "days": pd.date_range("2020", periods=n_rows),
        "objects": pd.Series([1, 2.5] * n_rows, dtype=object)[:n_rows],
        "sparse": pd.arrays.SparseArray(np.zeros(n_rows)),
    }
    column = odd[draw(st.sampled_from(sorted(odd)))]
    return frame if column is None else frame.assign(odd=column)


@st.composite
def answers(draw):
    """Answers about few objects, which may be repeated, contradicted and weighted by anything."""
    n_objects = draw(st.integers(3, 8))
    rows = draw(st.lists(st.permutations(range(n_objects)).map(lambda order: order[:3]), min_size=1, max_size=25))
    if draw(st.booleans()):
        rows += [[anchor, far, near] for anchor, near, far in rows[: draw(st.integers(0, len(rows)))]]
    rows = rows * draw(st.integers(1, 3))
    weight = st.one_of(st.floats(0.1, 3.0), st.just(0.0), st.floats(1e-95, 1e95), st.floats(0.0, 1e308))
    weights = draw(st.none() | st.lists(weight, min_size=len(rows), max_size=len(rows)))
    people = draw(st.none() | st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    return {"X": rows, "weights": weights, "annotators": people, "n_objects": n_objects + draw(st.integers(0, 2))}


def as_triplets(details):
    """The answers themselves, or an error of our own about them."""
    return Triplets.from_array(**details)
