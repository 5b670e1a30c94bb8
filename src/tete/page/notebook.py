"""A page as notebooks show it: inside a frame of its own, which keeps page and notebook apart."""

import html
from dataclasses import dataclass, field

from tete.core.validation import check_whole
from tete.io.sources import AnyPath
from tete.io.writing import atomic_write

__all__ = ["MapPage"]

SMALLEST_HEIGHT, LARGEST_HEIGHT = 100, 10_000  # pixels


@dataclass(frozen=True, eq=False)
class MapPage:
    """An interactive page of a map, from `explore`; a notebook shows it when it is the value of a cell.

    Parameters
    ----------
    html : str
        The page, from `make_page`.
    height : int, default=640
        Height in the notebook, in pixels.

    Examples
    --------
    >>> from tete import MapPage, make_page
    >>> MapPage(make_page([[0.0, 0.0], [1.0, 0.0]], names=["tea", "cocoa"]), height=400)
    MapPage(height=400)
    """

    html: str = field(repr=False)
    height: int = 640

    def __post_init__(self) -> None:
        check_whole("height", self.height, least=SMALLEST_HEIGHT, most=LARGEST_HEIGHT)

    def _repr_html_(self) -> str:
        """What Jupyter, VS Code and others show. Files can be saved from inside the frame; nothing else gets out."""
        look = f"width: 100%; height: {self.height}px; border: 0"
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" style="{look}" title="Map" '
            'sandbox="allow-scripts allow-downloads" loading="lazy"></iframe>'
        )

    def save(self, path: AnyPath, *, force: bool = False) -> None:
        """Write the page: one HTML file, which works offline.

        Parameters
        ----------
        path : str or path
            The file.
        force : bool, default=False
            Whether to overwrite a file that is there.

        Raises
        ------
        OutputExistsError
            If the file is there and `force` is false.
        """
        with atomic_write(path, force=force) as stream:
            stream.write(self.html.encode())
