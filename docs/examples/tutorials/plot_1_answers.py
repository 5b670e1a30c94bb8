"""
Answers: from a file to a decision
==================================

A café has 18 drinks and wants to strike two from the menu, those that guests would miss least because another drink is
nearly the same. It asked 24 guests 60 questions each: *which of two drinks is more like a third?* The answers are in
:download:`drinks.csv </tutorials/drinks.csv>`, one a line: ``anchor`` is more like ``near`` than like ``far``, and who
said so. (The guests are invented, and four of them are not to be relied on.) Five minutes from here you have decided.

Everything can be done on the command line, too; the commands are given beside the code.
"""

# %%
# 1. What is in the file?
# -----------------------
# ``tete check drinks.csv``. The columns are found by their names; :doc:`/command_line` lists what else is understood.
import matplotlib.pyplot as plt
import numpy as np

from tete import TETE, TETECV, learning_curve, plot_map, position_uncertainty, read_answers, trust

answers = read_answers("drinks.csv")
print(answers.summary())

# %%
# 2. A map, and how good it is
# ----------------------------
# ``tete embed drinks.csv -o map.csv --plot map.png``. How good a map is, only answers tell that it has not seen: each
# is tested on a map made without it.
model = TETE(n_components=2).fit(answers)
report = trust(model, answers)
print(report)

# %%
# Nine of ten would be excellent; here some of what is missing is close calls, which nobody decides alike, and some is
# guests who did not try. The estimate of *wrong answers* counts the latter only.
#
# 3. Whom to believe
# ------------------
# The same command says it. Nobody was told which answers are right; guests are compared with each other by way of the
# map. The report above names those *at chance*; the verdict here says what else could explain them.
people = report.annotators
print(
    people[people["verdict"] != "ordinary"][["answers", "agreement", "expected", "verdict"]].to_string(
        float_format="%.2f"
    )
)

# %%
# Guests 5 and 20 have read the question the wrong way round: strangers to chance, they agree with the map *less* than a
# coin would. Guests 8 and 16 toss coins, or see drinks in a way of their own, which 60 answers are too few to tell. The
# refit lets everybody count by how reliable they were.
model = report.refit(TETE(n_components=2), answers)

# %%
# 4. Are two dimensions enough?
# -----------------------------
# ``tete choose drinks.csv``: the smallest dimension whose predictions are as good as the best ones, within an error.
search = TETECV(n_components=[1, 2, 3, 4]).fit(answers)
print(search.best_params_)

# %%
# 5. Are there enough answers?
# ----------------------------
# The curve says how much better maps have become with the number of answers, and what more of them would bring.
curve = learning_curve(TETE(n_components=2), answers)
print(curve)

# %%
# More answers would still make a better map; the share that no number of them cures is close calls and careless guests.
# Whether these answers are enough *for the decision* is another question: how sure are the places?

# %%
# 6. How sure are the places?
# ---------------------------
# ``tete embed ... --ellipses``. There are more than 15 guests, so that guests are drawn anew with all their answers:
# the regions hold the places that *other* guests would give, with probability 0.9.
sureness = position_uncertainty(model, answers)
figure, axis = plt.subplots(figsize=(8, 7), layout="constrained")
plot_map(
    model.embedding_,
    names=model.object_names_,
    uncertainty=sureness,
    title=f"18 drinks by 24 guests; stability {sureness.stability:.2f}",
    axes=axis,
)
plt.show()

# %%
# 7. The decision
# ---------------
# Pairs of drinks by their distance, in units of how unsure that distance is.
names = np.array(model.object_names_)
first, second = np.triu_indices(len(names), k=1)
steps = model.embedding_[first] - model.embedding_[second]
spread = sureness.covariances[first] + sureness.covariances[second]
apart = np.sqrt(np.einsum("ni,nij,nj->n", steps, np.linalg.inv(spread), steps))
for pair in np.argsort(apart)[:5]:
    print(f"{names[first[pair]]} and {names[second[pair]]}: {apart[pair]:.1f} errors apart")

# %%
# A distance below about two errors is one that other guests might not see. Strike one drink each of the first two pairs
# that share none: what guests would miss is still on the menu. If a pair that matters to you is not clear, ask about
# exactly that: :func:`tete.suggest` lists the questions that would teach most (``tete suggest drinks.csv``).
#
# Next: :doc:`which answers to believe </howto/believe>`, :doc:`what to report </howto/report>`,
# :doc:`how to ask people </collect>`.
