"""Data sets of rows as a person reduces and places them; also of `cli.reduce_rows` and `cli.clusters`."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from command import tete
from tete import load_model
from tete.distributed.landmarks import landmark_rows

COLUMNS = ["width", "height", "depth"]


@pytest.fixture
def rows(tmp_path, rng):
    species = rng.choice(["rose", "tulip"], size=600)
    frame = pd.DataFrame(rng.normal(size=(600, 3)) + 4.0 * (species == "tulip")[:, None], columns=COLUMNS)
    frame = frame.assign(species=species, id=[f"flower {number}" for number in range(600)])
    (tmp_path / "rows").mkdir()
    for number in range(3):
        some = frame.iloc[200 * number : 200 * number + 200]
        some.to_parquet(tmp_path / "rows" / f"{number}.parquet", index=False)
    return frame


@pytest.fixture
def files(tmp_path, rows):
    return sorted((tmp_path / "rows").iterdir())


def test_landmarks_are_fitted_and_all_rows_placed(tmp_path, rows, files):
    options = ["--landmarks", 100, "-o", tmp_path / "placed", "--model", tmp_path / "model.npz", "--label", "species"]
    result = tete("reduce", *files, *options)
    assert result.exit_code == 0, result.output
    for part in ("landmarks           100 rows", "rows placed         600", "3 of 3 parts placed", "classes"):
        assert part in result.stdout
    found = pd.read_parquet(tmp_path / "placed")
    assert found["object"].tolist() == rows["id"].tolist()
    assert found["species"].tolist() == rows["species"].tolist()
    model = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(found[["x", "y"]], model.transform(rows[COLUMNS]))
    chosen = landmark_rows(600, 100, 0)
    np.testing.assert_array_equal(found[["x", "y"]].iloc[chosen], model.embedding_)

    before = (tmp_path / "model.npz").read_bytes()
    (tmp_path / "placed" / "1.parquet").unlink()
    again = tete("reduce", *files, *options, "--json")
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["n_kept"] == 2
    assert (tmp_path / "model.npz").read_bytes() == before
    changed = tete("reduce", *files, *options, "--seed", 1)
    assert changed.exit_code == 2
    assert "was made from other rows or with other options: --force makes it anew." in changed.stderr
    assert tete("reduce", *files, *options, "--seed", 1, "--force", "--quiet").stdout == ""
    assert (tmp_path / "model.npz").read_bytes() != before

    placed = tete("place", tmp_path / "model.npz", *files, "-o", tmp_path / "again")
    assert placed.exit_code == 0, placed.output
    assert pd.read_parquet(tmp_path / "again").equals(pd.read_parquet(tmp_path / "placed"))


def test_landmarks_from_a_file_and_tables_of_all_kinds(tmp_path, rows, files):
    np.save(tmp_path / "marks.npy", np.arange(0, 600, 5))
    table = rows.drop(columns=["id"]).rename(columns={"species": "flower"})
    table.loc[3, "width"] = None
    table.to_parquet(tmp_path / "mixed.parquet", index=False)
    result = tete(
        "reduce", tmp_path / "mixed.parquet", "--landmarks", tmp_path / "marks.npy", "-o", tmp_path / "placed"
    )
    assert result.exit_code == 0, result.output
    assert "landmarks           120 rows" in result.stdout
    assert "1 category" in result.stdout
    assert len(pd.read_parquet(tmp_path / "placed")) == 600
    np.save(tmp_path / "marks.npy", np.array([1, 1]))
    wrong = tete("reduce", *files, "--landmarks", tmp_path / "marks.npy", "-o", tmp_path / "other")
    assert wrong.exit_code == 2
    assert "must be different row numbers from 0 to 599" in wrong.stderr


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        ("reduce", [], "a data set needs --landmarks"),
        ("reduce", ["--landmarks", "some", "-o", "placed"], "--landmarks must be a whole number from 3 on"),
        ("reduce", ["--landmarks", "50"], "-o must name the folder for the parts of the data set, got nothing."),
        ("reduce", ["--landmarks", "50", "-o", "map.csv"], "got map.csv."),
        ("reduce", ["--landmarks", "50", "-o", "placed", "--plot", "a.png"], "--plot is for one table"),
        ("reduce", ["--landmarks", "50", "-o", "placed", "--drop", "weight"], "'weight'"),
        ("place", ["-o", "placed", "--array", "X"], "--array and --no-header are not for data sets"),
        ("place", ["-o", "placed", "--workers", "2", "--scheduler", "tcp://a:1"], "either --scheduler or --workers"),
        ("place", ["-o", "rows"], "has the rows themselves (0.parquet): take another folder."),
    ],
)
def test_mistakes_in_one_sentence(tmp_path, monkeypatch, files, command, options, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    model = []
    if command == "place":
        assert tete("reduce", files[0], "--model", "model.npz", "-q").exit_code == 0
        model = ["model.npz"]
    result = tete(command, *model, *files, *options)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert "Traceback" not in result.output
    assert not (tmp_path / "placed").exists() or not list((tmp_path / "placed").glob("*.parquet"))


def test_a_scheduler_that_is_not_there(tmp_path, files):
    pytest.importorskip("distributed", reason="dask is not installed", exc_type=ImportError)
    assert tete("reduce", files[0], "--model", tmp_path / "model.npz", "-q").exit_code == 0
    where = ["-o", tmp_path / "placed", "--scheduler", "tcp://127.0.0.1:9"]
    result = tete("place", tmp_path / "model.npz", *files, *where)
    assert result.exit_code == 1
    assert result.stderr.strip().endswith("There is no Dask scheduler at tcp://127.0.0.1:9.")


SLOW = """
import sys
import tete.distributed.part_placing as part_placing
from tete.cli import app

def slow(*arguments):
    import time
    real(*arguments)
    print("written", flush=True)
    time.sleep(60)

real = part_placing.write_placed
part_placing.write_placed = slow
from tete.core.interrupts import end_at_ctrl_c
end_at_ctrl_c()
app(sys.argv[1:])
"""


def test_ctrl_c_keeps_what_is_finished(tmp_path, files):
    assert tete("reduce", files[0], "--model", tmp_path / "model.npz", "-q").exit_code == 0
    command = [sys.executable, "-c", SLOW, "place", tmp_path / "model.npz", *files, "-o", tmp_path / "placed"]
    with subprocess.Popen([str(each) for each in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout.readline().startswith(b"written")  # by two threads, perhaps
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        assert run.wait(timeout=10) == 130
    kept = sorted(path.name for path in (tmp_path / "placed").glob("*.parquet"))
    assert kept
    assert not [path for path in (tmp_path / "placed").iterdir() if path.suffix == ".part"]
    result = tete("place", tmp_path / "model.npz", *files, "-o", tmp_path / "placed", "--json")
    assert json.loads(result.stdout)["n_kept"] == len(kept)
