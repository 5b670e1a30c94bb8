"""Curves: measures over wrong answers or dimensions, with error bars, and the objective over iterations."""

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.core.docstrings import filled_from
from tete.drawing.figures import new_figure
from tete.drawing.themes import MARKERS, ThemeName, dress, theme_of
from tete.embedding.temperatures import described
from tete.exceptions import InvalidParameterError
from tete.selection.answers_needed import LearningCurve
from tete.selection.cross_validation import best_of_each_dimension

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_choice", "plot_convergence", "plot_learning_curve", "plot_noise_curves"]

LINES = ("solid", "dashed", "dashdot", "dotted")


def plot_noise_curves(
    noise: ArrayLike,
    scores: Mapping[str, ArrayLike],
    *,
    measure: str = "accuracy on unseen answers",
    chance: float | None = None,
    title: str | None = None,
    theme: ThemeName = "light",
    axes: "Axes | None" = None,
) -> "Axes":
    """Draw a measure of several methods against the share of reversed answers.

    Parameters
    ----------
    noise : array of n_levels numbers from 0 to 1
        Shares of reversed answers.
    scores : mapping of methods to arrays of shape (n_levels, n_runs) or (n_levels,)
        The lines are means over the runs, the bars one standard deviation of the runs up and down; runs that are not
        a number do not count.
    measure : str, default="accuracy on unseen answers"
        The name of the vertical axis.
    chance : float, optional
        Where a thin line shows what guessing reaches.
    title : str, optional
        What to write above the curves.
    theme : "light" or "dark", default="light"
        Dark writes and draws on dark paper, that of the whole figure.
    axes : matplotlib axes, optional
        Where to draw; by default a new figure, to be had as ``axes.figure``.

    Returns
    -------
    matplotlib axes
        What was drawn on.

    Examples
    --------
    >>> from tete import plot_noise_curves
    >>> axes = plot_noise_curves([0.0, 0.2], {"t-STE": [[0.9, 0.92], [0.6, 0.7]], "t-ETE": [[0.9, 0.9], [0.88, 0.9]]})
    >>> axes.get_xlabel()
    'reversed answers (%)'
    """
    levels, colors = np.asarray(noise, dtype=np.float64), theme_of(theme)
    if axes is None:
        axes = new_figure(6.0, 4.0)[1]
    assert axes is not None
    looks = zip(cycle(colors.colors), cycle(MARKERS), strict=False)
    for number, (method, runs) in enumerate(scores.items()):
        means, errors = _mean_and_deviation(method, runs, len(levels))
        color, marker = next(looks)
        line = LINES[number // len(colors.colors) % len(LINES)]
        style: dict[str, Any] = {"color": color, "marker": marker, "linestyle": line, "markersize": 5, "linewidth": 1.6}
        axes.errorbar(100.0 * levels, means, yerr=errors, label=method, capsize=2.5, elinewidth=1.0, **style)
    if chance is not None:
        axes.axhline(chance, color=colors.ink, linewidth=0.6, linestyle="dotted", zorder=0)
    axes.set(xlabel="reversed answers (%)", ylabel=measure)
    axes.grid(axis="y", color=colors.unknown, linewidth=0.4, alpha=0.6)
    axes.legend(frameon=False)
    if title is not None:
        axes.set_title(title)
    dress(axes, colors)
    return axes


@filled_from(plot_noise_curves)
def plot_choice(
    results: dict[str, Any], chosen: dict[str, Any], *, theme: ThemeName = "light", axes: "Axes | None" = None
) -> "Axes":
    """Draw held-out error against dimension from a fitted `TETECV`.

    Bars are one standard error; of each dimension the best temperatures are drawn, and the chosen candidate is ringed.

    Parameters
    ----------
    results : dict of arrays
        The `cv_results_` of a `TETECV`.
    chosen : dict
        Its `best_params_`.

    Returns
    -------
    matplotlib axes
        What was drawn on.

    Examples
    --------
    >>> from tete import TETECV, plot_choice
    >>> from tete.datasets import make_uniform_triplets
    >>> answers = make_uniform_triplets([[0.0], [1.0], [2.5], [4.5], [7.0], [10.0]], 300)
    >>> model = TETECV([1, 2], random_state=0, refit=False).fit(answers)
    >>> axes = plot_choice(model.cv_results_, model.best_params_)
    >>> axes.get_legend().get_texts()[0].get_text().split(",")[0]
    'chosen: 1-D'
    """
    if axes is None:
        axes = new_figure(6.0, 4.0)[1]
    assert axes is not None
    colors, places = theme_of(theme), best_of_each_dimension(results, chosen)
    dims, errors = results["param_n_components"][places], 100.0 * (1.0 - results["comparable_score"][places])
    bars = 100.0 * results["standard_error"][places]
    axes.errorbar(dims, errors, yerr=bars, color=colors.colors[0], marker="o", capsize=3)
    ringed = results["params"].index(chosen)
    label = f"chosen: {chosen['n_components']}-D, {described(chosen)}"
    error = 100.0 * (1.0 - results["comparable_score"][ringed])
    axes.scatter([chosen["n_components"]], [error], s=160, facecolors="none", edgecolors=colors.colors[5], label=label)
    axes.set(xlabel="dimensions", ylabel="held-out answers contradicted (%)", xticks=dims)
    axes.legend(frameon=False)
    dress(axes, colors)
    return axes


@filled_from(plot_noise_curves)
def plot_learning_curve(curve: LearningCurve, *, theme: ThemeName = "light", axes: "Axes | None" = None) -> "Axes":
    """Draw the held-out error against the number of answers, and where it is heading.

    Bars are one standard error; the line is the fitted curve, up to twice the answers there are.

    Parameters
    ----------
    curve : LearningCurve
        What `learning_curve` found.

    Returns
    -------
    matplotlib axes
        What was drawn on.

    Examples
    --------
    >>> import pandas as pd
    >>> from tete import LearningCurve, plot_learning_curve
    >>> points = pd.DataFrame({"answers": [100, 1000], "error": [0.3, 0.12], "standard_error": [0.01, 0.01]})
    >>> curve = LearningCurve(points, limit=0.1, amount=20.0, exponent=1.0, answers_needed=2000.0)
    >>> plot_learning_curve(curve).get_xlabel()
    'answers'
    """
    if axes is None:
        axes = new_figure(6.0, 4.0)[1]
    assert axes is not None
    colors, points = theme_of(theme), curve.points
    numbers, errors = points["answers"].to_numpy(), 100.0 * points["error"].to_numpy()
    bars = 100.0 * points["standard_error"].to_numpy()
    axes.errorbar(numbers, errors, yerr=bars, color=colors.colors[0], marker="o", linestyle="none", capsize=3)
    ahead = np.geomspace(numbers[0], 2.0 * numbers[-1], 100)
    axes.plot(ahead, 100.0 * curve.predict(ahead), color=colors.colors[0], linewidth=1.4)
    axes.axhline(100.0 * curve.limit, color=colors.ink, linewidth=0.8, linestyle="dotted", label="where it is heading")
    axes.set(xlabel="answers", ylabel="held-out answers contradicted (%)", ylim=(0.0, None))
    axes.legend(frameon=False)
    dress(axes, colors)
    return axes


@filled_from(plot_noise_curves)
def plot_convergence(history: ArrayLike, *, theme: ThemeName = "light", axes: "Axes | None" = None) -> "Axes":
    """Draw the value of the objective after each iteration.

    Parameters
    ----------
    history : array of numbers
        An estimator's `history_`.

    Returns
    -------
    matplotlib axes
        What was drawn on.

    Examples
    --------
    >>> from tete import TETE, plot_convergence
    >>> model = TETE().fit([(0, 1, 2), (1, 0, 2), (2, 1, 0)])
    >>> plot_convergence(model.history_).get_ylabel()
    'objective'
    """
    colors = theme_of(theme)
    if axes is None:
        axes = new_figure(6.0, 3.5)[1]
    assert axes is not None
    values = np.asarray(history, dtype=np.float64)
    axes.plot(np.arange(1, len(values) + 1), values, color=colors.colors[0])
    axes.set(xlabel="iteration", ylabel="objective")
    dress(axes, colors)
    return axes


def _mean_and_deviation(
    method: str, runs: ArrayLike, n_levels: int
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    values = np.asarray(runs, dtype=np.float64)
    if values.ndim not in {1, 2} or len(values) != n_levels:
        raise InvalidParameterError(
            f"`scores` must have one row for each of {n_levels} levels of noise, got {values.shape} of {method!r}."
        )
    if values.ndim == 1 or values.shape[1] == 1:
        return values.reshape(-1), None
    known = np.isfinite(values)
    counts = np.maximum(known.sum(axis=1), 1)
    means = np.where(known, values, 0.0).sum(axis=1) / counts
    squares = np.where(known, (values - means[:, None]) ** 2, 0.0).sum(axis=1)
    return np.where(known.any(axis=1), means, np.nan), np.sqrt(squares / np.maximum(counts - 1, 1))
