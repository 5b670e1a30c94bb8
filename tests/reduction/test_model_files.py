"""Models in files: the same places after a round trip, and a sentence for every file that is none."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances

from tete import TETE, ListwiseTETE, WeightedTETE, load_model, save_model
from tete.exceptions import InvalidFileError, InvalidParameterError, OutputExistsError
from tete.reduction.search.cells import CellSearch

QUICK = {"max_iter": 10, "n_neighbors": 5, "random_state": 0}


@pytest.fixture
def table(rng):
    return rng.normal(size=(90, 8))


def round_trip(model, path):
    save_model(path, model)
    return load_model(path)


@pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_components": 3},
        {"metric": "cosine"},
        {"metric": "manhattan"},
        {"pca_components": 4},
        {"standardize": True},
        {"standardize": True, "pca_components": 4},
        {"init": np.zeros((60, 2))},
        {"random_state": np.random.default_rng(3)},
    ],
    ids=lambda options: "-".join(options) or "default",
)
def test_a_round_trip_places_rows_exactly_alike(tmp_path, table, estimator, options):
    model = estimator(**(QUICK | options)).fit(table[:60])
    restored = round_trip(model, tmp_path / "model.npz")
    assert type(restored) is estimator
    np.testing.assert_array_equal(restored.transform(table), model.transform(table))
    np.testing.assert_array_equal(restored.embedding_, model.embedding_)
    assert restored.loss_ == model.loss_
    assert restored.stop_reason_ is model.stop_reason_
    assert restored.n_iter_ == model.n_iter_


@pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
def test_kinds_of_input(tmp_path, table, estimator):
    few = table[:, :3]  # a k-d tree
    repeated = np.vstack([table[:60], table[:10]])  # equal rows are one point
    for number, (fitted, new) in enumerate(
        [(few[:60], few), (repeated, table), (sparse.csr_matrix(np.maximum(table[:60], 0)), sparse.csr_matrix(table))]
    ):
        model = estimator(**QUICK).fit(fitted)
        restored = round_trip(model, tmp_path / f"{number}.npz")
        np.testing.assert_array_equal(restored.transform(new), model.transform(new))


def test_distances_and_sparse_metrics(tmp_path, table):
    distances = pairwise_distances(table)
    model = ListwiseTETE(metric="precomputed", **QUICK).fit(distances[:60, :60])
    restored = round_trip(model, tmp_path / "distances.npz")
    np.testing.assert_array_equal(restored.transform(distances[60:, :60]), model.transform(distances[60:, :60]))
    rows = sparse.csr_matrix(table)
    model = ListwiseTETE(metric="manhattan", **QUICK).fit(rows[:60])
    restored = round_trip(model, tmp_path / "sparse.npz")
    np.testing.assert_array_equal(restored.transform(rows), model.transform(rows))


def test_the_search_in_cells_is_not_trained_again(tmp_path, rng):
    table = rng.normal(size=(15_500, 6)).astype(np.float32)
    model = ListwiseTETE(**(QUICK | {"max_iter": 2})).fit(table[:15_200])
    assert isinstance(model._features.search, CellSearch)
    restored = round_trip(model, tmp_path / "model.npz")
    assert restored._features.search.index.nprobe == model._features.search.index.nprobe
    np.testing.assert_array_equal(restored.transform(table[15_000:]), model.transform(table[15_000:]))


def test_names_of_columns_are_kept(tmp_path, table):
    frame = pd.DataFrame(table, columns=[f"gene {n}" for n in range(8)])
    restored = round_trip(ListwiseTETE(**QUICK).fit(frame), tmp_path / "model.npz")
    assert restored.feature_names_in_.tolist() == list(frame.columns)
    with pytest.raises(ValueError, match="feature names should match"):
        restored.transform(frame.rename(columns={"gene 0": "gene x"}))


def test_the_file_has_no_pickles_and_says_what_it_is(tmp_path, table):
    save_model(tmp_path / "model.npz", ListwiseTETE(**QUICK).fit(table))
    with np.load(tmp_path / "model.npz", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype.kind in "biufU" for name in arrays)
        header = json.loads(str(arrays["header"]))
        assert arrays["points"].shape == (90, 8)
    assert (header["format"], header["version"], header["estimator"]) == ("tete model", 1, "ListwiseTETE")
    assert header["parameters"]["n_neighbors"] == 5


def test_saving_refuses(tmp_path, table):
    with pytest.raises(NotFittedError):
        save_model(tmp_path / "model.npz", ListwiseTETE())
    with pytest.raises(InvalidParameterError, match="`model` must be one of ListwiseTETE, WeightedTETE, got TETE"):
        save_model(tmp_path / "model.npz", TETE())
    with pytest.raises(InvalidFileError, match=r"the extension must be one of \.npz, got '\.pkl'"):
        save_model(tmp_path / "model.pkl", ListwiseTETE())
    model = ListwiseTETE(**QUICK).fit(table)
    save_model(tmp_path / "model.npz", model)
    with pytest.raises(OutputExistsError):
        save_model(tmp_path / "model.npz", model)
    save_model(tmp_path / "model.npz", model, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz"]


def changed(path, **changes):
    """Rewrite a model with another header entry or another array; None leaves it out."""
    with np.load(path) as loaded:
        arrays = dict(loaded)
    header = json.loads(str(arrays["header"]))
    for name, value in changes.items():
        place = arrays if name in arrays else header
        if value is None:
            del place[name]
        else:
            place[name] = value
    np.savez(path, **(arrays | {"header": np.array(json.dumps(header))}))


class TestBadFiles:
    @pytest.fixture
    def path(self, tmp_path, table):
        save_model(tmp_path / "model.npz", ListwiseTETE(**QUICK).fit(table))
        return tmp_path / "model.npz"

    def test_another_version(self, path):
        changed(path, version=2, tete="9.0")
        with pytest.raises(
            InvalidFileError, match=r"version 2 of the format and was written by tete 9\.0; this is tete"
        ):
            load_model(path)

    def test_another_programs_file(self, path):
        np.savez(path, X=np.eye(3))
        with pytest.raises(InvalidFileError, match=r"model\.npz is not a model: expected a file that save_model"):
            load_model(path)
        np.savez(path, header=np.array('{"format": "other"}'))
        with pytest.raises(InvalidFileError, match="is not a model"):
            load_model(path)
        np.savez(path, header=np.array("[1]"))
        with pytest.raises(InvalidFileError, match="is not a whole npz file of a model"):
            load_model(path)

    @pytest.mark.parametrize("size", [0, 10, 1000, -30])
    def test_truncated(self, path, size):
        path.write_bytes(path.read_bytes()[:size])
        with pytest.raises(InvalidFileError, match="is not a whole npz file of a model"):
            load_model(path)

    def test_flipped_bits(self, path):
        content = bytearray(path.read_bytes())
        middle = content.index(b"points.npy") + 300
        content[middle : middle + 8] = b"\xff" * 8
        path.write_bytes(content)
        with pytest.raises(InvalidFileError, match="is not a whole npz file of a model"):
            load_model(path)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"points": None}, "damaged model: 'points/data' is missing"),
            ({"points": np.zeros((3, 8), np.float32)}, r"damaged model: 3 points have a map of shape \(90, 2\)"),
            ({"state/_scales": np.zeros(3, np.float32)}, "damaged model: state/_scales does not have 90 entries"),
            ({"estimator": "Other"}, "damaged model: 'Other' is missing"),
            ({"parameters": {"colour": 1}}, "damaged model: .*colour"),
            ({"values": None}, "damaged model: 'values' is missing"),
        ],
    )
    def test_damaged(self, path, changes, message):
        changed(path, **changes)
        with pytest.raises(InvalidFileError, match=message):
            load_model(path)

    def test_missing_and_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            load_model(tmp_path / "none.npz")
        (tmp_path / "folder.npz").mkdir()
        with pytest.raises(IsADirectoryError):
            load_model(tmp_path / "folder.npz")
        with pytest.raises(InvalidFileError, match="the extension must be"):
            load_model(tmp_path / "model.csv")
