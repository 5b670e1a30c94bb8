import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_reduction import exact_neighbors
from tete.core.threads import SERIAL, threads
from tete.reduction.search.scanning import LANES, make_blocks, scan, scan_all


def whole_numbers(n, width, seed, largest=4):
    """Points whose square distances are exact, with many ties and duplicates."""
    return np.random.default_rng(seed).integers(0, largest, size=(n, width)).astype(np.float32)


def nearest_by_number(points, queries, count, own=False):
    """The nearest of all points, ties by number."""
    squares = np.sum((queries[:, None].astype(float) - points[None].astype(float)) ** 2, axis=2)
    if own:
        np.fill_diagonal(squares, np.inf)
    order = np.argsort(squares, axis=1, kind="stable")[:, :count]
    return order, np.sqrt(np.take_along_axis(squares, order, axis=1))


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 300), width=st.integers(1, 11), seed=st.integers(0, 10**6), share=st.floats(0.0, 1.0))
def test_the_nearest_of_all_points_and_ties_by_number(n, width, seed, share):
    points = whole_numbers(n, width, seed)
    count = 1 + int(share * (n - 2))
    found = scan_all(make_blocks(points), points, count, SERIAL, own=True)
    indices, distances = nearest_by_number(points, points, count, own=True)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-6)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 250), n_cells=st.integers(1, 12), seed=st.integers(0, 10**6), data=st.data())
def test_only_the_visited_blocks_are_looked_at(n, n_cells, seed, data):
    rng = np.random.default_rng(seed)
    points, queries = whole_numbers(n, 3, seed), whole_numbers(130, 3, seed + 1)
    cells = rng.integers(n_cells, size=n)
    members = np.argsort(cells, kind="stable").astype(np.int32)
    n_visited = data.draw(st.integers(1, n_cells))
    visits = np.argsort(rng.random((130, n_cells)), axis=1)[:, :n_visited].astype(np.int32)
    blocks = make_blocks(points, members, np.bincount(cells, minlength=n_cells))
    count = min(5, n)
    found = scan(blocks, queries, count, SERIAL, visits=lambda rows: visits[rows], order=rng.permutation(130))
    for query in range(130):
        inside = np.flatnonzero(np.isin(cells, visits[query]))
        wanted = inside[nearest_by_number(points[inside], queries[[query]], count)[0][0]]
        np.testing.assert_array_equal(found.indices[query, : len(wanted)], wanted)
        assert np.all(found.indices[query, len(wanted) :] == -1)


@pytest.mark.parametrize("width", [1, 4, 50, 1000])
def test_real_numbers_of_any_width(width, rng):
    points = rng.normal(size=(150, width)).astype(np.float32)
    found = scan_all(make_blocks(points), points, 6, SERIAL, own=True)
    indices, distances = exact_neighbors(points, 6)
    assert np.mean(found.indices == indices) > 0.99  # two points may be equally far up to rounding
    np.testing.assert_allclose(found.distances, distances, rtol=1e-5)


def test_bits_depend_on_the_query_alone(rng):
    points, queries = (rng.normal(size=(n, 13)).astype(np.float32) for n in (500, 301))
    with threads(1) as one, threads(3) as three:
        together = scan_all(make_blocks(points), queries, 9, one)
        shared = scan_all(make_blocks(points), queries, 9, three)
    turned = scan_all(make_blocks(points), queries[::-1].copy(), 9, SERIAL)
    for first, second, third in zip(together, shared, turned, strict=True):
        np.testing.assert_array_equal(first, second)
        np.testing.assert_array_equal(first, third[::-1])
    for row in (0, 7, 300):
        alone = scan_all(make_blocks(points), queries[[row]], 9, SERIAL)
        np.testing.assert_array_equal(alone.indices[0], together.indices[row])
        np.testing.assert_array_equal(alone.distances[0], together.distances[row])


def test_blocks_are_filled_up_with_points_at_infinity():
    points = whole_numbers(2 * LANES + 3, 2, 0)
    blocks = make_blocks(points, np.arange(len(points), dtype=np.int32)[::-1].copy(), np.array([LANES + 3, 0, LANES]))
    np.testing.assert_array_equal(blocks.starts, [0, 2 * LANES, 2 * LANES, 3 * LANES])
    np.testing.assert_array_equal(blocks.numbers[: LANES + 3], np.arange(len(points))[::-1][: LANES + 3])
    assert np.all(blocks.numbers[LANES + 3 : 2 * LANES] == -1)
    first = blocks.values[: 4 * LANES].reshape(2, -1)
    np.testing.assert_array_equal(first[:, : LANES + 3].T, points[::-1][: LANES + 3])
    assert np.all(np.isinf(first[:, LANES + 3 :]))


def test_squares_that_overflow_are_equally_far():
    points = whole_numbers(12, 3, 0)
    points[4] = 1e30
    found = scan_all(make_blocks(points), points, 11, SERIAL, own=True)
    assert all(sorted([*row, number]) == list(range(12)) for number, row in enumerate(found.indices.tolist()))
    assert np.all(found.indices[np.arange(12) != 4, -1] == 4)
    assert np.all(np.isinf(found.distances[4]))
    far = scan_all(make_blocks(points), np.full((1, 3), -1e30, dtype=np.float32), 3, SERIAL)
    assert far.indices.tolist() == [[0, 1, 2]]
