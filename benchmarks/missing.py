"""Measure how gaps in tables are best filled in; writes `results/missing.md`. Name tables to measure those alone.

From real tables without gaps, columns divided by their standard deviations, 5, 10 or 30 % of the cells are removed at
random. What fills them in is judged by the share of each row's true ten nearest neighbours (in the whole table) that
are still among its ten nearest in the filled table, and by processor seconds; means of three draws. `TableEncoder` is
the conditional mean of a Gaussian fitted by EM, moved towards the mean of the nearest of 2,000 rows by a share that is
found on hidden cells, and `Gaussian` the same without; the others are scikit-learn's, with their own defaults, and
distances over the cells that both rows have, which fill in nothing. Components of PCA have no correlations left, so
that a Gaussian knows nothing about their gaps: there neighbours are the better guess.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  (scikit-learn's switch)
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.metrics.pairwise import nan_euclidean_distances

from environments import data_folder, machine
from tete import TableEncoder
from tete.core.threads import SERIAL
from tete.reduction.encoding.gaussian_gaps import fit_gaussian
from triplets import RESULTS, as_markdown

SHARES = (0.05, 0.1, 0.3)
N_DRAWS = 3
N_NEIGHBORS = 10
FILLERS: dict[str, Callable[[], object]] = {
    "TableEncoder": lambda: TableEncoder(standardize=False, drop_ids=False, max_missing=1.0, n_jobs=1),
    "Gaussian": lambda: GaussianAlone(),  # noqa: PLW0108  (defined below)
    "means": SimpleImputer,
    "KNNImputer": KNNImputer,
    "IterativeImputer": lambda: IterativeImputer(random_state=0),
}


class GaussianAlone:
    """The Gaussian's guess."""

    def fit_transform(self, table: np.ndarray) -> np.ndarray:
        """The table with its gaps filled in."""
        order = np.random.default_rng(0).permutation(len(table))
        return fit_gaussian(table[order], SERIAL).filled(table, SERIAL)


def tables() -> dict[str, Callable[[], np.ndarray]]:
    """Tables without gaps, by name."""
    folder = data_folder()
    return {
        "penguins": penguins,
        "wine": lambda: load_wine().data,
        "digits": lambda: load_digits().data,
        "letters, 4,000 rows": lambda: some(np.load(folder / "letters/letters.npz")["X"], 4000),
        "usps 8 x 8, 4,000 rows": lambda: halved(some(np.load(folder / "usps/usps11000.npz")["X"], 4000)),
        "usps, 20 components, 4,000 rows": lambda: PCA(20).fit_transform(
            some(np.load(folder / "usps/usps11000.npz")["X"], 4000)
        ),
        "pbmc, 50 genes": genes,
        "pbmc, 20 components": lambda: cells("obsm", "X_pca")[:, :20],
    }


def penguins() -> np.ndarray:
    """Numbers and categories of the penguins without gaps, as numbers."""
    frame = pd.read_csv(data_folder() / "penguins/penguins.csv").dropna()
    return TableEncoder().fit_transform(frame)


def some(table: np.ndarray, n_rows: int) -> np.ndarray:
    return table[np.random.default_rng(0).permutation(len(table))[:n_rows]].astype(np.float64)


def halved(images: np.ndarray) -> np.ndarray:
    """Images of 16 x 16 pixels at half the size, as rows."""
    return images.reshape(-1, 8, 2, 8, 2).mean(axis=(2, 4)).reshape(len(images), 64)


def cells(*names: str) -> np.ndarray:
    """What the file of blood cells holds under these names, one inside the other; needs h5py."""
    import h5py  # noqa: PLC0415  (only these tables need it)

    with h5py.File(data_folder() / "pbmc700/pbmc68k_reduced.h5ad") as file:
        found = file
        for name in names:
            found = found[name]
        return np.asarray(found, dtype=np.float64)


def genes() -> np.ndarray:
    """The fifty genes that vary most."""
    table = cells("X")
    return table[:, np.argsort(-table.var(axis=0), kind="stable")[:50]]


def neighbors(distances: np.ndarray) -> np.ndarray:
    np.fill_diagonal(distances, np.inf)
    return np.argpartition(np.nan_to_num(distances, nan=np.inf), N_NEIGHBORS, axis=1)[:, :N_NEIGHBORS]


def all_distances(table: np.ndarray) -> np.ndarray:
    squares = np.sum(table**2, axis=1)
    return squares[:, None] - 2.0 * table @ table.T + squares


def recall(truth: np.ndarray, found: np.ndarray) -> float:
    return float((truth[:, :, None] == found[:, None, :]).any(axis=2).mean())


def measure(table: np.ndarray) -> list[dict[str, object]]:
    table = (table - table.mean(axis=0)) / np.where(table.std(axis=0) > 0, table.std(axis=0), 1.0)
    table = table[:, table.std(axis=0) > 0]
    truth = neighbors(all_distances(table))
    rows = []
    for share in SHARES:
        found = {name: [] for name in (*FILLERS, "distances over common cells")}
        for draw in range(N_DRAWS):
            gaps = np.random.default_rng(draw).random(table.shape) < share
            gaps[gaps.all(axis=1), 0] = False
            holed = np.where(gaps, np.nan, table)
            for name, make in FILLERS.items():
                started = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # scikit-learn's says that it stopped after ten rounds
                    filled = make().fit_transform(holed)
                seconds = time.process_time() - started
                found[name].append((recall(truth, neighbors(all_distances(filled))), seconds))
            started = time.process_time()
            distances = nan_euclidean_distances(holed)
            seconds = time.process_time() - started
            found["distances over common cells"].append((recall(truth, neighbors(distances)), seconds))
        means = {name: np.mean(values, axis=0) for name, values in found.items()}
        texts = {name: f"{kept:.3f} ({seconds:.3f} s)" for name, (kept, seconds) in means.items()}
        rows.append({"removed": f"{share:.0%}", **texts})
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    known = tables()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=[], help=f"some of {', '.join(known)}")
    chosen = parser.parse_args().tables or list(known)
    file = RESULTS / "missing.json"
    stored = json.loads(file.read_text()) if file.exists() else {}
    TableEncoder().fit_transform(
        np.where(np.eye(30, 5) > 0, np.nan, np.arange(150.0).reshape(30, 5) ** 0.5)
    )  # compiles
    for name in chosen:
        print(name, flush=True)
        table = known[name]()
        stored[name] = {"shape": list(table.shape), "rows": measure(table)}
        stored["machine"] = machine()
        file.write_text(json.dumps(stored, indent=1) + "\n")
    parts = ["# Gaps in tables", __doc__.strip()]
    for name in known:
        if name in stored:
            n_rows, n_columns = stored[name]["shape"]
            parts += [f"## {name} ({n_rows:,} x {n_columns})", as_markdown(stored[name]["rows"])]
    parts.append(f"Machine: `{json.dumps(stored['machine'])}`")
    (RESULTS / "missing.md").write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
