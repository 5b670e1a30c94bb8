"""What the paper says about Figure 3, as rules on the table of its fits."""

from typing import TYPE_CHECKING

from tete.experiments.experiment import Check, Claim
from tete.experiments.means import Means, different, means, rows_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["claims"]

OTHERS = ("GNMDS", "CKL", "STE", "t-STE")
# What a measure is called, and how much worse is still as good.
MEASURES = {"triplet_accuracy": ("unseen triplets", 0.01), "neighbor_accuracy": ("nearest neighbours", 0.03)}


def claims(table: "pd.DataFrame") -> list[Claim]:
    """(a) and (b) against the best other method, (c) and (d) against the same method without noise."""
    dimension, noise = (rows_of(table, start="ours", part=part) for part in ("dimension", "noise"))
    unaffected = "The error grows by at most .01 (unseen triplets) and .03 (nearest neighbours) from 0 to {} reversed."
    return [
        Claim(
            "t-ETE performs as good as the best performing method or even better on generalization error.",
            "For each data set and dimension, t-ETE's mean error is at most .01 above the least of the others'.",
            _against_best(dimension, "triplet_accuracy"),
        ),
        Claim(
            "t-ETE performs as good as the best performing method or even better on nearest-neighbor error.",
            "For each data set and dimension, t-ETE's mean error is at most .03 above the least of the others'.",
            _against_best(dimension, "neighbor_accuracy"),
        ),
        Claim(
            "The performance of all the other methods starts to drop immediately with a small amount of noise.",
            "For each data set, other method and measure, the error grows by more than .005 from 0 to 10 % reversed, "
            "and by more than t-ETE's.",
            _drop_at_once(noise),
        ),
        Claim(
            "The performance of t-ETE is almost unaffected for up to 15 % of noise.",
            unaffected.format("15 %"),
            _growth(noise, "t-ETE", 0.15),
        ),
        Claim(
            "(ours) With the library's defaults, TETE() is almost unaffected for up to 20 % of noise.",
            unaffected.format("20 %"),
            _growth(noise, "t-ETE (default)", 0.2),
        ),
    ]


def _errors(table: "pd.DataFrame", by: list[str], measure: str) -> Means:
    return {key: 1.0 - accuracy for key, accuracy in means(table, by, measure).items()}


def _against_best(table: "pd.DataFrame", measure: str) -> list[Check]:
    errors = _errors(table, ["data", "n_components", "method"], measure)
    checks = []
    for data, dimensions in dict.fromkeys(key[:2] for key in errors):
        ours = errors[data, dimensions, "t-ETE"]
        others = {name: errors[data, dimensions, name] for name in OTHERS}
        best = min(others, key=others.__getitem__)
        text = f"{data}, {dimensions:g}-D: t-ETE {ours:.3f}, best other {others[best]:.3f} ({best})"
        checks.append(Check(text, ours <= others[best] + MEASURES[measure][1]))
    return checks


def _drop_at_once(table: "pd.DataFrame") -> list[Check]:
    checks = []
    for measure, (name, _) in MEASURES.items():
        errors = _errors(table, ["data", "method", "noise"], measure)
        for data in different(table, "data"):
            robust = errors[data, "t-ETE", 0.1] - errors[data, "t-ETE", 0.0]
            for method in OTHERS:
                growth = errors[data, method, 0.1] - errors[data, method, 0.0]
                text = f"{data}, {name}, {method}: {growth:+.3f} at 10 % reversed, t-ETE {robust:+.3f}"
                checks.append(Check(text, growth > max(0.005, robust)))
    return checks


def _growth(table: "pd.DataFrame", method: str, noise: float) -> list[Check]:
    checks = []
    for measure, (name, tolerance) in MEASURES.items():
        errors = _errors(table, ["data", "method", "noise"], measure)
        for data in different(table, "data"):
            before, after = errors[data, method, 0.0], errors[data, method, noise]
            text = f"{data}, {name}: error {before:.3f} at 0, {after:.3f} at {noise:.0%} reversed"
            checks.append(Check(text, after - before <= tolerance))
    return checks
