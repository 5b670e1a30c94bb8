"""
Features: from a file to a decision
===================================

A laboratory has the chemical analyses of 178 wines from three growers. Today's delivery is five bottles; four are said
to be from these growers, and nobody knows where the fifth comes from. Which grower is each from, and which bottle would
you not sell?

Everything can be done on the command line, too; the commands are given beside the code.
"""

# %%
# 1. The files
# ------------
# scikit-learn brings the analyses along (UCI's Wine, CC BY 4.0). Four bottles are set aside as the delivery, and the
# fifth is the first one again, stretched with as much water: each number is half of what it was. To follow with the
# commands, write ``folder = Path()``: then the files are where you are.
from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from tete import ListwiseTETE, load_model, map_quality, plot_map, read_features, save_model

folder = Path(mkdtemp())
table = load_wine(as_frame=True).frame.rename(columns={"target": "grower"})
table["grower"] = table["grower"].map({0: "Alba", 1: "Barolo", 2: "Canelli"})
delivery = table.sample(4, random_state=1)
table.drop(delivery.index).to_csv(folder / "wines.csv", index=False)
bottles = pd.concat([delivery, delivery.iloc[:1]]).drop(columns="grower")
bottles.iloc[4] *= 0.5
bottles.to_csv(folder / "delivery.csv", index=False)

# %%
# 2. A map
# --------
# ``tete reduce wines.csv --label grower --standardize -o map.csv --plot map.png --model model.npz``. The columns have
# different units, so each is divided by its standard deviation; the grower is a label, and no feature.
wines = read_features(folder / "wines.csv", labels=["grower"])
model = ListwiseTETE(standardize=True, random_state=0).fit(wines.X)
grower = wines.columns["grower"]
figure, axis = plt.subplots(figsize=(8, 3.8), layout="compressed")
plot_map(model.embedding_, labels=grower, label_name="grower", axes=axis)
plt.show()

# %%
# 3. Is the map to be trusted?
# ----------------------------
# ``tete score map.csv --features wines.csv --label grower --standardize``. A picture convinces easily; numbers say
# what it kept. Here: the share of each wine's 15 nearest neighbours that are near it on the map, too, and how often the
# commonest grower of the ten nearest is the wine's own.
scaled = wines.X / wines.X.std(axis=0)
print(map_quality(scaled, model.embedding_, labels=grower))

# %%
# 4. New bottles on the finished map
# ----------------------------------
# ``tete place model.npz delivery.csv -o placed.csv``. The map does not move. ``novelty`` is about 1 for rows like those
# of the map; rows above 3 hardly belong to it, whatever place they get.
save_model(folder / "model.npz", model, force=True)
new = read_features(folder / "delivery.csv")
places, novelty = load_model(folder / "model.npz").transform(new.X, return_novelty=True)
for number, (place, strangeness) in enumerate(zip(places, novelty, strict=True), start=1):
    nearest = np.argsort(np.linalg.norm(model.embedding_ - place, axis=1))[:10]
    names, counts = np.unique(np.asarray(grower)[nearest], return_counts=True)
    print(
        f"bottle {number}: {counts.max()} of its 10 neighbours from {names[counts.argmax()]}, novelty {strangeness:.1f}"
    )

# %%
figure, axis = plt.subplots(figsize=(8, 3.8), layout="compressed")
plot_map(model.embedding_, labels=grower, label_name="grower", axes=axis)
axis.scatter(*places.T, s=170, marker="*", color="black", zorder=5)
for number, place in enumerate(places, start=1):
    axis.annotate(f" {number}", place, fontsize=12, weight="bold", zorder=6)
plt.show()

# %%
# 5. The decision
# ---------------
# Bottles 1 to 4 lie among wines of one grower, eight of ten neighbours or more, and are as ordinary as the wines that
# were measured before: sell them.
# Bottle 5 has a place on the map, because every row gets one, but its novelty says that no wine like it was ever
# measured. Send it back. A map alone would not have told: always look at the novelty of what you place.
#
# It tells of rows that are far from all others, not of every fraud. With 60 % of its strength instead of half, bottle 5
# is at the limit of 3, and a wine whose numbers are each possible but belong to different columns has 1.5.
#
# Next: :doc:`how good is a map? </howto/compare>`, :doc:`large tables </howto/large_data>`,
# :doc:`texts, images, cells </howto/kinds_of_data>`.
