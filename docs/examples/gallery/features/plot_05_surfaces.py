"""
Surfaces: a Swiss roll and a mammoth
====================================

A rolled sheet has one right map, the sheet. ``WeightedTETE`` (the paper's method) keeps surfaces and the shape of the
whole; ``ListwiseTETE`` keeps neighbourhoods, and with them the sheet. Both unroll it in one piece, with the colours in
their order; neither lays it out as the straight strip that it is.

The mammoth is a scan of the Smithsonian Institution; :func:`tete.datasets.load_mammoth` fetches it with
``download=True``. Without the file this page draws a knotted tube instead.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from tete import ListwiseTETE, WeightedTETE
from tete.datasets import load_mammoth, make_swiss_roll
from tete.exceptions import MissingDataError

roll = make_swiss_roll(2500, random_state=0)
along = roll.target


# %%
def side_by_side(points, color, turn):
    """The points in space, and two maps of them."""
    figure = plt.figure(figsize=(10, 3.6), layout="constrained")
    space = figure.add_subplot(1, 3, 1, projection="3d")
    space.scatter(*points.T, c=color, cmap="turbo", s=3, alpha=0.8)
    space.view_init(*turn)
    space.set_axis_off()
    space.set_aspect("equal")
    for column, estimator in enumerate((WeightedTETE(random_state=0), ListwiseTETE(random_state=0)), start=2):
        axis = figure.add_subplot(1, 3, column)
        places = estimator.fit_transform(points)
        axis.scatter(*places.T, c=color, cmap="turbo", s=3)
        axis.set(xticks=[], yticks=[], aspect="equal", title=type(estimator).__name__)
        axis.spines[:].set_visible(False)


side_by_side(roll.data, along, (12, -75))

# %%
# And an animal of 6,000 points, coloured from head to tail; or a trefoil knot, coloured by the way along it. All parts
# of the animal are there, its left and right in each other's way; ``WeightedTETE`` keeps its limbs long and thin.
try:
    shape = load_mammoth().data
    shape = shape[np.random.default_rng(0).choice(len(shape), 6000, replace=False)]
    side_by_side(shape[:, [1, 0, 2]], shape[:, 1], (4, -80))
except MissingDataError:
    print("A knotted tube: the mammoth's file is not here.")
    way = np.linspace(0, 2 * np.pi, 3000, endpoint=False)
    knot = np.column_stack([np.sin(way) + 2 * np.sin(2 * way), np.cos(way) - 2 * np.cos(2 * way), -np.sin(3 * way)])
    side_by_side(knot + np.random.default_rng(0).normal(scale=0.12, size=knot.shape), way, (60, -60))
plt.show()
