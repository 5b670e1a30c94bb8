"""Beyond the paper: answers that are wrong more often where they are hard, and bad annotators."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.triplets import Triplets
from tete.datasets import answer_by_distance, assign_annotators, make_triplets, make_uniform_triplets
from tete.drawing.figures import new_figure
from tete.experiments.experiment import Check, Claim, Experiment, Maps, Outcome, Setting
from tete.experiments.inputs import draw_rows
from tete.experiments.means import different, means, means_and_spreads, rows_of
from tete.experiments.methods import METHODS, fit_method, scores
from tete.experiments.style import draw_curves, share_legend

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

OTHERS = METHODS[:-1]
COMPARED = (*METHODS, "t-ETE (default)")
NOISE_KINDS = {
    "close calls": (8.0, 4.0, 2.0, 1.0),  # sharpness of the answers: the lower, the more are wrong
    "reversing annotators": (0.0, 0.1, 0.2, 0.3),  # share of annotators who answer the wrong way round
    "guessing annotators": (0.0, 0.2, 0.4, 0.6),  # share of annotators who answer at random
}
ANNOTATORS = 50  # so that a tenth of them is a whole number
SEEDS = 2  # draws of points and answers: settings are many


def settings(quick: bool) -> list[Setting]:
    """Every method under every kind and level of noise."""
    n_points, per_point, seeds = (150, 30, 1) if quick else (500, 100, SEEDS)
    return [
        {
            "data": "MNIST",
            "n_points": n_points,
            "per_point": per_point,
            "kind": kind,
            "level": level,
            "method": method,
            "seed": seed,
        }
        for kind, levels in NOISE_KINDS.items()
        for level in (levels[1:3] if quick else levels)
        for method in COMPARED
        for seed in range(seeds)
    ]


def run(setting: Setting, n_jobs: int) -> Outcome:
    """One map from noisy answers, tested on true ones."""
    seed = int(setting["seed"])
    points, labels = draw_rows(str(setting["data"]), int(setting["n_points"]), seed)
    true, unseen = (_questions(points, setting, 2 * seed + part) for part in (0, 1))
    noisy = _answers(points, true, setting, seed)
    fit = fit_method(noisy, str(setting["method"]), t=2.0, random_state=seed, n_jobs=n_jobs)
    return Outcome([{"wrong_share": float(np.mean(noisy.near != true.near)), **scores(fit, unseen, labels)}])


def _questions(points: NDArray[np.float64], setting: Setting, seed: int) -> Triplets:
    """True answers: about any three points for close calls, else as in the paper."""
    per_point = int(setting["per_point"])
    if setting["kind"] == "close calls":
        return make_uniform_triplets(points, per_point * len(points), random_state=seed)
    return make_triplets(points, per_point, random_state=seed)


def _answers(points: NDArray[np.float64], true: Triplets, setting: Setting, seed: int) -> Triplets:
    level = float(setting["level"])
    if setting["kind"] == "close calls":
        return answer_by_distance(points, true, sharpness=level, random_state=seed)
    behavior: Literal["random", "reversed"] = "reversed" if setting["kind"] == "reversing annotators" else "random"
    n_bad = round(level * ANNOTATORS)
    return assign_annotators(true, ANNOTATORS, n_bad=n_bad, behavior=behavior, random_state=seed)[0]


def draw(table: "pd.DataFrame", maps: Maps) -> "Figure":
    """Both accuracies against the share of wrong answers."""
    kinds = different(table, "kind")
    shown = table.assign(wrong=table.groupby(["kind", "level"])["wrong_share"].transform("mean"))
    figure, axes = new_figure(12.0, 6.6, 2, len(kinds))
    for column, kind in enumerate(kinds):
        for panel, measure in zip(axes[:, column], ("triplet_accuracy", "neighbor_accuracy"), strict=True):
            draw_curves(panel, shown[shown["kind"] == kind], "wrong", measure)
            title = "unseen triplets satisfied" if measure == "triplet_accuracy" else "1-NN accuracy"
            panel.set(title=f"{kind}: {title}", ylabel="", xlabel="share of wrong answers")
            panel.title.set_fontsize(9)
    share_legend(axes.flat[0], 6)
    return figure


def summary(table: "pd.DataFrame") -> "pd.DataFrame":
    """Means over draws."""
    return means_and_spreads(
        table, ["kind", "level", "method"], ["wrong_share", "triplet_accuracy", "neighbor_accuracy"]
    )


def claims(table: "pd.DataFrame") -> list[Claim]:
    """TETE() against the best of the others, at every level."""
    accuracy = means(table, ["kind", "level", "method"], "triplet_accuracy")
    found = []
    for kind in different(table, "kind"):
        checks = []
        for level in different(rows_of(table, kind=kind), "level"):
            ours, others = accuracy[kind, level, COMPARED[-1]], {name: accuracy[kind, level, name] for name in OTHERS}
            best = max(others, key=others.__getitem__)
            text = f"level {level:g}: TETE() {ours:.3f}, best other {others[best]:.3f} ({best})"
            checks.append(Check(text, ours >= others[best] - 0.005))
        found.append(
            Claim(
                f"(ours) TETE() is as good as any other method under {kind}.",
                "For each level, it satisfies at most .005 fewer unseen triplets than the best other method.",
                checks,
            )
        )
    return found


EXPERIMENT = Experiment(
    name="other_noise",
    title="Beyond the paper: other noise",
    version="2",
    paper="The paper reverses triplets at random. It names annotators with different ideas of similarity as a source "
    "of noise, but has no experiment on it.",
    protocol=(
        "500 MNIST images, 100 answers a point, 2-D, t = t' = 2 for t-ETE, defaults for TETE(); 2 draws; tested on "
        "true answers to new questions of the same kind and by leave-one-out 1-NN accuracy.",
        "close calls: questions about three random images, answered rightly with probability "
        "1 / (1 + exp(-sharpness * difference of distances / mean difference)); level is the sharpness.",
        "reversing and guessing annotators: questions as in Figure 3, dealt to 50 annotators; level is the share of "
        "them who always answer the wrong way round or who guess. No method is told who answered what.",
    ),
    settings=settings,
    run=run,
    draw=draw,
    summary=summary,
    claims=claims,
)
