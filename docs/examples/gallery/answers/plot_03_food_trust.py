"""
Dishes, and which answers to believe
====================================

People compared dishes by taste. Are some answers slips? Which, and how many? A tenth of the answers are reversed here,
so that it is known what there is to find.

The answers of Wilber, Kwak and Belongie (2014) are at osf.io/tqpmw; :func:`tete.datasets.load_food` says where the file
belongs. Without it this page is built from invented answers about a menu of ours.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from tete import TETE, plot_map, position_uncertainty, trust
from tete.datasets import load_food, make_uniform_triplets
from tete.exceptions import MissingDataError

MENU = """pancakes 8 1 0 2, waffles 8 1 0 2, ice cream 9 0 1 4, chocolate cake 9 1 2 3, apple pie 8 1 3 1,
brownie 9 1 3 3, cheesecake 8 1 2 5, fruit salad 6 0 4 0, lemonade 7 0 7 0, pickles 1 6 9 0,
olives 0 8 5 3, anchovies 0 9 2 4, chips 0 8 1 5, pretzel 1 7 0 2, bacon 1 8 0 7, ham 2 7 0 5,
steak 0 5 0 6, burger 2 6 2 7, sausage 1 7 1 7, tomato soup 3 5 4 2, salad 1 2 4 1, asparagus 1 2 1 1,
broccoli 0 2 0 0, rice 1 2 0 1, sushi 2 5 3 2"""


def menu():
    """Dishes by how sweet, salty, sour and fat they are, and answers about these tastes."""
    entries = [entry.rsplit(maxsplit=4) for entry in MENU.replace("\n", " ").split(", ")]
    tastes = np.array([entry[1:] for entry in entries], dtype=float)
    return make_uniform_triplets(tastes, 4000, random_state=0).with_names([entry[0] for entry in entries])


try:
    answers = load_food().triplets
    answers = answers.select(np.random.default_rng(0).choice(len(answers), 20_000, replace=False))
    print("Real answers about dishes.")
except MissingDataError:
    answers = menu()
    print("Invented answers about a menu.")
given, answers = answers, answers.flip(0.1, random_state=1)
was_reversed = np.any(given.to_array() != answers.to_array(), axis=1)

# %%
# ``trust`` tests each answer on a map that was made without it, and fits a model to the outcome: close calls are
# decided by chance, clear ones are wrong only by a slip. So a *wrong* answer is one that even a clear question did
# not prevent.
model = TETE(n_components=2).fit(answers)
report = trust(model, answers)
print(report)

# %%
# The answers most likely wrong are hard to defend. Of those that are held to be wrong rather than right, as many were
# reversed as the probabilities promise. The reversed ones that are not found are close calls, which might as well be
# right.
for answer in report.answers.nlargest(6, "wrong").itertuples():
    print(f"{answer.wrong:.2f}  {answer.anchor}\n      is more like {answer.near}\n      than like    {answer.far}")
held_wrong = (report.answers["wrong"] > 0.5).to_numpy()
promised = report.answers["wrong"][held_wrong].mean()
print(f"{held_wrong.sum():,} held to be wrong, {was_reversed[held_wrong].mean():.0%} rightly ({promised:.0%} said)")
print(f"{was_reversed.sum():,} were reversed, {held_wrong[was_reversed].mean():.0%} of them are found")

# %%
# The map with the regions that hold the true places with probability 0.9.
sureness = position_uncertainty(model, answers, n_replicates=20)
figure, axis = plt.subplots(figsize=(9, 7), layout="constrained")
plot_map(
    model.embedding_,
    names=model.object_names_,
    uncertainty=sureness,
    title=f"stability {sureness.stability:.2f}",
    axes=axis,
)
plt.show()
