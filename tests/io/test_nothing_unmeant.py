"""Nothing is read otherwise than it was meant: numbers, columns, headers, names and ids.

Of `comparisons.object_ids`, `comparisons.detail_columns`, `io.headers`, `io.coordinates`, `io.object_numbers`,
`io.object_tables` and their readers.
"""

import json

import numpy as np
import pandas as pd
import pytest

from command import tete
from tete import read_answers, read_features, read_map, write_answers, write_map
from tete.comparisons.object_ids import numbers_of_ids
from tete.exceptions import InvalidFileError, InvalidParameterError
from tete.io.object_numbers import numbers_of_texts
from tete.io.object_tables import as_column, read_columns


class TestNumbers:
    @pytest.mark.parametrize("text", ['"1,000"', "1_000", "1 000", "0x10", "\uff11"])
    def test_no_separators_of_thousands(self, file, text):
        with pytest.raises(InvalidFileError, match=r"line 2, column 'weight': .*: not a weight"):
            read_answers(file(f"anchor,near,far,weight\na,b,c,{text}\n"))
        with pytest.raises(InvalidFileError, match=r"line 2, column 'y': .* is not a number: expected a coordinate"):
            read_map(file(f"object,x,y\na,1,{text}\n", "m.csv"))
        with pytest.raises(InvalidFileError, match="line 3, column 'b'"):
            read_features(file(f"a,b\n1,2\n3,{text}\n"))

    def test_decimal_commas_where_commas_separate_nothing(self, file):
        path = file("anchor;near;far;weight\na;b;c;1,5\nb;a;c;2\n")
        assert read_answers(path).weights.tolist() == [1.5, 2.0]
        assert read_map(file("x;y\n1,5;-2,25\n", "m.csv")).embedding.tolist() == [[1.5, -2.25]]
        with pytest.raises(InvalidFileError, match="line 2, column 'x': '1,5' is not a number"):
            read_map(file("x;y\n1,5;2\n1.5;2\n", "m.csv"))

    def test_labels_that_only_python_would_take_for_numbers(self):
        assert as_column(["1_000", "2"]).tolist() == ["1_000", "2"]
        assert as_column(["1.0", "2", ""]).tolist()[:2] == [1.0, 2.0]
        assert as_column(["1", "2"]).dtype == np.int64
        assert as_column(["", " "]).tolist() == ["", " "]


class TestCoordinates:
    TWO = "name,UMAP_1,PC1,UMAP_2,PC2\na,1,2,3,4\nb,5,6,7,8\n"

    def test_two_families_are_refused_until_one_is_named(self, file):
        path = file(self.TWO, "m.csv")
        expected = (
            "line 1: the coordinates may be 'UMAP_1', 'UMAP_2' or 'PC1', 'PC2'; name those to use with `coordinates`"
        )
        with pytest.raises(InvalidFileError, match=expected):
            read_map(path)
        found = read_map(path, coordinates=["UMAP_1", "UMAP_2"])
        assert found.embedding.tolist() == [[1, 3], [5, 7]]
        assert list(found.columns) == ["PC1", "PC2"]
        assert read_map(path, coordinates=["5", "PC1"]).embedding.tolist() == [[4, 2], [8, 6]]

    def test_one_coordinate_twice(self, file):
        with pytest.raises(InvalidFileError, match="columns 'PC1', 'pc_1' may be the same coordinate"):
            read_map(file("PC1,pc_1,PC2\n1,2,3\n", "m.csv"))
        with pytest.raises(InvalidFileError, match="columns 'x', 'X' may be the same coordinate"):
            read_map(file("x,y,X\n1,2,3\n", "m.csv"))
        for wanted in ([], ["x", "x"], ["x", "1"]):
            with pytest.raises(InvalidFileError, match="`coordinates` must be different columns"):
                read_map(file("x,y\n1,2\n", "m.csv"), coordinates=wanted)

    def test_arrays_have_no_columns(self, tmp_path):
        write_map(tmp_path / "m.npy", [[0.0, 1.0]])
        with pytest.raises(InvalidParameterError, match="`coordinates` is for tables"):
            read_map(tmp_path / "m.npy", coordinates=["1"])

    def test_what_is_called_like_a_coordinate_is_written_as_a_label(self, tmp_path):
        for n_components, name in ((2, "x"), (5, "x2"), (5, "PC1")):
            path = tmp_path / f"{n_components}{name}.csv"
            write_map(path, np.eye(2, n_components), ["a", "b"], {name: [7, 8]})
            found = read_map(path)
            assert found.embedding.shape == (2, n_components)
            assert found.columns[f"label_{name}"].tolist() == [7, 8]
        with pytest.raises(InvalidParameterError, match="`columns` must have different names, got 'label_x' twice"):
            write_map(tmp_path / "m.csv", np.eye(2), columns={"x": [1, 2], "label_x": [1, 2]})

    @pytest.mark.parametrize("command", ["view", "score", "embed"])
    def test_on_the_command_line(self, file, tmp_path, command):
        found, answers = file(self.TWO, "m.csv"), file("anchor,near,far\na,b,c\nb,a,c\n", "a.csv")
        arguments = {
            "view": ["view", found, "-o", tmp_path / "p.html"],
            "score": ["score", found, "--answers", file("anchor,near,far\na,b,c\n", "s.csv")],
            "embed": ["embed", answers, "--fixed", found],
        }[command]
        result = tete(*arguments)
        assert result.exit_code == 2
        assert "name those to use with --coordinates." in result.stderr
        result = tete(*arguments, "--coordinates", "UMAP_1,UMAP_2")
        assert "--coordinates" not in result.stderr
        if command != "score":  # object c is not on the map
            assert result.exit_code == 0, result.stderr


class TestColumns:
    def test_equal_names_are_refused(self, file):
        for read, content in (
            (read_map, "x,y,size,size\n1,2,3,4\n"),
            (read_features, "a,size,size\n1,2,3\n"),
            (lambda path: read_columns(path, ["a"]), "name,p,size,size\na,1,2,3\n"),
        ):
            with pytest.raises(InvalidFileError, match=r"line 1: columns . and . are both called 'size'"):
                read(file(content))
        with pytest.raises(InvalidFileError, match="'x' occurs twice in one record"):
            read_map(file('[{"x": 1, "x": 2, "y": 3}]', "m.json"))
        with pytest.raises(InvalidFileError, match="two columns have no name"):
            read_map(file("x,y,,\n1,2,3,4\n", "m.csv"))
        assert read_map(file("x,y,,\n1,2,,\n", "m.csv")).columns == {}

    def test_two_rows_about_one_object(self, file):
        with pytest.raises(InvalidFileError, match="line 3, column 'name': 'a' is there already"):
            read_columns(file("name,size\na,1\na,2\n"), ["a"])

    def test_columns_resolve_what_the_header_leaves_open(self, file):
        path = file("anchor,head,winner,loser\nq,a,b,c\nq,b,a,c\n")
        with pytest.raises(InvalidFileError, match="name the three to use, by name or number, with `columns`"):
            read_answers(path)
        assert read_answers(path, columns=["head", "winner", "loser"]).names == ("a", "b", "c")
        assert tete("check", path, "--columns", "head,winner,loser").exit_code == 0
        with pytest.raises(InvalidFileError, match="columns 1 and 2, both called 'anchor', can both be"):
            read_answers(file("anchor,anchor,near,far\nq,a,b,c\n"))
        twice = file("anchor,anchor,near,far\nq,a,b,c\n")
        assert read_answers(twice, columns=["2", "3", "4"], header=True).names == ("a", "b", "c")

    def test_numbers_are_not_mixed_with_names_that_are_numbers(self, file):
        path = file("0,1,2\na,b,c\n")
        assert read_answers(path, columns=["1", "2", "3"], header=True).to_array().tolist() == [[0, 1, 2]]
        assert read_answers(path, columns=["2", "1", "0"], header=True).to_array().tolist() == [[2, 1, 0]]

    def test_two_annotators_or_groups(self, file):
        path = file("anchor,near,far,worker,user\na,b,c,x,y\n")
        with pytest.raises(InvalidFileError, match="rename one of them, or name the one to use with `annotator`"):
            read_answers(path)
        assert read_answers(path, annotator="user").annotators.tolist() == ["y"]
        with pytest.raises(
            InvalidFileError,
            match=r"can both be the group column; rename one of them, or name the one to use with `group`\.",
        ):
            read_answers(file("anchor,near,far,group,fold\na,b,c,1,2\n"))


class TestHeaders:
    @pytest.mark.parametrize(
        ("content", "n_answers"),
        [
            ("a,b,c\nb,c,a\n", 2),
            ("0,1,2\n1,2,0\n", 2),
            ("1,2,3\n2,3,1\n", 2),
            ("apple,pear,plum\nkiwi,apple,fig\n", 2),
            ("p,q,r\nb,c,a\n", 1),
            ("p,q,r\n0,1,2\n", 1),
            ("i,j,k\n0,1,2\n", 1),
            ("1,2,3\nb,c,a\n", 1),
        ],
    )
    def test_numbered_columns_do_not_swallow_the_first_answer(self, file, content, n_answers):
        path = file(content)
        assert len(read_answers(path, columns=["1", "2", "3"])) == n_answers
        assert len(read_answers(path, columns=["1", "2", "3"], header=True)) == 1
        assert len(read_answers(path, columns=["1", "2", "3"], header=False)) == 2
        assert f"{n_answers} from" in tete("check", path, "--columns", "1,2,3").stdout

    def test_a_first_row_of_features_is_no_header(self, file):
        with pytest.raises(
            InvalidFileError, match=r"line 1: expected names of columns, got numbers \(5.1, 3, .*header=F"
        ):
            read_features(file("5.1,3\n4.9,2\n"))
        assert len(read_features(file("5.1,3\n4.9,2\n"), header=False)) == 2
        assert len(read_features(file("0,1\n4.9,2\n"))) == 1  # as pandas numbers columns


class TestNamesAndIds:
    def test_empty_names(self, file, tmp_path):
        with pytest.raises(InvalidFileError, match="line 3, column 'object': empty, expected the name of an object"):
            read_map(file('object,x,y\na,1,2\n" ",3,4\n', "m.csv"))
        np.savez(tmp_path / "a.npz", triplets=[(0, 1, 2)], names=["a", "", "c"])
        with pytest.raises(InvalidFileError, match="Row 1 of `names` is empty"):
            read_answers(tmp_path / "a.npz")

        np.savez(tmp_path / "f.npz", X=np.eye(2), ids=["a", ""])
        with pytest.raises(InvalidFileError, match="array 'ids': ids must differ, got an empty one"):
            read_features(tmp_path / "f.npz")

    def test_nul_in_names(self, file, tmp_path):
        pd.DataFrame({"id": ["a", "b\x00"], "x": [1, 2]}).to_parquet(tmp_path / "f.parquet")
        with pytest.raises(InvalidFileError, match=r"row 1, column 'id': 'b\\x00' holds what is no character"):
            read_features(tmp_path / "f.parquet")
        with pytest.raises(InvalidFileError, match=r"row 1, column 'object': 'a\\x00b' holds what is no character"):
            read_map(file('[{"object": "a", "x": 1}, {"object": "a\\u0000b", "x": 1}]', "m.json"))
        np.savez(tmp_path / "a.npz", triplets=[(0, 1, 2)], names=["a", "b\x00c", "c"])
        with pytest.raises(InvalidFileError, match=r"'names\.npy' holds what is no character"):
            read_answers(tmp_path / "a.npz")

    def test_numbers_that_begin_at_1_make_no_object_0(self, file, tmp_path):
        triplets = read_answers(file("anchor,near,far\n1,2,3\n3,2,1\n"))
        assert triplets.names == (1, 2, 3)
        assert triplets.to_array().tolist() == [[0, 1, 2], [2, 1, 0]]
        np.save(tmp_path / "a.npy", [(1, 2, 3), (3, 2, 1)])
        assert read_answers(tmp_path / "a.npy").names == (1, 2, 3)
        result = tete("check", file("anchor,near,far\n1,2,3\n"))
        assert "never mentioned   none" in result.stdout
        write_answers(tmp_path / "again.csv", triplets)
        assert read_answers(tmp_path / "again.csv").names == (1, 2, 3)

    def test_numbers_from_0_are_object_numbers(self, tmp_path):
        assert numbers_of_texts({"0", "01", "5"}, None) == ({"0": 0, "01": 1, "5": 5}, None)
        assert numbers_of_texts({"0", "1", "01"}, None)[1] == ("0", "01", "1")
        rows = np.array([(0, 1, 2)])
        assert numbers_of_ids(rows)[1] is None
        np.savez(tmp_path / "a.npz", triplets=[(1, 2, 3)], n_objects=5)
        assert read_answers(tmp_path / "a.npz").n_objects == 5

    def test_names_that_look_alike_stay_apart_and_are_listed(self, file, tmp_path):
        content = "anchor,near,far\n" + "caf\u00e9,cafe\u0301,Pear\npear,1,1.0\npe\u200bar,a  b,a b\n" * 3
        path = file(content)
        assert read_answers(path).n_objects == 9
        for command in (["check", path], ["embed", path]):
            result = tete(*command)
            assert "look alike" in result.stdout
            assert r"'cafe\u0301' and 'caf\xe9'" in result.stdout
            groups = json.loads(tete(*command, "--json").stdout)["alike_names"]
            assert sorted(map(len, groups)) == [2, 2, 2, 3]
        write_map(tmp_path / "m.csv", [[0.0, 1.0], [1.0, 0.0]], ["Pear", "fig"])
        result = tete("embed", file("anchor,near,far\npear,Pear,fig\n"), "--fixed", tmp_path / "m.csv")
        assert "'Pear' and 'pear'" in result.stdout
