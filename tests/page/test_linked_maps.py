import numpy as np
import pytest

from tete.page.linked_maps import MOST_NAMES_BESIDE, linked_maps

models = pytest.importorskip("bokeh.models")

NOTHING = np.empty((0, 2))


def drawn(plane, beside=None, **details):
    return linked_maps(plane, details.pop("ellipses", None), beside or {}, "first", behind=NOTHING, **details)


def scatters(plot):
    return [each.glyph for each in plot.renderers if isinstance(each.glyph, models.Scatter)]


def test_maps_beside_the_first_share_its_points(rng):
    plane = rng.normal(size=(5, 2))
    plots = drawn(plane, {"second": -plane, "third": plane}).children
    assert [plot.title.text for plot in plots] == ["first", "second", "third"]
    assert [plot.name for plot in plots] == ["map", "map1", "map2"]
    places = [[(glyph.x, glyph.y) for glyph in scatters(plot)][-1] for plot in plots]
    assert places == [("x", "y"), ("x1", "y1"), ("x2", "y2")]
    sources = [
        renderer.data_source for plot in plots for renderer in plot.renderers if renderer.data_source.name == "points"
    ]
    assert len(set(sources)) == 1
    assert len(sources) > 3


def test_points_are_brought_by_the_page_and_the_frame_holds_them(rng):
    plane = rng.normal(size=(5, 2))
    plot = drawn(plane)
    points = plot.select_one({"name": "points"})
    assert all(len(column) == 0 for column in points.data.values())
    corners = plot.x_range.renderers[0].data_source.data
    np.testing.assert_allclose(corners["x"], [plane[:, 0].min(), plane[:, 0].max()])
    np.testing.assert_allclose(corners["y"], [plane[:, 1].min(), plane[:, 1].max()])
    wide = drawn(plane, ellipses=np.tile([2.0, 2.0, 0.0], (5, 1)))
    np.testing.assert_allclose(wide.x_range.renderers[0].data_source.data["x"][0], plane[:, 0].min() - 1.0)


def test_many_points_are_small_and_have_no_names_beside_them(rng):
    few, many = drawn(rng.normal(size=(5, 2))), drawn(rng.normal(size=(MOST_NAMES_BESIDE + 1, 2)))
    names = [{each.name for each in plot.renderers} for plot in (few, many)]
    assert "names" in names[0]
    assert "names" not in names[1]
    crowd = drawn(rng.normal(size=(40_000, 2)))
    assert scatters(crowd)[-1].size < scatters(few)[-1].size == 11.0


def test_rings_and_pictures_only_where_asked_for(rng):
    plane = rng.normal(size=(5, 2))
    plain, all_of_it = drawn(plane), drawn(plane, rings=True, pictured=True)
    assert len(scatters(all_of_it)) == len(scatters(plain)) + 1
    texts = [str(plot.select_one(models.HoverTool).tooltips) for plot in (plain, all_of_it)]
    assert ["<img" in text for text in texts] == [False, True]
