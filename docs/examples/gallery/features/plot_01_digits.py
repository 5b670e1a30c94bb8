"""
Handwritten digits
==================

1,797 digits of 8 x 8 pixels, each drawn at its place on the map, in the colour of its class, which the map was not
told.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.offsetbox import AnnotationBbox, OffsetImage

from tete import ListwiseTETE, map_quality
from tete.datasets import load_digits

digits = load_digits()
model = ListwiseTETE(random_state=0).fit(digits.data)
print(map_quality(digits.data, model.embedding_, labels=digits.target))

# %%
# The digits themselves, wherever there is room for them.
places = model.embedding_
figure, axis = plt.subplots(figsize=(9, 8), layout="constrained")
axis.scatter(*places.T, c=digits.target, cmap="tab10", s=14, alpha=0.35, linewidth=0)
shown = []
room = 0.035 * float(places.max() - places.min())
for number, place in enumerate(places):
    if all(abs(place - other).max() > room for other in shown):
        shown.append(place)
        ink = plt.get_cmap("tab10")(digits.target[number])
        image = np.broadcast_to(ink, (8, 8, 4)).copy()
        image[..., 3] = digits.images[number] / 16  # ink is opaque, paper is not
        axis.add_artist(AnnotationBbox(OffsetImage(image, zoom=2.2), place, frameon=False))
axis.set(xticks=[], yticks=[], aspect="equal")
axis.spines[:].set_visible(False)
plt.show()

# %%
# New digits are placed on the finished map one by one, and ``novelty`` says how far each is from what the map knows:
# about 1 for digits, far more for noise.
new = np.vstack([digits.data[:3], np.random.default_rng(0).uniform(0, 16, size=(3, 64))])
places, novelty = model.transform(new, return_novelty=True)
print(novelty.round(1))
