"""The distances that features can be compared by: their names, their parameters, and the tables they go with."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.validation import check_choice, check_interval
from tete.exceptions import InvalidParameterError

__all__ = [
    "METRIC_PARAMETERS",
    "NEEDED",
    "OF_TRUTH_VALUES",
    "PROJECTED",
    "Metric",
    "check_metric",
    "check_sparse_metric",
    "known_metrics",
    "metric_arrays",
    "metric_said",
    "metric_values",
    "with_parameters",
]

Metric: TypeAlias = str | Callable[..., float]

PROJECTED = ("cosine", "euclidean")  # compared after a projection, by our own searches
OF_TRUTH_VALUES = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath", "yule")
OF_SPARSE_ROWS = (*PROJECTED, "precomputed", "manhattan", "cityblock", "l1", "l2")
METRIC_PARAMETERS = {"minkowski": ("p", "w"), "seuclidean": ("V",), "mahalanobis": ("VI",)}
NEEDED = {"seuclidean": "V", "mahalanobis": "VI"}  # else scikit-learn would take those of the new rows
WITHOUT_SENSE_HERE = {"nan_euclidean"}  # of tables with gaps, which `TableEncoder` fills in


def known_metrics() -> tuple[str, ...]:
    """All metrics that there are."""
    from sklearn.metrics.pairwise import PAIRWISE_DISTANCE_FUNCTIONS  # noqa: PLC0415  (these two take long to import)
    from sklearn.neighbors import VALID_METRICS  # noqa: PLC0415

    known = {*PROJECTED, "precomputed", *PAIRWISE_DISTANCE_FUNCTIONS, *VALID_METRICS["brute"]}
    return tuple(sorted(known - WITHOUT_SENSE_HERE))


def metric_said(metric: Metric) -> str:
    """What a metric is called in a message."""
    return repr(metric) if isinstance(metric, str) else f"the function {getattr(metric, '__name__', metric)}"


def with_parameters(metric: Metric, parameters: Mapping[str, Any] | None) -> Metric:
    """A function with its parameters; names stay names, whose parameters are arrays."""
    return metric if isinstance(metric, str) or not parameters else partial(metric, **parameters)


def check_metric(metric: Metric, parameters: Mapping[str, Any] | None = None) -> None:
    """Refuse anything but a metric that there is, with its own parameters, or a function.

    The commonest are known without a look at scikit-learn's.
    """
    if not isinstance(metric, str) and callable(metric):
        if not (parameters is None or isinstance(parameters, Mapping)):
            raise InvalidParameterError(f"`metric_params` must be a dict or None, got {parameters!r}.")
        return
    if metric not in (*PROJECTED, "precomputed"):
        check_choice("metric", metric, known_metrics())
    known = METRIC_PARAMETERS.get(metric, ())
    if parameters is not None and not (isinstance(parameters, Mapping) and set(parameters) <= set(known)):
        listed = f"have the entries {' and '.join(map(repr, known))}" if known else "be None"
        raise InvalidParameterError(f"`metric_params` of {metric!r} must {listed}, got {parameters!r}.")
    needed = NEEDED.get(metric)
    if needed is not None and needed not in (parameters or {}):
        raise InvalidParameterError(f"The metric {metric!r} needs `metric_params` with {needed!r}, got {parameters!r}.")


def check_sparse_metric(metric: Metric) -> None:
    """Refuse a metric that does not take sparse tables."""
    if metric not in OF_SPARSE_ROWS:
        listed = ", ".join(map(repr, OF_SPARSE_ROWS))
        raise InvalidParameterError(f"`metric` must be one of {listed} for a sparse `X`, got {metric_said(metric)}.")


def metric_arrays(parameters: Mapping[str, Any] | None, n_columns: int) -> dict[str, NDArray[np.float64]]:
    """The metric's parameters for a table of so many columns, as arrays of finite numbers that keep their rules."""
    arrays = {name: _as_numbers(name, value) for name, value in (parameters or {}).items()}
    shapes = {"p": (), "w": (n_columns,), "V": (n_columns,), "VI": (n_columns, n_columns)}
    for name, array in arrays.items():
        if array.shape != shapes[name]:
            raise InvalidParameterError(f"{_said(name)} must have the shape {shapes[name]}, got {array.shape}.")
        if not np.isfinite(array).all():
            raise InvalidParameterError(f"{_said(name)} must be finite.")
    if "p" in arrays:
        check_interval("metric_params['p']", float(arrays["p"]), 1.0, np.inf)
    if "w" in arrays and (arrays["w"].min() < 0.0 or not arrays["w"].any()):
        raise InvalidParameterError(f"{_said('w')} must not be negative and not all zero.")
    if "V" in arrays and arrays["V"].min() <= 0.0:
        raise InvalidParameterError(f"{_said('V')} must be positive, got {arrays['V'].min():g}.")
    if "VI" in arrays:
        _check_inverse_covariance(arrays["VI"])
    return arrays


def metric_values(arrays: Mapping[str, NDArray[np.float64]]) -> dict[str, Any]:
    """The same as scikit-learn and SciPy take them."""
    return {name: array.item() if array.ndim == 0 else array for name, array in arrays.items()}


def _said(name: str) -> str:
    return f"`metric_params[{name!r}]`"


def _as_numbers(name: str, value: Any) -> NDArray[np.float64]:
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterError(f"{_said(name)} must be numbers: {error}.") from None


def _check_inverse_covariance(matrix: NDArray[np.float64]) -> None:
    size = np.abs(matrix).max()
    rounding = 1e-8 * size
    if size == 0.0 or np.abs(matrix - matrix.T).max() > rounding:
        raise InvalidParameterError(f"{_said('VI')} must be a symmetric matrix that is not zero.")
    least = float(np.linalg.eigvalsh(matrix / size)[0])
    if least < -1e-8:
        raise InvalidParameterError(
            f"{_said('VI')} must be the inverse of a covariance matrix, got the eigenvalue {least * size:g}."
        )
