"""Models in files: the same places after a round trip, and a sentence for every file that is none."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tete import TETE, ListwiseTETE, TableEncoder, WeightedTETE, load_model, save_model
from tete.exceptions import InvalidFileError, InvalidParameterError, OutputExistsError
from tete.reduction.model_files import saved_classes
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
    assert isinstance(model.placer_.points.search, CellSearch)
    restored = round_trip(model, tmp_path / "model.npz")
    assert restored.placer_.points.search.n_visited == model.placer_.points.search.n_visited
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
    assert (header["format"], header["version"], header["estimator"]) == ("tete model", 3, "ListwiseTETE")
    assert header["parameters"]["n_neighbors"] == 5


def test_a_pipeline_with_an_encoder(tmp_path, table):
    frame = pd.DataFrame(table[:, :3], columns=["a", "b", "c"]).assign(kind=["x", "y", None] * (len(table) // 3))
    frame.loc[4, "b"] = None
    model = make_pipeline(TableEncoder(), ListwiseTETE(**QUICK)).fit(frame)
    save_model(tmp_path / "model.npz", model)
    again = load_model(tmp_path / "model.npz")
    new = frame[:20].assign(kind="unseen")
    np.testing.assert_array_equal(again.transform(new), model.transform(new))
    assert again[0].summary() == model[0].summary()
    with np.load(tmp_path / "model.npz", allow_pickle=False) as archive:
        arrays = dict(archive)
    for name, match in (("encoder", "`encoder` is missing"), ("encoder_mean", "`encoder_mean` is missing")):
        np.savez(tmp_path / "damaged.npz", **{key: array for key, array in arrays.items() if key != name})
        with pytest.raises(InvalidFileError, match=match):
            load_model(tmp_path / "damaged.npz")
    other = make_pipeline(StandardScaler(), ListwiseTETE(**QUICK)).fit(table)
    with pytest.raises(InvalidParameterError, match="got StandardScaler and ListwiseTETE"):
        save_model(tmp_path / "other.npz", other)


def test_swapped_arguments_of_saving_are_told(tmp_path, table):
    model = ListwiseTETE(**QUICK).fit(table)
    for swapped in (model, make_pipeline(TableEncoder(), model)):
        with pytest.raises(InvalidParameterError, match=r"`path` comes first, as in save_model\('model.npz', model\)"):
            save_model(swapped, tmp_path / "model.npz")


def test_saving_refuses(tmp_path, table):
    with pytest.raises(NotFittedError):
        save_model(tmp_path / "model.npz", ListwiseTETE())
    with pytest.raises(
        InvalidParameterError, match=r"`model` must be one of ListwiseTETE, WeightedTETE, or a pipeline of .*, got TETE"
    ):
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
        changed(path, version=4, tete="9.0")
        with pytest.raises(
            InvalidFileError, match=r"version 4 of the format and was written by tete 9\.0; this is tete"
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
        with pytest.raises(InvalidFileError, match="is not a model"):
            load_model(path)

    @pytest.mark.parametrize("size", [0, 10, 1000, -30])
    def test_truncated(self, path, size):
        path.write_bytes(path.read_bytes()[:size])
        with pytest.raises(InvalidFileError, match="is not a whole npz file of plain arrays"):
            load_model(path)

    def test_flipped_bits(self, path):
        content = bytearray(path.read_bytes())
        middle = content.index(b"points.npy") + 300
        content[middle : middle + 8] = b"\xff" * 8
        path.write_bytes(content)
        with pytest.raises(InvalidFileError, match="is not a whole npz file of plain arrays"):
            load_model(path)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"points": None}, "damaged model: `points` is missing"),
            ({"points": np.zeros((3, 8), np.float32)}, r"`places` must have the shape \(3, any\), got \(90, 2\)"),
            ({"points": np.full((90, 8), np.nan, np.float32)}, "`points` must be finite, got 720 other values"),
            ({"points": np.zeros((90, 8))}, "`points` must have the type f4, got float64"),
            ({"points": np.full((90, 8), "x")}, "`points` must have the type f4"),
            ({"places": np.full((90, 2), np.inf, np.float32)}, "`places` must be finite"),
            ({"scales": np.zeros(90, np.float32)}, "`scales` must be from 1.4013e-45 to inf, got 0 to 0"),
            ({"scales": np.zeros(3, np.float32)}, r"`scales` must have the shape \(90\), got \(3,\)"),
            ({"scales": np.full(90, np.nan, np.float32)}, "`scales` must be finite"),
            ({"kappa": -np.ones(90, np.float32)}, "`kappa` must be from"),
            ({"n_neighbors": np.array(0)}, "`n_neighbors` must be a whole number from 1 to 20, got 0"),
            ({"n_neighbors": np.array(21)}, "`n_neighbors` must be a whole number from 1 to 20, got 21"),
            ({"n_candidates": np.array(91)}, "`n_candidates` must be a whole number from 1 to 90, got 91"),
            ({"n_candidates": np.array([5])}, "`n_candidates` must be a single value"),
            ({"n_outliers": np.array(10**9)}, "`n_outliers` must be a whole number from 1 to 10000"),
            ({"t": np.array(7.0)}, "`t` must be a number from 1 to 2, got 7"),
            ({"seed": np.array(-1)}, "`seed` must be a whole number from 0"),
            ({"metric": np.array("nearness")}, "`metric` must be one of"),
            ({"mean": np.zeros(3)}, r"`mean` must have the shape \(8\), got \(3,\)"),
            ({"scale": np.array(0.0)}, "`scale` must be a number from"),
            ({"unit_rows": np.array(1)}, "`unit_rows` must be a single value"),
            ({"embedding": np.zeros((90, 3), np.float32)}, r"`embedding` must have the shape \(any, 2\)"),
            ({"history": np.array(["x"])}, "`history` must have the type f8"),
            ({"estimator": "Other"}, "`estimator` must be one of ListwiseTETE, WeightedTETE, got 'Other'"),
            ({"estimator": ["ListwiseTETE"]}, "`estimator` must be one of"),
            ({"placer": "weighted"}, "`placer` of ListwiseTETE must not be 'weighted'"),
            ({"parameters": {"precomputed_knn": 3}}, "`parameters` must hold plain values of what new rows need"),
            ({"parameters": {"random_state": [1]}}, "`parameters` must hold plain values of what new rows need"),
            ({"parameters": {"t": 10**400}}, r"`t` must be in \[1, 2\], got 1000"),
            ({"unit_rows": np.array(True)}, "`unit_rows` must be true for cosine distances only, got 'euclidean'"),
            ({"loss": 10**400}, "`loss` must be a number or null"),
            ({"parameters": {"colour": 1}}, "ListwiseTETE has no parameter 'colour'"),
            ({"parameters": {"n_neighbors": 0}}, "`n_neighbors` must be a whole number of at least 1, got 0"),
            ({"parameters": {"transform": 1}}, "ListwiseTETE has no parameter 'transform'"),
            ({"parameters": {"n_components": 3}}, "`n_components` and `metric` must be those of the map"),
            ({"parameters": [1]}, "`parameters` must be a table"),
            ({"loss": "low"}, "`loss` must be a number or null"),
            ({"loss": None}, "`header` must have the entries .* got 'loss' missing"),
            ({"stop_reason": "bored"}, "`stop_reason` must be one of"),
        ],
        ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
    )
    def test_damaged(self, path, changes, message):
        changed(path, **changes)
        with pytest.raises(InvalidFileError, match=message):
            load_model(path)

    def test_what_nobody_knows_is_refused(self, path):
        with np.load(path) as loaded:
            arrays = dict(loaded)
        np.savez(path, **arrays, transform=np.zeros(3))
        with pytest.raises(InvalidFileError, match="damaged model: `transform` is not known"):
            load_model(path)

    def test_sparse_rows_out_of_range(self, path, rng):
        table = sparse.csr_array(np.where(rng.random((60, 9)) < 0.5, rng.random((60, 9)), 0.0))
        save_model(path, ListwiseTETE(metric="manhattan", **QUICK).fit(table), force=True)
        with np.load(path) as loaded:
            arrays = dict(loaded)
        for name, value in (("points_columns", 9), ("points_columns", -1), ("points_starts", 10**6)):
            array = arrays[name].copy()
            array[3] = value
            changed(path, **{name: array})
            with pytest.raises(InvalidFileError, match=f"damaged model: `{name}` must be from 0 to"):
                load_model(path)
            changed(path, **{name: arrays[name]})
        changed(path, points_starts=np.arange(61)[::-1])
        with pytest.raises(InvalidFileError, match="`points_starts` must rise from 0"):
            load_model(path)

    def test_cells_that_hold_nothing(self, path, rng):
        table = rng.normal(size=(15_100, 6)).astype(np.float32)
        save_model(path, ListwiseTETE(**(QUICK | {"max_iter": 2})).fit(table), force=True)
        with np.load(path) as loaded:
            cells, centers = loaded["cells"], loaded["cell_centers"]
        changed(path, cells=cells + len(centers))
        with pytest.raises(InvalidFileError, match="`cells` must be from 0 to"):
            load_model(path)
        far = np.full_like(centers, 1e6)
        far[0] = 0.0
        changed(path, cell_centers=far, cells=np.full_like(cells, 5), n_visited_cells=np.array(1))
        assert np.isfinite(load_model(path).transform(table[:5] + 0.5)).all()  # every cell that is visited is empty

    def test_missing_and_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            load_model(tmp_path / "none.npz")
        (tmp_path / "folder.npz").mkdir()
        with pytest.raises(IsADirectoryError):
            load_model(tmp_path / "folder.npz")
        with pytest.raises(InvalidFileError, match="the extension must be"):
            load_model(tmp_path / "model.csv")


def test_classes_are_kept_with_the_model(tmp_path, table):
    path, model = tmp_path / "model.npz", ListwiseTETE(**QUICK).fit(table)
    save_model(path, model)
    assert saved_classes(path) == {}
    save_model(path, model, classes={"kind": ["b", "a"], "é": []}, force=True)
    assert saved_classes(path) == {"kind": ["b", "a"], "é": []}
    np.testing.assert_array_equal(load_model(path).embedding_, model.embedding_)


@pytest.mark.parametrize("text", ["[1]", "no JSON", '{"kind": "ab"}', '{"kind": 3}'])
def test_damaged_classes(tmp_path, table, text):
    path, model = tmp_path / "model.npz", ListwiseTETE(**QUICK).fit(table)
    save_model(path, model, classes={"kind": ["a"]})
    arrays = dict(np.load(path)) | {"classes": np.array(text)}
    np.savez(path, **arrays)
    with pytest.raises(InvalidFileError, match="is a damaged model: `classes` must be a table of lists of texts"):
        saved_classes(path)
