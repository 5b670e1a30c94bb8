"""Files of maps: one row for each object with its name, its place and whatever else is known about it."""

import json
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.core.validation import check_map
from tete.exceptions import InvalidFileError
from tete.io.sources import AnyPath, Source, kind_of
from tete.io.text_tables import Table, as_numbers, read_parquet_table, read_text_table
from tete.io.writing import atomic_write, check_output, write_frame

__all__ = ["Map", "as_column", "check_map_output", "read_columns", "read_map", "write_map"]

NAME_COLUMNS = ("object", "name", "id", "key", "index")
RESERVED = {"object", "x", "y", "z"}
MAP_KINDS = ("text", "parquet", "npy", "json")


@dataclass(frozen=True, eq=False)
class Map:
    """A map: places of objects, their names and whatever else is known about them.

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
    columns: Mapping[str, ArrayLike] | None = None,
    *,
    force: bool = False,
) -> None:
    """Write a map by the file's extension: CSV, TSV, Parquet, JSON records, or npy (places alone).

    Tables have the columns object, x, y, z, or object, x1, x2, ... beyond three dimensions, and then `columns`, of
    which one called like these becomes label_x and so on.

    Parameters
    ----------
    path : str or path
        The file.
    embedding : array of shape (n_objects, n_components)
        The places.
    names : sequence of n_objects names, optional
        What the objects are called; by default their numbers.
    columns : mapping of names to arrays of n_objects values, optional
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
    for name, values in (columns or {}).items():
        # A reader would take a column x, y, z or object for a coordinate or the name.
        data[f"label_{name}" if name.casefold() in RESERVED else name] = np.asarray(values)
    write_frame(path, pd.DataFrame(data), force=force)


def check_map_output(path: AnyPath, *, force: bool) -> None:
    """Refuse, before any work is done, a path to which no map could be written."""
    kind_of(path, MAP_KINDS)
    check_output(path, force=force)


def coordinate_names(n_components: int) -> list[str]:
    """x, y and z, or x1, x2, ... beyond three."""
    return list("xyz"[:n_components]) if n_components <= 3 else [f"x{number}" for number in range(1, n_components + 1)]


def read_map(path: AnyPath, *, encoding: str = "utf-8") -> Map:
    r"""Read a map from a CSV, TSV, Parquet, JSON or npy file, ours or another program's, or from standard input.

    Coordinates are the columns x, y[, z] or x1, x2, ... (also dim1, ..., component_0, ...); names are the column
    object, name or id. Anything else is kept in `columns`.

    Parameters
    ----------
    path : str or path
        The file; "-" reads text from standard input.
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
    kind = kind_of(path, MAP_KINDS)
    source = Source.of(path)
    if kind == "npy":
        return Map(_finite(source.name, _load_npy(source)))
    if kind == "json":
        table = _read_json(source)
    elif kind == "text":
        table = read_text_table(source, encoding=encoding)
    else:
        table = read_parquet_table(source)
    coordinates = _coordinates(table)
    places = np.column_stack([_numbers(table, position) for position in coordinates])
    return Map(places, *_names_and_columns(table, coordinates))


def read_columns(path: AnyPath, names: Sequence[str], *, encoding: str = "utf-8") -> dict[str, NDArray[Any]]:
    """What a table says about objects, in the order of `names`: its column object, name, id or index tells which.

    Objects that the table does not have get empty cells; a table that has none of them is an error.
    """
    kind = kind_of(path, ("text", "parquet"))
    source = Source.of(path)
    table = read_text_table(source, encoding=encoding) if kind == "text" else read_parquet_table(source)
    rows = {position: _rows_of(table, position, names) for position in _positions(table, NAME_COLUMNS)}
    key = max(rows, key=lambda position: sum(row >= 0 for row in rows[position]), default=-1)  # names may be numbers
    best = rows.get(key, [-1])
    if max(best) >= 0:
        return {
            column: as_column([values[row] if row >= 0 else "" for row in best])
            for position, (column, values) in enumerate(zip(table.columns, table.cells.to_numpy(object).T, strict=True))
            if position != key
        }
    raise InvalidFileError(
        f"{source.name}: no row names an object of the map, expected names such as {', '.join(map(repr, names[:3]))} "
        f"in a column {', '.join(NAME_COLUMNS[:-1])} or {NAME_COLUMNS[-1]}."
    )


def as_column(texts: Sequence[Any]) -> NDArray[Any]:
    """Numbers where all texts are numbers or empty, with gaps as not-a-number; texts otherwise."""
    try:
        numbers = np.array([float(text) if str(text).strip() else np.nan for text in texts])
    except ValueError:
        return np.array([str(text) for text in texts], dtype=object)
    if not np.isfinite(numbers).any():
        return np.array([str(text) for text in texts], dtype=object)
    whole = bool(np.all(np.isfinite(numbers) & (numbers == np.round(numbers)) & (np.abs(numbers) < 2**53)))
    return numbers.astype(np.int64) if whole else numbers


def _rows_of(table: Table, position: int, names: Sequence[str]) -> list[int]:
    """For each name the row that has it in this column, or -1."""
    row_of = {str(text).strip(): row for row, text in enumerate(table.values(position))}
    return [row_of.get(name, -1) for name in names]


def _positions(table: Table, wanted: Sequence[str]) -> list[int]:
    lower = [column.casefold() for column in table.columns]
    return [lower.index(name) for name in wanted if name in lower]


def _coordinates(table: Table) -> list[int]:
    """The positions of the coordinates' columns."""
    found = _positions(table, ("x", "y", "z"))
    if not found:
        pattern = re.compile(r"(x|dim|component|d|pc|umap|tsne|embedding)[_\s]?(\d+)", flags=re.IGNORECASE)
        matches = [
            (int(match[2]), position) for position, c in enumerate(table.columns) if (match := pattern.fullmatch(c))
        ]
        found = [position for _, position in sorted(matches)]
    if not found:
        raise InvalidFileError(
            f"{table.source.name}, line 1: expected a map with columns x and y (or x1, x2, ...), "
            f"got {', '.join(repr(column) for column in table.columns[:12])}."
        )
    return found


def _numbers(table: Table, position: int) -> NDArray[np.float64]:
    numbers = as_numbers(table.values(position))
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        text = str(table.values(position)[row])
        raise InvalidFileError(f"{table.location(row, position)}: {text!r} is not a number: expected a coordinate.")
    return numbers


def _names_and_columns(
    table: Table, coordinates: list[int]
) -> tuple[tuple[Hashable, ...] | None, dict[str, NDArray[Any]]]:
    """Names from the first column that may have them, if they differ, and everything else."""
    position = next(iter(_positions(table, NAME_COLUMNS)), None)
    names: tuple[Hashable, ...] | None = None
    if position is not None:
        names = tuple(str(text).strip() for text in table.values(position))
        seen: set[Hashable] = set()
        for row, name in enumerate(names):
            if name in seen:
                raise InvalidFileError(
                    f"{table.location(row, position)}: {name!r} is there already: names must differ."
                )
            seen.add(name)
    others = {
        column: as_column(list(table.values(other)))
        for other, column in enumerate(table.columns)
        if other != position and other not in coordinates
    }
    return names, others


def _read_json(source: Source) -> Table:
    import pandas as pd  # noqa: PLC0415

    try:
        with source.open() as stream:
            records = json.load(stream)
    except ValueError as error:
        raise InvalidFileError(f"{source.name} is not JSON: {error}.") from error
    if not (isinstance(records, list) and records and all(isinstance(record, dict) for record in records)):
        raise InvalidFileError(f"{source.name}: expected a list of objects such as {{'object': 'a', 'x': 0, 'y': 1}}.")
    frame = pd.DataFrame(records)
    cells = pd.DataFrame(
        {
            position: ["" if pd.isna(v) else str(v) for v in frame.iloc[:, position]]
            for position in range(frame.shape[1])
        },
        dtype=object,
    )
    return Table(source, tuple(str(column) for column in frame.columns), cells)


def _load_npy(source: Source) -> NDArray[Any]:
    try:
        with source.open() as stream:
            return np.asarray(np.load(stream, allow_pickle=False))
    except (ValueError, EOFError) as error:
        raise InvalidFileError(f"{source.name} is not an npy file of plain numbers.") from error


def _finite(name: str, values: NDArray[Any]) -> NDArray[np.float64]:
    if values.ndim != 2 or values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        raise InvalidFileError(
            f"{name}: expected a table of finite numbers, one row an object, got shape {values.shape}, {values.dtype}."
        )
    return values.astype(np.float64)
