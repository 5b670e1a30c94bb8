import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tete import ListwiseTETE, TableEncoder
from tete.exceptions import InvalidFeaturesError, InvalidParameterError, MissingCodesWarning


def people(rng, n_rows=120):
    kind = rng.choice(["oak", "elm", "ash"], n_rows)
    height = np.where(kind == "oak", 20.0, 12.0) + rng.normal(size=n_rows)
    frame = pd.DataFrame(
        {
            "id": [f"tree {n}" for n in range(n_rows)],
            "height": height,
            "girth": 0.1 * height + 0.02 * rng.normal(size=n_rows),
            "kind": kind,
            "size": pd.Categorical(np.where(height > 16, "large", "small"), ["small", "large"], ordered=True),
            "felled": rng.random(n_rows) < 0.3,
            "planted": pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 9000, n_rows), "D"),
            "country": "here",
        }
    )
    for column in ("height", "girth", "kind", "planted"):
        frame.loc[rng.random(n_rows) < 0.1, column] = None
    return frame


def test_a_table_as_people_have_it(rng):
    frame = people(rng)
    before = frame.copy()
    encoder = TableEncoder()
    table = encoder.fit_transform(frame)
    pd.testing.assert_frame_equal(frame, before)
    names = list(encoder.get_feature_names_out())
    assert names == ["height", "girth", "kind_ash", "kind_elm", "kind_oak", "size", "felled", "planted"]
    assert table.shape == (120, 8)
    assert np.isfinite(table).all()
    assert (
        "8 columns: 2 numbers, 1 column of true and false, 1 ordered category, 1 category, 1 date" in encoder.summary()
    )
    assert "'id' (all different), 'country' (constant)" in encoder.summary()
    assert f"{int(frame.isna().sum().sum())} gaps filled in" in encoder.summary()
    np.testing.assert_array_equal(encoder.transform(frame), table)


def test_every_column_weighs_alike(rng):
    table = TableEncoder().fit_transform(people(rng).dropna())
    variances = table.var(axis=0)
    np.testing.assert_allclose(variances[[0, 1, 5, 6, 7]], 1.0)
    assert variances[2:5].sum() == pytest.approx(1.0)


def test_what_is_left_out_does_not_make_columns_weigh_alike(rng):
    frame = people(rng)[["height", "girth", "felled", "country", "id"]]
    encoder = TableEncoder().fit(frame)
    assert not encoder.standardized_
    assert "weigh alike" not in encoder.summary()
    np.testing.assert_array_equal(encoder.transform(frame), TableEncoder(standardize=False).fit_transform(frame))
    for column in ("kind", "size", "planted"):
        encoder = TableEncoder().fit(frame.assign(other=people(rng)[column]))
        assert encoder.standardized_
        assert "; columns weigh alike; left out" in encoder.summary()
    assert TableEncoder(standardize=True).fit(frame).standardized_
    with pytest.raises(InvalidParameterError, match=r"`standardize` must be 'auto', True or False, got 'yes'\."):
        TableEncoder(standardize="yes").fit(frame)


def test_numbers_stay_as_they_are_without_standardize(rng):
    frame = people(rng)
    table = TableEncoder(standardize=False).fit_transform(frame)
    known = frame["height"].notna().to_numpy()
    np.testing.assert_array_equal(table[known, 0], frame["height"][known])
    assert np.abs(table[~known, 0] - frame["height"].mean()).max() > 2.0  # not the mean: the girth tells


def test_gaps_are_filled_by_what_goes_with_them(rng):
    frame = people(rng, 400).drop(columns="kind")
    true = frame["girth"].to_numpy() * 10.0
    gaps = frame["height"].isna().to_numpy() & ~np.isnan(true)
    filled = TableEncoder(standardize=False).fit_transform(frame)[gaps, 0]
    assert np.abs(filled - true[gaps]).mean() < 0.3


def test_new_rows_with_unseen_values_and_gaps(rng):
    frame = people(rng)
    encoder = TableEncoder().fit(frame)
    new = frame[:3].copy()
    new["kind"] = ["ginkgo", "oak", None]
    new["felled"] = pd.array([None, True, False], dtype="boolean")
    together = encoder.transform(new)
    assert np.isfinite(together).all()
    alone = np.vstack([encoder.transform(new[row : row + 1]) for row in range(3)])
    np.testing.assert_array_equal(together, alone)


def test_in_a_pipeline(rng):
    frame = people(rng)
    model = make_pipeline(TableEncoder(), ListwiseTETE(random_state=0, max_iter=20)).fit(frame[:100])
    new = frame[100:].assign(kind="ginkgo")
    assert np.isfinite(model.transform(new)).all()
    np.testing.assert_array_equal(model.transform(frame[:100]), model[-1].embedding_)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 2**31))
def test_the_order_of_rows_and_the_number_of_threads_change_no_bit(seed):
    rng = np.random.default_rng(seed)
    frame = people(rng, 60)
    order = rng.permutation(60)
    here = TableEncoder(n_jobs=1).fit_transform(frame)
    there = TableEncoder(n_jobs=2).fit_transform(frame.iloc[order])
    np.testing.assert_array_equal(here[order], there)


def test_arrays_have_names_too():
    table = np.array([[1.0, np.nan], [2.0, 5.0], [4.0, 7.0]])
    encoder = TableEncoder().fit(table)
    assert list(encoder.get_feature_names_out()) == ["x0", "x1"]
    assert list(encoder.get_feature_names_out(["a", "b"])) == ["a", "b"]
    assert isinstance(TableEncoder().set_output(transform="pandas").fit_transform(table), pd.DataFrame)
    mixed = np.array([[1, "a"], [2, "b"], [4, "a"]], dtype=object)
    assert list(TableEncoder().fit(mixed).get_feature_names_out()) == ["x0", "x1_a", "x1_b"]


def test_rows_and_tables_without_anything_are_named():
    with pytest.raises(InvalidFeaturesError, match=r"Row 1 of `X` has no cell to go by .*leave it out \(2 such rows\)"):
        TableEncoder().fit(pd.DataFrame({"a": [1, None, 3, None], "b": ["x", None, "y", ""], "c": [1, 1, 1, 1]}))
    with pytest.raises(InvalidFeaturesError, match=r"No column of `X` can say which rows are alike: 'a' \(empty\)"):
        TableEncoder().fit(pd.DataFrame({"a": [None, None], "b": [1, 1]}))
    encoder = TableEncoder().fit(pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [1.0, 0.0, 0.0]}))
    with pytest.raises(InvalidFeaturesError, match="Row 0 of `X` has no cell to go by in the 2 columns"):
        encoder.transform(pd.DataFrame({"a": [None], "b": [None]}))
    with pytest.raises(TypeError, match=r"Sparse data .*dense tables"):
        TableEncoder().fit(csr_array(np.eye(3)))


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"max_categories": 1}, "`max_categories` must be"),
        ({"max_missing": 1.5}, "`max_missing` must be"),
        ({"ordered": {"depth": ["a", "b"]}}, "`ordered` must name columns of `X`, got 'depth'"),
        ({"ordered": {"a": ["x"]}}, r"`ordered\['a'\]` must be at least two different values"),
        ({"ordered": {"a": "xyz"}}, r"`ordered\['a'\]` must be at least two different values"),
    ],
)
def test_wrong_parameters(parameters, match):
    with pytest.raises(InvalidParameterError, match=match):
        TableEncoder(**parameters).fit(pd.DataFrame({"a": ["x", "y", "x"]}))


def test_orders_are_taken_from_the_parameter():
    frame = pd.DataFrame({"a": ["low", "high", "mid", None], "b": [1.0, 2.0, 1.0, 2.0]})
    table = TableEncoder(ordered={"a": ["low", "mid", "high"]}, standardize=False).fit_transform(frame)
    np.testing.assert_array_equal(table[:3, 0], [0, 2, 1])


def test_values_that_an_order_does_not_list_are_refused_by_column():
    frame = pd.DataFrame({"size": ["low", None, "mid", "high"], "grade": [1, 3, 2, 1], "b": [1.0, 2.0, 1.0, 2.0]})
    for ordered, value, row in (({"size": ["low", "medum", "high"]}, "'mid'", 2), ({"grade": [1, 2]}, "'3'", 1)):
        name = next(iter(ordered))
        match = f"`ordered` must list all values of column '{name}', got {value} in row {row}, which is none of '"
        with pytest.raises(InvalidParameterError, match=match):
            TableEncoder(ordered=ordered).fit(frame)
    encoder = TableEncoder(ordered={"size": ["low", "mid", "high", "huge"], "grade": [1, 2, 3]}).fit(frame)
    assert np.isfinite(encoder.transform(frame.assign(size="medium"))).all()  # in new rows, a gap


def test_codes_for_missing_numbers_are_said(rng):
    frame = people(rng, 60)
    frame.loc[3, "girth"] = -9999.0
    with pytest.warns(MissingCodesWarning, match=r"Column 2 \('girth'\) of `X` has -9999 in 1 row"):
        TableEncoder().fit(frame)


def test_numbers_of_any_size():
    table = np.array([[1e300, 1e-300], [-1e300, 2e-300], [3e299, np.nan], [0.0, 5e-300]])
    assert np.isfinite(TableEncoder().fit_transform(table)).all()


@parametrize_with_checks([TableEncoder()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
