"""Files of maps: one row for each object with its name, its place and whatever else is known about it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.core.any_frame import named_columns
from tete.core.validation import check_map
from tete.exceptions import InvalidFileError, InvalidParameterError, Parameter
from tete.io.array_files import read_array
from tete.io.coordinates import coordinate_names, coordinate_positions, reserved_name
from tete.io.json_tables import json_table
from tete.io.object_tables import as_column, kept_columns, name_positions, read_columns
from tete.io.parquet_files import parquet_table
from tete.io.sources import AnyPath, Source, kind_of
from tete.io.tables import Table, refuse_equal_names
from tete.io.text_tables import text_table
from tete.io.writing import atomic_write, check_output, write_frame

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

__all__ = ["Map", "check_map_output", "read_map", "write_map"]

MAP_KINDS = ("text", "parquet", "npy", "json")


@dataclass(frozen=True, eq=False)
class Map:
    r"""A map: places of objects, their names and whatever else is known about them.

    Attributes
    ----------
    embedding : array of shape (n_objects, n_components)
        The places.
    names : tuple of n_objects names, or None
        What the objects are called.
    columns : mapping of names to arrays of n_objects values
        Labels, measurements and the like.

    Examples
    --------
    >>> import numpy as np
    >>> from tete import Map
    >>> drinks = Map(np.array([[0.0, 0.0], [1.0, 2.0]]), names=("tea", "cocoa"), columns={"kind": np.array(["a", "b"])})
    >>> len(drinks), drinks.name_texts, drinks.first_label()
    (2, ['tea', 'cocoa'], 'kind')
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> table = Path(mkdtemp(), "about.csv")
    >>> _ = table.write_text("object,price\ntea,2\ncocoa,3\n")
    >>> list(drinks.with_columns(table).columns), drinks.display_names
    (['kind', 'price'], ['tea', 'cocoa'])
    >>> Map.without_places(2, ["tea", "cocoa"]).embedding.shape
    (2, 0)
    """

    embedding: NDArray[np.float64]
    names: tuple[Hashable, ...] | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.embedding)

    @property
    def name_texts(self) -> list[str]:
        """The names as text, or the row numbers.

        Returns
        -------
        list of str
            One text an object.
        """
        return [str(name) for name in (range(len(self)) if self.names is None else self.names)]

    @property
    def display_names(self) -> list[str]:
        """For people to read: the names, or a column "name" of objects that are only numbered.

        Returns
        -------
        list of str
            One text an object.
        """
        names = [str(name) for name in self.columns.get("name", ())]
        numbered = all(label.isdecimal() for label in self.name_texts)
        return names if numbered and names and all(names) and len(set(names)) == len(names) else self.name_texts

    @classmethod
    def without_places(cls, n_objects: int, names: Sequence[Hashable] | None) -> "Map":
        """Objects that are not placed yet.

        Parameters
        ----------
        n_objects : int
            How many there are.
        names : sequence of n_objects names, or None
            What they are called.

        Returns
        -------
        Map
            With no dimensions.
        """
        return cls(np.zeros((n_objects, 0)), None if names is None else tuple(names))

    def with_columns(self, path: AnyPath, *, encoding: str = "utf-8") -> "Map":
        """The map with the columns of a table about its objects.

        The table's column object, name, id, key or index tells which row is about which object.

        Parameters
        ----------
        path : str or path
            The table: CSV, TSV or Parquet.
        encoding : str, default="utf-8"
            Of a text file.

        Returns
        -------
        Map
            Objects that the table does not have get empty cells.

        Raises
        ------
        InvalidFileError
            If the table has none of the objects.
        """
        return replace(self, columns={**self.columns, **read_columns(path, self.name_texts, encoding=encoding)})

    def first_label(self) -> str | None:
        """The first column with a few classes of texts, or else of anything.

        Returns
        -------
        str or None
            The name of the column, if there is one.
        """
        few = {name: values for name, values in self.columns.items() if 1 < len(set(values.tolist())) <= 20}
        return next((name for name, values in few.items() if values.dtype.kind not in "iuf"), next(iter(few), None))


def write_map(
    path: AnyPath,
    embedding: ArrayLike,
    names: Sequence[Hashable] | None = None,
    columns: "Mapping[str, ArrayLike] | IntoFrame | None" = None,
    *,
    force: bool = False,
) -> None:
    """Write a map by the file's extension: CSV, TSV, Parquet, JSON records, or npy (places alone).

    Tables have the columns object, x, y, z, or object, x1, x2, ... beyond three dimensions, and then `columns`, of
    which one called like a coordinate becomes label_x and so on.

    In CSV and TSV files, which spreadsheets open, texts that begin with =, +, -, @, a tab or a carriage return and are
    no numbers get an apostrophe in front, so that nothing is computed; `read_map` takes it away again. Numbers, such as
    the coordinates, stay numbers.

    Parameters
    ----------
    path : str or path
        The file.
    embedding : array of shape (n_objects, n_components)
        The places.
    names : sequence of n_objects names, optional
        What the objects are called; by default their numbers.
    columns : mapping of names to arrays of n_objects values, or data frame, optional
        Labels and whatever else is known about the objects.
    force : bool, default=False
        Whether to overwrite a file that is there.

    Raises
    ------
    OutputExistsError
        If the file is there and `force` is false.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tete import write_map
    >>> with TemporaryDirectory() as folder:
    ...     write_map(f"{folder}/map.csv", [[0.0, 1.0], [2.0, 3.0]], names=["tea", "cocoa"])
    ...     print(Path(folder, "map.csv").read_text().strip())
    object,x,y
    tea,0.0,1.0
    cocoa,2.0,3.0
    """
    kind = kind_of(path, MAP_KINDS)
    places = check_map("embedding", embedding)
    if kind == "npy":
        with atomic_write(path, force=force) as stream:
            np.save(stream, places)
        return
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    data: dict[str, Any] = {"object": list(range(len(places)) if names is None else names)}
    data |= dict(zip(coordinate_names(places.shape[1]), places.T, strict=True))
    for name, values in named_columns(columns).items():
        key = f"label_{name}" if reserved_name(name, places.shape[1]) else name
        if key in data:
            raise InvalidParameterError(f"`columns` must have different names, got {key!r} twice.")
        data[key] = np.asarray(values)
    write_frame(path, pd.DataFrame(data), force=force)


def check_map_output(path: AnyPath, *, force: bool) -> None:
    """Refuse, before any work is done, a path to which no map could be written."""
    kind_of(path, MAP_KINDS)
    check_output(path, force=force)


def read_map(path: AnyPath, *, coordinates: Sequence[str] | None = None, encoding: str = "utf-8") -> Map:
    r"""Read a map from a CSV, TSV, Parquet, JSON or npy file, ours or another program's, or from standard input.

    Coordinates are the columns x, y[, z] or x1, x2, ... (also dim1, ..., component_0, ..., PC1, ..., UMAP1, ...); of a
    table with several such families those to use must be named. Names are the column object, name or id. Anything else
    is kept in `columns`. In text files an apostrophe before =, +, -, @, a tab or a carriage return does not count,
    which `write_map` puts there so that spreadsheets compute nothing.

    Parameters
    ----------
    path : str or path
        The file; "-" reads text from standard input.
    coordinates : sequence of column names or numbers from 1, optional
        The columns of the coordinates, in this order.
    encoding : str, default="utf-8"
        Of a text file; byte order marks are understood anyway.

    Returns
    -------
    Map
        The places, names and columns.

    Raises
    ------
    InvalidFileError
        If the file cannot be used; the message has the line and the column.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tete import read_map
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "map.csv")
    ...     _ = path.write_text("name,UMAP1,UMAP2,genre\nA,0,1.5,jazz\nB,2,3,rock\n")
    ...     found = read_map(path)
    >>> found.names, found.embedding.tolist(), list(found.columns)
    (('A', 'B'), [[0.0, 1.5], [2.0, 3.0]], ['genre'])
    """
    kind = kind_of(path, MAP_KINDS, packed=True)
    source = Source.of(path)
    if kind == "npy":
        if coordinates is not None:
            raise InvalidParameterError(Parameter("coordinates"), f" is for tables, got {path}.")
        return Map(_finite(source, read_array(source)))
    if kind == "json":
        table = json_table(source)
    else:
        table = text_table(source, encoding=encoding) if kind == "text" else parquet_table(source)
    refuse_equal_names(table)
    positions = coordinate_positions(table, coordinates)
    places = np.column_stack([_numbers(table, position) for position in positions])
    return Map(places, *_names_and_columns(table, positions))


def _numbers(table: Table, position: int) -> NDArray[np.float64]:
    numbers = table.numbers(position)
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        text = str(table.values(position)[row])
        raise InvalidFileError(f"{table.location(row, position)}: {text!r} is not a number: expected a coordinate.")
    return numbers


def _names_and_columns(
    table: Table, coordinates: list[int]
) -> tuple[tuple[Hashable, ...] | None, dict[str, NDArray[Any]]]:
    """Names from the first column that may have them, if they differ, and everything else."""
    position = next((place for place in name_positions(table) if place not in coordinates), None)
    names: tuple[Hashable, ...] | None = None
    if position is not None:
        names = tuple(table.names(position))
        seen: set[Hashable] = set()
        for row, name in enumerate(names):
            if not name:
                raise InvalidFileError(f"{table.location(row, position)}: empty, expected the name of an object.")
            if name in seen:
                raise InvalidFileError(
                    f"{table.location(row, position)}: {name!r} is there already: names must differ."
                )
            seen.add(name)
    left_out = {*coordinates, *(() if position is None else (position,))}
    return names, {column: as_column(values) for column, values in kept_columns(table, left_out).items()}


def _finite(source: Source, values: NDArray[Any]) -> NDArray[np.float64]:
    if values.ndim != 2 or values.dtype.kind not in "iuf" or 0 in values.shape or not np.isfinite(values).all():
        raise InvalidFileError(
            f"{source.name}: expected a table of finite numbers, one row an object, got shape {values.shape}, "
            f"{values.dtype}."
        )
    source.refuse_beyond_memory("its places", 8 * values.size)
    with source.blamed("a map of numbers"), np.errstate(over="raise"):
        return values.astype(np.float64)
