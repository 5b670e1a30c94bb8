"""How many principal components a table needs so that its rows keep their neighbours; a sample tells.

Of 200 rows of a sample of 2,000, the 15 nearest others by all columns are compared with the 15 nearest by the
components. `FEWEST` components are enough where at least `KEPT` of them are found again, which holds for images, whose
neighbours by 50 components are .76 to .96 of those by all (and whose classes they even tell better). Text is another
matter: 50 components keep a quarter, 400 a half. There, rows are compared as they are if they are sparse and not too
many, and else by more components, up to `MOST`.
"""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tete.core.blas import one_blas_thread
from tete.core.matrices import as_dense, is_sparse
from tete.core.threads import SERIAL, Threads
from tete.reduction.projection import Projection, fit_projection, project, standardized
from tete.reduction.search.inverted import products_needed
from tete.reduction.sparse_scaling import SparseScaling, fit_sparse_scaling

__all__ = ["FEWEST", "PcaComponents", "fit_points", "kept_neighbors"]

PcaComponents: TypeAlias = int | Literal["auto"] | None

FEWEST = 50
MORE = (100, 200, 400)
KEPT = 0.73  # by 50 components .68 of documentation texts, .76 of drawn letters: chance must not decide about either
SAMPLE_ROWS, SAMPLE_QUERIES, NEIGHBORS = 2_000, 200, 15
MOST_PRODUCTS = 5e10  # of all pairs of sparse rows: about a minute
MOST_COLUMNS = 1_000  # of a dense table that is compared by all of its columns


def fit_points(
    table: Any,
    components: PcaComponents,
    rng: np.random.Generator,
    *,
    unit_rows: bool,
    spreads: NDArray[np.float64] | None,
    order: NDArray[np.int64] | None,
    workers: Threads = SERIAL,
) -> Projection | SparseScaling:
    """What makes points of the rows of a table, whose neighbours by Euclidean or cosine distances are looked for."""

    def projected(width: int | None) -> Projection:
        return fit_projection(
            table,
            width,
            rng,
            center=not unit_rows,
            unit_rows=unit_rows,
            spreads=spreads,
            order=order,
            workers=workers,
        )

    def as_they_are() -> SparseScaling:
        return fit_sparse_scaling(table, unit_rows=unit_rows, spreads=spreads, order=order)

    wide = table.shape[1] > FEWEST
    if components is None:
        return as_they_are() if is_sparse(table) and wide else projected(None)
    if components != "auto" or not wide:
        return projected(FEWEST if components == "auto" else components)
    sample = _sample(table, order, rng)
    found = projected(FEWEST)
    if found.components is None or kept_neighbors(sample, found, spreads) >= KEPT:
        return found
    if is_sparse(table) and products_needed(table) <= MOST_PRODUCTS:
        return as_they_are()
    for width in (width for width in MORE if width < min(table.shape)):
        found = projected(width)
        if kept_neighbors(sample, found, spreads) >= KEPT:
            return found
    return found if is_sparse(table) or table.shape[1] > MOST_COLUMNS else projected(None)


def _sample(table: Any, order: NDArray[np.int64] | None, rng: np.random.Generator) -> Any:
    if order is not None:
        return table[order[:SAMPLE_ROWS]]
    return table[np.sort(rng.permutation(table.shape[0])[:SAMPLE_ROWS])]


def kept_neighbors(sample: Any, projection: Projection, spreads: NDArray[np.float64] | None = None) -> float:
    """The share of nearest neighbours by all columns that are nearest neighbours after a projection."""
    rows = standardized(sample, spreads) if spreads is not None else sample
    rows = sparse.csr_array(rows) if is_sparse(rows) else rows
    size = max(float(abs(rows).max()), float(np.finfo(np.float64).tiny))
    rows = rows.astype(np.float64) / size
    if not projection.unit_rows and not is_sparse(rows):
        rows = rows - rows.mean(axis=0)
    n_queries = min(SAMPLE_QUERIES, rows.shape[0])
    count = min(NEIGHBORS, rows.shape[0] - 1)
    with one_blas_thread():  # the last bits of a product on several threads can vary
        truth = _nearest(_square_distances(rows, n_queries, projection.unit_rows), count)
        points = project(projection, sample, SERIAL).astype(np.float64)
        found = _nearest(_square_distances(points, n_queries, projection.unit_rows), count)
    return float(np.mean((truth[:, :, None] == found[:, None, :]).any(axis=2))) if count else 1.0


def _square_distances(rows: Any, n_queries: int, unit_rows: bool) -> NDArray[np.float64]:
    """From the first rows to all, less a term of the query's own."""
    squares = np.asarray((rows * rows).sum(axis=1)).ravel()
    products = as_dense(rows[:n_queries] @ rows.T)
    if unit_rows:
        return np.asarray(-products / np.sqrt(np.where(squares > 0.0, squares, 1.0)))
    return np.asarray(squares - 2.0 * products)


def _nearest(distances: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    np.fill_diagonal(distances, np.inf)
    return np.argpartition(distances, count - 1, axis=1)[:, :count] if count else np.empty((len(distances), 0), int)
