"""The cells over a map again, naively: which points lie under each node of a pyramid."""

import numpy as np


def members_of_nodes(grid, pyramid):
    """For each node, the points whose cell lies in it, by halving the cells' rows and columns."""
    members = [[] for _ in range(int(pyramid.offsets[-1]))]
    cells = np.repeat(np.arange(len(grid.cell_starts) - 1), np.diff(grid.cell_starts)) if len(grid.shape) else []
    for point, cell in zip(grid.order, cells, strict=False):
        for level, (_, n_columns) in enumerate(pyramid.shapes):
            row, column = divmod(int(cell), int(pyramid.shapes[0, 1]))
            members[int(pyramid.offsets[level]) + (row >> level) * int(n_columns) + (column >> level)].append(point)
    return members
