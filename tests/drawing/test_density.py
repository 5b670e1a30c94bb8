import numpy as np

from tete.drawing.density import FAINTEST, PIXELS, draw_density
from tete.drawing.figures import new_figure


def image_of(places, colors):
    _, axes = new_figure()
    draw_density(axes, places, colors)
    return np.asarray(axes.images[0].get_array()), axes.images[0].get_extent()


def test_mean_colours_and_more_points_are_more_opaque():
    places = np.array([[0.0, 0.0]] * 3 + [[1.0, 2.0]])
    colors = np.array([[1.0, 0, 0], [0, 0, 1.0], [np.nan] * 3, [0, 1.0, 0]])
    image, extent = image_of(places, colors)
    assert image.shape == (PIXELS + 1, PIXELS // 2 + 1, 4)
    np.testing.assert_allclose(image[0, 0], [0.5, 0.0, 0.5, 1.0])
    np.testing.assert_allclose(image[-1, -1], [0.0, 1.0, 0.0, FAINTEST])
    assert np.count_nonzero(image[..., 3]) == 2
    assert extent[0] == extent[2] == 0.0
    assert extent[1] >= 1.0
    assert extent[3] >= 2.0


def test_every_point_is_in_the_picture(rng):
    places = rng.normal(size=(5000, 2)) * [100.0, 0.01]
    image, _ = image_of(places, np.zeros((5000, 3)))
    assert image.shape[:2] == (1, PIXELS + 1)
    assert image[..., 3].max() == 1.0


def test_all_in_one_place():
    image, _ = image_of(np.zeros((10, 2)), np.ones((10, 3)))
    assert image.shape == (1, 1, 4)
