"""
How many dimensions? Eggs on a line
===================================

30 drawn eggs differ in one thing, how smooth they are. People who compare them do not know that. Do their answers say
that one dimension is enough?

The 20,086 answers were collected by the NEXT system (Jamieson and others, 2015); :func:`tete.datasets.load_alien_eggs`
says where the file belongs. Without it this page is built from invented people who see one thing and hesitate.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from tete import TETECV, plot_choice
from tete.datasets import answer_by_distance, load_alien_eggs, make_uniform_triplets
from tete.exceptions import MissingDataError

try:
    eggs = load_alien_eggs(30)
    answers, smoothness = eggs.triplets, np.ravel(eggs.truth)
except MissingDataError:
    print("Invented answers about a line of 30 eggs: the file of the study is not here.")
    smoothness = np.linspace(0, 1, 30)
    asked = make_uniform_triplets(smoothness[:, None], 20_000, random_state=0)
    answers = answer_by_distance(smoothness[:, None], asked, sharpness=2, random_state=1)
answers = answers.select(np.random.default_rng(0).choice(len(answers), 8000, replace=False))

# %%
# ``TETECV`` holds out whole answers in five folds, and takes the smallest dimension whose held-out answers are as
# likely as with the best one, within a standard error.
search = TETECV(n_components=[1, 2, 3, 4]).fit(answers)
print(search.best_params_)

# %%
# Left, the held-out error of each dimension; right, the place on the chosen line against what the eggs really are.
# People's answers agree with the truth in four of five cases only; the map, which weighs all of them, is much nearer
# to it.
place = search.embedding_[:, 0]
place = place * np.sign(np.corrcoef(place, smoothness)[0, 1])
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
plot_choice(search.cv_results_, search.best_params_, axes=left)
right.scatter(smoothness, place, s=28, color="#2a7f9e")
right.set(xlabel="true smoothness", ylabel="place on the line")
right.spines[["top", "right"]].set_visible(False)
plt.show()
