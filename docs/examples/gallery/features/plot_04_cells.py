"""
Cells (AnnData)
===============

Single cells in an AnnData object: the map goes where scanpy expects it, ``obsm["X_tete"]``.

With scanpy at hand, ``scanpy.datasets.pbmc68k_reduced()`` gives 700 blood cells (10x Genomics, CC BY 4.0). This page is
built from that file if it is in the data folder of tete, and from cells that we make otherwise: a stem that divides
into three fates.
"""

# %%
import warnings

import anndata
import matplotlib.pyplot as plt
import numpy as np

import tete.anndata
from tete import plot_map
from tete.datasets import data_folder


def make_cells(n_cells=900, n_genes=200, seed=0):
    """Cells along a tree: genes are switched on in a stem, then in one of three branches; counts are Poisson's."""
    rng = np.random.default_rng(seed)
    fate, age = rng.choice(["erythroid", "myeloid", "lymphoid"], n_cells), rng.uniform(0, 2, n_cells)
    states = np.column_stack(
        [np.minimum(age, 1), *(np.maximum(age - 1, 0) * (fate == kind) for kind in np.unique(fate))]
    )
    counts = rng.poisson(np.exp(states @ rng.normal(scale=1.3, size=(4, n_genes)) - 0.5))
    logs = np.log1p(1000 * counts / counts.sum(axis=1, keepdims=True))
    _, _, axes = np.linalg.svd(logs - logs.mean(axis=0), full_matrices=False)
    cells = anndata.AnnData(logs.astype(np.float32))
    cells.obs["kind"] = np.where(age < 1, "stem", fate)
    cells.obsm["X_pca"] = (logs - logs.mean(axis=0)) @ axes[:20].T
    return cells


path = data_folder() / "pbmc700" / "pbmc68k_reduced.h5ad"
if path.exists():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the file is of an older anndata, which kept neighbours elsewhere
        cells = anndata.read_h5ad(path)
    cells.obs["kind"] = cells.obs["bulk_labels"].astype(str)
    print("700 blood cells.")
else:
    cells = make_cells()
    print("Cells that were made: the file of the blood cells is not here.")

# %%
# One line, in place, as scanpy's own tools work. ``scanpy.pl.embedding(cells, "X_tete", color="kind")`` would draw it.
tete.anndata.listwise(cells, use_rep="X_pca", key_added="X_tete")
print(cells)

# %%
figure, axis = plt.subplots(figsize=(9.5, 6.5), layout="compressed")
plot_map(cells.obsm["X_tete"], labels=cells.obs["kind"], label_name="kind", axes=axis)
plt.show()
