import numpy as np
import pandas as pd
import pytest

from tete.drawing.curves import plot_choice, plot_learning_curve, plot_noise_curves
from tete.drawing.themes import DARK
from tete.exceptions import InvalidParameterError
from tete.selection.answers_needed import LearningCurve


def bars(container):
    """The lower and the upper end of each error bar."""
    return np.array([segment[:, 1] for segment in container[2][0].get_segments()])


def test_means_and_deviations():
    runs = np.array([[0.8, 0.9, 1.0], [0.5, 0.5, np.nan]])
    axes = plot_noise_curves([0.0, 0.2], {"t-STE": runs, "t-ETE": [0.9, 0.8]}, chance=0.5, title="Music")
    first = axes.containers[0]
    np.testing.assert_allclose(first[0].get_xdata(), [0, 20])
    np.testing.assert_allclose(first[0].get_ydata(), [0.9, 0.5])
    np.testing.assert_allclose(bars(first), [[0.8, 1.0], [0.5, 0.5]])
    assert axes.containers[1].has_yerr is False
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["t-STE", "t-ETE"]
    assert axes.get_title() == "Music"


def test_every_method_looks_different():
    axes = plot_noise_curves([0, 0.1], {f"method {n}": [1, 0.9] for n in range(12)})
    lines = [container[0] for container in axes.containers]
    assert len({(line.get_color(), line.get_marker(), line.get_linestyle()) for line in lines}) == 12


def test_dark():
    axes = plot_noise_curves([0, 0.1], {"t-ETE": [1, 0.9]}, theme="dark")
    assert axes.get_xaxis().label.get_color() == DARK.ink


def test_bad_shape():
    with pytest.raises(InvalidParameterError, match=r"one row for each of 2 levels of noise, got \(3,\) of 't-ETE'"):
        plot_noise_curves([0, 0.1], {"t-ETE": [1, 2, 3]})


def test_error_against_dimension():
    results = {
        "params": [{"n_components": d, "t": 2.0, "t_prime": u} for d, u in ((2, 1.5), (2, 1.0), (1, 1.5))],
        "param_n_components": np.array([2, 2, 1]),
        "split0_test_score": np.array([0.8, 0.9, 0.7]),
        "split1_test_score": np.array([0.8, np.nan, 0.7]),
        "comparable_score": np.array([0.8, 0.9, 0.7]),
        "comparable_likelihood": np.array([-0.4, -0.3, -0.5]),
        "standard_error": np.array([0.01, 0.02, 0.01]),
    }
    axes = plot_choice(results, results["params"][2])
    np.testing.assert_allclose(axes.lines[0].get_xydata(), [[1, 30], [2, 20]])  # (2, 1.0) was not tried on all folds
    assert axes.get_legend().get_texts()[0].get_text() == "chosen: 1-D, t = 2, t' = 1.5"
    results["params"][2] |= {"kernel": "distance", "t_prime": "auto"}
    legend = plot_choice(results, results["params"][2]).get_legend()
    assert legend.get_texts()[0].get_text() == "chosen: 1-D, t = 2, on plain distances"


def test_error_against_answers():
    points = pd.DataFrame({"answers": [100, 1000], "error": [0.3, 0.12], "standard_error": [0.01, 0.02]})
    axes = plot_learning_curve(LearningCurve(points, limit=0.1, amount=20.0, exponent=1.0, answers_needed=2000.0))
    np.testing.assert_allclose(axes.containers[0][0].get_xydata(), [[100, 30], [1000, 12]])
    np.testing.assert_allclose(bars(axes.containers[0]), [[29, 31], [10, 14]])
    ahead = next(line for line in axes.lines if len(line.get_xdata()) == 100).get_xydata()
    np.testing.assert_allclose(ahead[[0, -1]], [[100, 30], [2000, 11]])
