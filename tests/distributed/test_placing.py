"""Tests of placing data sets: also of `distributed.part_placing`, `distributed.placed_files`.

The last ones run on a cluster of processes.
"""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tete import ListwiseTETE, TableEncoder, WeightedTETE, load_model, save_model
from tete.distributed import draw_landmarks, place_dataset
from tete.distributed.part_placing import model_digest
from tete.exceptions import ClusterError, InvalidFileError, InvalidParameterError, OutputExistsError

pytest.importorskip("pyarrow", reason="pyarrow is not installed", exc_type=ImportError)

SMALL_CLUSTER = """
import time
from distributed import LocalCluster

if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None)
    print(cluster.scheduler_address, flush=True)
    time.sleep(300)
"""

QUICK = {"max_iter": 5, "n_neighbors": 5, "random_state": 0}
N_ROWS = 900


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N_ROWS, 4)).astype(np.float32), columns=list("abcd"))
    frame["class"] = rng.choice(["oak", "elm"], size=N_ROWS)
    frame["id"] = [f"row {number}" for number in range(N_ROWS)]
    return frame


@pytest.fixture
def files(tmp_path, frame):
    """Three files, of which the second has several row groups."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for number in range(3):
        some = frame.iloc[300 * number : 300 * number + 300]
        some.to_parquet(folder / f"{'xyz'[number]}.parquet", index=False, row_group_size=(300, 60, 300)[number])
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def model(frame):
    return ListwiseTETE(**QUICK).fit(frame[list("abcd")].iloc[::9])


@pytest.fixture
def model_file(tmp_path, model):
    save_model(tmp_path / "model.npz", model)
    return tmp_path / "model.npz"


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr("tete.distributed.row_parts.ROWS_IN_A_PART", 120)


def together(folder):
    return pd.read_parquet(folder)


def stamps(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*.parquet")}


def test_each_part_has_its_own_file_and_places_are_those_of_transform(
    tmp_path, files, model, model_file, frame, small_parts
):
    placed = place_dataset(model_file, files, tmp_path / "out")
    assert (placed.n_rows, placed.n_parts, placed.n_kept) == (N_ROWS, 5, 0)
    names = ["x.parquet", "y-00000.parquet", "y-00001.parquet", "y-00002.parquet", "z.parquet"]
    assert sorted(path.name for path in (tmp_path / "out").glob("*.parquet")) == names
    found = together(tmp_path / "out")
    places, novelty = model.transform(frame[list("abcd")], return_novelty=True)
    np.testing.assert_array_equal(found[["x", "y"]].to_numpy(), places)
    np.testing.assert_array_equal(found["novelty"], novelty)
    assert found["object"].tolist() == frame["id"].tolist()
    assert found["class"].tolist() == frame["class"].tolist()
    assert placed.n_unlike == np.sum(novelty > 3.0)
    manifest = json.loads((tmp_path / "out" / "_placed.json").read_text())
    assert manifest["model"] == model_digest(model_file)
    assert sum(manifest["parts"].values()) == N_ROWS


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_arrays_and_npy_files_give_the_same_places(tmp_path, frame, n_jobs, small_parts):
    rows = frame[list("abcd")].to_numpy()
    model = WeightedTETE(**QUICK).fit(rows[::9])
    np.save(tmp_path / "table.npy", rows)
    expected = model.transform(rows)
    for name, source in (("memory", rows), ("disk", tmp_path / "table.npy"), ("slices", OnlySlices(rows))):
        place_dataset(model, source, tmp_path / name, n_jobs=n_jobs)
        found = together(tmp_path / name)
        np.testing.assert_array_equal(found[["x", "y"]].to_numpy(), expected)
        assert found["object"].tolist() == list(range(N_ROWS))
        assert load_model(tmp_path / name / "_model.npz").n_features_in_ == 4


class OnlySlices:
    """As zarr and HDF5 have it: a shape, and slices of rows."""

    def __init__(self, rows):
        self.rows, self.shape, self.dtype = rows, rows.shape, rows.dtype

    def __getitem__(self, rows):
        assert isinstance(rows, slice)
        return self.rows[rows]


def test_finished_parts_are_kept_and_missing_or_changed_ones_are_placed_again(
    tmp_path, files, model_file, frame, small_parts
):
    out = tmp_path / "out"
    place_dataset(model_file, files, out)
    before = stamps(out)
    (out / "y-00001.parquet").unlink()
    changed = frame.iloc[600:].copy()
    changed["a"] += 1
    changed.to_parquet(files[2], index=False)
    placed = place_dataset(model_file, files, out)
    assert (placed.n_parts, placed.n_kept) == (5, 3)
    after = stamps(out)
    assert {name for name in after if after[name] != before[name]} == {"y-00001.parquet", "z.parquet"}
    assert place_dataset(model_file, files, out).n_kept == 5
    assert stamps(out) == after
    place_dataset(model_file, files, out, force=True)
    assert not set(stamps(out).values()) & set(after.values())


def test_rows_of_two_models_are_not_mixed(tmp_path, files, model, model_file, frame):
    out = tmp_path / "out"
    place_dataset(model_file, files[:1], out)
    other = WeightedTETE(**QUICK).fit(frame[list("abcd")].iloc[::9])
    save_model(tmp_path / "other.npz", other)
    with pytest.raises(OutputExistsError, match="another model has placed"):
        place_dataset(tmp_path / "other.npz", files, out)
    place_dataset(tmp_path / "other.npz", files[:1], out, force=True)
    np.testing.assert_array_equal(together(out)[["x", "y"]], other.transform(frame[list("abcd")].iloc[:300]))
    place_dataset(model, files[:1], tmp_path / "own")
    assert place_dataset(model, files[:1], tmp_path / "own").n_kept == 1
    with pytest.raises(OutputExistsError, match="is another model"):
        place_dataset(other, files[:1], tmp_path / "own")
    save_model(tmp_path / "again.npz", load_model(model_file))
    assert model_digest(tmp_path / "again.npz") == model_digest(model_file)


def test_nothing_of_other_people_is_replaced(tmp_path, files, model_file):
    with pytest.raises(InvalidFileError, match="has the rows themselves"):
        place_dataset(model_file, files, files[0].parent)
    out = tmp_path / "out"
    out.mkdir()
    pd.DataFrame({"a": [1.0]}).to_parquet(out / "x.parquet")
    with pytest.raises(InvalidFileError, match="has no placed rows: it is not replaced"):
        place_dataset(model_file, files, out)
    with pytest.raises(InvalidFileError, match="has no placed rows: it is not replaced"):
        place_dataset(model_file, files, out, force=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        place_dataset(model_file, files, tmp_path / "file")


def test_bad_rows_are_named_and_good_parts_stay(tmp_path, files, model_file, frame, small_parts):
    broken = frame.iloc[600:].copy()
    broken.loc[broken.index[70], "c"] = np.nan
    broken.to_parquet(files[2], index=False)
    with pytest.raises(InvalidFileError, match=r"z\.parquet, row 70, column 'c': nan, expected a finite number"):
        place_dataset(model_file, files, tmp_path / "out", n_jobs=1)
    assert len(stamps(tmp_path / "out")) == 4
    assert not [path for path in (tmp_path / "out").iterdir() if path.suffix == ".part"]
    frame[["a", "b"]].to_parquet(files[2], index=False)
    with pytest.raises(InvalidFileError, match=r"2 of the 4 columns of the model are missing: 'c', 'd'"):
        place_dataset(model_file, files, tmp_path / "out")
    frame.iloc[600:].assign(a=3e38).to_parquet(files[2], index=False)
    with pytest.raises(
        InvalidFileError, match=r"z\.parquet, rows counted from row 0 on: Row 0 of `X` cannot be placed"
    ):
        place_dataset(model_file, files, tmp_path / "out")
    rows = frame[list("abcd")].to_numpy(copy=True)
    rows[321, 2] = np.inf
    with pytest.raises(InvalidFileError, match="`source`, row 321, column 2: inf, expected a finite number"):
        place_dataset(model_file, rows, tmp_path / "other")
    with pytest.raises(InvalidFileError, match="has 3 columns of features, expected 4"):
        place_dataset(model_file, rows[:300, :3], tmp_path / "fewer")


def test_tables_that_are_not_all_numbers(tmp_path, frame):
    mixed = frame.drop(columns=["id"]).rename(columns={"class": "tree"})
    mixed.loc[mixed.index[5], "b"] = None
    (tmp_path / "rows").mkdir()
    mixed.to_parquet(tmp_path / "rows" / "all.parquet", index=False, row_group_size=200)
    landmarks = draw_landmarks(tmp_path / "rows" / "all.parquet", 200, mixed=True)
    encoder = TableEncoder(standardize=True)
    numbers = pd.DataFrame(encoder.fit_transform(landmarks.matrix), columns=list(encoder.get_feature_names_out()))
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(encoder, ListwiseTETE(**QUICK).fit(numbers))
    place_dataset(pipeline, [tmp_path / "rows" / "all.parquet"], tmp_path / "out")
    named = pd.DataFrame(encoder.transform(mixed), columns=numbers.columns)
    np.testing.assert_array_equal(together(tmp_path / "out")[["x", "y"]], pipeline[1].transform(named))


def test_columns_that_would_be_taken_for_others(tmp_path, model_file, frame):
    odd = frame.rename(columns={"class": "x"}).assign(novelty=1, object="same")
    odd.to_parquet(tmp_path / "odd.parquet", index=False)
    place_dataset(model_file, [tmp_path / "odd.parquet"], tmp_path / "out", id_column="id", drop=["object"])
    found = together(tmp_path / "out")
    assert list(found.columns) == ["object", "x", "y", "label_x", "novelty", "map_novelty"]
    assert found["object"][3] == "row 3"


def test_what_cannot_be_placed_is_said_before_any_work(tmp_path, files, model_file):
    with pytest.raises(InvalidParameterError, match="at least one file"):
        place_dataset(model_file, [], tmp_path / "out")
    with pytest.raises(InvalidParameterError, match="different names, got 'x' 2 times"):
        place_dataset(model_file, [files[0], files[0]], tmp_path / "out")
    with pytest.raises(InvalidFileError, match="must be one of"):
        place_dataset(model_file, tmp_path / "rows.csv", tmp_path / "out")
    np.savez(tmp_path / "none.npz", a=np.arange(3))
    with pytest.raises(InvalidFileError, match="is not a model"):
        place_dataset(tmp_path / "none.npz", files, tmp_path / "out")
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").glob("*.parquet"))


KILLED = """
import sys
import tete.distributed.placing as placing
import tete.distributed.part_placing as part_placing

def slow(*arguments):
    import time
    print("writing", flush=True)
    if len(done) == 2:
        time.sleep(60)
    done.append(1)
    return real(*arguments)

done, real = [], part_placing.write_placed
part_placing.write_placed = slow
placing.place_dataset(sys.argv[1], sys.argv[3:], sys.argv[2], n_jobs=1)
"""


def test_a_kill_loses_only_what_was_not_finished(tmp_path, files, model, model_file, frame):
    out = tmp_path / "out"
    command = [sys.executable, "-c", KILLED, str(model_file), str(out), *map(str, files)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        for _ in range(3):
            assert run.stdout.readline() == "writing\n"
        run.kill()
    kept = stamps(out)
    assert sorted(kept) == ["x.parquet", "y.parquet"]
    assert place_dataset(model_file, files, out).n_kept == 2
    assert {name: stamps(out)[name] for name in kept} == kept
    np.testing.assert_array_equal(together(out)[["x", "y"]], model.transform(frame[list("abcd")]))


# On a cluster --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed", reason="dask is not installed", exc_type=ImportError)
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.mark.filterwarnings("ignore")  # of Dask itself
def test_the_same_bits_on_a_cluster_also_when_a_worker_is_lost(
    tmp_path, files, model, model_file, frame, client, small_parts
):
    expected = model.transform(frame[list("abcd")])
    placed = place_dataset(model_file, files, tmp_path / "out", client=client)
    assert (placed.n_parts, placed.n_kept) == (5, 0)
    np.testing.assert_array_equal(together(tmp_path / "out")[["x", "y"]], expected)
    pid = next(iter(client.run(os.getpid).values()))

    class Killing(OnlySlices):
        def __getitem__(self, rows):
            if rows.start == 480 and rows.stop == 600:
                os.kill(pid, signal.SIGKILL)
            return super().__getitem__(rows)

    place_dataset(model_file, Killing(frame[list("abcd")].to_numpy()), tmp_path / "slices", client=client)
    np.testing.assert_array_equal(together(tmp_path / "slices")[["x", "y"]], expected)


@pytest.mark.filterwarnings("ignore")
def test_mistakes_come_back_from_a_cluster(tmp_path, files, model_file, frame, client):
    frame[["a", "b"]].to_parquet(files[2], index=False)
    with pytest.raises(InvalidFileError, match="2 of the 4 columns of the model are missing"):
        place_dataset(model_file, files, tmp_path / "out", client=client)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_a_lost_scheduler_is_said_and_what_was_done_stays(tmp_path, model_file, frame, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="dask is not installed", exc_type=ImportError)
    monkeypatch.setattr("tete.distributed.row_parts.ROWS_IN_A_PART", 60)
    with subprocess.Popen([sys.executable, "-c", SMALL_CLUSTER], stdout=subprocess.PIPE, text=True) as cluster:

        class Ending(OnlySlices):
            def __getitem__(self, rows):
                if rows.start >= 360 and rows.stop - rows.start == 60:
                    cluster.kill()
                return super().__getitem__(rows)

        with distributed.Client(cluster.stdout.readline().strip(), timeout=20) as client:
            rows = Ending(frame[list("abcd")].to_numpy())
            with pytest.raises(ClusterError, match="The scheduler of the cluster was lost"):
                place_dataset(model_file, rows, tmp_path / "out", client=client)
    assert len(stamps(tmp_path / "out")) >= 1
    place_dataset(model_file, rows, tmp_path / "out")
