import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from reference_reduction import exact_neighbors
from tete.metrics.classes import nearest_neighbor_error, neighborhood_accuracy

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])


class TestNearestNeighborError:
    def test_leaves_the_point_itself_out(self):
        assert nearest_neighbor_error(LINE, ["a", "a", "b", "b"]) == pytest.approx(0.25)

    def test_duplicates_are_each_others_neighbours(self):
        places = np.repeat(np.arange(3.0)[:, None], 2, axis=0)
        assert nearest_neighbor_error(places, [0, 0, 1, 1, 2, 2]) == 0.0

    def test_majority_with_the_nearest_deciding_ties(self):
        places = np.array([[0.0], [1.0], [1.05], [1.2], [50.0]])
        assert nearest_neighbor_error(places, [1, 0, 0, 1, 1], n_neighbors=2) == pytest.approx(2 / 5)
        assert nearest_neighbor_error(places, [0, 0, 0, 0, 0], n_neighbors=3) == 0.0

    @pytest.mark.parametrize("labels", [[[0], [0], [1], [1]], [["a"], ["a"], ["b"], ["b"]]])
    def test_a_column_of_labels_is_labels(self, labels):
        assert nearest_neighbor_error(LINE, labels) == pytest.approx(0.25)

    def test_one_object_has_no_neighbour(self):
        with pytest.raises(ValueError, match=r"`embedding` must have at least 2 rows, got 1\."):
            nearest_neighbor_error([[0.0]], [1])

    def test_tags(self):
        tags = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]])
        assert nearest_neighbor_error(LINE, tags) == 0.25  # only the last shares none with its neighbour

    @pytest.mark.parametrize(
        ("labels", "options", "message"),
        [
            ([0, 1], {}, r"`labels` must have one entry for each of 4 objects, got shape \(2,\)\."),
            (7, {}, r"`labels` must have one entry for each of 4 objects, got shape \(\)\."),
            (np.arange(8).reshape(4, 2), {}, r"`labels` with several columns must be tags of 0 and 1"),
            ([0, 1, 0, 1], {"n_neighbors": 4}, r"`n_neighbors` must be in \[1, 3\], got 4\."),
            (np.eye(4), {"n_neighbors": 2}, r"`n_neighbors` must be 1 for labels that are tags, got 2\."),
        ],
    )
    def test_bad_input(self, labels, options, message):
        with pytest.raises(ValueError, match=message):
            nearest_neighbor_error(LINE, labels, **options)


def test_accuracy_is_the_vote_of_the_neighbours():
    X, y = load_digits(return_X_y=True)
    Y, y = PCA(2, random_state=0).fit_transform(X[:500]), y[:500]
    near = y[exact_neighbors(Y, 5)[0]]
    expected = []
    for row, label in zip(near, y, strict=True):
        counts = np.bincount(row)
        expected.append(next(each for each in row if counts[each] == counts.max()) == label)
    assert neighborhood_accuracy(Y, y, n_neighbors=5) == pytest.approx(np.mean(expected))
    nearest = y[exact_neighbors(Y, 1)[0][:, 0]] == y
    assert neighborhood_accuracy(Y, y, n_neighbors=1) == pytest.approx(nearest.mean())
