"""One part of a data set onto a finished map, on this machine or on a worker; what all parts share is kept."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from tete.distributed.placed_files import write_placed
from tete.distributed.row_parts import RowPart
from tete.exceptions import InvalidFeaturesError, InvalidFileError, InvalidParameterError
from tete.io.array_files import read_array_file
from tete.io.feature_columns import Wanted
from tete.io.parquet_parts import RowPiece, joined_rows
from tete.reduction.encoding.table_encoder import TableEncoder
from tete.reduction.feature_map import FeatureMap
from tete.reduction.model_files import load_model

__all__ = ["UNLIKE", "PartDone", "PlacingTask", "check_model", "model_digest", "place_part"]

UNLIKE = 3.0  # a novelty that hardly a row has that belongs to the map


class PartDone(NamedTuple):
    """How many rows were placed, and how many of them hardly belong to the map."""

    n_rows: int
    n_unlike: int


@dataclass(frozen=True)
class PlacingTask:
    """What is the same for all parts: the model's file and digest, the folder, the columns, and threads for a part."""

    model: str
    digest: str
    folder: str
    wanted: Wanted
    n_jobs: int | None = 1

    def note(self, part: RowPart) -> dict[str, Any]:
        """What the file of a part says it was made from."""
        asked = [list(each) if isinstance(each, tuple) else each for each in self.wanted]
        return {"model": self.digest, "part": part.state(), "columns": asked}

    def target(self, part: RowPart) -> Path:
        """The file of a part."""
        return Path(self.folder) / f"{part.name}.parquet"


def model_digest(path: str | Path) -> str:
    """Names the content of a model file: equal for equal models, whenever they were written."""
    digest = hashlib.blake2b(digest_size=16)
    for name, array in sorted(read_array_file(path).items()):
        digest.update(repr((name, array.shape, array.dtype.str)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


class _Kept:
    """The model that this process uses, one at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._key: tuple[str, str, int | None] | None = None
        self._parts: tuple[TableEncoder | None, FeatureMap] | None = None

    def model(self, task: PlacingTask) -> tuple[TableEncoder | None, FeatureMap]:
        """Its encoder, if it has one, and the estimator."""
        with self._lock:
            key = (task.model, task.digest, task.n_jobs)
            if self._parts is None or self._key != key:
                if model_digest(task.model) != task.digest:
                    raise InvalidFileError(f"{task.model} is another model on a worker than where the run began.")
                loaded = load_model(task.model)
                encoder, estimator = (loaded[0], loaded[1]) if isinstance(loaded, Pipeline) else (None, loaded)
                self._parts, self._key = (encoder, estimator.set_params(n_jobs=task.n_jobs)), key
            return self._parts


_KEPT = _Kept()


def check_model(task: PlacingTask) -> None:
    """Refuse a file that is no model, before anything is written."""
    _KEPT.model(task)


def place_part(task: PlacingTask, part: RowPart) -> PartDone:
    """Read a part in pieces, place its rows, and write them to a file that appears when it is whole."""
    encoder, estimator = _KEPT.model(task)
    known = getattr(encoder or estimator, "feature_names_in_", None)
    wanted = task.wanted if known is None else task.wanted._replace(features=tuple(str(name) for name in known))
    pieces, places, novelty = [], [], []
    note = task.note(part)
    for piece in part.pieces(wanted, mixed=encoder is not None):
        found = _placed(piece, part, encoder, estimator, known)
        places.append(found[0])
        novelty.append(found[1])
        pieces.append(_without_cells(piece))
    unlike = np.concatenate(novelty)
    write_placed(task.target(part), pieces, np.concatenate(places), unlike, note)
    return PartDone(len(unlike), int(np.sum(unlike > UNLIKE)))


def _placed(piece: RowPiece, part: RowPart, encoder: TableEncoder | None, estimator: FeatureMap, known: Any) -> Any:
    import pandas as pd  # noqa: PLC0415

    rows = joined_rows([piece])
    expected = (encoder or estimator).n_features_in_
    if rows.shape[1] != expected:
        raise InvalidFileError(f"{part.where} has {rows.shape[1]} columns of features, expected {expected}.")
    try:
        if known is not None and isinstance(rows, np.ndarray):
            rows = pd.DataFrame(rows, columns=list(known), copy=False)
        if encoder is not None:
            rows = pd.DataFrame(encoder.transform(rows), columns=list(estimator.feature_names_in_))
        return estimator.transform(rows, return_novelty=True)
    except InvalidParameterError:
        raise
    except InvalidFeaturesError as error:
        raise InvalidFileError(f"{part.where}, rows counted from row {piece.first} on: {error}") from error


def _without_cells(piece: RowPiece) -> RowPiece:
    """What is still needed of a piece whose rows are placed."""
    return replace(piece, cells=np.empty((len(piece), 0), dtype=np.float32))
