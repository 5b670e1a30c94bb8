"""
In one look
===========

People compare drinks; a fifth of their answers is wrong. tete makes the map, says how sure each place is, and whom to
believe. The answers are those of the first tutorial. This picture opens the README.
"""

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import FancyBboxPatch

from tete import TETE, plot_map, position_uncertainty, read_answers, trust

answers = read_answers(Path("..", "..", "tutorials", "drinks.csv"))
report = trust(TETE().fit(answers), answers)
model = report.refit(TETE(), answers)
sureness = position_uncertainty(model, answers)

# %%
# Some answers as they came, with the probability that each is wrong; the map, with the regions that hold the places
# with probability 0.9; and everybody's agreement with maps that were made without the answers in question.
RIGHT, WRONG, QUIET = "#2a7f9e", "#d1495b", "#7a8b99"


def show_answers(axes):
    suspects, others = report.answers.nlargest(3, "wrong"), report.answers.query("wrong < 0.1").iloc[::250]
    some = pd.concat([suspects, others]).sort_index()[:7]
    for line, answer in enumerate(some.itertuples()):
        color = WRONG if answer.wrong > 0.5 else RIGHT
        axes.add_patch(FancyBboxPatch((0, -line), 1, 0.62, boxstyle="round,pad=0.06", fc=color, alpha=0.12, ec="none"))
        axes.text(0.0, 0.38 - line, f"{answer.anchor} is more like", fontsize=10.5, va="center")
        axes.text(0.0, 0.12 - line, f"{answer.near} than like {answer.far}", fontsize=10.5, va="center")
        axes.text(1.0, 0.25 - line, f"{answer.wrong:.0%}\nwrong", fontsize=10, va="center", ha="right", color=color)
    axes.set(xlim=(-0.1, 1.1), ylim=(-6.2, 0.8))
    axes.set_axis_off()
    axes.set_title(f"{len(answers):,} answers of 24 people", fontsize=14)


def show_map(axes):
    plot_map(model.embedding_, names=model.object_names_, uncertainty=sureness, axes=axes)
    axes.set_title("the map, and how sure it is", fontsize=14)
    axes.set_anchor("N")


def show_people(axes):
    people = report.annotators.sort_values("agreement")
    ordinary = people["verdict"] == "ordinary"
    axes.barh(range(len(people)), people["agreement"], color=[QUIET if fine else WRONG for fine in ordinary])
    axes.axvline(0.5, color="0.35", lw=1, ls=":")
    for place, person in enumerate(people[~ordinary].itertuples()):
        verdict = "reads it the wrong way round" if person.verdict == "reversed" else "tosses a coin?"
        axes.text(max(person.agreement, 0.5) + 0.02, place, f"{person.Index} {verdict}", fontsize=10, va="center")
    axes.set(yticks=[], xlim=(0, 1.4), xticks=[0, 0.5, 1], xticklabels=["0", "a coin", "1"])
    axes.set_title("whom to believe", fontsize=14)
    axes.spines[["top", "right", "left"]].set_visible(False)


figure = plt.figure(figsize=(13, 4.9), layout="constrained")
for axes, show in zip(
    figure.subplots(1, 3, width_ratios=[1.1, 1.25, 0.85]), (show_answers, show_map, show_people), strict=True
):
    show(axes)

# %%
# The same for a phone.
figure = plt.figure(figsize=(4.9, 12.5), layout="constrained")
for axes, show in zip(
    figure.subplots(3, 1, height_ratios=[1.1, 1, 1]), (show_answers, show_map, show_people), strict=True
):
    show(axes)
plt.show()
