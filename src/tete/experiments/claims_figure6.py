"""What the paper says about Figure 6, as rules on the table of its maps."""

from typing import TYPE_CHECKING

from tete.experiments.experiment import Check, Claim
from tete.experiments.means import Means, different, means, rows_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["claims"]

PEERS = ("t-SNE", "t-SNE, random start")
PEER, OURS, DESCENT = "t-SNE", "Weighted t-ETE", "Weighted t-ETE, paper's start"
QUALITIES = {
    "accuracy_10nn": "10-NN accuracy",
    "recall_15": "recall of neighbours",
    "random_triplets": "random triplets",
    "global_score": "global score",
}


def claims(table: "pd.DataFrame") -> list[Claim]:
    """Tearing, dividing, speed, quality and convergence."""
    return [
        Claim(
            "Weighted t-ETE preserves the structure of the Swiss Roll: it stays in one piece.",
            "For each seed, Weighted t-ETE's map has one piece.",
            _roll(table, OURS, torn=False),
        ),
        Claim(
            "t-SNE over-emphasizes the separation of the points and tears up the manifold.",
            "For each start and seed, t-SNE's map of the Swiss Roll has at least two pieces; for each start, it tears "
            "on average more true neighbours apart than Weighted t-ETE.",
            [
                check
                for peer in PEERS
                for check in (*_roll(table, peer, torn=True), *_compare(table, "torn_share", peer, less=True))
            ],
        ),
        Claim(
            "On USPS, t-SNE divides the clusters of 3, 7 and 8 into several smaller sub-clusters; Weighted t-ETE "
            "does not.",
            "For each start and each of the three digits, t-SNE's map has more pieces of it than Weighted "
            "t-ETE's, which has one.",
            _digits(table),
        ),
        Claim(
            "Weighted t-ETE is faster to compute than t-SNE.",
            "For each data set, it takes fewer CPU seconds.",
            _compare(table, "cpu_seconds", PEER, less=True),
        ),
        Claim(
            "Weighted t-ETE outperforms t-SNE in many cases.",
            "For each measure of quality, it is better on at least half of the data sets.",
            [check for measure in QUALITIES for check in _wins(table, measure)],
        ),
        Claim(
            "It converges to a good solution using simple gradient descent.",
            "For each data set, the paper's random start and gradient descent satisfy at most .03 fewer random "
            "triplets, and recall at most .05 fewer neighbours, than our start with momentum.",
            [*_descent(table, "random_triplets", 0.03), *_descent(table, "recall_15", 0.05)],
        ),
    ]


def _roll(table: "pd.DataFrame", method: str, *, torn: bool) -> list[Check]:
    found = means(rows_of(table, data="Swiss Roll", method=method), ["seed"], "pieces")
    return [
        Check(f"{method}, seed {seed}: {count:.0f} piece{'' if count == 1 else 's'}", (count > 1) is torn)
        for (seed,), count in found.items()
    ]


def _pairs(table: "pd.DataFrame", measure: str, other: str) -> list[tuple[str, float, float]]:
    """For each data set with this measure: its name, Weighted t-ETE's mean and the other's."""
    found: Means = means(table, ["data", "method"], measure) if measure in table else {}
    return [
        (data, found[data, OURS], found[data, other])
        for data in different(table, "data")
        if (data, OURS) in found and (data, other) in found
    ]


def _compare(table: "pd.DataFrame", measure: str, other: str, *, less: bool) -> list[Check]:
    return [
        Check(f"{data}, {measure}: Weighted t-ETE {ours:.3g}, {other} {peer:.3g}", ours < peer if less else ours > peer)
        for data, ours, peer in _pairs(table, measure, other)
    ]


def _digits(table: "pd.DataFrame") -> list[Check]:
    return [
        Check(f"digit {column[-1]}: {name} {peer:.0f}, Weighted t-ETE {ours:.0f}", peer > ours == 1)
        for name in PEERS
        for column in table.columns
        if column.startswith("pieces_of_")
        for _, ours, peer in _pairs(table, column, name)
    ]


def _wins(table: "pd.DataFrame", measure: str) -> list[Check]:
    won = [check.passed for check in _compare(table, measure, PEER, less=False)]
    text = f"{QUALITIES[measure]}: better on {sum(won)} of {len(won)} data sets"
    return [Check(text, 2 * sum(won) >= len(won))] if won else []


def _descent(table: "pd.DataFrame", measure: str, tolerance: float) -> list[Check]:
    return [
        Check(f"{data}, {QUALITIES[measure]}: gradient descent {paper:.3f}, ours {ours:.3f}", paper >= ours - tolerance)
        for data, ours, paper in _pairs(table, measure, DESCENT)
    ]
