"""Finished maps of features in files, so that new rows can be placed later and elsewhere.

A file is an npz archive of plain arrays and one text of JSON, described in docs/model_format.md; nothing is pickled.
The arrays are those of the placer, which checks each of them, and what else the fit has found. A restored model places
every row exactly where the saved one does.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

import tete
from tete.core.checked_arrays import CheckedArrays
from tete.core.optimization import Minimum, StopReason
from tete.exceptions import InvalidFileError, InvalidParameterError
from tete.io.array_files import read_array_file, write_array_file
from tete.io.sources import AnyPath, kind_of
from tete.reduction.encoding.encoder_arrays import ENCODER_ARRAYS, encoder_from_arrays, encoder_to_arrays
from tete.reduction.encoding.table_encoder import TableEncoder
from tete.reduction.estimators import ListwiseTETE, WeightedTETE
from tete.reduction.feature_map import FeatureMap
from tete.reduction.listwise.placer import ListwisePlacer
from tete.reduction.novelty import NOVELTY_ARRAYS, Novelty
from tete.reduction.placer import NearestPlacer, Placer
from tete.reduction.weighted.placer import WeightedPlacer

__all__ = ["load_model", "save_model", "saved_classes"]

Arrays: TypeAlias = dict[str, NDArray[Any]]

FORMAT, VERSION = "tete model", 3
ESTIMATORS: dict[str, type[FeatureMap]] = {"ListwiseTETE": ListwiseTETE, "WeightedTETE": WeightedTETE}
PLACERS: dict[str, type[Placer]] = {kind.name: kind for kind in (ListwisePlacer, WeightedPlacer, NearestPlacer)}
PLACERS_OF = {"ListwiseTETE": {"listwise", "nearest"}, "WeightedTETE": {"weighted", "nearest"}}
OF_THE_FIT = (
    "embedding",
    "history",
    "column_spreads",
    "feature_names",
    "classes",
    *NOVELTY_ARRAYS,
)  # arrays that are not the placer's
HEADER = {"format", "version", "tete", "estimator", "placer", "parameters", "loss", "stop_reason"}
# Parameters that mean nothing to new rows, and one that the placer keeps.
LEFT_OUT = {"precomputed_knn", "callback", "verbose", "metric_params"}


def save_model(
    path: AnyPath,
    model: FeatureMap | Pipeline,
    *,
    classes: Mapping[str, Sequence[str]] | None = None,
    force: bool = False,
) -> None:
    """Write a fitted reduction to an npz file of plain arrays, from which `load_model` restores it.

    What the file needs is what placing new rows needs; the start, the callback and other things that no longer matter
    are left out.

    Parameters
    ----------
    path : str or path
        The file; its extension is .npz.
    model : `ListwiseTETE` or `WeightedTETE`, fitted, or a pipeline of a `TableEncoder` and one of them
        What to keep.
    classes : mapping of names to sequences of texts, optional
        The classes of the rows in each column of labels, in the order of their colours, so that pictures of new rows
        have the same colours.
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
    if isinstance(path, (FeatureMap, Pipeline)):
        raise InvalidParameterError(f"`path` comes first, as in save_model('model.npz', model), got {path!r:.60}.")
    kind_of(path, ("npz",))
    encoder, model = _parts(model)
    check_is_fitted(model, "placer_")
    header = {
        "format": FORMAT,
        "version": VERSION,
        "tete": tete.__version__,
        "estimator": type(model).__name__,
        "placer": model.placer_.name,
        "parameters": _plain_parameters(model),
        "loss": float(model.loss_) if np.isfinite(model.loss_) else None,
        "stop_reason": model.stop_reason_.value,
    }
    arrays: Arrays = {"embedding": model.embedding_, "history": np.asarray(model.history_, dtype=np.float64)}
    if model.column_spreads_ is not None:
        arrays["column_spreads"] = model.column_spreads_
    if hasattr(model, "feature_names_in_"):
        arrays["feature_names"] = model.feature_names_in_.astype(str)
    if classes:
        arrays["classes"] = np.array(json.dumps({name: list(each) for name, each in classes.items()}))
    if encoder is not None:
        arrays |= encoder_to_arrays(encoder)
    text = np.array(json.dumps(header, allow_nan=False))
    write_array_file(
        path, {"header": text, **arrays, **model.novelty_.to_arrays(), **model.placer_.to_arrays()}, force=force
    )


def _parts(model: Any) -> tuple[TableEncoder | None, FeatureMap]:
    """The encoder, if there is one, and the estimator."""
    steps = list(model) if isinstance(model, Pipeline) else [model]
    encoders, estimator = steps[:-1], steps[-1]
    known = type(estimator).__name__ in ESTIMATORS and len(encoders) < 2
    if not known or not all(isinstance(each, TableEncoder) for each in encoders):
        found = " and ".join(type(each).__name__ for each in steps)
        raise InvalidParameterError(
            f"`model` must be one of {', '.join(ESTIMATORS)}, or a pipeline of a TableEncoder and one of them, "
            f"got {found}."
        )
    return (encoders[0] if encoders else None), estimator


def load_model(path: AnyPath) -> Any:
    """Restore a model that `save_model` or the command ``tete reduce`` has written.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    ListwiseTETE or WeightedTETE, or a pipeline of a TableEncoder and one of them
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
    arrays = read_array_file(path)
    header = _header(path, arrays)
    try:
        placer = PLACERS[header["placer"]].from_arrays(
            {name: array for name, array in arrays.items() if name not in (*OF_THE_FIT, *ENCODER_ARRAYS)}
        )
        fit = CheckedArrays({name: array for name, array in arrays.items() if name in OF_THE_FIT})
        model = _restored(header, placer, fit)
        encoder = {name: array for name, array in arrays.items() if name in ENCODER_ARRAYS}
        restored = make_pipeline(_restored_encoder(encoder, model), model) if encoder else model
    except (InvalidFileError, InvalidParameterError) as error:
        raise InvalidFileError(f"{path} is a damaged model: {error}") from error
    placer.warm_up()  # so that the first new row takes no longer than the others
    return restored


def saved_classes(path: AnyPath) -> dict[str, list[str]]:
    """The classes that were saved with a model, by the name of their column."""
    with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
        if "classes" not in archive.files:
            return {}
        try:
            found = json.loads(str(archive["classes"].item()))
        except (ValueError, RecursionError):
            found = None
    texts = isinstance(found, dict) and all(isinstance(classes, list) for classes in found.values())
    if not texts:
        raise InvalidFileError(f"{path} is a damaged model: `classes` must be a table of lists of texts.")
    return {name: [str(each) for each in classes] for name, classes in found.items()}


def _restored(header: dict[str, Any], placer: Placer, fit: CheckedArrays) -> FeatureMap:
    n_columns = placer.points.n_columns
    history = fit.numbers("history", "f8", (None,), fewest=0)
    loss = np.nan if header["loss"] is None else float(header["loss"])
    embedding = fit.numbers("embedding", "f4", (None, placer.places.shape[1]))
    spreads = fit.numbers("column_spreads", "f8", (n_columns,)) if fit.has("column_spreads") else None
    return ESTIMATORS[header["estimator"]].restored(
        header["parameters"],
        placer,
        novelty=Novelty.from_arrays(fit, len(placer.points), spreads),
        embedding=embedding,
        minimum=Minimum(embedding.astype(np.float64), loss, history.tolist(), StopReason(header["stop_reason"])),
        column_spreads=spreads,
        feature_names=fit.texts("feature_names", n_columns) if fit.has("feature_names") else None,
    )


def _restored_encoder(arrays: Arrays, model: FeatureMap) -> TableEncoder:
    checked = CheckedArrays(arrays)
    encoder = encoder_from_arrays(checked)
    checked.finish()
    if len(encoder.center_) != model.n_features_in_:
        raise InvalidFileError(
            f"`encoder` must make the {model.n_features_in_} numbers that the map takes, got {len(encoder.center_)}."
        )
    return encoder


def _header(path: AnyPath, arrays: Arrays) -> dict[str, Any]:
    """What the file says of itself: known entries of the right kinds, of a version that can be read."""
    try:
        header = json.loads(str(arrays.pop("header").item()))
        if header["format"] != FORMAT:
            raise KeyError(FORMAT)
    except (KeyError, TypeError, ValueError, RecursionError):
        raise InvalidFileError(
            f"{path} is not a model: expected a file that save_model or the command tete reduce has written."
        ) from None
    if header.get("version") != VERSION:
        raise InvalidFileError(
            f"{path} has version {header.get('version')} of the format and was written by tete {header.get('tete')}; "
            f"this is tete {tete.__version__}, which reads version {VERSION}."
        )
    reason = _wrong_entry(header)
    if reason is not None:
        raise InvalidFileError(f"{path} is a damaged model: {reason}.")
    return dict(header)


def _wrong_entry(header: dict[str, Any]) -> str | None:
    """What is wrong with the entries of the header, if anything."""
    if header.keys() != HEADER:
        odd = sorted(header.keys() ^ HEADER)[0]
        return f"`header` must have the entries {', '.join(sorted(HEADER))}, got {odd!r} missing or beside them"
    for name, known in (("estimator", ESTIMATORS), ("placer", PLACERS), ("stop_reason", set(StopReason))):
        if not isinstance(header[name], str) or header[name] not in known:
            return f"`{name}` must be one of {', '.join(known)}, got {header[name]!r}"
    if header["placer"] not in PLACERS_OF[header["estimator"]]:
        return f"`placer` of {header['estimator']} must not be {header['placer']!r}"
    if not (header["loss"] is None or isinstance(header["loss"], float)):
        return f"`loss` must be a number or null, got {header['loss']!r}"
    return _wrong_parameters(header["parameters"])


def _wrong_parameters(parameters: Any) -> str | None:
    """The same of the estimator's parameters; their own rules are checked by the estimator."""
    if not isinstance(parameters, dict):
        return f"`parameters` must be a table, got {parameters!r}"
    for name, value in parameters.items():
        if name in LEFT_OUT or not (value is None or isinstance(value, (bool, int, float, str))):
            return f"`parameters` must hold plain values of what new rows need, got {value!r} for {name!r}"
    return None


def _plain_parameters(model: FeatureMap) -> dict[str, Any]:
    """The parameters that are numbers, texts or None; a start or a generator cannot matter any more."""
    chosen = {field.name: getattr(model, field.name) for field in fields(model) if field.name not in LEFT_OUT}
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in chosen.items()}
    return {name: value for name, value in plain.items() if value is None or isinstance(value, (bool, int, float, str))}
