"""
A new object, and where it may be
=================================

A finished map, and a newcomer about whom there are only a few answers. Where does it belong, and how sure is that?
"""

# %%
# The map: 24 shades on a wheel. The newcomer is a mixed green, known to the answers alone.
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import hsv_to_rgb
from matplotlib.patches import Ellipse

from tete import TETE, Triplets
from tete.datasets import answer_by_distance, make_uniform_triplets

hue, depth = np.tile(np.arange(12) / 12, 2), np.repeat([1.0, 0.55], 12)
wheel = np.column_stack([depth * np.cos(2 * np.pi * hue), depth * np.sin(2 * np.pi * hue)])
shades = hsv_to_rgb(np.column_stack([hue, depth, np.full(24, 0.9)]))
model = TETE(t=2, t_prime=2).fit(make_uniform_triplets(wheel, 3000, random_state=0))

# %%
# The newcomer, number 24, is compared with two others each time; one answer in ten is wrong.
angle, newcomer = 2 * np.pi * 0.37, hsv_to_rgb([0.37, 0.8, 0.9])
everything = np.vstack([wheel, 0.8 * np.array([np.cos(angle), np.sin(angle)])])
rng = np.random.default_rng(1)
pairs = np.array([rng.choice(24, 2, replace=False) for _ in range(40)])
asked = Triplets.from_array(np.column_stack([np.full(40, 24), pairs]), n_objects=25)
told = answer_by_distance(everything, asked, sharpness=20, random_state=2).flip(0.1, random_state=3)

# %%
# ``place_new`` gives the mean of the places that the answers leave open, and their covariance. The regions hold the
# true place with probability 0.9, and shrink with the answers. The map itself does not move.
figure, axes = plt.subplots(1, 3, figsize=(10, 3.7), layout="constrained")
for axis, n_answers in zip(axes, (4, 12, 40), strict=True):
    placed = model.place_new(told.select(np.arange(n_answers)))
    values, vectors = np.linalg.eigh(placed.covariance[0])
    width, height = 2 * np.sqrt(4.605 * values)  # 4.605: nine tenths of a normal distribution in a plane
    turn = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
    axis.scatter(*model.embedding_.T, s=110, c=shades)
    axis.add_patch(Ellipse(placed.embedding[0], width, height, angle=turn, color="0.2", alpha=0.15))
    axis.plot(*placed.embedding[0], "*", ms=18, mfc=newcomer, mec="k")
    axis.set(xticks=[], yticks=[], aspect="equal", title=f"{n_answers} answers")
plt.show()
