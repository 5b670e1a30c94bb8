"""The regions in which the true places are, as a table for other programs."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.core.types import Embedding
from tete.reliability.uncertainty import Uncertainty

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ellipse_table"]

LETTERS = "xyz"  # as in files of maps; beyond three dimensions x1, x2, ...


def ellipse_table(
    sureness: Uncertainty, embedding: Embedding, names: Sequence[Hashable] | None, *, level: float = 0.9
) -> "pd.DataFrame":
    """A row for each object: centre, half axes (longest first), angle in degrees in a plane, covariance, level, radius.

    The half axes are the radius times the roots of the eigenvalues of the covariance (`Uncertainty.radius`).
    Objects without answers have no region: their cells are empty (NaN).
    """
    import pandas as pd  # noqa: PLC0415

    n_objects, size = embedding.shape
    letters = list(LETTERS[:size]) if size <= len(LETTERS) else [f"x{axis + 1}" for axis in range(size)]
    known: NDArray[np.bool_] = np.isfinite(sureness.covariances.sum(axis=(1, 2)))
    variances, axes = np.linalg.eigh(np.where(known[:, None, None], sureness.covariances, 0.0))
    half_axes = sureness.radius(level) * np.sqrt(np.maximum(variances[:, ::-1], 0.0))
    half_axes[~known] = np.nan
    table: dict[str, Any] = {"object": list(range(n_objects) if names is None else names)}
    table |= dict(zip(letters, embedding.T, strict=True))
    table |= {f"half_axis_{axis + 1}": half_axes[:, axis] for axis in range(size)}
    if size == 2:
        angles = np.degrees(np.arctan2(axes[:, 1, 1], axes[:, 0, 1])) % 180.0  # an axis has no direction
        table["angle"] = np.where(known, angles, np.nan)
    for row, first in enumerate(letters):
        for column, second in enumerate(letters[row:], start=row):
            table[f"covariance_{first}_{second}"] = sureness.covariances[:, row, column]
    return pd.DataFrame(table | {"level": level, "radius": sureness.radius(level)})
