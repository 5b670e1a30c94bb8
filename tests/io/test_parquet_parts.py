import numpy as np
import pandas as pd
import pytest

from tete.exceptions import InvalidFileError
from tete.io.feature_columns import Wanted
from tete.io.parquet_parts import joined_rows, parquet_parts, parquet_row_groups


@pytest.fixture
def path(tmp_path):
    frame = pd.DataFrame({"a": np.arange(10.0), "id": list("abcdefghij"), "b": np.arange(10), "kind": ["x", "y"] * 5})
    frame.to_parquet(tmp_path / "table.parquet", index=False, row_group_size=4)
    return tmp_path / "table.parquet"


def test_rows_of_some_groups(path):
    assert parquet_row_groups(path) == [4, 4, 2]
    wanted = Wanted(features=("b", "a"))
    pieces = list(parquet_parts(path, wanted, [1, 2], 4, mixed=False))
    np.testing.assert_array_equal(joined_rows(pieces), np.repeat(np.arange(4.0, 10.0), 2).reshape(6, 2))
    assert (pieces[0].first, sum(map(len, pieces)), pieces[0].id_column, pieces[0].names) == (4, 6, "id", ("b", "a"))
    assert pieces[0].beside.column_names == ["kind", "id"]
    some = pieces[0].taken(np.array([1, 3]))
    assert some.beside.column("id").to_pylist() == ["f", "h"]
    np.testing.assert_array_equal(some.cells[:, 0], [5.0, 7.0])


def test_cells_that_are_no_numbers(path):
    wanted = Wanted(drop=("id",))
    with pytest.raises(InvalidFileError, match=r"table\.parquet, row 8, column 'kind': 'x' is not a number"):
        list(parquet_parts(path, wanted, [2], 8, mixed=False))
    pieces = list(parquet_parts(path, wanted, [0, 1], 0, mixed=True))
    frame = joined_rows([piece.taken(np.array([0, 1])) for piece in pieces])
    assert frame["kind"].tolist()[:2] == ["x", "y"]
    assert list(frame.columns) == ["a", "b", "kind"]
