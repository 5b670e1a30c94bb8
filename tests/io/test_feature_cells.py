import numpy as np
import pandas as pd
import pytest

from tete.exceptions import InvalidFileError
from tete.io import pieces, read_features

MIXED = "id,width,kind,day\na,1,x,2020-01-01\nb,NA,,2020-01-02\nc,2.5,y,?\n"


def test_mixed_cells_become_a_data_frame(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(MIXED)
    table = read_features(path, mixed=True)
    assert isinstance(table.matrix, pd.DataFrame)
    assert table.X is table.matrix
    np.testing.assert_array_equal(table.matrix["width"], [1.0, np.nan, 2.5])
    assert table.matrix["kind"].tolist() == ["x", None, "y"]
    assert table.matrix["day"].tolist() == ["2020-01-01", "2020-01-02", None]
    assert table.names == ("a", "b", "c")
    with pytest.raises(InvalidFileError, match="line 2, column 'kind': 'x' is not a number"):
        read_features(path)


def test_numbers_alone_stay_an_array(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    assert read_features(path, mixed=True).matrix.dtype == np.float32


def test_pieces_of_either_kind_are_joined(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "CELLS_IN_A_PIECE", 2)  # pieces of 64 rows
    lines = [f"{n},{n % 7}" for n in range(300)]
    lines[200], lines[250] = "200,many", "NA,3"
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "\n".join(lines) + "\n")
    table = read_features(path, mixed=True).matrix
    expected = np.arange(300.0)
    expected[250] = np.nan
    np.testing.assert_array_equal(table["a"], expected)
    assert table["b"].tolist()[:9] == ["0", "1", "2", "3", "4", "5", "6", "0", "1"]
    assert table["b"][200] == "many"


def test_a_mistake_among_many_numbers_is_named_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "CELLS_IN_A_PIECE", 2)
    lines = [str(n * 0.5) for n in range(200)]
    lines[150] = "12o"
    path = tmp_path / "table.csv"
    path.write_text("a\n" + "\n".join(lines) + "\n")
    with pytest.raises(InvalidFileError, match=r"line 152, column 'a': '12o' is not a number"):
        read_features(path, mixed=True)


def test_decimal_commas_and_gaps(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a;b\n1,5;x\n;y\n2,5;x\n")
    table = read_features(path, mixed=True).matrix
    np.testing.assert_array_equal(table["a"], [1.5, np.nan, 2.5])


def test_dates_of_parquet_stay_dates(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {"day": pd.date_range("2020-01-01", periods=3), "size": [1.0, None, 3.0], "kind": ["a", None, "b"]}
    )
    frame.to_parquet(tmp_path / "table.parquet")
    table = read_features(tmp_path / "table.parquet", mixed=True).matrix
    assert pd.api.types.is_datetime64_any_dtype(table["day"].dtype)
    np.testing.assert_array_equal(table["size"], [1.0, np.nan, 3.0])
    assert table["kind"].tolist() == ["a", None, "b"]
