"""reduce, place and score as a person uses them: every way in, and every mistake in one sentence.

These run `cli.reduce`, `cli.place` and `cli.score`, which are told by `cli.table_options`, `cli.map_options` and
`cli.look_options`, and read tables by `cli.arguments` and `cli.encoding_tables`.
"""

import base64
import json
import re
import signal
import subprocess
import sys
import time
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy import sparse

from command import tete
from tete import ListwiseTETE, TableEncoder, WeightedTETE
from tete.drawing.themes import LIGHT, class_color
from tete.io import read_map


@pytest.fixture
def frame(rng):
    """80 flowers of two species in three measures."""
    species = np.repeat(["rose", "tulip"], 40)
    measures = rng.normal(size=(80, 3)) + 4.0 * (species == "tulip")[:, None]
    return pd.DataFrame(measures, columns=["width", "height", "depth"]).assign(
        id=[f"flower {n}" for n in range(80)], species=species
    )


@pytest.fixture
def table(frame, tmp_path):
    frame[:60].to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def features_of(frame):
    return frame[["width", "height", "depth"]]


class TestReduce:
    def test_one_command_gives_a_map_and_a_summary(self, table, frame, tmp_path):
        files = [tmp_path / name for name in ("map.csv", "map.svg", "map.html", "model.npz")]
        outputs = ["-o", files[0], "--plot", files[1], "--page", files[2], "--model", files[3]]
        result = tete("reduce", table, *outputs, "--label", "species")
        assert result.exit_code == 0, result.output
        for part in ("rows                60", "features            3", "labels              'species'"):
            assert part in result.stdout
        for part in ("neighbours kept", "trustworthiness", "classes", "random triplets", "global score", "seconds"):
            assert part in result.stdout
        found = read_map(files[0])
        assert found.names == tuple(frame["id"][:60])  # the order of the table
        assert found.columns["species"].tolist() == frame["species"][:60].tolist()
        expected = ListwiseTETE(random_state=0).fit_transform(features_of(frame[:60]))
        np.testing.assert_array_equal(found.embedding, expected)
        assert all(path.exists() for path in files)

    def test_json_and_quiet(self, table, tmp_path):
        result = json.loads(tete("reduce", table, "--label", "species", "-o", tmp_path / "m.csv", "--json").stdout)
        assert (result["n_rows"], result["n_features"], result["label"]) == (60, 3, "species")
        assert result["recall"] > 0.5
        assert result["accuracy"] > 0.9
        assert result["written"] == [str(tmp_path / "m.csv")]
        assert tete("reduce", table, "--drop", "species", "--quiet").stdout == ""

    def test_components_are_told_of_wide_tables(self, rng, tmp_path):
        table = rng.normal(size=(90, 60))
        for rows, line in (
            (table, "components          50, of 60 columns\n"),
            (table[:45], "components          none: 60 columns compared as they are\n"),
            (table[:, :50], None),
        ):
            np.save(tmp_path / "table.npy", rows)
            said = tete("reduce", tmp_path / "table.npy").stdout
            assert line in said if line else "\ncomponents" not in said

    def test_options_reach_the_estimator(self, table, frame, tmp_path):
        options = ["--method", "weighted", "--neighbors", 7, "--dims", 3, "--seed", 5, "--metric", "cosine"]
        assert tete("reduce", table, "--drop", "species", *options, "-o", tmp_path / "m.npy").exit_code == 0
        model = WeightedTETE(n_components=3, n_neighbors=7, metric="cosine", random_state=5)
        np.testing.assert_array_equal(np.load(tmp_path / "m.npy"), model.fit_transform(features_of(frame[:60])))
        assert tete("reduce", table, "--drop", "species", "--quality", "fast").exit_code == 0
        wrong = tete("reduce", table, "--method", "weighted", "--quality", "fast")
        assert wrong.exit_code == 2
        assert "--quality is an option of --method listwise" in wrong.output

    def test_every_kind_of_file_gives_the_same_map(self, table, frame, tmp_path):
        matrix = features_of(frame[:60]).to_numpy()
        np.save(tmp_path / "t.npy", matrix)
        np.savez(tmp_path / "t.npz", X=matrix, y=frame["species"][:60].to_numpy(dtype=str))
        sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(matrix))
        frame[:60].to_parquet(tmp_path / "t.parquet")
        maps = []
        for name in ("t.npy", "t.npz", "s.npz"):
            assert tete("reduce", tmp_path / name, "-o", tmp_path / f"{name}.csv").exit_code == 0
            maps.append(read_map(tmp_path / f"{name}.csv").embedding)
        result = tete("reduce", tmp_path / "t.parquet", "--label", "species", "-o", tmp_path / "p.csv")
        assert result.exit_code == 0, result.output
        piped = tete("reduce", "-", "--label", "species", "-o", tmp_path / "c.csv", stdin=table.read_text())
        assert piped.exit_code == 0, piped.output
        maps += [read_map(tmp_path / name).embedding for name in ("p.csv", "c.csv")]
        for found in (maps[1], *maps[3:]):
            np.testing.assert_array_equal(found, maps[0])
        np.testing.assert_allclose(maps[2], maps[0], atol=1e-3)  # sparse columns are summed in another order
        assert "label" in read_map(tmp_path / "t.npz.csv").columns  # y would look like a coordinate

    def test_a_label_called_y_is_not_taken_for_a_coordinate(self, tmp_path, rng):
        pd.DataFrame({"a": rng.random(20), "b": rng.random(20), "y": ["u", "v"] * 10}).to_csv(tmp_path / "t.csv")
        assert tete("reduce", tmp_path / "t.csv", "--label", "y", "-o", tmp_path / "m.csv").exit_code == 0
        assert (tmp_path / "m.csv").read_text().splitlines()[0] == "object,x,y,label_y"

    def test_distances(self, tmp_path, rng):
        places = rng.normal(size=(40, 2))
        np.save(tmp_path / "d.npy", np.linalg.norm(places[:, None] - places[None], axis=2))
        result = tete("reduce", tmp_path / "d.npy", "--metric", "precomputed", "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["recall"] > 0.6

    def test_two_rows_and_constant_features(self, tmp_path):
        (tmp_path / "two.csv").write_text("a,b\n1,2\n3,4\n")
        result = tete("reduce", tmp_path / "two.csv", "-o", tmp_path / "m.csv")
        assert result.exit_code == 0, result.output
        assert "unknown: too few rows" in result.stdout
        assert len(read_map(tmp_path / "m.csv")) == 2
        (tmp_path / "equal.csv").write_text("a,b\n" + "1,2\n" * 30)
        result = tete("reduce", tmp_path / "equal.csv", "-o", tmp_path / "e.csv")
        assert result.exit_code == 0, result.output
        assert np.isfinite(read_map(tmp_path / "e.csv").embedding).all()
        text = "a,b\n" + "".join(f"{n},2\n" for n in range(30))  # one constant column
        assert tete("reduce", "-", stdin=text).exit_code == 0

    def test_warnings_are_one_sentence(self, tmp_path):
        text = "a,b\n" + "".join(f"{n},{n * n}\n" for n in range(8))
        result = tete("reduce", "-", stdin=text)
        assert result.exit_code == 0
        assert "Warning: `n_neighbors` is reduced from 15 to 7, because there are 8 rows." in result.stderr


class TestStandardize:
    @pytest.fixture
    def units(self, frame, tmp_path):
        frame.assign(depth=1e4 * frame["depth"]).to_csv(tmp_path / "units.csv", index=False)
        return tmp_path / "units.csv"

    def test_it_is_hinted_at_done_and_kept_for_new_rows(self, units, tmp_path):
        hint = "column 'depth' is spread"
        assert hint in tete("reduce", units, "--label", "species").stdout
        outputs = ["-o", tmp_path / "map.csv", "--model", tmp_path / "model.npz"]
        done = tete("reduce", units, "--label", "species", "--standardize", *outputs)
        assert done.exit_code == 0, done.output
        assert hint not in done.stdout
        tete("place", tmp_path / "model.npz", units, "-o", tmp_path / "again.csv")
        expected = read_map(tmp_path / "map.csv").embedding
        np.testing.assert_array_equal(read_map(tmp_path / "again.csv").embedding, expected)
        score = tete("score", tmp_path / "map.csv", "--features", units, "--standardize", "--samples", 200)
        kept = [line for line in done.stdout.splitlines() if line.startswith("neighbours kept")]
        assert kept[0] in score.stdout  # measured by the same distances

    def test_equal_rows_are_nothing_to_boast_of(self, tmp_path):
        result = tete("reduce", "-", stdin="a,b\n" + "1,2\n" * 30)
        assert "nothing to measure: all rows are equal" in result.stdout
        assert "%" not in result.stdout

    @pytest.mark.parametrize("options", [[], ["--standardize"], ["--metric", "cosine"], ["--method", "weighted"]])
    def test_huge_numbers_are_numbers(self, options):
        text = "a,b\n" + "".join(f"{n % 7},{n * n % 11}\n" for n in range(40)) + "1e300,5\n"
        result = tete("reduce", "-", *options, stdin=text)
        assert result.exit_code == 0, result.output
        (hint,) = result.stderr.splitlines()
        assert hint.startswith("Warning: Column 0 ('a') of `X` has 1e+300 in 1 row")
        assert "random triplets" in result.stdout

    def test_no_hint_where_units_are_alike(self, table):
        assert "spreads" not in tete("reduce", table, "--label", "species").stdout


class TestPlace:
    @pytest.fixture
    def model(self, table, tmp_path):
        assert tete("reduce", table, "--label", "species", "--model", tmp_path / "model.npz").exit_code == 0
        return tmp_path / "model.npz"

    def test_the_places_are_those_of_transform(self, model, frame, tmp_path):
        shuffled = frame[60:][["species", "depth", "id", "width", "height"]]  # columns are found by name
        shuffled.to_csv(tmp_path / "new.csv", index=False)
        result = tete("place", model, tmp_path / "new.csv", "-o", tmp_path / "new_map.csv")
        assert result.exit_code == 0, result.output
        assert "rows placed         20" in result.stdout
        found = read_map(tmp_path / "new_map.csv")
        fitted = ListwiseTETE(random_state=0).fit(features_of(frame[:60]))
        np.testing.assert_array_equal(found.embedding, fitted.transform(features_of(frame[60:])))
        assert found.names == tuple(frame["id"][60:])
        assert found.columns["species"].tolist() == frame["species"][60:].tolist()

    def test_one_row_json_pictures_and_arrays(self, model, frame, tmp_path):
        np.save(tmp_path / "new.npy", features_of(frame[60:61]).to_numpy())
        outputs = ["-o", tmp_path / "n.csv", "--plot", tmp_path / "n.png", "--page", tmp_path / "n.html"]
        result = tete("place", model, tmp_path / "new.npy", *outputs, "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["n_rows"] == 1
        assert (tmp_path / "n.png").exists()
        piped = tete("place", model, "-", "-o", tmp_path / "p.csv", stdin=frame[60:61].to_csv(index=False))
        assert piped.exit_code == 0, piped.output
        np.testing.assert_array_equal(read_map(tmp_path / "p.csv").embedding, read_map(tmp_path / "n.csv").embedding)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("width,height\n1,2\n", "1 of the 3 columns of the model are missing: 'depth'"),
            ("width,height,depth\n1,2,x\n", "line 2, column 'depth': 'x' is not a number"),
            ("width,height,depth\n1,2,nan\n", "line 2, column 'depth': nan, expected a finite number"),
            ("width,height,depth\n", "has no rows"),
        ],
    )
    def test_wrong_columns(self, model, tmp_path, content, message):
        (tmp_path / "new.csv").write_text(content)
        result = tete("place", model, tmp_path / "new.csv", "-o", tmp_path / "n.csv")
        assert result.exit_code == 2
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
        assert not (tmp_path / "n.csv").exists()

    def test_wrong_number_of_columns_without_names(self, model, tmp_path):
        np.save(tmp_path / "new.npy", np.ones((3, 5)))
        result = tete("place", model, tmp_path / "new.npy")
        assert result.exit_code == 2
        assert f"new.npy has 5 columns of features, expected 3 as {model} has." in result.stderr

    def test_files_that_are_no_models(self, table, tmp_path):
        np.savez(tmp_path / "other.npz", X=np.eye(3))
        result = tete("place", tmp_path / "other.npz", table)
        assert result.exit_code == 2
        assert "other.npz is not a model" in result.stderr
        (tmp_path / "torn.npz").write_bytes((tmp_path / "other.npz").read_bytes()[:100])
        assert "is not a whole npz file of plain arrays" in tete("place", tmp_path / "torn.npz", table).stderr
        assert "No such file" in tete("place", tmp_path / "none.npz", table).stderr


class TestScore:
    def test_by_order_and_by_id(self, frame, table, tmp_path):
        places = features_of(frame)[["width", "height"]].to_numpy()
        np.save(tmp_path / "other.npy", places[:60])
        by_order = json.loads(
            tete("score", tmp_path / "other.npy", "--features", table, "--label", "species", "--json").stdout
        )
        named = pd.DataFrame({"id": frame["id"], "UMAP_1": places[:, 0], "UMAP_2": places[:, 1]})
        named.sample(frac=1, random_state=0).to_csv(tmp_path / "umap.csv", index=False)
        result = tete("score", tmp_path / "umap.csv", "--features", table, "--label", "species", "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout) == by_order
        assert by_order["accuracy"] > 0.9
        assert by_order["recall"] > 0.4

    def test_a_map_of_ours(self, table, tmp_path):
        tete("reduce", table, "--label", "species", "-o", tmp_path / "map.csv")
        result = tete("score", tmp_path / "map.csv", "--features", table)  # the map says what species is
        assert result.exit_code == 0, result.output
        for part in ("rows                60", "neighbours kept", "classes", "global score"):
            assert part in result.stdout

    def test_rows_that_do_not_match(self, frame, table, tmp_path):
        np.save(tmp_path / "few.npy", np.zeros((5, 2)))
        result = tete("score", tmp_path / "few.npy", "--features", table, "--drop", "species")
        assert result.exit_code == 2
        assert "few.npy has 5 objects, expected 60 like the rows of" in result.stderr
        (tmp_path / "named.csv").write_text("object,x,y\nflower 0,0,0\nflower 1,1,1\n")
        result = tete("score", tmp_path / "named.csv", "--features", table, "--drop", "species")
        assert result.exit_code == 2
        assert "58 of the 60 rows of" in result.stderr
        assert "first 'flower 2'" in result.stderr

    def test_answers_or_features(self, tmp_path):
        for options in ([], ["--answers", "a.csv", "--features", "b.csv"]):
            result = tete("score", tmp_path / "m.csv", *options)
            assert result.exit_code == 2
            assert "give either --answers or --features" in result.output


MISTAKES = [
    ("", "is empty"),
    ("a,b\n", "has no rows"),
    ("a,b\n1,2\n1,2,3\n", "line 3: expected 2 columns"),
    ("a\n" + "".join(f"{n}\n" for n in range(60)) + "red\n", "line 62, column 'a': 'red' is not a number"),
    ("a,b\nx,\ny,\n", "No column of `X` can say which rows are alike: 'a' (all different), 'b' (empty)"),
    ("a,b\n1,2\nNA,NA\n3,4\n", "Row 1 of `X` has no cell to go by in the 2 columns used"),
    ("a,b\n1,2\n,\n3,4\n", "line 3: Row 1 of `X` has no cell to go by in the 2 columns: leave it out"),
    ("a,b\n1,2\n", "`X` must have at least 2 rows, got 1"),
    ("name\nx\ny\n", "expected columns of numbers to map, got none"),
    (b"\x00\x01\x02" * 100, "is not a text file"),
]


class TestMistakes:
    @pytest.mark.parametrize(("content", "message"), MISTAKES)
    def test_one_sentence_and_exit_code_2(self, tmp_path, content, message):
        path = tmp_path / "table.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        result = tete("reduce", path, "-o", tmp_path / "map.csv")
        assert result.exit_code == 2
        assert message in result.stderr
        assert "table.csv" in result.stderr
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1
        assert result.stdout == ""
        assert not (tmp_path / "map.csv").exists()

    def test_features_that_are_not_finite_in_arrays(self, tmp_path):
        values = np.ones((30, 30))
        values[3, 2] = np.inf
        np.save(tmp_path / "x.npy", values)
        result = tete("reduce", tmp_path / "x.npy")
        assert result.exit_code == 2
        assert "x.npy: Row 3, column 2 of `X` is infinity" in result.stderr
        values[3, 2] = np.nan  # no gap that could be filled in
        np.save(tmp_path / "x.npy", values)
        np.save(tmp_path / "map.npy", np.eye(30)[:, :2])
        options = ("--metric", "precomputed")
        for command in (
            ("reduce", tmp_path / "x.npy"),
            ("score", tmp_path / "map.npy", "--features", tmp_path / "x.npy"),
        ):
            result = tete(*command, *options)
            assert result.exit_code == 2
            assert re.search(r"x\.npy: .* NaN", result.stderr)

    def test_unknown_columns_metrics_and_arrays(self, table, tmp_path):
        assert "there is no column 'kind'" in tete("reduce", table, "--label", "kind").stderr
        assert "--metric must be" in tete("reduce", table, "--drop", "species", "--metric", "foo").stderr
        np.savez(tmp_path / "x.npz", a=np.eye(3))
        assert "there is no array 'b'" in tete("reduce", tmp_path / "x.npz", "--array", "b").stderr
        refused = tete("reduce", table, "--array", "b")
        assert refused.exit_code == 2
        assert "--array is for npz files, got 'b' with" in refused.stderr
        np.save(tmp_path / "one.npy", np.arange(30.0))
        refused = tete("reduce", tmp_path / "one.npy")
        assert refused.exit_code == 2
        assert "one.npy: expected a table of numbers, one row an object, got shape (30,), float64." in refused.stderr

    def test_missing_file_and_folder(self, tmp_path):
        (tmp_path / "folder.csv").mkdir()
        (tmp_path / "folder.npy").mkdir()
        for name, message in [
            ("none.csv", "No such file"),
            ("folder.csv", "Is a folder"),
            ("folder.npy", "Is a folder"),
            ("table.xlsx", "the extension must be one of .csv"),
        ]:
            result = tete("reduce", tmp_path / name)
            assert result.exit_code == 2
            assert message in result.stderr
            assert name in result.stderr

    @pytest.mark.parametrize("option", ["-o", "--plot", "--page", "--model"])
    def test_outputs_are_checked_before_anything_is_read(self, tmp_path, option):
        extension = {"-o": "csv", "--plot": "png", "--page": "html", "--model": "npz"}[option]
        path = tmp_path / f"out.{extension}"
        path.write_text("mine")
        result = tete("reduce", tmp_path / "none.csv", option, path)
        assert result.exit_code == 2
        assert f"out.{extension} exists already: --force" in result.stderr
        assert path.read_text() == "mine"
        assert "the extension must be" in tete("reduce", tmp_path / "none.csv", option, tmp_path / "out.zzz").stderr
        assert "does not exist" in tete("reduce", tmp_path / "none.csv", option, tmp_path / "no" / path.name).stderr

    def test_force_overwrites(self, table, tmp_path):
        (tmp_path / "map.csv").write_text("mine")
        assert tete("reduce", table, "--drop", "species", "-o", tmp_path / "map.csv", "--force").exit_code == 0
        assert len(read_map(tmp_path / "map.csv")) == 60


def test_no_permission_to_write(open_folder, request):
    (open_folder / "locked").mkdir(mode=0o555)
    request.getfixturevalue("ordinary_user")
    result = tete("reduce", open_folder / "none.csv", "-o", open_folder / "locked" / "map.csv")
    assert result.exit_code == 2
    assert result.stderr == f"Error: {open_folder}/locked: No permission to write to this folder.\n"


@pytest.mark.parametrize("name", ["table.csv", "x.npy", "x.npz", "t.parquet"])
def test_no_permission_to_read(open_folder, name, request):
    (open_folder / name).write_text("secret")
    (open_folder / name).chmod(0)
    request.getfixturevalue("ordinary_user")
    result = tete("reduce", open_folder / name)
    assert result.exit_code == 2
    assert result.stderr == f"Error: {open_folder / name}: Permission denied.\n"


INTERRUPTED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background jobs ignore
from tete.cli import app
from tete.reduction.feature_map import FeatureMap
inner = FeatureMap._minimize
def announced(*arguments):
    print("fitting", flush=True)
    return inner(*arguments)
FeatureMap._minimize = announced
app()
"""


def test_ctrl_c_in_the_middle_of_a_fit_changes_no_file(tmp_path, rng):
    (tmp_path / "map.csv").write_text("mine")
    np.save(tmp_path / "x.npy", rng.normal(size=(20_000, 10)))
    arguments = ["reduce", "x.npy", "-o", "map.csv", "--model", "m.npz", "--quality", "high", "--force"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-c", INTERRUPTED, *arguments]
    with subprocess.Popen(command, cwd=tmp_path, text=True, **pipes) as process:
        assert process.stdout.readline() == "fitting\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert errors == "Error: Stopped. No file is left half-written.\n"
    assert (tmp_path / "map.csv").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.csv", "x.npy"]


def drawn_colors(picture):
    """The fill colours of an SVG picture, by the marker's group in the legend's order."""
    return re.findall(r"fill: (#[0-9a-f]{6})", picture.read_text())


def test_new_rows_have_the_colours_of_their_classes(tmp_path, rng, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = rng.normal(size=(60, 3)) + 5 * (np.arange(60) % 3)[:, None]
    rows = [f"{'abc'[number % 3]},{','.join(map(str, row))}" for number, row in enumerate(values)]
    (tmp_path / "all.csv").write_text("\n".join(["kind,x1,x2,x3", *rows]) + "\n")
    (tmp_path / "some.csv").write_text("\n".join(["kind,x1,x2,x3", *rows[2::3]]) + "\n")  # all of class c
    told = ["--label", "kind", "--quiet"]
    whole = tete("reduce", "all.csv", "--model", "m.npz", "--plot", "all.svg", "--page", "all.html", *told)
    part = tete("place", "m.npz", "some.csv", "--plot", "some.svg", "--page", "some.html", *told)
    assert (whole.exit_code, part.exit_code) == (0, 0)
    third = class_color(LIGHT, 2).lower()
    assert third in drawn_colors(tmp_path / "all.svg")
    assert third in drawn_colors(tmp_path / "some.svg")
    assert class_color(LIGHT, 0).lower() not in drawn_colors(tmp_path / "some.svg")
    for page in ("all.html", "some.html"):
        assert '"classes": ["a", "b", "c", ""]' in (tmp_path / page).read_text(encoding="utf-8")


def test_version():
    result = tete("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("tete ")


def first_picture(page):
    """The first thumbnail in a page, as an array."""
    address = re.search(r'"images": \["data:image/png;base64,([^"]+)"', page.read_text()).group(1)
    return np.asarray(Image.open(BytesIO(base64.b64decode(address))))


class TestPictures:
    def test_pixels_from_the_table_or_from_a_file(self, rng, tmp_path):
        pixels = rng.integers(0, 256, size=(50, 6, 4), dtype=np.uint8)
        pixels[0, 0, 0], pixels[0, 5, 3] = 255, 0
        np.save(tmp_path / "pixels.npy", pixels)
        rows = pd.DataFrame(pixels.reshape(50, 24), columns=[f"p{n}" for n in range(24)])
        rows.to_csv(tmp_path / "table.csv", index=False)
        model = ["--model", tmp_path / "model.npz"]
        told = ["--pixels", "6x4", "--page", tmp_path / "a.html"]
        assert tete("reduce", tmp_path / "table.csv", *told, *model).exit_code == 0
        told = ["--images", tmp_path / "pixels.npy", "--page", tmp_path / "b.html"]
        assert tete("reduce", tmp_path / "pixels.npy", *told).exit_code == 0
        told = ["--pixels", "6x4x1", "--page", tmp_path / "c.html"]
        assert tete("place", tmp_path / "model.npz", tmp_path / "table.csv", *told).exit_code == 0
        for name in "abc":
            picture = first_picture(tmp_path / f"{name}.html")
            assert picture.shape == (72, 48)
            np.testing.assert_array_equal(picture[::12, ::12], pixels[0])

    @pytest.mark.parametrize(
        ("told", "sentence"),
        [
            (["--pixels", "5x5"], "--pixels must be a height and width of 24 pixels"),
            (["--pixels", "24"], "such as 28x28 for 784, got 24"),
            (["--pixels", "6x4", "--images", "."], "give either --images or --pixels"),
            (["--images", "table.csv"], "expected a folder of pictures, or pixels in a file .npy"),
        ],
    )
    def test_mistakes_are_told_before_the_map_is_made(self, told, sentence, rng, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        pd.DataFrame(rng.normal(size=(30, 24))).to_csv("table.csv", index=False)
        refused = tete("reduce", "table.csv", *told, "--page", "page.html", "-o", "map.csv")
        assert refused.exit_code == 2
        assert sentence in " ".join(refused.output.split())
        assert not (tmp_path / "map.csv").exists()


class TestTablesAsTheyAre:
    @pytest.fixture
    def mixed(self, frame, tmp_path):
        """The flowers with a colour, a day, a comment and gaps; the species is a label."""
        rng = np.random.default_rng(1)
        days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 90, 80), "D")
        mixed = frame.assign(
            colour=rng.choice(["red", "white"], 80),
            picked=days.strftime("%Y-%m-%d"),
            comment=[f"no {n}!" for n in range(80)],
        )
        mixed["width"] = mixed["width"].round(3).astype(object)
        mixed.loc[[3, 17], "width"] = "NA"
        mixed.loc[5, "colour"] = ""
        mixed[:60].to_csv(tmp_path / "mixed.csv", index=False)
        return mixed

    def test_mixed_columns_and_gaps(self, mixed, tmp_path):
        outputs = ["-o", tmp_path / "map.csv", "--model", tmp_path / "model.npz"]
        result = tete("reduce", tmp_path / "mixed.csv", "--label", "species", *outputs)
        assert result.exit_code == 0, result.output
        assert "table               6 columns: 3 numbers, 1 category, 1 date; 3 gaps filled in" in result.stdout
        assert "left out: 'comment' (all different)" in result.stdout
        found = read_map(tmp_path / "map.csv")
        assert found.columns["comment"].tolist() == mixed["comment"][:60].tolist()  # kept beside the map
        as_json = json.loads(tete("reduce", tmp_path / "mixed.csv", "--label", "species", "--json").stdout)
        assert as_json["encoded"].startswith("6 columns")

        new = mixed[60:].assign(colour="blue")
        new.loc[61, "height"] = None
        new.loc[62, "depth"] = 1000.0
        new.to_csv(tmp_path / "new.csv", index=False)
        pictures = ["--plot", tmp_path / "new.svg", "--page", tmp_path / "new.html"]
        placed = tete("place", tmp_path / "model.npz", tmp_path / "new.csv", "-o", tmp_path / "new_map.csv", *pictures)
        assert placed.exit_code == 0, placed.output
        assert "unlike              1 of them have a novelty above 3" in placed.stdout
        filled = "1 gap filled in; unseen values filled in: 'colour' (20 rows, first 'blue')"
        assert f"table               {filled}\n" in placed.stdout
        novelty = read_map(tmp_path / "new_map.csv").columns["novelty"]
        assert int(np.argmax(novelty)) == 2
        assert "hardly belong (1)" in (tmp_path / "new.svg").read_text()
        assert '"unlike"' in (tmp_path / "new.html").read_text()
        assert '"n_behind": 60' in (tmp_path / "new.html").read_text()  # the map's own rows
        said = json.loads(tete("place", tmp_path / "model.npz", tmp_path / "new.csv", "--json").stdout)
        assert (said["n_rows"], said["n_unlike"], said["encoded"]) == (20, 1, filled)

    @pytest.mark.parametrize("kind", ["npy", "npz"])
    def test_gaps_in_arrays(self, kind, rng, tmp_path):
        table = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4))
        table[5, 1] = table[50, 2] = np.nan
        for name, rows in {"table": table[:45], "new": table[45:]}.items():
            np.save(tmp_path / f"{name}.npy", rows)
            np.savez(tmp_path / f"{name}.npz", X=rows)
        files = ["-o", tmp_path / "map.csv", "--model", tmp_path / "model.npz"]
        made = tete("reduce", tmp_path / f"table.{kind}", *files)
        assert made.exit_code == 0, made.output
        assert "table               4 columns: 4 numbers; 1 gap filled in" in made.stdout
        encoder = TableEncoder(standardize=False).fit(table[:45])
        model = ListwiseTETE(random_state=0).fit(encoder.transform(table[:45]))
        np.testing.assert_array_equal(read_map(tmp_path / "map.csv").embedding, model.embedding_)
        placed = tete("place", tmp_path / "model.npz", tmp_path / f"new.{kind}", "-o", tmp_path / "new_map.npy")
        assert placed.exit_code == 0, placed.output
        np.testing.assert_array_equal(np.load(tmp_path / "new_map.npy"), model.transform(encoder.transform(table[45:])))
        table[3] = np.nan
        np.save(tmp_path / "empty_row.npy", table)
        refused = tete("reduce", tmp_path / "empty_row.npy")
        assert refused.exit_code == 2
        assert "Row 3 of `X` has no cell to go by in the 4 columns used" in refused.stderr

    def test_values_in_order(self, mixed, tmp_path):
        told = ["--label", "species", "--ordered", "colour=white,red,yellow"]
        made = tete("reduce", tmp_path / "mixed.csv", *told, "-o", tmp_path / "map.csv")
        assert made.exit_code == 0, made.output
        assert "3 numbers, 1 ordered category, 1 date" in made.stdout
        scored = tete("score", tmp_path / "map.csv", "--features", tmp_path / "mixed.csv", *told)
        assert "3 numbers, 1 ordered category, 1 date" in scored.stdout
        for option, sentence in (("colour", "must be like size=small,medium,large"), ("a=b,c", "must name columns")):
            refused = tete("reduce", tmp_path / "mixed.csv", "--ordered", option)
            assert refused.exit_code == 2
            assert sentence in " ".join(refused.output.split())
        misspelt = tete("reduce", tmp_path / "mixed.csv", "--label", "species", "--ordered", "colour=white,rde")
        assert misspelt.exit_code == 2
        first = mixed["colour"].tolist().index("red")
        sentence = f"--ordered must list all values of column 'colour', got 'red' in row {first}, which is none of"
        assert sentence in " ".join(misspelt.stderr.split())
        mixed[["height", "depth"]][:20].fillna(0.0).to_csv(tmp_path / "numbers.csv", index=False)
        refused = tete("reduce", tmp_path / "numbers.csv", "--ordered", "height=1,2")
        assert refused.exit_code == 2
        assert "--ordered is for columns of texts" in " ".join(refused.output.split())

    def test_score_of_a_map_by_a_table_as_it_is(self, mixed, tmp_path):
        made = tete("reduce", tmp_path / "mixed.csv", "--label", "species", "-o", tmp_path / "map.csv", "--json")
        scored = tete(
            "score", tmp_path / "map.csv", "--features", tmp_path / "mixed.csv", "--label", "species", "--json"
        )
        assert scored.exit_code == 0, scored.output
        made, scored = json.loads(made.stdout), json.loads(scored.stdout)
        assert "columns: 3 numbers, 1 category, 1 date; 3 gaps filled in" in made["encoded"]
        assert "columns: 3 numbers, 1 category, 1 date; 3 gaps filled in" in scored["encoded"]
        for measure in ("recall", "trustworthiness", "accuracy"):
            assert scored[measure] == pytest.approx(made[measure])
        said = tete("score", tmp_path / "map.csv", "--features", tmp_path / "mixed.csv")
        assert "table               " in said.stdout

    def test_cells_of_another_kind_in_new_rows(self, mixed, tmp_path):
        assert (
            tete("reduce", tmp_path / "mixed.csv", "--label", "species", "--model", tmp_path / "m.npz").exit_code == 0
        )
        new = mixed[60:].astype({"height": object})
        new.loc[64, "height"] = "tall"
        new.to_csv(tmp_path / "new.csv", index=False)
        result = tete("place", tmp_path / "m.npz", tmp_path / "new.csv")
        assert result.exit_code == 2
        assert "new.csv: Row 4, column 'height' of `X` is 'tall', expected a number" in result.stderr

    def test_numbers_with_gaps_keep_their_units(self, frame, tmp_path):
        gaps = features_of(frame).copy()
        gaps.loc[3, "depth"] = None
        gaps.to_csv(tmp_path / "gaps.csv", index=False)
        assert tete("reduce", tmp_path / "gaps.csv", "-o", tmp_path / "map.npy").exit_code == 0
        table = TableEncoder(standardize=False).fit_transform(pd.read_csv(tmp_path / "gaps.csv"))
        np.testing.assert_array_equal(np.load(tmp_path / "map.npy"), ListwiseTETE(random_state=0).fit_transform(table))

    def test_columns_weigh_alike_where_some_that_are_used_are_no_numbers(self, frame, tmp_path):
        numbers = features_of(frame).assign(here="here", wet=np.arange(len(frame)) % 3 == 0)  # constant: left out
        gap = numbers.astype({"wet": object})
        gap.loc[3, ["depth", "wet"]] = None
        colour = numbers.assign(colour=np.where(np.arange(len(frame)) % 2, "red", "white"))
        for table, options, alike in (
            (numbers, [], False),
            (gap, [], False),
            (gap, ["--standardize"], True),
            (colour, [], True),
            (colour, ["--no-standardize"], False),
        ):
            table.to_csv(tmp_path / "t.csv", index=False)
            said = tete("reduce", tmp_path / "t.csv", "-o", tmp_path / "map.npy", "--force", *options)
            assert said.exit_code == 0, said.output
            assert ("; columns weigh alike; left out: 'here'" in said.stdout) == alike
            told = {"standardize": alike} if options else {}
            encoded = TableEncoder(**told).fit_transform(pd.read_csv(tmp_path / "t.csv"))
            expected = ListwiseTETE(random_state=0).fit_transform(encoded)
            np.testing.assert_array_equal(np.load(tmp_path / "map.npy"), expected)

    def test_looks_of_classes(self, table, tmp_path):
        looks = ["--color", "rose=#ff0000", "--class-names", "--label", "species"]
        result = tete("reduce", table, *looks, "--plot", tmp_path / "map.svg", "--page", tmp_path / "map.html")
        assert result.exit_code == 0, result.output
        assert "#ff0000" in (tmp_path / "map.svg").read_text()
        assert '"colors": ["#ff0000", null, null]' in (tmp_path / "map.html").read_text()
        for wrong, match in (("rose", "--color must be like oak=#1f77b4"), ("rose=red", "must be a colour like")):
            refused = tete("reduce", table, "--label", "species", "--color", wrong, "--plot", tmp_path / "new.svg")
            assert refused.exit_code == 2
            assert match in refused.stderr

    def test_colours_of_unknown_classes_are_refused(self, table, frame, tmp_path):
        drawn = ["--label", "species", "--plot", tmp_path / "map.svg"]
        wrong = tete("reduce", table, *drawn, "--color", "Nope=#ff0000", "-o", tmp_path / "map.csv")
        assert wrong.exit_code == 2
        assert wrong.stderr == ("Error: --color must name one of the classes 'rose', 'tulip', got 'Nope'.\n")
        assert not (tmp_path / "map.csv").exists()
        made = tete("reduce", table, "--label", "species", "--model", tmp_path / "m.npz", "-o", tmp_path / "map.csv")
        assert made.exit_code == 0, made.output
        roses = frame[frame["species"] == "rose"]
        roses.to_csv(tmp_path / "roses.csv", index=False)
        place = ["place", tmp_path / "m.npz", tmp_path / "roses.csv", "--force", "--plot", tmp_path / "map.svg"]
        assert tete(*place, "--color", "tulip=#ff0000").exit_code == 0  # which the map knows
        assert "got 'Nope'" in tete(*place, "--color", "Nope=#ff0000").stderr
        seen = tete("view", tmp_path / "map.csv", "--color", "Nope=#ff0000", "-o", tmp_path / "page.html")
        assert (seen.exit_code, "got 'Nope'" in seen.stderr) == (2, True)

    def test_new_rows_of_one_class_are_coloured_by_it_where_asked(self, table, frame, tmp_path):
        made = tete("reduce", table, "--label", "species", "--model", tmp_path / "m.npz")
        assert made.exit_code == 0, made.output
        frame[frame["species"] == "rose"].to_csv(tmp_path / "roses.csv", index=False)
        place = ["place", tmp_path / "m.npz", tmp_path / "roses.csv", "--force", "--plot", tmp_path / "map.svg"]
        for options, colour in ((["--color", "rose=#ff0000"], "#ff0000"), (["--class-names"], "rose")):
            drawn = tete(*place, "--page", tmp_path / "map.html", *options)
            assert drawn.exit_code == 0, drawn.output
            picture = (tmp_path / "map.svg").read_text()
            assert colour in picture
            assert "<!-- rose -->" in picture  # in the legend
            assert '"label": "species"' in (tmp_path / "map.html").read_text()

    def test_one_huge_novelty_leaves_the_others_colours(self, table, frame, tmp_path):
        assert tete("reduce", table, "--label", "species", "--model", tmp_path / "m.npz").exit_code == 0
        new = frame[60:76].drop(columns="species")
        new.loc[62, "depth"] = 1e6
        new.to_csv(tmp_path / "new.csv", index=False)
        files = ["--plot", tmp_path / "map.svg", "-o", tmp_path / "map.csv"]
        drawn = tete("place", tmp_path / "m.npz", tmp_path / "new.csv", *files)
        assert drawn.exit_code == 0, drawn.output
        assert "<!-- novelty (10: or more) -->" in (tmp_path / "map.svg").read_text()
        assert read_map(tmp_path / "map.csv").columns["novelty"].max() > 1e3

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (["--images", "pictures"], "--images is for the page, which is written with --page"),
            (["--pixels", "1x3", "--plot", "map.svg"], "--pixels is for the page, which is written with --page"),
            (["--color", "rose=#ff0000"], "--color is for a picture or a page, written with --plot or --page"),
            (["--class-names"], "--class-names is for a picture or a page, written with --plot or --page"),
        ],
    )
    def test_looks_of_what_is_not_drawn_are_refused(self, table, options, sentence):
        for command in (["reduce", table], ["place", "model.npz", table]):
            refused = tete(*command, *options)
            assert refused.exit_code == 2
            assert sentence in " ".join(refused.output.replace("│", "").split())

    def test_metrics_with_parameters_are_for_python(self, table):
        refused = tete("reduce", table, "--label", "species", "--metric", "mahalanobis")
        assert refused.exit_code == 2
        assert refused.stderr == (
            "Error: --metric mahalanobis needs parameters, which only Python can give: "
            "ListwiseTETE(metric='mahalanobis', metric_params=...).\n"
        )
        score = tete("score", table, "--features", table, "--metric", "seuclidean")
        assert score.exit_code == 2
        assert "--metric seuclidean needs parameters, which only Python can give: map_quality(" in score.stderr

    def test_thumbnails(self, table, tmp_path):
        from PIL import Image

        (tmp_path / "pictures").mkdir()
        Image.new("RGB", (8, 8), "red").save(tmp_path / "pictures" / "flower 3.png")
        looks = ["--label", "species", "--images", tmp_path / "pictures"]
        result = tete("reduce", table, *looks, "--page", tmp_path / "map.html")
        assert result.exit_code == 0, result.output
        assert "data:image/jpeg;base64" in (tmp_path / "map.html").read_text()
        assert "Warning: 59 of the 60 objects have no picture in" in result.stderr
        assert "the first is 'flower 0'." in result.stderr


def test_answers_are_no_features(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("anchor,near,far\n" + "tea,cocoa,latte\nlatte,tea,cocoa\ncocoa,latte,tea\n" * 8)
    result = tete("reduce", path, "-o", tmp_path / "map.csv")
    assert "Warning: columns anchor, near, far look like answers: tete embed makes a map" in result.stderr


def test_a_table_before_the_model(tmp_path):
    result = tete("place", "new.csv", "model.npz", "-o", tmp_path / "placed.csv")
    assert result.exit_code == 2
    assert "the model comes first: tete place model.npz new.csv" in " ".join(result.output.split())
