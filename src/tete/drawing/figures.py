"""Figures to draw on, and their files.

They are made without pyplot: nothing global is touched and nothing leaks. In notebooks pyplot makes them, because that
is how a cell comes to show its pictures, and closes them.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tete.exceptions import InvalidParameterError
from tete.io.sources import AnyPath
from tete.io.writing import atomic_write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURE_FILES", "new_figure", "save_picture"]

DOTS_PER_INCH = 150  # about a thousand pixels across: sharp on a screen, and small files
FIGURE_FILES = (".png", ".svg", ".pdf")


def new_figure(width: float = 7.0, height: float = 6.0, rows: int = 1, columns: int = 1) -> tuple["Figure", Any]:
    """A figure and its axes (an array of them if there are several)."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  (loaded only when something is drawn)
    except ImportError as error:
        raise ImportError("plotting needs matplotlib: pip install 'tete[plot]'") from error
    if _in_notebook():
        from matplotlib import pyplot  # noqa: PLC0415

        figure: Figure = pyplot.figure(figsize=(width, height), layout="constrained")
    else:
        figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns)


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this; whoever has not loaded IPython is in no notebook."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def save_picture(path: AnyPath, figure: "Figure", *, force: bool = False) -> None:
    """Write a figure as PNG, SVG or PDF, by the extension.

    Parameters
    ----------
    path : str or path
        The file; its extension is .png, .svg or .pdf.
    figure : matplotlib figure
        What to write, such as ``plot_map(embedding).figure``.
    force : bool, default=False
        Whether to overwrite a file that is there.

    Raises
    ------
    OutputExistsError
        If the file is there and `force` is false.
    InvalidParameterError
        If the extension is another one.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tete import plot_map, save_picture
    >>> with TemporaryDirectory() as folder:
    ...     save_picture(f"{folder}/map.png", plot_map([[0.0, 1.0], [2.0, 0.0]]).figure)
    """
    extension = Path(path).suffix.lower()
    if extension not in FIGURE_FILES:
        raise InvalidParameterError(f"`path` must end in {', '.join(FIGURE_FILES)}, got {extension!r}.")
    with atomic_write(path, force=force) as stream:
        figure.savefig(stream, format=extension[1:], dpi=DOTS_PER_INCH)
