import numpy as np
import pytest

from tete import Uncertainty
from tete.reliability.ellipse_table import ellipse_table


def test_centres_axes_angles_and_covariances():
    turned = np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2.0)
    covariance = turned.T @ np.diag([4.0, 1.0]) @ turned
    sureness = Uncertainty(np.array([covariance, np.full((2, 2), np.nan)]), stability=0.9, n_replicates=40)
    table = ellipse_table(sureness, np.array([[3.0, 5.0], [0.0, 0.0]]), ["a", "b"])
    first = table.iloc[0]
    assert (first["object"], first["x"], first["y"], first["level"]) == ("a", 3.0, 5.0, 0.9)
    assert first["half_axis_1"] == pytest.approx(2.0 * sureness.radius(0.9))
    assert first["half_axis_2"] == pytest.approx(sureness.radius(0.9))
    variances = np.linalg.eigvalsh([[2.5, 1.5], [1.5, 2.5]])
    assert first[["half_axis_2", "half_axis_1"]].tolist() == pytest.approx(first["radius"] * np.sqrt(variances))
    assert first["angle"] == pytest.approx(45.0)
    assert first[["covariance_x_x", "covariance_x_y", "covariance_y_y"]].tolist() == pytest.approx([2.5, 1.5, 2.5])
    assert table.iloc[1][["half_axis_1", "angle", "covariance_x_x"]].isna().all()


@pytest.mark.parametrize(("size", "columns"), [(1, ["x"]), (3, ["x", "y", "z"]), (4, ["x1", "x2", "x3", "x4"])])
def test_other_dimensions_have_no_angle(size, columns):
    sureness = Uncertainty(np.ones((2, 1, 1)) * np.eye(size), stability=0.9, n_replicates=40)
    table = ellipse_table(sureness, np.zeros((2, size)), None)
    assert set(columns) < set(table.columns)
    assert "angle" not in table
    assert table[f"half_axis_{size}"].tolist() == pytest.approx([sureness.radius(0.9)] * 2)
