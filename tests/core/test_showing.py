"""`core.showing`, and `page.notebook` as the estimators use it."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from tete import TETE, TETECV, ListwiseTETE, MapPage, MultiViewTETE, Triplets, make_page, plot_map
from tete.exceptions import InvalidParameterError

NAMED = Triplets.from_array([(0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 3, 2)], names=("tea", "mate", "oak", "coffee"))


@pytest.fixture(scope="module")
def model():
    return TETE(t=2.0, t_prime=2.0).fit(NAMED)


def test_a_picture_is_that_of_plot_map(model):
    axes, expected = model.plot(), plot_map(model.embedding_, names=NAMED.names)
    assert {text.get_text() for text in axes.texts} == {text.get_text() for text in expected.texts} == {*NAMED.names}
    np.testing.assert_array_equal(axes.collections[0].get_offsets(), expected.collections[0].get_offsets())


def test_a_picture_goes_where_it_is_told(model):
    axes = plot_map([[0.0, 0.0], [1.0, 1.0]])
    assert model.plot(["a", "a", "b", "a"], axes=axes, names=["w", "x", "y", "z"], title="Drinks") is axes
    assert axes.get_title() == "Drinks"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]
    assert {"w", "x", "y", "z"} >= {text.get_text() for text in axes.texts}


def test_a_page_is_that_of_make_page(model):
    columns = {"kind": ["drink", "drink", "tree", "drink"], "size": [1.0, 2.0, 3.0, 4.0]}
    page = model.explore(columns, triplets=NAMED, title="Drinks")
    assert isinstance(page, MapPage)
    expected = make_page(
        model.embedding_, names=NAMED.names, columns=columns, label="kind", triplets=NAMED, title="Drinks"
    )
    assert without_ids(page.html) == without_ids(expected)
    assert '"label": "size"' in model.explore(columns, label="size").html


def without_ids(page):
    """The page without what Bokeh numbers anew each time."""
    start = page.index('"names": ["tea"')
    return page[:200], page[start : page.index("</script>", start)]


def test_maps_of_features_have_numbers_for_names(rng):
    model = ListwiseTETE(max_iter=5, random_state=0).fit(rng.normal(size=(20, 3)))
    assert '"names": ["0", "1", "2"' in model.explore().html
    assert not model.plot(np.arange(20) % 2).texts


def test_several_views_are_shown_side_by_side(rng):
    model = MultiViewTETE()
    model.embeddings_, model.object_names_ = rng.normal(size=(2, 5, 2)), None
    page = model.explore().html
    assert '"name": "view 1"' in page
    assert "view 0" in page


@pytest.mark.parametrize("estimator", [TETE(), TETECV(), ListwiseTETE(), MultiViewTETE()])
def test_nothing_is_shown_before_a_fit(estimator):
    with pytest.raises(NotFittedError):
        estimator.explore()
    if hasattr(estimator, "plot"):
        with pytest.raises(NotFittedError):
            estimator.plot()


@pytest.mark.parametrize("estimator", [TETE(), TETECV(), ListwiseTETE(init=np.zeros((5, 2))), MultiViewTETE()])
def test_estimators_have_scikit_learns_html(estimator):
    """Notebooks ask for all forms at once; the page of a map is only made by `explore`."""
    bundle = estimator._repr_mimebundle_()
    assert type(estimator).__name__ in bundle["text/html"]
    assert "sk-estimator" in bundle["text/html"]


def test_a_page_in_a_frame(model, tmp_path):
    page = model.explore(height=300)
    shown = page._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert 'sandbox="allow-scripts allow-downloads"' in shown
    assert "height: 300px" in shown
    assert "<script" not in shown
    assert repr(page) == "MapPage(height=300)"
    page.save(tmp_path / "map.html")
    assert (tmp_path / "map.html").read_text(encoding="utf-8") == page.html
    with pytest.raises(InvalidParameterError, match="`height` must be"):
        MapPage("", height=5)
