"""How points look by their number: smaller the more there are, one image from some number on, and a density beyond."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DENSE_POINTS", "point_area", "point_look", "rgb"]

MANY_POINTS = 20_000  # from here on points are drawn as one image, also in SVG and PDF
DENSE_POINTS = 150_000  # from here on a picture of points is a blot, and a density says more


def point_area(n_points: int) -> float:
    """Smaller points for more of them, in square points."""
    return float(np.clip(6000.0 / n_points, 0.5, 30.0))


def point_look(n_points: int) -> dict[str, Any]:
    """What matplotlib is told of so many points."""
    return {"s": point_area(n_points), "linewidths": 0, "rasterized": n_points > MANY_POINTS}


def rgb(color: str) -> NDArray[np.float64]:
    """A colour as red, green and blue from 0 to 1."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415

    return np.array(to_rgb(color))
