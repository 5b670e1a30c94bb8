"""Options of commands that draw the rows of a table: the looks of classes, and pictures of the rows."""

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tete.cli import options
from tete.cli.outputs import Looks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tete.io import FeatureTable

__all__ = ["LookOptions"]

SHAPE = re.compile(r"([0-9]{1,5})x([0-9]{1,5})(?:x([134]))?")


@dataclass(frozen=True)
class LookOptions:
    """What the command line says of how rows are drawn."""

    images: options.Images = None
    pixels: Annotated[
        str | None,
        typer.Option(help="The features are pixels: height x width, e.g. 28x28 or 32x32x3; shown on the page."),
    ] = None
    color: options.Colors = None
    class_names: options.ClassNames = False

    def looks(self, plot: Path | None, page: Path | None) -> Looks:
        """How classes are drawn; refused where nothing is drawn that could show it."""
        for option, given in (("--images", self.images), ("--pixels", self.pixels)):
            if given is not None and page is None:
                raise typer.BadParameter(f"{option} is for the page, which is written with --page.")
        for option, asked in (("--color", bool(self.color)), ("--class-names", self.class_names)):
            if asked and plot is None and page is None:
                raise typer.BadParameter(f"{option} is for a picture or a page, written with --plot or --page.")
        return Looks.of_options(self.color, self.class_names)

    def given(self) -> dict[str, Any]:
        """The options by their names."""
        return dataclasses.asdict(self)

    def pictures(self, features: "FeatureTable") -> "Path | NDArray[Any] | None":
        """A folder of pictures, or the pixels of each row; None where there are none."""
        if self.images is not None and self.pixels is not None:
            raise typer.BadParameter("give either --images or --pixels.")
        if self.images is not None:
            from tete.page.thumbnails import folder_or_pixels  # noqa: PLC0415

            return folder_or_pixels(self.images, len(features))
        return None if self.pixels is None else self._pixels(features)

    def _pixels(self, features: "FeatureTable") -> "NDArray[Any]":
        """The table in the shape of pictures."""
        assert self.pixels is not None
        found = SHAPE.fullmatch(self.pixels)
        shape = () if found is None else tuple(int(side) for side in found.groups() if side is not None)
        n_pixels, n_columns = 1, features.matrix.shape[1]
        for side in shape:
            n_pixels *= side
        if not shape or n_pixels != n_columns:
            raise typer.BadParameter(
                f"--pixels must be a height and width of {n_columns} pixels, as many as there are features, such as "
                f"28x28 for 784, got {self.pixels}."
            )
        import numpy as np  # noqa: PLC0415

        from tete.core.matrices import as_dense  # noqa: PLC0415

        table = features.matrix
        numbers = table.to_numpy(float, na_value=np.nan) if hasattr(table, "to_numpy") else as_dense(table)
        return np.asarray(numbers).reshape(len(features), *shape)
