"""Random tables and answers, odd in many ways, and random parameters to fit them with."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.spatial.distance import cdist

from tete import CKL, GNMDS, SOE, STE, TETE, TSTE, ListwiseTETE, Triplets, WeightedTETE
from tete.reduction.metric_names import known_metrics

Rng = np.random.Generator

CODES = (-3.4e38, 9.97e36, -9999.0, 1e20, -(2.0**31), np.nan, np.inf, -np.inf)


def pick(rng: Rng, choices: Any) -> Any:
    """One of a sequence, as it is."""
    return choices[int(rng.integers(len(choices)))]


def chance(rng: Rng, share: float) -> bool:
    """True with this probability."""
    return bool(rng.random() < share)


# Tables --------------------------------------------------------------------------------------------------------------


def numbers(rng: Rng) -> np.ndarray:  # noqa: PLR0911
    """Finite numbers of some kind."""
    n_rows = int(pick(rng, (1, 2, 3, 4, 5, 8, 13, 20, 30, 60, 60, 60, 500)))
    shape = (n_rows, int(pick(rng, (1, 1, 2, 3, 5, 12, 60))))
    kind = pick(rng, ("normal", "whole", "few", "cells", "columns", "rows", "size", "zeros", "subnormal", "clusters"))
    normal = rng.normal(size=shape)
    match kind:
        case "whole":
            return rng.integers(-5, 6, size=shape).astype(float)
        case "few":
            return rng.integers(0, 2, size=shape).astype(float)
        case "cells":
            return normal * 10.0 ** rng.uniform(-300, 300, size=shape)
        case "columns":
            return normal * 10.0 ** rng.uniform(-300, 300, size=shape[1])
        case "rows":
            return normal * 10.0 ** rng.uniform(-300, 300, size=(n_rows, 1))
        case "size":
            return normal * 10.0 ** rng.uniform(-307, 307)
        case "zeros":
            return np.zeros(shape)
        case "subnormal":
            return normal * 1e-320
        case "clusters":
            return normal * 10.0 ** rng.uniform(-30, 0) + 10.0 ** rng.uniform(0, 30) * rng.integers(2, size=(n_rows, 1))
    return normal


def table(rng: Rng) -> Any:
    """A table in one of many types, with or without what is no number."""
    values = numbers(rng)
    if chance(rng, 0.2):
        values = values[rng.integers(len(values), size=len(values) + int(rng.integers(10)))]
    if chance(rng, 0.1):
        values[:, int(rng.integers(values.shape[1]))] = pick(rng, (0.0, -0.0, 1.0, 1e300, -1e-300))
    if chance(rng, 0.1):
        values[rng.random(values.shape) < pick(rng, (0.001, 0.1, 0.5))] = pick(rng, CODES)
    with np.errstate(over="ignore", invalid="ignore"):
        return pick(rng, CONTAINERS)(rng, values)


def of_type(kind: Any) -> Callable[[Rng, np.ndarray], np.ndarray]:
    """A container that only changes the type of the numbers."""
    return lambda rng, values: values.astype(kind)


def frame(rng: Rng, values: np.ndarray, share: float = 0.03) -> pd.DataFrame:
    """A data frame with names, in which this share of columns of other types is."""
    result = pd.DataFrame(values, columns=[f"c{column}" for column in range(values.shape[1])])
    n_rows = len(result)
    odd = {
        "whole": pd.array(rng.integers(9, size=n_rows), dtype="Int64"),
        "gaps": pd.array([None, *rng.integers(9, size=n_rows - 1)], dtype="Int64"),
        "flags": rng.random(n_rows) < 0.5,
        "text": pd.array(["a"] * n_rows, dtype="string"),
        "classes": pd.Categorical(["x"] * n_rows),
        "days": pd.date_range("2020", periods=n_rows),
        "objects": pd.Series(
            [pick(rng, (1, 2.5, True, None, "b", pd.NA, 10**400)) for _ in range(n_rows)], dtype=object
        ),
        "sparse": pd.arrays.SparseArray(np.zeros(n_rows)),
    }
    for name, column in odd.items():
        if chance(rng, share):
            result[name] = column
    return result


CONTAINERS = (
    *[of_type(kind) for kind in (np.float64, np.float64, np.float64, np.float32, np.float16, ">f8", np.longdouble)],
    of_type(bool),
    of_type(object),
    lambda rng, values: np.clip(np.nan_to_num(values), -100, 100).astype(pick(rng, (np.int8, np.int64, np.uint16))),
    lambda rng, values: np.asfortranarray(values),
    lambda rng, values: values[::-1, ::-1],
    lambda rng, values: values.tolist(),
    lambda rng, values: sparse.csr_array(values),
    lambda rng, values: sparse.csc_matrix(values.astype(np.float32)),
    lambda rng, values: sparse.coo_array(np.where(rng.random(values.shape) < 0.7, 0.0, values)),
    frame,
    frame,
    frame,
)


def distances(rng: Rng) -> Any:
    """A square table of distances, or a sparse graph of some of them; not always a correct one."""
    points = rng.normal(size=(int(rng.integers(2, 40)), 2))
    found = cdist(points, points) * 10.0 ** pick(rng, (0.0, 0.0, rng.uniform(-300, 300)))
    if chance(rng, 0.2):
        found[int(rng.integers(len(found)))] = pick(rng, (0.0, -1.0, np.nan, 1e300))
    if chance(rng, 0.4):
        kept = found <= np.sort(found, axis=1)[:, [min(int(rng.integers(1, 20)), len(found) - 1)]]
        return sparse.csr_array(np.where(kept, found, 0.0))
    return found


def metric_options(rng: Rng, width: int) -> dict[str, Any]:
    """A metric, and parameters that go with it in most cases."""
    metric = pick(rng, known_metrics()) if chance(rng, 0.5) else pick(rng, ("euclidean", "euclidean", "cosine"))
    sizes = 10.0 ** rng.uniform(-3, 3, size=width)
    parameters = {
        "minkowski": {"p": float(pick(rng, (1, 1.5, 3, 80)))},
        "seuclidean": {"V": sizes},
        "mahalanobis": {"VI": np.diag(sizes)},
    }.get(metric)
    return {"metric": metric} if chance(rng, 0.05) else {"metric": metric, "metric_params": parameters}


def reduction(rng: Rng, X: Any) -> Any:
    """An estimator for a table, with random parameters."""
    width = np.shape(X)[1] if np.ndim(X) == 2 else 1
    options: dict[str, Any] = {
        "n_components": int(pick(rng, (1, 2, 2, 3, 4))),
        "n_neighbors": int(pick(rng, (1, 2, 5, 15, 40))),
        "pca_components": pick(rng, ("auto", None, 1, 2, 50)),
        "init": pick(rng, ("pca", "pca", "random")),
        "max_iter": int(pick(rng, (1, 5, 12))),
        "learning_rate": pick(rng, ("auto", "auto", "auto", 1e-3, 1e6)),
        "random_state": int(rng.integers(1000)),
        "n_jobs": 1,
        **metric_options(rng, width),
    }
    if options["metric"] == "euclidean":
        options["standardize"] = chance(rng, 0.4)
    if options["metric"] == "precomputed":
        options.pop("metric_params", None)
    if chance(rng, 0.1):
        options["init"] = rng.normal(size=(np.shape(X)[0], options["n_components"])) * 10.0 ** rng.uniform(-30, 13)
    if chance(rng, 0.5):
        return ListwiseTETE(
            quality=pick(rng, ("fast", "default", "high")),
            t=pick(rng, (None, 1.0, 1.5, 2.0)),
            keep_surfaces=chance(rng, 0.5),
            n_outliers=pick(rng, (None, 1, 30)),
            exaggeration=float(pick(rng, (1.0, 1.0, 4.0, 1e-3))),
            **options,
        )
    return WeightedTETE(
        t=float(pick(rng, (1.0, 1.5, 2.0, 2.0))),
        t_prime=pick(rng, (None, 1.0, 1.3, 2.0)),
        weights=pick(rng, ("paper", "log", "uniform")),
        weight_bias=float(pick(rng, (0.0, 0.01, 0.01, 1e6, 1e300))),
        triplets=pick(rng, ("shared", "paired")),
        optimizer=pick(rng, ("momentum", "momentum", "gradient_descent")),
        n_outliers=int(pick(rng, (1, 5, 20))),
        **options,
    )


# Answers -------------------------------------------------------------------------------------------------------------


def answers(rng: Rng) -> Triplets:
    """Answers about few objects: true, random, repeated or contradicted, weighted in many ways."""
    n_objects = int(pick(rng, (3, 3, 4, 5, 8, 20)))
    n_answers = int(pick(rng, (1, 2, 5, 20, 100, 300)))
    rows = np.array([rng.choice(n_objects, size=3, replace=False) for _ in range(n_answers)])
    if chance(rng, 0.6):  # answers that some map gives
        points = rng.normal(size=(n_objects, 2))
        near, far = (np.linalg.norm(points[rows[:, 0]] - points[rows[:, place]], axis=1) for place in (1, 2))
        rows[near > far] = rows[near > far][:, [0, 2, 1]]
    if chance(rng, 0.3):
        rows = rows[rng.integers(len(rows), size=2 * len(rows))]
    if chance(rng, 0.2):
        rows = np.concatenate([rows, rows[:, [0, 2, 1]]])
    details: dict[str, Any] = {"n_objects": n_objects + int(pick(rng, (0, 0, 0, 2)))}
    if chance(rng, 0.5):
        details["weights"] = weights(rng, len(rows))
    if chance(rng, 0.4):
        details["annotators"] = rng.integers(1 + int(rng.integers(6)), size=len(rows))
    if chance(rng, 0.2):
        details["groups"] = rng.integers(1 + len(rows) // 2, size=len(rows))
    if chance(rng, 0.2):
        details["names"] = [f"object {number}" for number in range(details["n_objects"])]
    return Triplets.from_array(rows, **details)


def weights(rng: Rng, length: int) -> np.ndarray:  # noqa: PLR0911
    """Weights of some kind; negative ones, and gaps, now and then."""
    kind = "wrong" if chance(rng, 0.05) else pick(rng, ("ones", "some", "wide", "zeros", "huge", "tiny", "one huge"))
    some = rng.random(length) + 0.01
    match kind:
        case "ones":
            return np.ones(length)
        case "wide":
            return 10.0 ** rng.uniform(-90, 90, size=length)
        case "zeros":
            return np.where(rng.random(length) < 0.7, 0.0, some)
        case "huge":
            return some * pick(rng, (1e90, 1e90, 1e308))
        case "tiny":
            return some * pick(rng, (1e-90, 1e-90, 1e-308))
        case "one huge":
            return np.where(np.arange(length) == 0, 1e90, some)
        case "wrong":
            return np.where(rng.random(length) < 0.2, pick(rng, (-1.0, np.nan, np.inf)), some)
    return some


def embedding(rng: Rng, triplets: Triplets) -> Any:
    """An estimator for answers, with random parameters."""
    options: dict[str, Any] = {
        "n_components": int(pick(rng, (1, 2, 2, 3, 5))),
        "ridge": float(pick(rng, (3e-4, 3e-4, 3e-4, 0.0, 1e-300, 1.0, 1e30, 1e300))),
        "init": pick(rng, ("spectral", "spectral", "random")),
        "max_iter": int(pick(rng, (1, 20, 100))),
        "tol": float(pick(rng, (1e-6, 0.0, 1.0))),
        "random_state": int(rng.integers(1000)),
        "n_jobs": 1,
    }
    if chance(rng, 0.3):
        options["optimizer"] = "gradient_descent"
        options["learning_rate"] = pick(rng, ("auto", 1e-3, 1.0, 1e300))
    if chance(rng, 0.1):
        shape = (triplets.n_objects, options["n_components"])
        options["init"] = rng.normal(size=shape) * 10.0 ** rng.uniform(-300, 20)
    kind = pick(rng, (TETE, TETE, TETE, STE, TSTE, CKL, GNMDS, SOE))
    if kind is TETE and chance(rng, 0.5):  # else both are chosen
        options |= {"t": float(pick(rng, (1.0, 1.5, 2.0))), "t_prime": float(pick(rng, (1.0, 1.0001, 1.75, 2.0)))}
        options["kernel"] = pick(rng, ("auto", "squared", "distance"))
    if kind is TSTE:
        options["alpha"] = pick(rng, (None, 1e-300, 1.0, 1e300))
    if kind is CKL:
        options["mu"] = float(pick(rng, (1.0, 1e-300, 1e300)))
    return kind(**options)
