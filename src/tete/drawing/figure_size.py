"""How large a new figure of a map is: as flat or tall as the map, with room for what stands beside it."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["figure_size", "legend_width"]

# In inches.
LARGEST_WIDTH, LARGEST_HEIGHT, SMALLEST_SIDE = 7.0, 6.0, 2.5
NARROWEST_LEGEND, WIDEST_LEGEND = 1.0, 5.0
MARKER_WIDTH, LETTER_WIDTH = 0.45, 0.075  # of a legend's mark with its margins, and of a letter of ten points


def figure_size(
    places: NDArray[np.float64], reach: float | NDArray[np.float64], *, beside: float
) -> tuple[float, float]:
    """Width and height of a figure that a map fills whose objects reach so far, with so much room beside it."""
    width, height = (places + reach).max(axis=0) - (places - reach).min(axis=0)
    largest = min(LARGEST_WIDTH / width if width else np.inf, LARGEST_HEIGHT / height if height else np.inf)
    scale = largest if np.isfinite(largest) else 0.0
    return max(float(scale * width), SMALLEST_SIDE) + beside, max(float(scale * height), SMALLEST_SIDE)


def legend_width(texts: Iterable[str]) -> float:
    """Of a legend of these texts, as far as their letters tell; without any, of a colour scale."""
    longest = max((len(text) for text in texts), default=0)
    return float(np.clip(MARKER_WIDTH + LETTER_WIDTH * longest, NARROWEST_LEGEND, WIDEST_LEGEND))
