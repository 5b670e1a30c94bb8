"""
Texts by their words: a map of SciPy
====================================

Texts become sparse rows of word weights (tf-idf), compared by their angle (``metric="cosine"``). No table is made
dense.

Here the texts are the documentation of SciPy's functions, which is wherever tete is; the classes are SciPy's packages.
With 20 Newsgroups (``sklearn.datasets.fetch_20newsgroups``) the code is the same.
"""

# %%
import importlib
import inspect

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from tete import ListwiseTETE, plot_map

packages = ["cluster.hierarchy", "fft", "integrate", "interpolate", "linalg", "ndimage"]
packages += ["optimize", "signal", "sparse", "spatial.distance", "special", "stats"]
texts, package_of, names = [], [], []
for package in packages:
    module = importlib.import_module(f"scipy.{package}")
    for name in module.__all__:
        text = inspect.getdoc(getattr(module, name)) or ""
        if callable(getattr(module, name)) and len(text) > 400 and not name.startswith("test"):
            texts.append(text)
            package_of.append(package)
            names.append(name)
print(len(texts), "texts")

# %%
WORD = r"[a-z]{3,}"
words = TfidfVectorizer(sublinear_tf=True, min_df=3, max_df=0.3, token_pattern=WORD).fit_transform(texts)
print(f"{words.shape[1]} words, {words.nnz / words.shape[0]:.0f} different ones a text")
model = ListwiseTETE(metric="cosine", random_state=0).fit(words)

# %%
figure, axis = plt.subplots(figsize=(10, 8), layout="constrained")
plot_map(model.embedding_, labels=package_of, class_names=True, axes=axis)
plt.show()

# %%
# What is near what: three nearest texts on the map.
for wanted in ("convolve", "ttest_ind", "svd"):
    number = names.index(wanted)
    distances = np.linalg.norm(model.embedding_ - model.embedding_[number], axis=1)
    nearest = [other for other in np.argsort(distances) if names[other] != wanted][:3]
    print(f"{wanted}: " + ", ".join(f"{package_of[other]}.{names[other]}" for other in nearest))
