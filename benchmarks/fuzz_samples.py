"""Valid files of every kind that tete reads, small ones, and how each is read."""

import gzip
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.pipeline import Pipeline, make_pipeline

from tete import (
    ListwiseTETE,
    TableEncoder,
    Triplets,
    WeightedTETE,
    load_model,
    read_answers,
    read_features,
    read_map,
    save_model,
)
from tete.distributed import TripletShards
from tete.io.object_tables import read_columns

NAMES = ["apple", "pear, green", "plüm", '"kiwi"', "=fig", "quince 7"]
ROWS = [(0, 1, 2), (1, 0, 2), (2, 3, 4), (5, 0, 1), (3, 4, 5), (4, 2, 1), (1, 5, 3)]


class Sample(NamedTuple):
    """A file: what it holds, its kind, its name's ending, its bytes, and the options with which it may be read."""

    holds: str
    kind: str
    extension: str
    content: bytes
    options: tuple[dict[str, Any], ...] = ({},)

    def read(self, path: Path, options: dict[str, Any]) -> None:
        """Read the file and look at what was found."""
        READERS[self.holds](path, options)


def _read_answers(path: Path, options: dict[str, Any]) -> None:
    found = read_answers(path, **options)
    found.summary()
    repr([found.name_of(number) for number in found.to_array()[0]])


def _read_packed(path: Path, options: dict[str, Any]) -> None:
    """The file takes the place of a member of a folder of packed answers, whose name has the file's in it."""
    folder = path.with_name(f"{path.name}.tete")
    shutil.rmtree(folder, ignore_errors=True)
    TripletShards.write(folder, _packed())
    path.replace(folder / options["member"])
    found = TripletShards(folder)
    found.parts()
    for columns in found.blocks(slice(0, found.n_rows)):
        assert {len(values) for values in columns.values()} == {found.n_rows}


def _read_features(path: Path, options: dict[str, Any]) -> None:
    found = read_features(path, **options)
    assert found.matrix.shape[0] == len(found)
    if isinstance(found.matrix, pd.DataFrame):
        assert np.isfinite(TableEncoder().fit_transform(found.matrix)).all()
    else:
        with np.errstate(all="ignore"):
            found.matrix.sum()  # walks along the indices of a sparse table
    assert all(len(values) == len(found) for values in found.columns.values())


def _read_map(path: Path, options: dict[str, Any]) -> None:
    found = read_map(path, **options)
    assert np.isfinite(found.embedding).all()
    assert len(found.display_names) == len(found)
    found.first_label()


def _read_objects(path: Path, options: dict[str, Any]) -> None:
    assert all(len(values) == len(NAMES) for values in read_columns(path, NAMES, **options).values())


def _read_model(path: Path, _: dict[str, Any]) -> None:
    model = load_model(path)
    model.transform(_mixed() if isinstance(model, Pipeline) else np.zeros((2, model.n_features_in_)))


READERS: dict[str, Callable[[Path, dict[str, Any]], None]] = {
    "answers": _read_answers,
    "packed answers": _read_packed,
    "features": _read_features,
    "mixed features": _read_features,
    "map": _read_map,
    "objects": _read_objects,
    "model": _read_model,
}


def samples() -> list[Sample]:
    """At least one file of everything."""
    return [*_answers(), *_screens(), *_members(), *_features(), *_tables(), *_maps(), *_objects(), *_models()]


def saved(save: Callable[..., None], *arguments: Any, **named: Any) -> bytes:
    """The bytes that a function writes to a stream."""
    stream = io.BytesIO()
    save(stream, *arguments, **named)
    return stream.getvalue()


def _answers() -> list[Sample]:
    named = np.array(NAMES, dtype=object)[ROWS]
    frame = pd.DataFrame(named, columns=["head", "winner", "loser"])
    frame = frame.assign(weight=np.arange(7) / 2, worker=list("aabbccc"))
    numbered = pd.DataFrame(np.array(ROWS), columns=["anchor", "near", "far"])
    asked = numbered.set_axis(["center", "left", "right"], axis=1).assign(answer=[1, -1, 0, 1, 1, -1, 1])
    options = ({}, {"skip_invalid": True}, {"columns": ["1", "2", "3"]}, {"header": False}, {"names": NAMES})
    arrays = {"weights": np.ones(7), "names": np.array(NAMES), "annotators": np.array(list("aabbccc"))}
    return [
        Sample("answers", "text", "csv", frame.to_csv(index=False).encode(), options),
        Sample("answers", "text", "csv", numbered.to_csv(index=False, lineterminator="\r\n").encode(), options),
        Sample("answers", "text", "tsv", asked.to_csv(index=False, sep="\t").encode("utf-16"), options),
        Sample("answers", "text", "txt", frame.to_csv(index=False, sep=";", decimal=",").encode("utf-8-sig"), options),
        Sample("answers", "Parquet", "parquet", saved(frame.to_parquet, index=False), options[:3]),
        Sample("answers", "Parquet", "pq", saved(numbered.to_parquet, index=False), options[:3]),
        Sample("answers", "npz", "npz", saved(np.savez, triplets=np.array(ROWS), **arrays), options[:2]),
        Sample("answers", "npz", "npz", saved(np.savez_compressed, triplets=np.array(ROWS), **arrays), options[:2]),
        Sample("answers", "npy", "npy", saved(np.save, np.array(ROWS)), options[:2]),
    ]


def _screens() -> list[Sample]:
    """Answers in other layouts, with ties, times and votes, and in archives."""
    named = np.array(NAMES, dtype=object)
    ragged = [["apple", "plüm", "=fig", "", "=fig", ""], ["=fig", "apple", "plüm", '"kiwi"', "plüm", '"kiwi"']]
    picks = pd.DataFrame(ragged, columns=["anchor", "choice1", "choice2", "choice3", "picked1", "picked2"])
    odd = pd.DataFrame(named[ROWS], columns=["first", "second", "odd"]).assign(votes=range(1, 8))
    asked = pd.DataFrame(named[ROWS], columns=["center", "left", "right"])
    asked = asked.assign(answer=["left", "right", "", "equal", "left", "right", "left"], ms=np.arange(7) * 150.5)
    ties = ({}, {"ties": "half"}, {"time": "ms"}, {"skip_invalid": True}, {"weight": "ms"})
    text = asked.to_csv(index=False).encode()
    return [
        Sample("answers", "text", "csv", picks.to_csv(index=False).encode(), ({}, {"ranked": True})),
        Sample("answers", "text", "csv", odd.to_csv(index=False).encode(), ({}, {"weight": "votes"})),
        Sample("answers", "text", "csv", text, ties),
        Sample("answers", "gz", "csv.gz", gzip.compress(text, mtime=0), ties),
        Sample("answers", "zip", "csv.zip", in_zip(text), ties),
    ]


def in_zip(text: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("answers.csv", text)
    return stream.getvalue()


def _packed() -> Triplets:
    numbers = np.array(ROWS)
    return Triplets.from_array(numbers, weights=np.ones(7), names=NAMES, annotators=list("aabbccc"))


def _members() -> list[Sample]:
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder, "answers.tete")
        TripletShards.write(packed, _packed())
        return [
            Sample("packed answers", "folder", path.suffix[1:], path.read_bytes(), ({"member": path.name},))
            for path in sorted(packed.iterdir())
        ]


def _features() -> list[Sample]:
    values = np.random.default_rng(0).normal(size=(6, 3)).round(3)
    frame = pd.DataFrame(values, columns=["width", "height", "depth"]).assign(id=NAMES, label=list("xyxyxy"))
    options = ({}, {"header": False}, {"id_column": "id", "labels": ["label"]}, {"drop": ["1"]})
    table = sparse.random(6, 5, 0.5, random_state=0)
    arrays = {"y": np.arange(6) % 2, "ids": np.array(NAMES), "feature_names": np.array(["a", "b", "c"])}
    return [
        Sample("features", "text", "csv", frame.to_csv(index=False).encode(), options),
        Sample("features", "text", "tsv", frame.to_csv(index=False, sep="\t", decimal=",").encode(), options),
        Sample("features", "Parquet", "parquet", saved(frame.to_parquet, index=False), options[:1]),
        Sample("features", "npy", "npy", saved(np.save, values)),
        Sample("features", "npz", "npz", saved(np.savez, X=values, **arrays)),
        Sample("features", "npz", "npz", saved(np.savez_compressed, X=values.astype("f4"), **arrays)),
        *(
            Sample("features", "sparse npz", "npz", saved(sparse.save_npz, table.asformat(kind), compressed=packed))
            for kind, packed in (("csr", False), ("csc", True), ("coo", False), ("bsr", False), ("dia", False))
        ),
    ]


def _mixed() -> pd.DataFrame:
    """Numbers, texts, dates and gaps."""
    numbers = np.random.default_rng(3).normal(size=(12, 2)).round(3)
    frame = pd.DataFrame(numbers, columns=["width", "height"])
    frame = frame.assign(
        kind=list("abcabcabcabc"), day=pd.date_range("2024-01-01", periods=12), fresh=[True, False] * 6
    )
    return frame.mask(np.random.default_rng(4).random(frame.shape) < 0.1)


def _tables() -> list[Sample]:
    frame = _mixed()
    options = ({"mixed": True}, {"mixed": True, "labels": ["kind"]}, {"mixed": True, "drop": ["1"]})
    return [
        Sample("mixed features", "text", "csv", frame.to_csv(index=False).encode(), options),
        Sample("mixed features", "Parquet", "parquet", saved(frame.to_parquet, index=False), options[:2]),
    ]


def _maps() -> list[Sample]:
    places = np.random.default_rng(1).normal(size=(6, 2))
    frame = pd.DataFrame({"object": NAMES, "x": places[:, 0], "y": places[:, 1], "class": list("xyxyxy")})
    other = frame.rename(columns={"x": "UMAP_1", "y": "UMAP_2"})
    options = ({}, {"coordinates": ["2", "3"]})
    return [
        Sample("map", "text", "csv", frame.to_csv(index=False).encode(), options),
        Sample("map", "text", "tsv", other.to_csv(index=False, sep="\t").encode("utf-16"), options),
        Sample("map", "JSON", "json", json.dumps(frame.to_dict(orient="records")).encode(), options),
        Sample("map", "Parquet", "parquet", saved(other.to_parquet, index=False), options),
        Sample("map", "npy", "npy", saved(np.save, places)),
        Sample("map", "npy", "npy", saved(np.save, np.asfortranarray(places.astype("f4")))),
    ]


def _objects() -> list[Sample]:
    frame = pd.DataFrame({"name": NAMES, "size": [1, 2, 3, 4, 5, 6], "kind": list("abcabc")})
    return [
        Sample("objects", "text", "csv", frame.to_csv(index=False).encode()),
        Sample("objects", "Parquet", "parquet", saved(frame.to_parquet, index=False)),
    ]


def _models() -> list[Sample]:
    points = np.random.default_rng(2).normal(size=(60, 4)).astype("f4")
    found = []
    listwise = ListwiseTETE(max_iter=3, random_state=0)
    weighted = WeightedTETE(max_iter=3, random_state=0, metric="manhattan")
    mixed = pd.concat([_mixed()] * 5, ignore_index=True)
    mixed["width"] += np.arange(60)
    for model, rows in ((listwise, points), (weighted, points), (make_pipeline(TableEncoder(), listwise), mixed)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.npz")
            save_model(path, model.fit(rows))
            found.append(Sample("model", "npz", "npz", path.read_bytes()))
    return found
