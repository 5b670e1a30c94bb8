"""Tables of features: the numbers to be mapped, and beside them ids, labels and whatever else is known about the rows.

npy files are memory-mapped. Text and Parquet are read piece by piece, so that hardly more is held than the numbers
themselves, in four bytes each where that loses nothing.
"""

from collections.abc import Hashable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import InvalidFileError, InvalidParameterError, Parameter
from tete.io.array_files import read_array, read_arrays
from tete.io.feature_columns import Wanted, choose_columns, collect, refuse_first_row
from tete.io.pieces import parquet_pieces, text_pieces
from tete.io.sources import AnyPath, Source, kind_of
from tete.io.sparse_tables import is_sparse_file, sparse_table
from tete.io.tables import refuse_equal_names

__all__ = ["FeatureTable", "read_features"]

# Usual names in npz files, the likeliest first.
ARRAYS = ("X", "features", "data")
LABEL_ARRAYS = ("y", "label", "labels", "target")
ID_ARRAYS = ("ids", "id", "names", "object")


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Numbers, one row an object, and what else is known about the objects.

    Attributes
    ----------
    matrix : array, sparse matrix or data frame of shape (n_rows, n_features)
        The numbers; a data frame if there are gaps, texts or other values among them, for `TableEncoder`.
    feature_names : tuple of n_features str, or None
        Names of the columns, where they have any.
    names : tuple of n_rows names, or None
        What the rows are called, where they have ids.
    columns : mapping of names to arrays of n_rows values
        Labels and whatever else is known about the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tete import FeatureTable
    >>> table = FeatureTable(np.array([[1.0, 2.0], [3.0, 4.0]]), feature_names=("width", "height"))
    >>> list(table.X.columns)
    ['width', 'height']
    """

    matrix: Any
    feature_names: tuple[str, ...] | None = None
    names: tuple[Hashable, ...] | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def X(self) -> Any:  # noqa: N802  (so it is called everywhere)
        """What estimators take: the matrix, as a data frame (not copied) if it is dense and the features have names.

        Returns
        -------
        array, sparse matrix or data frame
            The numbers.
        """
        if self.feature_names is None or not isinstance(self.matrix, np.ndarray):
            return self.matrix
        import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

        return pd.DataFrame(self.matrix, columns=list(self.feature_names), copy=False)


def read_features(
    path: AnyPath,
    *,
    id_column: str | None = None,
    labels: Sequence[str] = (),
    drop: Sequence[str] = (),
    features: Sequence[str] | None = None,
    likely_labels: Sequence[str] = (),
    array: str | None = None,
    mixed: bool = False,
    header: bool = True,
    encoding: str = "utf-8",
) -> FeatureTable:
    r"""Read features from a CSV, TSV, Parquet, npy or npz file (also scipy's sparse npz), or from standard input.

    What is no id, no label and not left out must be a finite number, without separators of thousands, unless the table
    may be `mixed`. Decimal commas are understood where commas do not separate the columns and no number has a point.

    Parameters
    ----------
    path : str or path
        The file; "-" reads text from standard input.
    id_column : column name or number from 1, optional
        What names the rows. By default a column object, name, id, key or index, or a first one without a name.
    labels : sequence of column names or numbers, default=()
        Columns that are no features but are kept. Columns label, labels, class and target always are. Of an npz file
        every array with an entry for each row is kept, `y` under the name label.
    drop : sequence of column names or numbers, default=()
        Columns to leave out.
    features : sequence of column names, optional
        The features, in this order, where they are known; then all other columns are kept like labels.
    likely_labels : sequence of column names, default=()
        Columns that are labels if they are there.
    array : str, optional
        Which array of an npz file has the features: by default X, features, data or the only table there is.
    mixed : bool, default=False
        Whether features of text and Parquet files may also be texts, dates or missing; then the table is a data frame
        where they are, as `TableEncoder` takes it.
    header : bool, default=True
        Whether the first line has the names of the columns.
    encoding : str, default="utf-8"
        Of a text file; byte order marks are understood anyway.

    Returns
    -------
    FeatureTable
        The numbers, and beside them names, labels and whatever else is known about the rows.

    Raises
    ------
    InvalidFileError
        If the file cannot be used; the message has the line and the column.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tete import read_features
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "table.csv")
    ...     _ = path.write_text("id,width,height,class\na,1,2.5,rose\nb,3,4,tulip\n")
    ...     table = read_features(path)
    >>> table.matrix.tolist(), table.names, list(table.columns)
    ([[1.0, 2.5], [3.0, 4.0]], ('a', 'b'), ['class'])
    """
    kind = kind_of(path, ("text", "parquet", "npy", "npz"), packed=True)
    if array is not None and kind != "npz":
        raise InvalidParameterError(Parameter("array"), f" is for npz files, got {array!r} with {path}.")
    source = Source.of(path)
    if kind == "npy":
        return FeatureTable(_as_table(source.name, read_array(source)))
    if kind == "npz":
        return _read_npz(source, array, id_column, labels, drop)
    head, reader = text_pieces(source, encoding=encoding, header=header) if kind == "text" else parquet_pieces(source)
    if kind == "text" and header:
        refuse_first_row(head)
    refuse_equal_names(head)
    wanted = Wanted(
        id_column, tuple(labels), tuple(drop), None if features is None else tuple(features), tuple(likely_labels)
    )
    columns = choose_columns(head, wanted)
    with closing(reader(columns.features, columns.texts)) as pieces:
        values, ids, others = collect(pieces, columns, head.columns, mixed=mixed)
    if len(values) == 0:
        raise InvalidFileError(f"{source.name} has no rows: expected one object a line.")
    chosen = tuple(head.columns[position] for position in columns.features) if header else None
    return FeatureTable(values, chosen, ids, others)


def _as_table(where: str, values: NDArray[Any]) -> NDArray[Any]:
    """Rows of numbers; images and the like become rows without a copy."""
    if values.dtype.kind not in "biuf" or values.ndim < 2 or values.size == 0:
        raise InvalidFileError(
            f"{where}: expected a table of numbers, one row an object, got shape {values.shape}, {values.dtype}."
        )
    return values.reshape(len(values), -1)


def _read_npz(
    source: Source, array: str | None, id_column: str | None, labels: Sequence[str], drop: Sequence[str]
) -> FeatureTable:
    arrays = read_arrays(source)
    if is_sparse_file(arrays):
        return _with_columns(source.name, sparse_table(source, arrays), {}, id_column, labels)
    chosen = _feature_array(source.name, arrays, array)
    values = _as_table(f"{source.name}, array {chosen!r}", arrays.pop(chosen))
    columns = {name: values for name, values in arrays.items() if name not in drop}
    return _with_columns(source.name, values, columns, id_column, labels)


def _feature_array(file: str, arrays: dict[str, NDArray[Any]], wanted: str | None) -> str:
    tables = [name for name, values in arrays.items() if values.ndim > 1 and values.dtype.kind in "biuf"]
    known = [name for name in ARRAYS if name in arrays] or (tables if len(tables) == 1 else [])
    if wanted in arrays or (wanted is None and known):
        return wanted or known[0]
    listed = ", ".join(f"{name!r} {values.shape}" for name, values in arrays.items())
    if wanted is not None:
        raise InvalidFileError(f"{file}: there is no array {wanted!r} among {listed}.")
    raise InvalidFileError(
        f"{file}: expected an array X of features; name another with ", Parameter("array"), f" among {listed}."
    )


def _with_columns(
    file: str, values: Any, arrays: dict[str, NDArray[Any]], id_column: str | None, labels: Sequence[str]
) -> FeatureTable:
    """The table with the arrays that have an entry for each row."""
    n_rows, n_features = values.shape
    for name in (*labels, *([id_column] if id_column else [])):
        if name not in arrays or arrays[name].shape != (n_rows,):
            listed = ", ".join(map(repr, arrays)) or "(none)"
            raise InvalidFileError(f"{file}: expected an array {name!r} of {n_rows} entries among {listed}.")
    by_row = {name: entries for name, entries in arrays.items() if entries.shape == (n_rows,)}
    key = id_column or next((name for name in ID_ARRAYS if name in by_row), None)
    ids = None if key is None else tuple(str(entry) for entry in by_row.pop(key))
    if ids is not None and (len(set(ids)) < n_rows or "" in ids):
        wrong = "an empty one" if "" in ids else "some more than once"
        raise InvalidFileError(f"{file}, array {key!r}: ids must differ, got {wrong}.")
    names = next((arrays[name] for name in ("feature_names", "names") if name in arrays and name != key), None)
    fits = names is not None and names.shape == (n_features,) and isinstance(values, np.ndarray)
    in_order = [*labels, *(name for name in by_row if name not in labels)]
    columns = {"label" if name in LABEL_ARRAYS else name: by_row[name] for name in in_order if name in by_row}
    return FeatureTable(values, tuple(map(str, names)) if fits and names is not None else None, ids, columns)
