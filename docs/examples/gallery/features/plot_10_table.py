"""
A table as people have it
=========================

Numbers, categories, dates, and gaps. ``TableEncoder`` makes numbers of them, and says how; ``ListwiseTETE`` makes a
map.

The table is invented: parcels of a courier, some of them damaged. Yours is read by :func:`tete.read_features`, or by
``tete reduce table.csv``.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from tete import ListwiseTETE, TableEncoder, plot_map

rng = np.random.default_rng(0)
kind = rng.choice(["letter", "box", "crate"], 600, p=[0.4, 0.45, 0.15])
size = pd.Series(kind).map({"letter": 0.3, "box": 4.0, "crate": 40.0}).to_numpy()
table = pd.DataFrame(
    {
        "weight_kg": size * rng.lognormal(sigma=0.4, size=600),
        "volume_l": 6 * size * rng.lognormal(sigma=0.3, size=600),
        "speed": rng.choice(["standard", "express"], 600),
        "insured": rng.random(600) < np.where(kind == "crate", 0.8, 0.1),
        "sent": pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 60, 600), unit="D"),
    }
)
table.loc[rng.random(600) < 0.08, "weight_kg"] = np.nan
table.loc[rng.random(600) < 0.05, "speed"] = None
print(table.head().to_string())

# %%
encoder = TableEncoder()
pipeline = make_pipeline(encoder, ListwiseTETE(random_state=0))
places = pipeline.fit_transform(table)
print(pipeline[0].summary())

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
plot_map(places, labels=kind, label_name="kind (not told)", axes=left)
plot_map(places, labels=table["speed"].fillna("unknown"), label_name="speed", axes=right)
plt.show()

# %%
# The speed parts the map, and so does the kind, which was not told, by way of weight, volume and insurance; dates draw
# the parts out into strings. Rows without a speed lie in strings of their own.
