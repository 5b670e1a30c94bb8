"""Figure 2: the tempered exponential and logarithm, eq. (expt) and eq. (logt)."""

from typing import TYPE_CHECKING

import numpy as np

from tete.drawing.figures import new_figure
from tete.drawing.themes import COLORS
from tete.experiments.experiment import Check, Claim, Experiment, Maps, Outcome, Setting
from tete.experiments.means import different, means, means_and_spreads, rows_of
from tete.tempered import exp_t, log_t

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

TEMPERATURES = (0.5, 1.0, 1.5, 2.0)
ARGUMENTS = {"exp": np.linspace(-4.0, 2.0, 241), "log": np.linspace(0.02, 12.0, 600)}


def settings(quick: bool) -> list[Setting]:
    """Both functions at every temperature."""
    return [{"function": function, "t": t} for function in ARGUMENTS for t in TEMPERATURES]


def run(setting: Setting, n_jobs: int) -> Outcome:
    """One curve."""
    x = ARGUMENTS[str(setting["function"])]
    function = exp_t if setting["function"] == "exp" else log_t
    values = function(x, float(setting["t"]))
    return Outcome([{"x": float(a), "value": float(b)} for a, b in zip(x, values, strict=True) if np.isfinite(b)])


def draw(table: "pd.DataFrame", maps: Maps) -> "Figure":
    """The exponentials and the logarithms, with the caps of the logarithms."""
    figure, axes = new_figure(8.0, 3.4, 1, 2)
    for panel, function, limits in ((axes[0], "exp", (-0.2, 6.0)), (axes[1], "log", (-4.0, 4.0))):
        for color, t in zip(COLORS, different(table, "t"), strict=False):
            curve = rows_of(table, function=function, t=t)
            panel.plot(curve["x"], curve["value"], color=color, label=f"t = {t:g}", linewidth=1.4)
            if function == "log" and t > 1.0:
                panel.axhline(1.0 / (t - 1.0), color=color, linestyle=":", linewidth=0.8)
        name = "exp" if function == "exp" else "log"
        panel.set(xlabel="x", ylabel=rf"$\mathrm{{{name}}}_t(x)$", ylim=limits)
        panel.grid(alpha=0.25, linewidth=0.5)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(frameon=False, fontsize=8)
    return figure


def summary(table: "pd.DataFrame") -> "pd.DataFrame":
    """The mean of each curve over the drawn points."""
    return means_and_spreads(table, ["function", "t"], ["value"]).rename(columns={"fits": "points"})


def claims(table: "pd.DataFrame") -> list[Claim]:
    """The capping, the limit t = 1 and the heavy tail."""
    largest = {t: float(rows_of(table, function="log", t=t)["value"].max()) for t in different(table, "t") if t > 1.0}
    log, exp = (rows_of(table, function=name, t=1.0) for name in ("log", "exp"))
    log_difference = float(np.max(np.abs(log["value"].to_numpy() - np.log(log["x"].to_numpy()))))
    exp_difference = float(np.max(np.abs(exp["value"].to_numpy() - np.exp(exp["x"].to_numpy()))))
    left = float(table["x"].min())
    tail = means(rows_of(table, function="exp", x=left), ["t"], "value")
    text = ", ".join(f"{value:.3f} at t = {t:g}" for (t,), value in sorted(tail.items()))
    rising = [value for _, value in sorted(tail.items())]
    return [
        Claim(
            "log_t with t > 1 stays below 1 / (t - 1).",
            "Every drawn value is below the cap.",
            [
                Check(
                    f"t = {t:g}: the largest value is {value:.3f}, the cap is {1 / (t - 1):.3f}",
                    value < 1.0 / (t - 1.0),
                )
                for t, value in largest.items()
            ],
        ),
        Claim(
            "At t = 1 the functions are exp and log.",
            "Drawn values differ from NumPy's exp and log by less than 1e-12.",
            [
                Check(f"log: largest difference {log_difference:.1e}", log_difference < 1e-12),
                Check(f"exp: largest difference {exp_difference:.1e}", exp_difference < 1e-12),
            ],
        ),
        Claim(
            "exp_t decays to zero slower than exp for 1 < t < 2.",
            "At the leftmost x of the figure the value grows with t.",
            [Check(f"exp_t({left:g}): {text}", rising == sorted(rising))],
        ),
    ]


EXPERIMENT = Experiment(
    name="figure2",
    title="Figure 2: generalized exp and log",
    version="1",
    paper="exp_t and log_t for several values of t; for t = 1 they are the standard functions.",
    protocol=("tete.tempered.exp_t and log_t, evaluated at t = 0.5, 1, 1.5 and 2.",),
    settings=settings,
    run=run,
    draw=draw,
    summary=summary,
    claims=claims,
)
