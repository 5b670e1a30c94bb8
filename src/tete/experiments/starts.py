"""Beyond the paper: where the optimiser starts and how it goes on, under reversed triplets."""

from typing import TYPE_CHECKING, Any

from tete.datasets import make_triplets
from tete.drawing.figures import new_figure
from tete.experiments.experiment import Check, Claim, Experiment, Maps, Outcome, Setting
from tete.experiments.inputs import draw_rows
from tete.experiments.means import different, means, means_and_spreads
from tete.experiments.methods import fit_method, scores
from tete.experiments.style import draw_curves, share_legend

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

# Each way is a chain of options; "warm" is fitted twice, at t = 1 and from there at t = 2.
WAYS: dict[str, dict[str, Any]] = {
    "paper": {"start": "paper"},
    "random, L-BFGS": {"start": "random"},
    "random, L-BFGS, ridge": {"start": "random", "ridge": 3e-4},
    "warm from t = 1": {"start": "random"},
    "warm from t = 1, ridge": {"start": "random", "ridge": 3e-4},
    "ours, no ridge": {"start": "ours", "ridge": 0.0},
    "ours": {"start": "ours"},
}
NOISE = (0.0, 0.2, 0.3, 0.4)  # starts differ where answers are wrong
SEEDS = 3


def settings(quick: bool) -> list[Setting]:
    """Every way at every share of reversed triplets."""
    noise, seeds = ((0.0, 0.3), 1) if quick else (NOISE, SEEDS)
    n_points, per_point = (200, 30) if quick else (1000, 100)
    return [
        {"data": "MNIST", "n_points": n_points, "per_point": per_point, "way": way, "noise": share, "seed": seed}
        for way in WAYS
        for share in noise
        for seed in range(seeds)
    ]


def run(setting: Setting, n_jobs: int) -> Outcome:
    """One map at t = t' = 2."""
    seed, per_point = int(setting["seed"]), int(setting["per_point"])
    points, labels = draw_rows(str(setting["data"]), int(setting["n_points"]), seed)
    noisy = make_triplets(points, per_point, random_state=2 * seed).flip(float(setting["noise"]), random_state=seed)
    unseen = make_triplets(points, per_point, random_state=2 * seed + 1)
    options = {**WAYS[str(setting["way"])], "random_state": seed, "n_jobs": n_jobs}
    seconds = 0.0
    if str(setting["way"]).startswith("warm"):
        first = fit_method(noisy, "t-STE", **options)
        options["init"], seconds = first.embedding, first.seconds
    fit = fit_method(noisy, "t-ETE", t=2.0, **options)
    return Outcome([{**scores(fit, unseen, labels), "seconds": seconds + fit.seconds}])


def draw(table: "pd.DataFrame", maps: Maps) -> "Figure":
    """Both accuracies and the seconds against the share of reversed triplets."""
    figure, axes = new_figure(13.0, 4.0, 1, 3)
    titles = {
        "triplet_accuracy": "unseen triplets satisfied",
        "neighbor_accuracy": "1-NN accuracy",
        "seconds": "seconds",
    }
    for panel, (measure, title) in zip(axes, titles.items(), strict=True):
        draw_curves(panel, table, "noise", measure, by="way")
        panel.set(title=title, ylabel="", xlabel="share of reversed triplets")
    axes[2].set_yscale("log")
    share_legend(axes[0], 4)
    return figure


def summary(table: "pd.DataFrame") -> "pd.DataFrame":
    """Means and standard deviations over draws."""
    return means_and_spreads(table, ["way", "noise"], ["triplet_accuracy", "neighbor_accuracy", "seconds"])


def claims(table: "pd.DataFrame") -> list[Claim]:
    """Our start against the paper's and against a warm start."""
    accuracy, seconds = (means(table, ["way", "noise"], name) for name in ("triplet_accuracy", "seconds"))
    found = []
    for other, words in (
        ("paper", "no worse than the paper's random start and gradient descent"),
        ("warm from t = 1", "no worse than a warm start from the solution at t = 1"),
    ):
        checks = []
        for share in different(table, "noise"):
            ours, theirs = accuracy["ours", share], accuracy[other, share]
            text = (
                f"{share:.0%} reversed: ours {ours:.3f} in {seconds['ours', share]:.1f} s, "
                f"{other} {theirs:.3f} in {seconds[other, share]:.1f} s"
            )
            checks.append(Check(text, ours >= theirs - 0.005))
        rule = f"For each share of reversed triplets, at most .005 fewer unseen triplets satisfied than by '{other}'."
        found.append(Claim(f"(ours) Our start, L-BFGS and ridge are {words}.", rule, checks))
    return found


EXPERIMENT = Experiment(
    name="starts",
    title="Beyond the paper: the start",
    version="1",
    paper="The paper starts from tiny random draws and takes steps of gradient descent; it does not compare starts.",
    protocol=(
        "1,000 MNIST images, 100 triplets a point as in Figure 3, 2-D, t = t' = 2, 3 draws; the measures of Figure 3.",
        "paper: tiny random start, 1,000 steps of gradient descent, no ridge. random: the same start with L-BFGS. "
        "warm from t = 1: t-STE from that start, then t-ETE from t-STE's map. ours: spectral start, a first stage with "
        "more dimensions, L-BFGS, a ridge of 3e-4. Each also with or without the ridge.",
    ),
    settings=settings,
    run=run,
    draw=draw,
    summary=summary,
    claims=claims,
)
