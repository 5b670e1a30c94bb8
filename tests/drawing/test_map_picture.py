"""Pictures of maps.

These draw `drawing.placed_objects` by `drawing.point_looks`, on `drawing.figures`.
"""

import sys

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb, to_rgba

from samples import random_triplets
from tete import Uncertainty
from tete.drawing.curves import plot_convergence
from tete.drawing.figures import new_figure, save_picture
from tete.drawing.label_placement import place_labels
from tete.drawing.map_picture import is_number_scale, plot_map
from tete.drawing.themes import COLORS, DARK, LIGHT
from tete.exceptions import InvalidParameterError, MissingLettersWarning, OutputExistsError
from tete.metrics.satisfaction import satisfied

SIGNATURES = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.fixture
def places(rng):
    return rng.normal(size=(60, 2))


@pytest.mark.parametrize("extension", SIGNATURES)
def test_pictures_of_every_kind(tmp_path, places, extension):
    path = tmp_path / f"map{extension}"
    save_picture(path, plot_map(places).figure)
    assert path.read_bytes().startswith(SIGNATURES[extension])
    with pytest.raises(OutputExistsError):
        save_picture(path, plot_map(places).figure)


def test_unknown_extension(tmp_path, places):
    with pytest.raises(InvalidParameterError, match=r"`path` must end in \.png, \.svg, \.pdf, got '\.gif'"):
        save_picture(tmp_path / "map.gif", plot_map(places).figure)


def test_classes_get_colours_and_a_legend(places, rng):
    axes = plot_map(places, labels=rng.choice(["a", "b", "c"], 60), label_name="kind")
    legend = axes.get_legend()
    assert legend.get_title().get_text() == "kind"
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "c"]
    assert len(axes.collections) == 3


def test_what_has_no_class_takes_no_colour_from_the_classes(places):
    labels = np.array([""] * 40 + ["a"] * 12 + ["b"] * 8)
    unlabelled, first, second = (c.get_facecolor()[0] for c in plot_map(places, labels=labels).collections)
    np.testing.assert_allclose([first, second], [to_rgba(color) for color in COLORS[:2]])
    assert not np.allclose(unlabelled, first)


def test_many_classes_differ_in_colour_or_marker(rng):
    places = rng.normal(size=(40, 2))
    axes = plot_map(places, labels=[f"class {n % 20:02}" for n in range(40)])
    looks = {(tuple(c.get_facecolor()[0]), c.get_paths()[0].vertices.tobytes()) for c in axes.collections}
    assert len(looks) == 20
    assert len(COLORS) < 20


def test_numbers_get_a_scale(places, rng):
    axes = plot_map(places, labels=rng.random(60), label_name="sweetness")
    assert axes.get_legend() is None
    assert axes.figure.axes[1].get_ylabel() == "sweetness"


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        (np.arange(10), False),
        (np.array([0, 17, 33, 50, 100]), True),
        (np.array([0.5, 1.5]), True),
        (np.array(["1", "2"]), False),
        (np.arange(100), True),
        (np.array([np.nan, np.nan]), False),
    ],
)
def test_which_labels_are_measurements(values, scale):
    assert is_number_scale(values) == scale


@pytest.mark.parametrize("n_components", [1, 3, 5])
def test_maps_of_other_dimensions(rng, n_components):
    axes = plot_map(rng.normal(size=(20, n_components)))
    assert axes.collections[0].get_offsets().shape == (20, 2)


def test_names_cover_neither_each_other_nor_points(places):
    axes = plot_map(places, names=[f"name {n}" for n in range(60)])
    axes.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert 20 < len(boxes) <= 60
    points = axes.transData.transform(places)
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:number])
        assert not any(box.contains(*point) for point in points)


@pytest.mark.parametrize("shape", [(10.0, 1.0), (1.0, 10.0), (3.0, 2.0), (1.0, 0.0)])
@pytest.mark.parametrize("labelled", [False, True])
def test_flat_and_tall_maps_fill_their_picture(rng, shape, labelled):
    labels = rng.choice(["red", "blue"], size=60) if labelled else None
    axes = plot_map(rng.uniform(size=(60, 2)) * shape, labels=labels)
    axes.figure.draw_without_rendering()
    whole, frame = axes.figure.bbox, axes.get_window_extent()
    assert frame.width > 0.55 * whole.width
    assert frame.height > 0.9 * whole.height
    assert max(axes.figure.get_size_inches()) <= 8.0


def test_letters_that_the_font_lacks_are_said_once(tmp_path, places):
    with pytest.warns(MissingLettersWarning, match="lacks letters of 1 names, .*, first '日本語'") as caught:
        axes = plot_map(places[:2], names=["日本語", "a\tb"])
    save_picture(tmp_path / "map.png", axes.figure)  # where any warning is an error
    assert len(caught) == 1
    assert sorted(text.get_text() for text in axes.texts) == ["a b", "□□□"]


def test_names_are_no_formulas(tmp_path, places):
    axes = plot_map(places, names=["$x_"] * 60)
    save_picture(tmp_path / "map.png", axes.figure)
    _, axes = new_figure()
    assert place_labels(axes, np.array([[0.5, 0.5]]), ["$\\frac{"]) == 1


def test_violated_triplets_are_drawn(rng, places):
    triplets = random_triplets(rng, 60, 30)
    wrong = int((~satisfied(places, triplets)).sum())
    axes = plot_map(places, violated=triplets)
    assert [len(lines.get_segments()) for lines in axes.collections[:2]] == [wrong, wrong]
    right = triplets.select(satisfied(places, triplets))
    assert len(plot_map(places, violated=right).collections) == 1


def test_ellipses_are_drawn_and_within_the_frame(places):
    sure = Uncertainty(np.tile(np.diag([4.0, 0.01]), (60, 1, 1)), 1.0, 40)
    axes = plot_map(places, uncertainty=sure)
    ellipses = axes.collections[0]
    assert len(ellipses.get_offsets()) == 60
    np.testing.assert_allclose(ellipses.get_widths(), 4.0 * sure.radius(0.9))
    assert axes.get_xlim()[1] >= places[:, 0].max() + 2.0 * sure.radius(0.9)


def test_many_points_become_a_density(rng, monkeypatch):
    monkeypatch.setattr("tete.drawing.map_picture.DENSE_POINTS", 500)
    places = rng.normal(size=(600, 2))
    assert len(plot_map(places).images) == 1
    assert len(plot_map(places, labels=rng.random(600)).images) == 1
    axes = plot_map(places, labels=rng.choice(["a", "b"], 600))
    assert len(axes.images) == 1
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]


def test_convergence():
    axes = plot_convergence([3.0, 2.0, 1.5])
    assert axes.lines[0].get_ydata().tolist() == [3.0, 2.0, 1.5]


def test_labels_must_fit(places):
    with pytest.raises(InvalidParameterError, match=r"`labels` must have one entry for each of 60 objects, got \(3,\)"):
        plot_map(places, labels=[1, 2, 3])


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"plotting needs matplotlib: pip install 'tete\[plot\]'"):
        new_figure()


def test_convergence_on_dark_paper():
    axes = plot_convergence([3.0, 2.0], theme="dark")
    assert to_hex(axes.figure.get_facecolor()).upper() == DARK.paper
    assert axes.get_lines()[0].get_color() == DARK.colors[0]


def key_of(axes):
    """What the key below the map says."""
    return [text.get_text() for each in axes.artists for text in each.get_texts()]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_map_that_objects_were_placed_on_is_pale_behind_them(theme, rng):
    embedding, places = rng.normal(size=(90, 2)), rng.normal(size=(5, 2))
    axes = plot_map(places, background=embedding, unlike=[1, 0, 1, 0, 0], theme="light" if theme is LIGHT else "dark")
    behind, rings, front = (each for each in axes.collections if len(each.get_offsets()))
    np.testing.assert_array_equal(behind.get_offsets(), embedding)
    np.testing.assert_array_equal(front.get_offsets(), places)
    assert rings.get_zorder() > front.get_zorder() > behind.get_zorder()
    paper = np.array(to_rgb(theme.paper))
    pale, clear = (np.abs(each.get_facecolor()[0, :3] - paper).max() for each in (behind, front))
    assert 0.1 < pale < 0.5 < clear
    assert key_of(axes) == ["the map (90)", "placed on it (5)", "hardly belong (2)"]
    labelled = plot_map(places, background=embedding, labels=list("aabbb"))
    assert key_of(labelled) == ["the map (90)"]
    assert [text.get_text() for text in labelled.get_legend().get_texts()] == ["a", "b"]


def test_places_and_the_map_behind_them_are_drawn_on_the_axes_of_the_map(rng):
    embedding = rng.normal(size=(90, 3)) * [1.0, 5.0, 3.0]
    alone, behind = plot_map(embedding), plot_map(embedding[:4] + 1e-9, background=embedding)
    offsets = [np.asarray(each.get_offsets()) for each in (*alone.collections, *behind.collections)]
    own, others, placed = (each for each in offsets if len(each))
    np.testing.assert_array_equal(others, own)
    np.testing.assert_allclose(placed, own[:4], atol=1e-6)
    with pytest.raises(InvalidParameterError, match="`background` must have 3 columns like `embedding`, got 2"):
        plot_map(embedding, background=embedding[:, :2])


def test_very_many_objects_behind_are_a_density(rng):
    axes = plot_map(rng.normal(size=(3, 2)), background=rng.normal(size=(150_001, 2)))
    assert len(axes.images) == 1
    assert key_of(axes)[0] == "the map (150,001)"


def test_rings_names_and_colours_of_classes(rng):
    places = rng.normal(size=(40, 2))
    labels = np.repeat(["oak", "a tree with a very long name indeed"], 20)
    unlike = np.arange(40) == 3
    axes = plot_map(places, labels=labels, colors={"oak": "#ff0000"}, class_names=True, unlike=unlike)
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["a tree with a very long name indeed", "oak"]
    assert {text.get_text() for text in axes.texts} == {"oak", "a tree with a very lo..."}
    oak = next(each for each in axes.collections if each.get_label() == "oak")
    assert oak.get_facecolor()[0].tolist() == [1.0, 0.0, 0.0, 1.0]
    ring = next(each for each in axes.collections if each.get_zorder() == 3)
    np.testing.assert_array_equal(ring.get_offsets(), places[3:4])
    assert key_of(axes) == ["hardly belong (1)"]
    assert key_of(plot_map(places, unlike=np.zeros(40, dtype=bool))) == []
    with pytest.raises(InvalidParameterError, match="`unlike` must have one entry for each of 40 objects"):
        plot_map(places, unlike=[True])


def test_names_of_classes_stay_inside_the_frame(rng):
    """Those at the edges are moved, the others stay in the midst of their classes."""
    centers = np.array([[0.0, 0.0], [10.0, 0.0], [5.0, 5.0], [5.0, 0.0]])
    labels = np.repeat(["a name of many letters", "another long name", "up", "midst"], 5)
    places = np.repeat(centers, 5, axis=0) + 0.01 * rng.normal(size=(20, 2))
    axes = plot_map(places, labels=labels, class_names=True)
    axes.figure.draw_without_rendering()
    frame = axes.get_window_extent()
    for text in axes.texts:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1
    moved = {text.get_text(): text.get_position()[0] for text in axes.texts}
    assert moved["a name of many letters"] > 0 > moved["another long name"]
    assert moved["midst"] == moved["up"] == 0
