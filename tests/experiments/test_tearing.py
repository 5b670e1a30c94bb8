"""Pieces and torn neighbours of maps made by hand."""

import numpy as np
import pytest

from tete.experiments.tearing import pieces, torn_share


@pytest.fixture
def sheet(rng):
    return rng.random((600, 2))


def test_a_sheet_is_one_piece(sheet):
    assert pieces(sheet) == 1
    assert torn_share(sheet, sheet) < 0.01


def test_a_cut_sheet_is_two_pieces_with_torn_neighbours(sheet):
    cut = sheet + np.where(sheet[:, :1] > 0.5, [[3.0, 0.0]], 0.0)
    assert pieces(cut) == 2
    assert torn_share(sheet, cut) > 0.03


def test_measures_do_not_change_with_scale_and_rotation(sheet):
    turned = 1000.0 * sheet @ np.array([[0.6, -0.8], [0.8, 0.6]]) + 5.0
    assert pieces(turned) == pieces(sheet)
    assert torn_share(sheet, turned) == pytest.approx(torn_share(sheet, sheet), abs=1e-9)


def test_single_points_are_no_pieces(sheet):
    assert pieces(np.vstack([sheet, [[50.0, 50.0]], [[-50.0, 9.0]]])) == 1


def test_torn_share_equals_the_definition(rng):
    truth, places = rng.random((30, 2)), rng.random((30, 2))
    distances = np.linalg.norm(truth[:, None] - truth[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    apart = np.array([[np.linalg.norm(places[i] - places[j]) for j in np.argsort(distances[i])[:4]] for i in range(30)])
    expected = np.mean(apart > 1.5 * np.median(apart))
    assert torn_share(truth, places, n_neighbors=4, stretch=1.5) == pytest.approx(expected)
