"""
Parameters of ListwiseTETE side by side
=======================================

Few parameters matter. ``n_neighbors`` says how large a neighbourhood is; ``exaggeration`` draws groups together;
``quality`` takes more time for sharper neighbourhoods (see the next example). The default is the left map of the middle
row.
"""

# %%
import matplotlib.pyplot as plt

from tete import ListwiseTETE
from tete.datasets import load_digits

digits = load_digits()
figure, axes = plt.subplots(3, 3, figsize=(9, 9), layout="constrained")
for row, n_neighbors in zip(axes, (5, 15, 60), strict=True):
    for axis, exaggeration in zip(row, (1.0, 2.0, 4.0), strict=True):
        model = ListwiseTETE(n_neighbors=n_neighbors, exaggeration=exaggeration, random_state=0)
        places = model.fit_transform(digits.data)
        axis.scatter(*places.T, c=digits.target, cmap="tab10", s=3)
        axis.set(xticks=[], yticks=[], aspect="equal")
        axis.set_title(f"{n_neighbors} neighbours, exaggeration {exaggeration:g}", fontsize=9)
plt.show()

# %%
# Read it by rows and columns: with five neighbours groups crumble, with sixty those in the middle close up and what is
# unlike all others stands far off. More exaggeration gives compact groups with gaps between them, which look sure of
# themselves, and are no surer; together with many neighbours it pulls different digits into one string.
