"""Pictures of so many points that they would be a blot: where they are dense, and what colour they are on average."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_density"]

PIXELS = 700  # along the longer side: a new figure is up to 7 inches wide, 100 dots an inch
FAINTEST = 0.25  # a pixel with a single point must be seen


def draw_density(axes: "Axes", places: NDArray[np.float64], colors: NDArray[np.float64]) -> None:
    """Draw the mean colour of the points in each pixel, the more opaque the more points there are.

    Parameters
    ----------
    axes : matplotlib axes
    places : array of shape (n_points, 2)
    colors : array of shape (n_points, 3)
        Red, green and blue from 0 to 1. A point with a colour that is not a number counts for the density alone.
    """
    low, high = places.min(axis=0), places.max(axis=0)
    side = float(max((high - low).max(), 1e-12)) / PIXELS
    width, height = (np.floor((high - low) / side).astype(int) + 1).tolist()
    steps = np.floor((places - low) / side).astype(np.int64)
    pixel = steps[:, 1] * width + steps[:, 0]
    counts = np.bincount(pixel, minlength=width * height)
    known = np.isfinite(colors).all(axis=1)
    colored = np.maximum(np.bincount(pixel[known], minlength=width * height), 1)
    image = np.zeros((width * height, 4), dtype=np.float32)
    for channel in range(3):
        image[:, channel] = np.bincount(pixel[known], colors[known, channel], minlength=width * height) / colored
    # Between the faintest and opaque by the logarithm, because densities differ by powers of ten.
    top = max(float(np.log(np.quantile(counts[counts > 0], 0.99))), 1e-12)
    strength = np.log(np.maximum(counts, 1)) / top
    image[:, 3] = np.where(counts > 0, np.clip(FAINTEST + (1.0 - FAINTEST) * strength, 0.0, 1.0), 0.0)
    right, upper = low + side * np.array([width, height])
    axes.imshow(
        image.reshape(height, width, 4),
        origin="lower",
        extent=(float(low[0]), float(right), float(low[1]), float(upper)),
        interpolation="antialiased",
        aspect="equal",
    )
