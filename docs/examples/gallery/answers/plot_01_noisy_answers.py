"""
Two fifths of the answers are wrong
===================================

The same 500 digits are mapped from comparisons of which none, a fifth and two fifths are reversed. t-STE tries to
please every answer; t-ETE gives up on those that it cannot please, because each answer's loss has a cap.
"""

# %%
# The comparisons are made of the digits' pixels: "image *i* is more like *j* than like *k*", where *j* is one of the 20
# nearest images and *k* is from the farther half. 80 such answers an image; no method sees a pixel.
import matplotlib.pyplot as plt
import numpy as np

from tete import TETE, TSTE, plot_map
from tete.datasets import load_digits, make_triplets

digits = load_digits()
chosen = np.random.default_rng(0).choice(len(digits.data), 500, replace=False)
X, digit = digits.data[chosen], digits.target[chosen]
answers = make_triplets(X, per_point=80, random_state=0)
unseen = make_triplets(X, per_point=20, random_state=1)

# %%
# ``flip`` reverses a share of the answers. ``score`` is the share of *unseen, right* answers that a map agrees with.
figure, axes = plt.subplots(2, 3, figsize=(9, 6.2), layout="constrained")
for column, share in enumerate((0.0, 0.2, 0.4)):
    noisy = answers.flip(share, random_state=2)
    for row, (name, estimator) in enumerate({"t-STE": TSTE(), "t-ETE": TETE(t=2, t_prime=2)}.items()):
        model = estimator.fit(noisy)
        title = f"{name}, {share:.0%} wrong: {model.score(unseen):.0%} right"
        plot_map(model.embedding_, labels=digit, title=title, axes=axes[row, column])
        axes[row, column].get_legend().remove()

# %%
# With a fifth wrong, t-STE still predicts nearly as well as before, but its groups have run into each other; t-ETE's
# are as they were. With two fifths wrong t-STE has lost the map. t-ETE has most of it, with blurred groups.
#
# What the map had to ignore is known, too: ``triplet_trust_`` is near 1 for answers that the map agrees with and near 0
# for those that it gave up. Here it is for the map with two fifths wrong, beside the truth, which the map was not told.
was_reversed = np.any(noisy.to_array() != answers.to_array(), axis=1)
figure, axis = plt.subplots(figsize=(7, 2.8), layout="constrained")
axis.hist(
    [model.triplet_trust_[~was_reversed], model.triplet_trust_[was_reversed]],
    bins=40,
    stacked=True,
    color=["#2a7f9e", "#d1495b"],
    label=["right answers", "reversed answers"],
)
axis.set(xlabel="trust of the map in an answer", ylabel="answers")
axis.legend(frameon=False)
axis.spines[["top", "right"]].set_visible(False)
plt.show()
