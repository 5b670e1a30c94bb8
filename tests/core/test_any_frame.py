import datetime
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from frames import LIBRARIES, in_library
from tete import ListwiseTETE, TableEncoder, Triplets, make_page, map_quality, read_map, write_map
from tete.core.any_frame import as_pandas, named_columns
from tete.exceptions import InvalidFeaturesError, InvalidParameterError, InvalidTripletsError
from tete.metrics import trustworthiness

DAY = datetime.date(2020, 2, 29)
CELLS = {
    "whole": [3, 1, 2],
    "small": np.array([1, 2, 255], dtype=np.uint8),
    "real": [0.5, np.nan, 2.0],
    "text": ["x", "y", "x"],
    "truth": [True, False, True],
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_same_frame(library):
    expected = pd.DataFrame(CELLS)
    pd.testing.assert_frame_equal(as_pandas(in_library(library, CELLS)), expected, check_dtype=False)
    found = as_pandas(in_library(library, CELLS)).dtypes
    assert [found[name].kind for name in ("whole", "small", "real", "truth")] == ["i", "u", "f", "b"]


def test_what_is_no_data_frame_comes_back_as_it_is(rng):
    for table in (rng.normal(size=(3, 2)), [[1, 2]], pd.DataFrame({"a": [1]}), pd.Series([1]), None, "text"):
        assert as_pandas(table) is table

    class Columned:
        columns = ("a", "b")

    table = Columned()
    assert as_pandas(table) is table


def test_gaps_categories_and_dates_of_polars():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {
            "whole": [1, None],
            "truth": [True, None],
            "text": ["x", None],
            "date": [DAY, None],
            "kind": pl.Series(["tea", None], dtype=pl.Categorical),
            "size": pl.Series(["S", "L"], dtype=pl.Enum(["S", "M", "L"])),
        }
    )
    for table in (frame, frame.lazy()):
        found = as_pandas(table)
        assert found["whole"].dtype == np.float64
        assert found["date"].dtype.kind == "M"
        assert found.isna().to_numpy()[1].tolist() == [True] * 5 + [False]
        assert found["truth"].tolist()[0] is True
        assert found["kind"].cat.categories.tolist() == ["tea"]
        assert not found["kind"].cat.ordered
        assert found["size"].cat.categories.tolist() == ["S", "M", "L"]
        assert found["size"].cat.ordered


def test_dictionaries_and_equal_names_of_pyarrow():
    pa = pytest.importorskip("pyarrow")
    found = as_pandas(pa.table({"kind": pa.array(["tea", "oak", None]).dictionary_encode()}))
    assert found["kind"].tolist()[:2] == ["tea", "oak"]
    assert isinstance(found["kind"].dtype, pd.CategoricalDtype)
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(InvalidParameterError, match="The columns of a data frame must have different names"):
        as_pandas(twice)


def test_narwhals_is_not_loaded_for_arrays_and_pandas():
    """scikit-learn may load it anyway, so only this file is asked."""
    program = (
        "import sys, numpy, pandas; from tete.core.any_frame import as_pandas;"
        "as_pandas(numpy.zeros((2, 2))); as_pandas(pandas.DataFrame({'a': [1]})); print('narwhals' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


ANSWERS = {
    "anchor": ["tea", "tea", "oak"],
    "near": ["mate", "mate", "elm"],
    "far": ["oak", "elm", "tea"],
    "annotator": ["ann", "ben", "ann"],
    "weight": [1.0, 2.0, 0.5],
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_answers(library):
    expected, found = Triplets.from_frame(pd.DataFrame(ANSWERS)), Triplets.from_frame(in_library(library, ANSWERS))
    assert found.names == expected.names == ("elm", "mate", "oak", "tea")
    for field in ("anchor", "near", "far", "annotators", "weights"):
        np.testing.assert_array_equal(getattr(found, field), getattr(expected, field))
    numbered = in_library(library, {"anchor": [0, 1], "near": [1, 2], "far": [2, 0]})
    assert Triplets.from_frame(numbered).to_array().tolist() == [[0, 1, 2], [1, 2, 0]]


@pytest.mark.parametrize("library", LIBRARIES)
def test_answers_with_gaps_or_without_columns(library):
    with pytest.raises(InvalidTripletsError, match=r"Row 1 has no object in column 'near' \(1 such row\)"):
        Triplets.from_frame(in_library(library, {**ANSWERS, "near": ["mate", None, "elm"]}))
    with pytest.raises(
        InvalidTripletsError, match=r"must have columns anchor, near and far; far not found among \['anchor'"
    ):
        Triplets.from_frame(in_library(library, {"anchor": [1], "near": [2]}))


def test_what_is_no_frame_of_answers_is_said():
    with pytest.raises(InvalidTripletsError, match=r"`frame` must be a data frame of pandas, polars, .*, got list"):
        Triplets.from_frame([(0, 1, 2)])


@pytest.mark.parametrize("library", LIBRARIES)
def test_features(library, rng):
    cells = {name: rng.normal(size=40) for name in ("width", "height", "depth")}
    expected = ListwiseTETE(max_iter=20, random_state=0).fit(pd.DataFrame(cells))
    frame = in_library(library, cells)
    model = ListwiseTETE(max_iter=20, random_state=0).fit(frame)
    assert model.feature_names_in_.tolist() == ["width", "height", "depth"]
    np.testing.assert_array_equal(model.embedding_, expected.embedding_)
    np.testing.assert_array_equal(model.transform(frame), expected.transform(pd.DataFrame(cells)))
    assert map_quality(frame, model.embedding_) == map_quality(pd.DataFrame(cells), model.embedding_)
    assert trustworthiness(frame, model.embedding_) == trustworthiness(
        np.column_stack([*cells.values()]), model.embedding_
    )
    with pytest.raises(InvalidFeaturesError, match="Column 'species' of `X` holds text, expected numbers"):
        ListwiseTETE().fit(in_library(library, {**cells, "species": ["rose", "tulip"] * 20}))


@pytest.mark.parametrize("library", LIBRARIES)
def test_mixed_tables(library, rng):
    cells = {
        "width": np.where(rng.random(40) < 0.2, np.nan, rng.normal(size=40)),
        "species": ["rose", "tulip"] * 20,
        "fresh": [True, False, False, True] * 10,
    }
    expected = TableEncoder().fit_transform(pd.DataFrame(cells))
    encoder = TableEncoder()
    np.testing.assert_allclose(encoder.fit_transform(in_library(library, cells)), expected)
    np.testing.assert_allclose(encoder.transform(in_library(library, cells)), expected)


@pytest.mark.parametrize("estimator", [ListwiseTETE(max_iter=10, random_state=0), TableEncoder()])
def test_results_in_polars(estimator, rng):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"width": rng.normal(size=30), "height": rng.normal(size=30)})
    found = estimator.set_output(transform="polars").fit_transform(frame)
    assert isinstance(found, pl.DataFrame)
    assert found.columns == list(estimator.get_feature_names_out())
    assert isinstance(estimator.transform(frame), pl.DataFrame)
    assert estimator.set_output(transform="pandas").transform(frame).shape == found.shape


def test_novelty_beside_places_in_polars(rng):
    pl = pytest.importorskip("polars")
    model = ListwiseTETE(max_iter=10, random_state=0).set_output(transform="polars").fit(rng.normal(size=(30, 3)))
    places, novelty = model.transform(rng.normal(size=(4, 3)), return_novelty=True)
    assert isinstance(places, pl.DataFrame)
    assert novelty.shape == (4,)


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_of_maps_and_pages(library, tmp_path):
    columns = in_library(library, {"kind": ["leaf", "bean"], "price": [1.5, 2.5]})
    write_map(tmp_path / "map.csv", [[0.0, 1.0], [2.0, 3.0]], columns=columns)
    assert read_map(tmp_path / "map.csv").columns["kind"].tolist() == ["leaf", "bean"]
    assert '"classes": ["bean", "leaf", ""]' in make_page([[0.0, 1.0], [2.0, 3.0]], columns=columns)


def test_named_columns_of_nothing_and_of_mappings():
    assert named_columns(None) == {}
    assert named_columns({"a": [1]}) == {"a": [1]}
