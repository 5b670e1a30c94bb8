"""Files of features: every kind gives the same table, and every mistake is one sentence with its place.

Also of `io.feature_columns`, which says what a column is, and `io.pieces`, which reads large files.
"""

import io
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from tete.exceptions import InvalidFileError
from tete.io import pieces, read_features

TEXT = "id,width,height,species\na,1,2.5,rose\nb,3,4,tulip\nc,-1e3,0.1,rose\n"
VALUES = [[1.0, 2.5], [3.0, 4.0], [-1000.0, 0.1]]


def check(table):
    np.testing.assert_array_equal(table.matrix, VALUES)
    assert table.feature_names == ("width", "height")
    assert table.names == ("a", "b", "c")
    assert table.columns["species"].tolist() == ["rose", "tulip", "rose"]
    assert list(table.X.columns) == ["width", "height"]


class TestText:
    @pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
    def test_separators_and_byte_order_marks(self, file, separator, encoding):
        check(read_features(file(TEXT.replace(",", separator).encode(encoding)), labels=["species"]))

    def test_quotes_blank_lines_and_spaces(self, file):
        text = '"id", "width","height" ,species\n"a", 1 ,2.5,"rose"\n\nb,3,4,tulip\nc,-1e3,0.1,rose\n,,,\n'
        check(read_features(file(text), labels=["species"]))

    @pytest.mark.parametrize(
        ("text", "line", "row"),
        [
            ("a,b\n1,2\n\n,\n3,4\n,\n", 4, 1),
            ("a,b\n1,2\n3,4\n  ,''\n , \n3,4\n".replace("''", '""'), 4, 2),
            ("k;b\n;\nx;2\n", 2, 0),
            ("a\n1\n\n3\n", 3, 1),
            ('a\n1\n""\n3\n', 3, 1),
        ],
    )
    @pytest.mark.parametrize("mixed", [True, False])
    def test_rows_of_separators_amid_the_table_are_rows(self, file, monkeypatch, text, line, row, mixed):
        for cells in (pieces.CELLS_IN_A_PIECE, 1):  # all rows in one piece, or 64 in each
            monkeypatch.setattr(pieces, "CELLS_IN_A_PIECE", cells)
            beginning, rest = text.split("\n", 1)
            first = "7;1\n" if ";" in text else "7,1\n" if "," in text else "7\n"
            longer = beginning + "\n" + 62 * first + rest
            with pytest.raises(InvalidFileError, match=f"line {line + 62}: Row {row + 62} of `X` has no cell to go by"):
                read_features(file(longer), mixed=mixed)

    def test_blank_lines_are_none(self, file):
        assert read_features(file("a,b\n\n1,2\n\n  \n3,4\n\n,\n\n")).matrix.tolist() == [[1, 2], [3, 4]]
        assert read_features(file("a\n1\n3\n\n\n")).matrix.tolist() == [[1], [3]]

    def test_decimal_commas_between_semicolons(self, file):
        check(read_features(file(TEXT.replace(",", ";").replace(".", ",")), labels=["species"]))

    def test_decimal_commas_with_empty_lines_below(self, file):
        text = TEXT.replace(",", ";").replace(".", ",") + ";;;\n;;;\n"
        check(read_features(file(text), labels=["species"]))

    def test_standard_input(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
        check(read_features("-", labels=["species"]))

    def test_columns_by_number_and_without_header(self, file):
        table = read_features(file("7,1,2\n8,3,4\n"), header=False, id_column="1")
        assert table.names == ("7", "8")
        assert table.feature_names is None
        assert table.matrix.tolist() == [[1, 2], [3, 4]]

    def test_labels_and_ids_are_found_by_name(self, file):
        table = read_features(file("Name,a,Class,target\nu,1,x,0\nv,2,y,1\n"))
        assert table.feature_names == ("a",)
        assert table.names == ("u", "v")
        assert {name: values.tolist() for name, values in table.columns.items()} == {
            "Class": ["x", "y"],
            "target": [0, 1],
        }

    def test_labels_keep_their_spelling(self, file):
        table = read_features(file("id,a,label\n007,1,NA\n008,2,\n"))
        assert table.names == ("007", "008")
        assert table.columns["label"].tolist() == ["NA", ""]

    def test_known_features_in_any_order(self, file):
        table = read_features(file("extra,b,a\nx,1,2\n"), features=["a", "b"])
        assert table.matrix.tolist() == [[2, 1]]
        assert table.columns["extra"].tolist() == ["x"]

    def test_many_pieces_are_one_table(self, file, monkeypatch, rng):
        values = rng.normal(size=(500, 3))
        values[:100] = np.round(values[:100])  # pieces that fit into four bytes, and pieces that do not
        text = pd.DataFrame(values).assign(id=[f"n{row}" for row in range(500)]).to_csv(index=False)
        monkeypatch.setattr(pieces, "CELLS_IN_A_PIECE", 4 * 64)
        table = read_features(file(text))
        np.testing.assert_array_equal(table.matrix, values)
        assert table.names == tuple(f"n{row}" for row in range(500))

    def test_whole_numbers_take_four_bytes(self, file):
        assert read_features(file("a,b\n0,255\n1,2\n")).matrix.dtype == np.float32
        assert read_features(file("a,b\n0,16777217\n1,2\n")).matrix.dtype == np.float64

    @given(arrays.arrays(np.float64, (4, 3), elements=st.floats(allow_nan=False, allow_infinity=False)))
    def test_every_bit_is_read(self, values):
        text = pd.DataFrame(values, columns=list("abc")).to_csv(index=False)
        stream = io.TextIOWrapper(io.BytesIO(text.encode()))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", stream)
            np.testing.assert_array_equal(read_features("-").matrix, values)


MISTAKES = [
    ("", {}, "is empty"),
    ("a,b\n", {}, "has no rows"),
    ("a,b\n1,2\n1,2,3\n", {}, "line 3: expected 2 columns"),
    (
        "a,b\n1,2\n\n3,red\n",
        {},
        r"line 4, column 'b': 'red' is not a number.*`id_column`, `labels` or `drop` \(here 'b'\)",
    ),
    ("a,b c\n1,\n", {}, "line 2, column 'b c': empty, expected a finite number.*drop=\\['b c'\\]"),
    ("a,b\n1\n", {}, "line 2, column 'b': empty"),
    ("a,b\n1,2\n3,nan\n", {}, "line 3, column 'b': nan, expected a finite number"),
    ("a,b\n1,2\n3,-inf\n", {}, "line 3, column 'b': -inf, expected a finite number"),
    ('a,b\n1,"2,5"\n', {}, "line 2, column 'b': '2,5' has a decimal comma"),
    ("a;b\n1,5;2.5\n", {}, "line 2, column 'a': '1,5' has a decimal comma"),
    ("a b\n1 2\n", {}, "line 2, column 'a b': '1 2' is not a number"),
    ("id,a\nu,1\nu,2\n", {}, "line 3, column 'id': 'u' is there already: ids must differ; labels=\\['id'\\]"),
    ("id,a\nu,1\n,2\n", {}, "line 3, column 'id': empty, expected the id"),
    ("id,label\nu,1\n", {}, "expected columns of numbers to map, got none"),
    ("a,b,a\n1,2,3\n", {}, "line 1: columns 1 and 3 are both called 'a': names of columns must differ"),
    ("a,b\n1,2\n", {"drop": ["c"]}, "there is no column 'c' among 'a', 'b'"),
    ("a,b\n1,2\n", {"features": ["a", "c", "d"]}, "2 of the 3 columns of the model are missing: 'c', 'd'"),
    (b"\x00\x01\x02", {}, "is not a text file"),
    (b"\xff\xd8a,b", {}, "is not utf-8 text"),
]


@pytest.mark.parametrize(("content", "options", "message"), MISTAKES)
def test_mistakes_in_text(file, content, options, message):
    with pytest.raises(InvalidFileError, match=message) as caught:
        read_features(file(content), **options)
    assert "table.csv" in str(caught.value)


class TestParquet:
    def test_read(self, tmp_path, file, monkeypatch):
        monkeypatch.setattr(pieces, "CELLS_IN_A_PIECE", 1)
        pd.read_csv(file(TEXT)).to_parquet(tmp_path / "t.parquet")
        check(read_features(tmp_path / "t.parquet", labels=["species"]))

    def test_the_index_of_a_frame_has_the_ids(self, tmp_path):
        pd.DataFrame({"gene": [1.5, 2.5]}, index=["cell a", "cell b"]).to_parquet(tmp_path / "t.parquet")
        table = read_features(tmp_path / "t.parquet")
        assert table.names == ("cell a", "cell b")
        assert table.matrix.tolist() == [[1.5], [2.5]]

    def test_mistakes(self, tmp_path):
        path = tmp_path / "t.parquet"
        pd.DataFrame({"a": [1, None, 3], "b": list("xyz")}).to_parquet(path)
        with pytest.raises(InvalidFileError, match="row 1, column 'a': nan"):
            read_features(path, drop=["b"])
        with pytest.raises(InvalidFileError, match="row 0, column 'b': 'x' is not a number"):
            read_features(path, drop=["a"])
        path.write_bytes(b"PAR1 and nothing else")
        with pytest.raises(InvalidFileError, match="is not a whole Parquet file"):
            read_features(path)

    def test_without_pyarrow(self, tmp_path, monkeypatch):
        (tmp_path / "t.parquet").touch()
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(ImportError, match=r"reading Parquet needs pyarrow: pip install 'tete\[parquet\]'"):
            read_features(tmp_path / "t.parquet")


class TestArrays:
    def test_npy_stays_on_the_disk(self, tmp_path, rng):
        np.save(tmp_path / "x.npy", rng.normal(size=(10, 3)))
        values = read_features(tmp_path / "x.npy").matrix
        while values.base is not None and not isinstance(values, np.memmap):
            values = values.base
        assert isinstance(values, np.memmap)
        assert not values.flags.writeable

    def test_images_become_rows(self, tmp_path):
        np.save(tmp_path / "x.npy", np.arange(24).reshape(2, 3, 4))
        assert read_features(tmp_path / "x.npy").matrix.tolist() == [list(range(12)), list(range(12, 24))]

    def test_npz_with_what_is_known_about_the_rows(self, tmp_path):
        details = {"y": [1, 0, 1], "names": list("abc"), "feature_names": ["p", "q"], "angle": [0.1, 0.2, 0.3]}
        np.savez(tmp_path / "x.npz", X=np.eye(3)[:, :2], class_names=["no", "yes"], **details)
        table = read_features(tmp_path / "x.npz", labels=["angle"])
        assert table.names == ("a", "b", "c")
        assert table.feature_names == ("p", "q")
        assert list(table.columns) == ["angle", "label"]
        assert table.columns["label"].tolist() == [1, 0, 1]
        assert list(read_features(tmp_path / "x.npz", drop=["y"]).columns) == ["angle"]

    def test_the_only_table_or_the_named_one(self, tmp_path):
        np.savez(tmp_path / "one.npz", gist=np.eye(3), y=[1, 2, 3])
        assert read_features(tmp_path / "one.npz").matrix.shape == (3, 3)
        np.savez(tmp_path / "two.npz", gist=np.eye(3), thumb=np.ones((3, 2, 2)))
        with pytest.raises(InvalidFileError, match=r"name another with `array` among 'gist' \(3, 3\), 'thumb'"):
            read_features(tmp_path / "two.npz")
        assert read_features(tmp_path / "two.npz", array="thumb").matrix.shape == (3, 4)
        with pytest.raises(InvalidFileError, match="there is no array 'gost' among 'gist'"):
            read_features(tmp_path / "two.npz", array="gost")

    def test_sparse(self, tmp_path):
        table = sparse.random(6, 5, 0.4, format="coo", random_state=0)
        sparse.save_npz(tmp_path / "s.npz", table)
        read = read_features(tmp_path / "s.npz").matrix
        assert sparse.issparse(read)
        assert read.format == "csr"
        np.testing.assert_array_equal(read.toarray(), table.toarray())

    def test_arrays_of_another_length(self, tmp_path):
        np.savez(tmp_path / "x.npz", X=np.eye(3), y=[1, 2])
        assert read_features(tmp_path / "x.npz").columns == {}
        with pytest.raises(InvalidFileError, match="expected an array 'y' of 3 entries among 'y'"):
            read_features(tmp_path / "x.npz", labels=["y"])
        np.savez(tmp_path / "x.npz", X=np.eye(3), ids=["a", "a", "b"])
        with pytest.raises(InvalidFileError, match="array 'ids': ids must differ"):
            read_features(tmp_path / "x.npz")

    @pytest.mark.parametrize("extension", ["npy", "npz"])
    def test_damage_and_pickles(self, tmp_path, extension):
        path = tmp_path / f"x.{extension}"
        save = np.save if extension == "npy" else np.savez
        save(path, np.ones((50, 4)))
        path.write_bytes(path.read_bytes()[:-500])
        with pytest.raises(InvalidFileError, match=f"is not a whole {extension} file"):
            read_features(path)
        save(path, np.array([[1, "a"]], dtype=object))
        with pytest.raises(InvalidFileError, match=f"is not a whole {extension} file"):
            read_features(path)
        path.write_bytes(b"something else")
        with pytest.raises(InvalidFileError, match=f"is not a whole {extension} file"):
            read_features(path)

    @pytest.mark.parametrize("values", [np.ones(3), np.array([["a"]]), np.empty((0, 3)), np.ones((2, 2)) * 1j])
    def test_what_is_no_table(self, tmp_path, values):
        np.save(tmp_path / "x.npy", values)
        with pytest.raises(InvalidFileError, match="expected a table of numbers, one row an object, got shape"):
            read_features(tmp_path / "x.npy")


def test_missing_files_folders_and_extensions(tmp_path):
    for name in ("none.csv", "none.npy", "none.npz", "none.parquet"):
        with pytest.raises(FileNotFoundError):
            read_features(tmp_path / name)
    for name in ("f.csv", "f.npy", "f.npz", "f.parquet"):
        (tmp_path / name).mkdir()
        with pytest.raises(IsADirectoryError):
            read_features(tmp_path / name)
    with pytest.raises(InvalidFileError, match=r"the extension must be one of .*\.npy, got '\.xlsx'"):
        read_features(tmp_path / "table.xlsx")
