"""
Who answers carelessly?
=======================

Twenty people answer; two of them toss coins and two read the question the wrong way round. No question has a known
answer. Who is it?
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from tete import TETE, trust
from tete.datasets import answer_by_distance, assign_annotators, make_sphere, make_uniform_triplets

objects = make_sphere(40, random_state=0).data[:, :2]
asked = make_uniform_triplets(objects, 6000, random_state=0)
answers, tosses = assign_annotators(answer_by_distance(objects, asked, sharpness=6), 20, n_bad=2, random_state=1)
reads_wrongly = np.isin(answers.annotators, np.unique(answers.annotators)[~tosses][-2:])
answers = answers.flip_where(reads_wrongly)

# %%
# Everybody is compared with ordinary people on the same questions, on maps that were made without the answers in
# question. The verdicts are adjusted: with 95 % probability nobody is accused who is as good as ordinary people.
report = trust(TETE(), answers)
people = report.annotators.sort_values("agreement")
print(people[["answers", "agreement", "expected", "verdict"]].to_string(float_format="%.2f"))

# %%
colors = {"ordinary": "#7a8b99", "at chance": "#edae49", "reversed": "#d1495b"}
lines = np.arange(len(people))
figure, axis = plt.subplots(figsize=(8, 5.2), layout="constrained")
axis.hlines(lines, people["agreement"], people["expected"], color="0.87", lw=5, zorder=0)
axis.scatter(people["expected"], lines, s=110, marker="|", color="0.3", label="expected of ordinary people")
for verdict in people["verdict"].unique():
    rows = (people["verdict"] == verdict).to_numpy()
    axis.scatter(people["agreement"][rows], lines[rows], s=60, label=verdict, color=colors.get(verdict, "#00798c"))
axis.axvline(0.5, color="0.5", lw=1, ls=":")
axis.text(0.505, len(people) - 1, "a coin", color="0.35", fontsize=9, va="center")
axis.set(yticks=lines, yticklabels=people.index, xlim=(0, 1), xlabel="agreement with the map")
axis.legend(frameon=False, loc="upper left")
axis.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# All four are found, and nobody else; so it was in six of six draws of objects, answers and people.
#
# A map in which everybody counts by how reliable they were, against one that believes all alike. (The gain was .014 to
# .022 in the six draws.)
truth = make_uniform_triplets(objects, 5000, random_state=9)
believing, weighing = TETE().fit(answers), report.refit(TETE(), answers)
print(f"all alike: {believing.score(truth):.3f} of true answers; by reliability: {weighing.score(truth):.3f}")
