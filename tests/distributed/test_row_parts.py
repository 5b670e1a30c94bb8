import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tete.distributed.row_parts import ArrayPart, row_parts
from tete.exceptions import InvalidFileError, InvalidParameterError
from tete.io.feature_columns import Wanted
from tete.io.parquet_parts import joined_rows


def rows_of(parts):
    return joined_rows([piece for part in parts for piece in part.pieces(Wanted(), mixed=False)])


@settings(max_examples=25, deadline=None)
@given(n_rows=st.integers(1, 90), size=st.integers(1, 40), group=st.integers(1, 50))
def test_parts_have_every_row_once_and_in_order(tmp_path_factory, n_rows, size, group):
    folder = tmp_path_factory.mktemp("rows")
    table = np.arange(2.0 * n_rows, dtype=np.float32).reshape(n_rows, 2)
    pd.DataFrame(table, columns=["a", "b"]).to_parquet(folder / "table.parquet", index=False, row_group_size=group)
    np.save(folder / "table.npy", table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tete.distributed.row_parts.ROWS_IN_A_PART", size)
        patch.setattr("tete.distributed.row_parts.CELLS_IN_A_PIECE", 100)
        for source in (folder / "table.parquet", str(folder / "table.npy"), table):
            parts = row_parts(source)
            assert [part.first for part in parts] == np.cumsum([0, *(part.n_rows for part in parts)])[:-1].tolist()
            assert all(part.n_rows <= max(size, group) for part in parts)
            np.testing.assert_array_equal(rows_of(parts), table)
            assert len({part.name for part in parts}) == len(parts)


def test_what_travels_is_the_same(monkeypatch):
    monkeypatch.setattr("tete.distributed.row_parts.ROWS_IN_A_PART", 30)
    table = np.random.default_rng(0).normal(size=(100, 3))
    for part in row_parts(table):
        sent = pickle.loads(pickle.dumps(part.loaded()))
        assert isinstance(sent, ArrayPart)
        assert sent.array.shape == (part.n_rows, 3)
        assert sent.state() == part.state()
        np.testing.assert_array_equal(rows_of([sent]), table[part.first : part.first + part.n_rows])
        assert next(sent.pieces(Wanted(), mixed=False)).first == part.first
    changed = table.copy()
    changed[99] = 0.0
    assert [part.state() for part in row_parts(changed)][:3] == [part.state() for part in row_parts(table)][:3]
    assert row_parts(changed)[3].state() != row_parts(table)[3].state()


def test_images_are_rows():
    pictures = np.arange(24.0).reshape(3, 2, 4)
    np.testing.assert_array_equal(rows_of(row_parts(pictures)), pictures.reshape(3, 8))


def test_what_is_no_data_set(tmp_path):
    with pytest.raises(InvalidParameterError, match="one row an object, got shape"):
        row_parts(np.arange(3.0))
    np.save(tmp_path / "line.npy", np.arange(3.0))
    with pytest.raises(InvalidFileError, match=r"line\.npy: expected a table of numbers, one row an object"):
        row_parts(tmp_path / "line.npy")
    with pytest.raises(InvalidFileError, match=r"`source`, row 1, column 0: NaN"):
        rows_of(row_parts(np.array([[1.0], [np.nan]])))
    with pytest.raises(FileNotFoundError):
        row_parts(tmp_path / "absent.parquet")
    (tmp_path / "text.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidFileError, match="is not a whole Parquet file"):
        row_parts(tmp_path / "text.parquet")
