"""What a spreadsheet would compute is made inert where we write, and is read back as it was."""

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tete import Triplets, read_answers, read_features, read_map, write_answers, write_map
from tete.io.object_tables import read_columns
from tete.io.spreadsheets import inert, without_apostrophe

FORMULAS = ["=1+1", "+cmd", "-2 apples", "@SUM(A1)", "\tx", "\ry", "'=1", "''-x", "=", "-"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_get_an_apostrophe(text):
    frame = inert(pd.DataFrame({"name": [text], text: [1]}))
    assert frame["name"].tolist() == [f"'{text}"]
    assert list(frame.columns) == ["name", f"'{text}"]
    assert without_apostrophe(f"'{text}") == text


@pytest.mark.parametrize("text", ["apple", "'quoted'", "-1.5", "+3", "-1e-5", "", "'", "a=b", "'a"])
def test_other_texts_and_numbers_stay(text):
    assert inert(pd.DataFrame({"name": [text]}))["name"].tolist() == [text]
    assert without_apostrophe(text) == text


@given(st.text())
@example("'=")
@example("''\t")
def test_every_text_comes_back(text):
    (written,) = inert(pd.DataFrame({"name": [text]}))["name"]
    assert without_apostrophe(written) == text
    assert written[:1] not in set("=@\t\r")


@pytest.mark.parametrize("name", ["f.csv", "f.tsv", "f.parquet", "f.json"])
def test_maps_come_back(tmp_path, name):
    places = [[-1.5, 2.0 * row] for row in range(len(FORMULAS))]
    write_map(tmp_path / name, places, FORMULAS, {"=label": FORMULAS})
    found = read_map(tmp_path / name)
    assert found.embedding.tolist() == places
    assert list(found.columns) == ["=label"]
    assert found.columns["=label"].tolist() == FORMULAS
    # Space around names does not count, unless an apostrophe shows that it belongs to them.
    kept = FORMULAS if name in {"f.csv", "f.tsv"} else [text.strip() for text in FORMULAS]
    assert found.names == tuple(kept)


def test_no_cell_of_a_text_file_begins_like_a_formula(tmp_path):
    write_map(tmp_path / "m.csv", [[-1.0, 0.5]] * len(FORMULAS), FORMULAS, {"label": FORMULAS})
    cells = pd.read_csv(tmp_path / "m.csv", dtype=str, keep_default_na=False)
    assert all(text.startswith("'") for column in ("object", "label") for text in cells[column])
    assert set(cells["x"]) == {"-1.0"}  # numbers stay numbers


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.npz"])
def test_answers_come_back(tmp_path, name):
    triplets = Triplets(anchor=[0], near=[1], far=[2], names=["=a", "'=a", "@b"], annotators=["=me"])
    write_answers(tmp_path / name, triplets)
    again = read_answers(tmp_path / name, names=triplets.names)
    assert again.to_array().tolist() == [[0, 1, 2]]
    assert again.annotators.tolist() == ["=me"]


def test_features_and_tables_about_objects(tmp_path):
    (tmp_path / "t.csv").write_text("id,'=a,label\n'=x,-1,'@l\n'y,2,m\n")
    table = read_features(tmp_path / "t.csv")
    assert table.names == ("=x", "'y")
    assert table.feature_names == ("=a",)
    assert table.columns["label"].tolist() == ["@l", "m"]
    assert read_columns(tmp_path / "t.csv", ["=x"])["label"].tolist() == ["@l"]
