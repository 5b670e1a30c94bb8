"""Files of answers and of maps: what is written is read back, and every mistake is one sentence with its place.

`io.answer_files` and `io.map_files` stand on `io.sources`, `io.records`, `io.headers`, `io.text_tables` and
`io.writing`.
"""

import io
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import random_triplets
from tete import Triplets
from tete.exceptions import DroppedAnswersWarning, InvalidFileError, OutputExistsError
from tete.io import read_answers, read_map, write_answers, write_map
from tete.io.object_tables import read_columns
from tete.io.writing import atomic_write, check_output

FRUIT = [("apple", "pear", "plum"), ("pear", "apple", "plum"), ("plum", "pear", "apple")]


def named(triplets):
    return [tuple(triplets.name_of(number) for number in row) for row in triplets.to_array()]


class TestHeaders:
    @pytest.mark.parametrize(
        "content",
        [
            "anchor,near,far\napple,pear,plum\npear,apple,plum\nplum,pear,apple\n",
            "far,Anchor,NEAR\nplum,apple,pear\nplum,pear,apple\napple,plum,pear\n",
            "head,winner,loser,puid\napple,pear,plum,x\npear,apple,plum,x\nplum,pear,apple,y\n",
            "winner,loser,center\npear,plum,apple\napple,plum,pear\npear,apple,plum\n",
            "i,j,k\napple,pear,plum\npear,apple,plum\nplum,pear,apple\n",
            "anchor;near;far\r\napple;pear;plum\r\npear;apple;plum\r\nplum;pear;apple\r\n",
            "anchor\tnear\tfar\napple\tpear\tplum\npear\tapple\tplum\nplum\tpear\tapple\n",
            '\ufeff"anchor","near","far"\n"apple","pear","plum"\n"pear","apple","plum"\n\n"plum","pear","apple"',
            "anchor, near, far\napple , pear, plum\n\n  pear,apple,plum\nplum,pear,apple\n,,\n",
            "center,left,right,answer\napple,pear,plum,pear\npear,plum,apple,apple\nplum,apple,pear,pear\n",
            "center,left,right,answer\napple,pear,plum,left\npear,plum,apple,Right\nplum,apple,pear,right\n",
            "anchor,first,second,answer\napple,pear,plum,1\npear,plum,apple,-1\nplum,apple,pear,-1\n",
            "anchor,first,second,answer\napple,pear,plum,1\npear,plum,apple,0\nplum,apple,pear,0\n",
        ],
    )
    def test_every_spelling_gives_the_same_answers(self, file, content):
        assert named(read_answers(file(content))) == FRUIT

    def test_utf_16_as_excel_writes_it(self, file):
        content = "anchor\tnear\tfar\nété\tpear\tplum\n"
        assert named(read_answers(file(content, encoding="utf-16"))) == [("été", "pear", "plum")]

    def test_names_with_everything_in_them(self, file):
        content = 'anchor,near,far\n"Brown Rice, Oat","a ""b""\nc",<script>\n'
        assert named(read_answers(file(content))) == [("Brown Rice, Oat", 'a "b"\nc', "<script>")]

    def test_columns_by_name_and_by_number(self, file):
        path = file("w,l,c\npear,plum,apple\napple,plum,pear\npear,apple,plum\n")
        assert named(read_answers(path, columns=["c", "w", "l"])) == FRUIT
        assert named(read_answers(path, columns=["3", "1", "2"])) == FRUIT

    def test_without_a_header(self, file):
        path = file("0,1,2\n1,0,2\n")
        assert read_answers(path, header=False).to_array().tolist() == [[0, 1, 2], [1, 0, 2]]
        assert read_answers(path, header=False, columns=["3", "1", "2"]).to_array()[0].tolist() == [2, 0, 1]

    @pytest.mark.parametrize(
        "content",
        [
            "first,second,odd\na,b,c\nd,a,b\n",
            "object1,object2,object3,odd\nc,a,b,c\na... ,b,d,b\n".replace("... ", ""),
        ],
    )
    def test_odd_one_out(self, file, content):
        triplets = read_answers(file(content))
        assert len(triplets) == 4
        assert sorted(named(triplets)[:2]) == [("a", "b", "c"), ("b", "a", "c")]
        assert triplets.answer_numbers().tolist() == [0, 0, 1, 1]

    def test_odd_one_out_by_columns(self, file):
        triplets = read_answers(file("p,q,r\na,b,c\n"), columns=["p", "q", "r"], odd_one_out=True)
        assert sorted(named(triplets)) == [("a", "b", "c"), ("b", "a", "c")]

    def test_weights_annotators_and_answers(self, file):
        content = "answer,anchor,near,far,weight,worker_id\n7,0,1,2,0.5,ann\n7,1,0,2,2,bob\n8,2,1,0,1e1,ann\n"
        triplets = read_answers(file(content))
        assert triplets.weights.tolist() == [0.5, 2, 10]
        assert triplets.annotators.tolist() == ["ann", "bob", "ann"]
        assert triplets.answer_numbers().tolist() == [0, 0, 1]

    def test_details_by_option(self, file):
        path = file("anchor,near,far,w,who\n0,1,2,3,ann\n")
        triplets = read_answers(path, weight="w", annotator="who")
        assert triplets.weights.tolist() == [3]
        assert triplets.annotators.tolist() == ["ann"]

    def test_undecided_answers_are_left_out_and_counted(self, file):
        path = file("center,left,right,answer,worker\n0,1,2,1,x\n1,0,2,not sure,y\n2,1,0,,z\n")
        with pytest.warns(DroppedAnswersWarning, match="2 of 3 answers were left out: undecided"):
            triplets = read_answers(path)
        assert triplets.to_array().tolist() == [[0, 1, 2]]
        assert triplets.annotators.tolist() == ["x"]


class TestObjects:
    def test_whole_numbers_are_object_numbers(self, file):
        triplets = read_answers(file("anchor,near,far\n5,01,2\n0,01,2\n"))
        assert triplets.names is None
        assert triplets.to_array().tolist() == [[5, 1, 2], [0, 1, 2]]

    def test_sparse_numbers_are_ids(self, file):
        triplets = read_answers(file("anchor,near,far\n90210,1001,55555\n"))
        assert triplets.names == (1001, 55555, 90210)
        assert triplets.to_array().tolist() == [[2, 0, 1]]

    def test_numbers_among_names_are_names(self, file):
        assert read_answers(file("anchor,near,far\n112,abba,311\n")).names == ("112", "311", "abba")

    def test_the_names_of_a_map_keep_their_numbers(self, file):
        path = file("anchor,near,far\nplum,pear,apple\n")
        triplets = read_answers(path, names=["kiwi", "plum", "pear", "apple"])
        assert triplets.to_array().tolist() == [[1, 2, 3]]
        with pytest.raises(
            InvalidFileError, match=r"line 2, column 'far': 'apple': not among the 3 objects of the map"
        ):
            read_answers(path, names=["kiwi", "plum", "pear"])


BAD = [
    ("", r"table\.csv is empty: expected a header line"),
    ("\n  \n", r"table\.csv is empty"),
    ("anchor,near,far\n", r"has a header but no rows"),
    ("anchor near far\n0 1 2\n", r"line 1: expected at least 3 columns separated by one of comma, semicolon, tab, bar"),
    (
        "anchor,near,far\n0,1,2\n0,1,2,3\n",
        r"line 3: expected 3 columns as in the first line, got 4; names that contain a",
    ),
    ("anchor,near,far\n0,1,2,3,4\n0,1,2\n", r"line 2: expected 3 columns as in the first line, got 5"),
    ("anchor,near,far\n0,1,2,3\n0,1,2\n", r"line 2: expected 3 columns as in the first line, got 4"),
    (
        "anchor,near,far\n0,1,2\n\n0,1\n0,1\n",
        r"line 4, column 'far': '': empty, expected the name.*\(2 such lines; skip_invalid=True",
    ),
    ("a1,near,far\n0,1,2\n", r"line 1: expected columns anchor, near, far .* got 'a1', 'near', 'far'"),
    ("anchor,head,near,far\n0,1,2,3\n", r"columns 'anchor' and 'head' can both be the anchor column"),
    ("anchor,near,far\nx,y,z\nx,x,z\n", r"line 3: 'x', 'x', 'z': an object cannot be compared with itself \(1 such"),
    ('anchor,near,far\n"a\nb",y,z\nx,x,z\n', r"line 4: 'x', 'x', 'z': an object"),
    ("anchor,near,far,weight\n0,1,2,-1\n", r"line 2, column 'weight': '-1': not a weight, expected a number from 0 on"),
    ("anchor,near,far,weight\n0,1,2,much\n", r"line 2, column 'weight': 'much': not a weight"),
    ("anchor,near,far,worker\n0,1,2,\n", r"line 2, column 'worker': '': empty, expected the annotator"),
    ("center,left,right,answer\n0,1,2,5\n", r"line 2, column 'answer': '5': not an answer, expected one of the two"),
    ("first,second,third,odd\n0,1,2,3\n", r"line 2, column 'odd': '3': the odd one is not one of the three shown"),
    (b"anchor,near,far\n0,1,2\n\xe9t\xe9,1,2\n", r"line 3: byte 1 is not utf-8 text; save the file as UTF-8"),
    (bytes(range(256)) * 9, r"is not a text file"),
]


class TestBadFiles:
    @pytest.mark.parametrize(("content", "message"), BAD)
    def test_one_clear_sentence(self, file, content, message):
        with pytest.raises(InvalidFileError, match=message):
            read_answers(file(content))

    def test_unknown_columns_and_encodings(self, file):
        path = file("anchor,near,far\n0,1,2\n")
        with pytest.raises(InvalidFileError, match="there is no column 'head' among 'anchor', 'near', 'far'"):
            read_answers(path, columns=["head", "near", "far"])
        with pytest.raises(InvalidFileError, match="`columns` must be three names or numbers, got 2: near, far"):
            read_answers(path, columns=["near", "far"])
        with pytest.raises(InvalidFileError, match="there is no column 'w'"):
            read_answers(path, weight="w")
        with pytest.raises(InvalidFileError, match="`encoding` must be one Python knows, got 'klingon'"):
            read_answers(path, encoding="klingon")

    def test_an_older_encoding_on_request(self, file):
        path = file("anchor;near;far\nété;b;c\n", encoding="cp1252")
        assert "été" in read_answers(path, encoding="cp1252").names

    def test_missing_file_folder_and_unknown_extension(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            read_answers(tmp_path / "none.csv")
        (tmp_path / "folder.csv").mkdir()
        with pytest.raises(IsADirectoryError):
            read_answers(tmp_path / "folder.csv")
        with pytest.raises(InvalidFileError, match=r"the extension must be one of \.csv, .*, got '\.xlsx'"):
            read_answers(tmp_path / "answers.xlsx")

    def test_invalid_lines_are_left_out_on_request(self, file):
        path = file("anchor,near,far\na,b,c\na,a,c\n,b,c\n")
        with pytest.warns(DroppedAnswersWarning) as caught:
            assert named(read_answers(path, skip_invalid=True)) == [("a", "b", "c")]
        assert [str(each.message)[:14] for each in caught] == ["1 of 3 answers"] * 2
        with (
            pytest.warns(DroppedAnswersWarning),
            pytest.raises(InvalidFileError, match="no answer is left, 1 was left out"),
        ):
            read_answers(file("anchor,near,far\na,a,c\n"), skip_invalid=True)

    @pytest.mark.parametrize("name", ["answers.npz", "answers.npy", "answers.parquet"])
    def test_garbage_in_binary_formats(self, file, name):
        with pytest.raises(InvalidFileError, match=r"is not a whole (npz|npy|Parquet) file"):
            read_answers(file(b"garbage" * 50, name))

    def test_pickles_are_refused(self, tmp_path):
        np.save(tmp_path / "answers.npy", np.array([{}, 1, 2], dtype=object), allow_pickle=True)
        with pytest.raises(InvalidFileError, match="plain numbers: an array has the type object"):
            read_answers(tmp_path / "answers.npy")


class TestOtherFormats:
    def test_standard_input(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"head,winner,loser\na,b,c\nb,b,c\n")))
        with pytest.raises(InvalidFileError, match="standard input, line 3: 'b', 'b', 'c': an object"):
            read_answers("-")

    def test_npz_with_another_array(self, tmp_path):
        np.savez(tmp_path / "a.npz", triplets=[(0, 1, 2)], more=[(2, 1, 0)], names=["a", "b", "c"])
        assert named(read_answers(tmp_path / "a.npz")) == [("a", "b", "c")]
        assert named(read_answers(tmp_path / "a.npz", columns=["more"])) == [("c", "b", "a")]
        with pytest.raises(InvalidFileError, match="there is no array 'less' among 'triplets', 'more', 'names'"):
            read_answers(tmp_path / "a.npz", columns=["less"])

    def test_npy_with_a_bad_row(self, tmp_path):
        np.save(tmp_path / "a.npy", [(0, 1, 2), (0, 0, 1)])
        with pytest.warns(DroppedAnswersWarning, match="1 of 2 answers was left out: an object cannot"):
            assert len(read_answers(tmp_path / "a.npy", skip_invalid=True)) == 1
        with pytest.raises(
            InvalidFileError,
            match=r"a\.npy, array 'triplets', row 1 is \(0, 0, 1\): .*1 such row; skip_invalid=True leaves them out\)",
        ):
            read_answers(tmp_path / "a.npy")

    def test_parquet_with_gaps(self, tmp_path):
        pytest.importorskip("pyarrow")
        pd.DataFrame({"anchor": [0, 1], "near": [1, None], "far": [2, 2]}).to_parquet(tmp_path / "a.parquet")
        with pytest.raises(InvalidFileError, match="row 1, column 'near': '': empty"):
            read_answers(tmp_path / "a.parquet")

    @pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.npz", "a.parquet"])
    @given(seed=st.integers(0, 50), with_names=st.booleans())
    def test_what_is_written_is_read_back(self, tmp_path_factory, name, seed, with_names):
        rng = np.random.default_rng(seed)
        names = ["naïve, café", 'the "best"', "<b>", "x;y", "  inner  space".strip()] if with_names else None
        details = {"weights": rng.random(20), "annotators": [f"p{n}" for n in rng.integers(3, size=20)]}
        triplets = random_triplets(rng, 5, 20, names=names, groups=[str(n) for n in range(20)], **details)
        path = tmp_path_factory.mktemp("answers") / name
        write_answers(path, triplets)
        again = read_answers(path, names=names)
        assert named(again) == named(triplets)
        np.testing.assert_array_equal(again.weights, triplets.weights)
        assert again.annotators.tolist() == triplets.annotators.tolist()
        assert again.groups.tolist() == triplets.groups.tolist()


class TestMaps:
    @pytest.mark.parametrize("name", ["m.csv", "m.tsv", "m.json", "m.parquet"])
    @pytest.mark.parametrize("n_components", [1, 2, 3, 5])
    def test_what_is_written_is_read_back(self, tmp_path, rng, name, n_components):
        embedding = rng.normal(size=(4, n_components))
        names = ["é", "a,b", '"q"', "</script>"]
        columns = {"label": ["x", "y", "x", "z;"], "size": [1.0, 2.5, np.nan, 4.0]}
        write_map(tmp_path / name, embedding, names, columns)
        again = read_map(tmp_path / name)
        np.testing.assert_array_equal(again.embedding, embedding)
        assert again.names == tuple(names)
        assert again.columns["label"].tolist() == columns["label"]
        np.testing.assert_array_equal(again.columns["size"], columns["size"])

    def test_npy_has_places_alone(self, tmp_path, rng):
        embedding = rng.normal(size=(4, 2))
        write_map(tmp_path / "m.npy", embedding, list("abcd"))
        again = read_map(tmp_path / "m.npy")
        np.testing.assert_array_equal(again.embedding, embedding)
        assert again.names is None
        assert again.name_texts == ["0", "1", "2", "3"]

    def test_a_map_of_another_program(self, file):
        again = read_map(file("id,UMAP_2,UMAP_1,cell\na,1,2,T\nb,3,4,B\n", "m.csv"))
        assert again.embedding.tolist() == [[2, 1], [4, 3]]
        assert again.names == ("a", "b")
        assert again.columns["cell"].tolist() == ["T", "B"]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("object,p,q\na,1,2\n", r"line 1: expected a map with columns x and y"),
            ("object,x,y\na,1,2\nb,1,one\n", r"line 3, column 'y': 'one' is not a number: expected a coordinate"),
            ("object,x,y\na,1,nan\n", r"line 2, column 'y': 'nan' is not a number"),
            ("object,x,y\na,1,2\na,1,2\n", r"line 3, column 'object': 'a' is there already: names must differ"),
        ],
    )
    def test_bad_maps(self, file, content, message):
        with pytest.raises(InvalidFileError, match=message):
            read_map(file(content, "map.csv"))

    def test_bad_binary_and_json_maps(self, file, tmp_path):
        with pytest.raises(InvalidFileError, match="is not JSON"):
            read_map(file("{", "m.json"))
        with pytest.raises(InvalidFileError, match="expected a list of objects"):
            read_map(file("{}", "m.json"))
        with pytest.raises(InvalidFileError, match="is not a whole npy file"):
            read_map(file("garbage", "m.npy"))
        np.save(tmp_path / "n.npy", [1.0, np.nan])
        with pytest.raises(InvalidFileError, match=r"expected a table of finite numbers.* got shape \(2,\), float64"):
            read_map(tmp_path / "n.npy")

    def test_columns_about_the_objects(self, file):
        path = file("index,name,genre\n0,112,soul\n1,abba,pop\n2,1,rock\n", "artists.csv")
        assert read_columns(path, ["1", "0"])["name"].tolist() == ["abba", "112"]
        assert read_columns(path, ["abba", "x"])["genre"].tolist() == ["pop", ""]
        with pytest.raises(InvalidFileError, match=r"no row names an object of the map, expected names such as 'q'"):
            read_columns(path, ["q"])


class TestWriting:
    def test_nothing_is_overwritten_unless_forced(self, file):
        path = file("mine", "map.csv")
        with pytest.raises(OutputExistsError, match=r"map\.csv exists already: force=True overwrites it"):
            write_map(path, [(0.0, 1.0)])
        assert path.read_text() == "mine"
        write_map(path, [(0.0, 1.0)], force=True)
        assert path.read_text() == "object,x,y\n0,0.0,1.0\n"

    @pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
    def test_an_interruption_leaves_the_old_file_and_no_other(self, file, tmp_path, error):
        path = file("mine", "map.csv")

        def interrupted():
            with atomic_write(path, force=True) as stream:
                stream.write(b"half")
                raise error

        with pytest.raises(error) as caught:
            interrupted()
        assert getattr(caught.value, "filename", str(path)) == str(path)
        assert [each.name for each in tmp_path.iterdir()] == ["map.csv"]
        assert path.read_text() == "mine"

    def test_permissions_are_the_usual_ones(self, tmp_path):
        (tmp_path / "usual").touch()
        write_map(tmp_path / "map.csv", [(0.0, 1.0)])
        assert (tmp_path / "map.csv").stat().st_mode == (tmp_path / "usual").stat().st_mode

    def test_bad_places_are_refused_at_once(self, tmp_path):
        with pytest.raises(IsADirectoryError):
            check_output(tmp_path, force=True)
        with pytest.raises(FileNotFoundError, match="folder to write to does not exist"):
            check_output(tmp_path / "no" / "map.csv", force=False)
        with pytest.raises(InvalidFileError, match=r"must be one of \.png, \.svg, got '\.gif'"):
            check_output(tmp_path / "map.gif", force=False, allowed=(".png", ".svg"))

    def test_maps_must_be_finite(self, tmp_path):
        with pytest.raises(ValueError, match="NaN"):
            write_map(tmp_path / "map.csv", [(0.0, np.nan)])
        assert list(tmp_path.iterdir()) == []


def test_triplets_without_details_are_written_plainly(tmp_path):
    write_answers(tmp_path / "a.csv", Triplets.from_array([(0, 1, 2)]))
    assert (tmp_path / "a.csv").read_text() == "anchor,near,far\n0,1,2\n"
