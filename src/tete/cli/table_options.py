"""Options of all commands that read a table of features, told once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tete.cli import options

if TYPE_CHECKING:
    from tete.io import FeatureTable

__all__ = ["TableOptions"]


@dataclass(frozen=True)
class TableOptions:
    """What the command line says of a table of features."""

    id_column: options.IdColumn = None
    label: options.Labels = None
    drop: options.Drop = None
    array: options.Array = None
    no_header: options.NoHeader = False
    encoding: options.Encoding = "utf-8"

    def read(
        self,
        path: str,
        *,
        features: Sequence[str] | None = None,
        likely_labels: Sequence[str] = (),
        mixed: bool = False,
    ) -> "FeatureTable":
        """The table; `features` are the names of its features where they are known."""
        from tete.io import read_features  # noqa: PLC0415

        return read_features(
            path,
            id_column=self.id_column,
            labels=self.label or [],
            drop=self.drop or [],
            features=features,
            likely_labels=likely_labels,
            array=self.array,
            mixed=mixed,
            header=not self.no_header,
            encoding=self.encoding,
        )

    def shown(self, table: "FeatureTable") -> str | None:
        """The label that was asked for, which is the first of the table's columns."""
        return next(iter(table.columns)) if self.label else None
