"""Finished maps of features in files, so that new rows can be placed later and elsewhere.

A file is an npz archive of plain arrays and one text of JSON, described in docs/model_format.md; nothing is pickled.
A restored model places every row exactly where the saved one does.
"""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeAlias
from zipfile import BadZipFile
from zlib import error as ZlibError  # noqa: N812  (a class, whatever its name)

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

import tete
from tete.core.matrices import is_sparse
from tete.core.optimization import StopReason
from tete.exceptions import InvalidFileError, InvalidParameterError
from tete.io.sources import AnyPath, kind_of
from tete.io.writing import atomic_write
from tete.reduction.estimators import ListwiseTETE, WeightedTETE
from tete.reduction.feature_map import FeatureMap
from tete.reduction.points import Features
from tete.reduction.projection import Projection
from tete.reduction.search.cells import CellSearch
from tete.reduction.search.exact import MetricSearch, exact_search
from tete.reduction.search.nearest import Neighbors, NeighborSearch

__all__ = ["load_model", "save_model"]

Arrays: TypeAlias = dict[str, NDArray[Any]]

FORMAT, VERSION = "tete model", 1
ESTIMATORS: dict[str, type[FeatureMap]] = {"ListwiseTETE": ListwiseTETE, "WeightedTETE": WeightedTETE}
STATE = "state/"  # before the names of what the estimator itself has learned
REMADE = {"_features", "_grid"}  # learned, but kept in other arrays or made anew from the map
LEFT_OUT = {"precomputed_knn", "callback", "verbose"}  # parameters that mean nothing to new rows


def save_model(path: AnyPath, model: FeatureMap, *, force: bool = False) -> None:
    """Write a fitted reduction to an npz file of plain arrays, from which `load_model` restores it.

    What the file needs is what placing new rows needs; the start, the callback and other things that no longer matter
    are left out.

    Parameters
    ----------
    path : str or path
        The file; its extension is .npz.
    model : `ListwiseTETE` or `WeightedTETE`, fitted
        What to keep.
    force : bool, default=False
        Whether to overwrite a file that is there.

    Raises
    ------
    OutputExistsError
        If the file is there and `force` is false.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tete import WeightedTETE, save_model
    >>> from tete.datasets import make_sphere
    >>> model = WeightedTETE(max_iter=5, random_state=0).fit(make_sphere(60).data)
    >>> with TemporaryDirectory() as folder:
    ...     save_model(f"{folder}/model.npz", model)
    ...     [path.name for path in Path(folder).iterdir()]
    ['model.npz']
    """
    kind_of(path, ("npz",))
    if type(model).__name__ not in ESTIMATORS:
        raise InvalidParameterError(f"`model` must be one of {', '.join(ESTIMATORS)}, got {type(model).__name__}.")
    check_is_fitted(model, "embedding_")
    arrays, values = _learned(model)
    features_arrays, features_values = _features_to_arrays(model._features)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "tete": tete.__version__,
        "estimator": type(model).__name__,
        "parameters": _plain_parameters(model),
        "values": values,
        "features": features_values,
    }
    text = np.array(json.dumps(header, allow_nan=False))
    with atomic_write(path, force=force) as stream:
        np.savez(stream, allow_pickle=False, header=text, **arrays, **features_arrays)


def load_model(path: AnyPath) -> FeatureMap:
    """Restore a model that `save_model` or the command ``tete reduce`` has written.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    ListwiseTETE or WeightedTETE
        The fitted model, which places new rows exactly as the one that was saved.

    Raises
    ------
    InvalidFileError
        If the file is no model, is damaged or has another version of the format.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tete import WeightedTETE, load_model, save_model
    >>> from tete.datasets import make_sphere
    >>> points = make_sphere(70).data
    >>> model = WeightedTETE(max_iter=5, random_state=0).fit(points[:60])
    >>> with TemporaryDirectory() as folder:
    ...     save_model(f"{folder}/model.npz", model)
    ...     again = load_model(f"{folder}/model.npz")
    >>> bool((again.transform(points[60:]) == model.transform(points[60:])).all())
    True
    """
    kind_of(path, ("npz",))
    header, arrays = _read(path)
    try:
        model = ESTIMATORS[header["estimator"]](**header["parameters"])
        state = {name.removeprefix(STATE): array for name, array in arrays.items() if name.startswith(STATE)}
        for name, value in (state | header["values"]).items():
            setattr(model, name, value)
        model.stop_reason_ = StopReason(header["values"]["stop_reason_"])
        if "feature_names_in_" in state:
            model.feature_names_in_ = state["feature_names_in_"].astype(object)
        model._features = _features_from_arrays(arrays, header["features"], model)
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else error
        raise InvalidFileError(f"{path} is a damaged model: {reason}.") from error
    model._finish()
    return model


def _read(path: AnyPath) -> tuple[dict[str, Any], Arrays]:
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as loaded:
            arrays = dict(loaded)
            header = json.loads(str(arrays.pop("header")))
            if header["format"] != FORMAT:
                raise KeyError(FORMAT)
    except KeyError:
        raise InvalidFileError(
            f"{path} is not a model: expected a file that save_model or the command tete reduce has written."
        ) from None
    except (ValueError, EOFError, AttributeError, TypeError, BadZipFile, ZlibError) as error:
        raise InvalidFileError(f"{path} is not a whole npz file of a model.") from error
    if header.get("version") != VERSION:
        raise InvalidFileError(
            f"{path} has version {header.get('version')} of the format and was written by tete {header.get('tete')}; "
            f"this is tete {tete.__version__}, which reads version {VERSION}."
        )
    return header, arrays


def _plain_parameters(model: FeatureMap) -> dict[str, Any]:
    """The parameters that are numbers, texts or None; a start or a generator cannot matter any more."""
    chosen = {field.name: getattr(model, field.name) for field in fields(model) if field.name not in LEFT_OUT}
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in chosen.items()}
    return {name: value for name, value in plain.items() if value is None or isinstance(value, (bool, int, float, str))}


def _learned(model: FeatureMap) -> tuple[Arrays, dict[str, Any]]:
    """What the estimator itself has learned: arrays and plain values."""
    arrays: Arrays = {}
    values: dict[str, Any] = {}
    for name, value in vars(model).items():
        if name in REMADE or name in model.get_params() or name.startswith("_sklearn"):
            continue
        if isinstance(value, np.ndarray):
            arrays[STATE + name] = value.astype(str) if value.dtype == object else value
        elif isinstance(value, np.generic):
            values[name] = value.item()
        elif value is None or isinstance(value, (bool, int, float, str)):
            values[name] = value.value if isinstance(value, StopReason) else value
        else:
            raise TypeError(f"{type(model).__name__}.{name} is a {type(value).__name__}, which no model file can hold.")
    return arrays, values


def _features_to_arrays(features: Features) -> tuple[Arrays, dict[str, Any]]:
    """The points, how rows become points, and what the search has learned."""
    arrays: Arrays = {}
    if is_sparse(features.points):
        points = sparse.csr_array(features.points)
        arrays |= {"points/data": points.data, "points/indices": points.indices, "points/indptr": points.indptr}
        arrays["points/shape"] = np.array(points.shape)
    else:
        arrays["points"] = features.points
    if features.point_of_row is not None:
        arrays["point_of_row"] = features.point_of_row
    if isinstance(features.search, CellSearch):
        arrays |= features.search.state()
    values: dict[str, Any] = {"metric": features.metric}
    if (projection := features.projection) is not None:
        values |= {"scale": projection.scale, "unit_rows": projection.unit_rows}
        arrays["mean"] = projection.mean
        if projection.components is not None:
            arrays["components"] = projection.components
    return arrays, values


def _features_from_arrays(arrays: Mapping[str, NDArray[Any]], values: dict[str, Any], model: FeatureMap) -> Features:
    points: Any = arrays.get("points")
    if points is None:
        parts = tuple(arrays[f"points/{part}"] for part in ("data", "indices", "indptr"))
        points = sparse.csr_array(parts, shape=tuple(arrays["points/shape"]))
    n_points = points.shape[0]
    if model._map.shape != (n_points, model.n_components):
        raise ValueError(f"{n_points} points have a map of shape {model._map.shape}")
    for name in ("_scales", "_kappa"):  # compiled code trusts these
        if getattr(model, name, model._map).shape[0] != n_points:
            raise ValueError(f"{STATE}{name} does not have {n_points} entries")
    projection = None
    if "mean" in arrays:
        projection = Projection(arrays["mean"], arrays.get("components"), values["scale"], values["unit_rows"])
    nothing = Neighbors(np.empty((n_points, 0), np.int32), np.empty((n_points, 0), np.float32))
    search = _restored_search(points, projection, values["metric"], arrays)
    return Features(values["metric"], points, search, projection, nothing, arrays.get("point_of_row"))


def _restored_search(
    points: Any, projection: Projection | None, metric: str, arrays: Mapping[str, NDArray[Any]]
) -> NeighborSearch:
    if projection is None:
        return MetricSearch(points, metric)
    if "cells" not in arrays:
        return exact_search(points)
    if arrays["cells"].shape != (len(points),) or not 0 <= arrays["cells"].min() <= arrays["cells"].max() < len(
        arrays["cell_centers"]
    ):
        raise ValueError("the cells do not fit the points")
    return CellSearch.restored(points, arrays)
