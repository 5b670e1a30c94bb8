"""
Pictures as points: thumbnails
==============================

A map of pictures is best drawn with the pictures. For fashion, :func:`tete.datasets.load_fashion_mnist` fetches 70,000
photographs of clothes with ``download=True``; this page, which is built without network, takes two photographs that
scikit-learn brings along, and cuts them into 1,040 pieces.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from sklearn.datasets import load_sample_images

from tete import ListwiseTETE

photographs = load_sample_images().images
pieces = np.concatenate(
    [
        photo[: 20 * 21, : 26 * 24].reshape(20, 21, 26, 24, 3).swapaxes(1, 2).reshape(-1, 21, 24, 3)
        for photo in photographs
    ]
)

# %%
# Features: the mean colour of a piece in three rows and three columns, and how much it varies there.
cells = pieces.reshape(-1, 3, 7, 3, 8, 3).astype(float) / 255
features = np.concatenate(
    [cells.mean(axis=(2, 4)).reshape(len(pieces), -1), 2 * cells.std(axis=(2, 4)).reshape(len(pieces), -1)], axis=1
)
places = ListwiseTETE(n_neighbors=10, random_state=0).fit_transform(features)

# %%
# Temple, sky and petals come apart, and smooth changes of light stay smooth.
figure, axis = plt.subplots(figsize=(10, 9), layout="constrained", facecolor="#11151a")
axis.set(facecolor="#11151a", xticks=[], yticks=[], aspect="equal")
axis.spines[:].set_visible(False)
axis.scatter(*places.T, s=0)
for piece, place in zip(pieces, places, strict=True):
    axis.add_artist(AnnotationBbox(OffsetImage(piece, zoom=0.62), place, frameon=False))
plt.show()
