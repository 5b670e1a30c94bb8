"""
A map in a notebook
===================

``explore`` shows the interactive page inside a notebook: zoom with the wheel, look for a name, choose another colour,
click a point to see its neighbours. The page is one file without anything from elsewhere; ``tete.write_page`` writes
it to disk.
"""

# %%
# The wines of three growers, with their names, classes and two of the measured columns to colour by.
import matplotlib.pyplot as plt

from tete import ListwiseTETE, plot_map
from tete.datasets import load_wine

wine = load_wine()
model = ListwiseTETE(standardize=True, random_state=0).fit(wine.data)
grower = [f"grower {number + 1}" for number in wine.target]

# %%
# In a notebook, the last line of a cell is shown. So it is here: try it.
columns = {"grower": grower, "alcohol": wine.data[:, 0], "colour": wine.data[:, 9]}
model.explore(columns=columns, label="grower", title="178 wines")

# %%
# The same map as a picture that does not move.
figure, axis = plt.subplots(figsize=(8, 3), layout="compressed")
plot_map(model.embedding_, labels=grower, label_name="grower", axes=axis)
plt.show()
