"""Layouts of answers as the field writes them; `test_answer_and_map_files` has those with three columns.

Tests `io.time_columns` and `io.list_cells` as well: what may be in a column of response times, and lists of objects.
"""

import gzip
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from tete import Triplets, read_answers, write_answers
from tete.distributed import TripletShards, pack_answers
from tete.exceptions import DroppedAnswersWarning, InvalidFileError, InvalidParameterError, InvalidTripletsError


def named(triplets):
    return sorted(tuple(triplets.name_of(number) for number in row) for row in triplets.to_array())


class TestScreens:
    @pytest.mark.parametrize(
        "content", ["first,second,third,central\na,b,c,b\n", "item_1,item_2,item_3,Most central\nb,c,a,b\n"]
    )
    def test_the_most_central(self, file, content):
        assert named(read_answers(file(content))) == [("a", "b", "c"), ("c", "b", "a")]

    def test_the_most_central_beside_the_others(self, file):
        assert named(read_answers(file("first,second,central\na,c,b\n"))) == [("a", "b", "c"), ("c", "b", "a")]
        by_columns = read_answers(file("p,q,r\na,c,b\n"), columns=["p", "q", "r"], most_central=True)
        assert named(by_columns) == [("a", "b", "c"), ("c", "b", "a")]

    def test_the_most_central_of_given_columns_may_be_one_of_those_shown(self, file):
        shown = read_answers(file("p,q,r,s\na,b,c,b\n"), columns=["p", "q", "r", "s"], most_central=True)
        assert named(shown) == [("a", "b", "c"), ("c", "b", "a")]
        with pytest.raises(InvalidFileError, match="an object cannot be compared with itself"):
            read_answers(file("p,q,r\na,b,b\n"), columns=["p", "q", "r"], most_central=True)

    def test_picks(self, file):
        content = "anchor,choice1,choice2,choice3,picked1,picked2\nq,a,b,c,c,a\n"
        picked = read_answers(file(content))
        assert named(picked) == [("q", "a", "b"), ("q", "c", "b")]
        assert picked.n_answers == 1
        ranked = read_answers(file(content), ranked=True)
        assert named(ranked) == [("q", "a", "b"), ("q", "c", "a"), ("q", "c", "b")]

    def test_ragged_screens(self, file):
        content = "anchor,choice1,choice2,choice3,choice4,picked1,picked2\nq,a,b,,,b,\nq,a,,b,c,a,c\nq,d,c,b,a,d,\n"
        triplets = read_answers(file(content))
        assert triplets.answer_numbers().tolist() == [0, 1, 1, 2, 2, 2]
        assert named(triplets.select(np.arange(3))) == [("q", "a", "b"), ("q", "b", "a"), ("q", "c", "b")]
        assert triplets.lines.tolist() == [2, 3, 3, 4, 4, 4]

    def test_ragged_odd_ones(self, file):
        content = "object1,object2,object3,object4,odd,weight\na,b,c,,c,2\na,b,c,d,d,1\n"
        triplets = read_answers(file(content))
        assert np.bincount(triplets.answer_numbers()).tolist() == [2, 6]
        assert triplets.n_answers == 3

    def test_picks_by_columns(self, file):
        content = "x,o1,o2,o3,best\nq,a,b,c,b\n"
        triplets = read_answers(file(content), columns=["x", "o1", "o2", "o3"], picked=["best"])
        assert named(triplets) == [("q", "b", "a"), ("q", "b", "c")]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (
                "anchor,choice1,choice2,picked1\nq,a,b,c\n",
                "line 2, column 'picked1': 'c': what was picked is not among",
            ),
            ("anchor,choice1,choice2,picked1\nq,a,a,a\n", "an object cannot be compared with itself"),
            ("anchor,choice1,choice2,choice3,picked1,picked2\nq,a,b,c,b,b\n", "the same object is picked twice"),
            ("first,second,central\na,b,b\n", "where the central one is among those shown, the columns of all"),
            ("anchor,choice1,choice2,picked1\nq,a,,\n", "at least two choices are needed"),
            ("anchor,choice1,choice2,picked1,picked2\nq,a,b,a,b\n", "everything was picked, which says nothing"),
            ("first,second,third,central\na,b,c,d\n", "'d': the central one is not one of the three shown"),
        ],
    )
    def test_bad_screens(self, file, content, message):
        with pytest.raises(InvalidFileError, match=message):
            read_answers(file(content))

    def test_one_kind_of_question_at_a_time(self, file):
        with pytest.raises(InvalidParameterError, match="Only one of `odd_one_out`, `most_central` and `picked`"):
            read_answers(file("a,b,c\n"), odd_one_out=True, most_central=True)

    @pytest.mark.parametrize(
        ("content", "said", "message"),
        [
            (
                "first,second,central\na,b,c\n",
                "odd_one_out",
                "columns 'first', 'second', 'central' .* odd_one_out=True",
            ),
            (
                "first,second,third,odd\na,b,c,c\n",
                "most_central",
                "'third', 'odd' this is no file for most_central=True",
            ),
            ("anchor,near,far\na,b,c\n", "odd_one_out", "'anchor', 'near', 'far' this is no file for odd_one_out=True"),
            ("anchor,near,far\na,b,c\n", "ranked", "nothing is ranked here"),
            ("anchor,choice1,choice2,picked1\na,b,c,b\n", "ranked", "ranked=True is for answers that picked several"),
        ],
    )
    def test_what_is_said_contradicts_the_header(self, file, content, said, message):
        with pytest.raises(InvalidFileError, match=message):
            read_answers(file(content), **{said: True})

    @pytest.mark.parametrize("said", ["odd_one_out", "most_central", "ranked"])
    def test_arrays_have_triplets_alone(self, tmp_path, said):
        np.save(tmp_path / "a.npy", [(0, 1, 2)])
        with pytest.raises(InvalidFileError, match=f"a.npy: an array has triplets, and `{said}` is for tables"):
            read_answers(tmp_path / "a.npy", **{said: True})

    def test_what_the_header_says_may_be_said(self, file):
        for beside in ("", "third,"):
            path = file(f"first,second,{beside}odd\na,b,{'c,' if beside else ''}c\n")
            assert named(read_answers(path, odd_one_out=True)) == named(read_answers(path))


class TestTies:
    def test_half_each_way(self, file):
        path = file("center,left,right,answer,votes\n0,1,2,1,1\n1,0,2,cannot say,3\n2,1,0,-1,1\n")
        triplets = read_answers(path, ties="half")
        assert triplets.to_array().tolist() == [[0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 0, 1]]
        assert triplets.weights.tolist() == [1.0, 1.5, 1.5, 1.0]
        assert triplets.n_answers == 5
        with pytest.warns(DroppedAnswersWarning, match="1 of 3 answers was left out: undecided"):
            assert len(read_answers(path)) == 2

    def test_a_part_of_each_choice(self, file):
        path = file("first,second,third,odd\na,b,c,?\na,b,c,c\n")
        triplets = read_answers(path, ties="half")
        assert triplets.n_answers == 2
        assert np.bincount(triplets.answer_numbers()).tolist() == [2] * 4
        np.testing.assert_allclose(triplets.answer_counts(), [1 / 3, 1 / 3, 1 / 3, 1.0])
        picks = read_answers(file("anchor,choice1,choice2,choice3,picked1\nq,a,b,c,\nq,a,b,c,a\n"), ties="half")
        np.testing.assert_allclose(picks.answer_counts(), [1 / 3, 1 / 3, 1 / 3, 1.0])

    def test_in_python(self):
        questions = [(0, 1, 2), (1, 0, 2), (2, 1, 0)]
        triplets = Triplets.from_answers(questions, [1, 0, -1], ties="half", annotators=["x", "y", "z"])
        assert triplets.to_array().tolist() == [[0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 0, 1]]
        assert triplets.weights.tolist() == [1.0, 0.5, 0.5, 1.0]
        assert triplets.annotators.tolist() == ["x", "y", "y", "z"]
        assert triplets.ties.tolist() == [False, True, True, False]
        joined = Triplets.concatenate([triplets, Triplets.from_array([(0, 1, 2)], annotators=["x"])])
        assert joined.ties.tolist() == [False, True, True, False, False]
        with pytest.raises(InvalidParameterError, match="`ties` must be 'drop' or 'half', got 'keep'"):
            Triplets.from_answers(questions, [1, 0, -1], ties="keep")

    @pytest.mark.parametrize("kind", ["csv", "parquet", "npz"])
    def test_parts_of_ties_are_kept(self, file, tmp_path, kind):
        triplets = read_answers(file("center,left,right,answer\n0,1,2,?\n0,1,2,1\n"), ties="half")
        assert triplets.ties.tolist() == [True, True, False]
        write_answers(tmp_path / f"again.{kind}", triplets)
        assert read_answers(tmp_path / f"again.{kind}").ties.tolist() == [True, True, False]
        with pytest.raises(InvalidTripletsError, match="`ties` must be true or false for each triplet, got float64"):
            Triplets.from_array([(0, 1, 2)], ties=[0.5])

    def test_a_file_of_ties_alone(self, file):
        path = file("center,left,right,answer\n0,1,2,?\n")
        with (
            pytest.warns(DroppedAnswersWarning, match="undecided"),
            pytest.raises(InvalidFileError, match="no answer is left, 1 was left out"),
        ):
            read_answers(path)


def test_undecided_in_columns_that_were_given(file):
    path = file("a,b,c,mid\nx,y,z,y\nx,y,w,?\nw,y,z,w\n")
    with pytest.warns(DroppedAnswersWarning, match="1 of 3 answers was left out: undecided"):
        found = read_answers(path, columns=["a", "b", "c", "mid"], most_central=True)
    assert set(named(found)) == {("x", "y", "z"), ("z", "y", "x"), ("y", "w", "z"), ("z", "w", "y")}


class TestExports:
    def test_triplet_tools(self, file):
        """head, winner, loser are numbers; the names are in Center, Left, Right, Answer."""
        content = (
            "head,winner,loser,worker_id,rt,Center,Left,Right,Answer,sampleAlg,sampleSet\n"
            "0,2,1,w1,950,cat,cow,dog,dog,random,train\n1,2,0,w2,120,cow,dog,cat,dog,check,NA\n"
        )
        triplets = read_answers(file(content))
        assert named(triplets) == [("cat", "dog", "cow"), ("cow", "dog", "cat")]
        assert triplets.answers is None
        assert triplets.annotators.tolist() == ["w1", "w2"]
        assert triplets.times.tolist() == [950.0, 120.0]

    def test_salmon(self, file):
        content = (
            "puid,head,left,right,winner,loser,response_time,network_latency,sampler,score,time_received\n"
            "ab,0,1,2,1,2,1.25,0.05,RandomSampling,,1600000000\ncd,2,0,1,0,1,0.9,0.04,ARR,0.2,1600000001\n"
        )
        triplets = read_answers(file(content))
        assert triplets.to_array().tolist() == [[0, 1, 2], [2, 0, 1]]
        assert triplets.times.tolist() == [1250.0, 900.0]  # seconds
        assert triplets.annotators.tolist() == ["ab", "cd"]

    def test_salmon_with_names(self, file):
        """All columns of Salmon 1.0's responses.csv: the objects are called by their files, or texts."""
        called = {"left": "cow.png", "right": "dog.png", "head": "cat.png", "winner": "dog.png", "loser": "cow.png"}
        cells = {"head": 0, "left": 1, "right": 2, "winner": 2, "sampler": "ARR", "score": 0.1, "puid": "ab"}
        cells |= {"response_time": 1.25, "network_latency": 0.05, "time_received": 1600000000.1, "loser": 1}
        cells |= {f"{role}_html": f"<img src='/static/targets/{name}' />" for role, name in called.items()}
        cells |= {f"{role}_filename": name for role, name in called.items()}
        cells |= {"time_received_since_start": 12.5, "datetime_received": "2020-09-13T12:26:40"}
        cells |= {"start_time": 1600000000, "puid_num_responses": 1, "num_responses": 1}
        content = f"{','.join(cells)}\n{','.join(str(cell) for cell in cells.values())}\n"
        triplets = read_answers(file(content))
        assert named(triplets) == [("cat.png", "dog.png", "cow.png")]
        assert triplets.annotators.tolist() == ["ab"]
        assert triplets.times.tolist() == [1250.0]


class TestDetails:
    @pytest.mark.parametrize("name", ["weight", "count", "Votes"])
    def test_votes_and_counts_are_weights(self, file, name):
        assert read_answers(file(f"anchor,near,far,{name}\na,b,c,7\n")).weights.tolist() == [7.0]

    def test_what_is_one_answer_and_what_is_held_out_together(self, file):
        content = "anchor,near,far,answer,fold\na,b,c,1,x\nb,a,c,1,x\na,c,b,2,x\nb,c,a,3,y\n"
        triplets = read_answers(file(content))
        assert triplets.answers.tolist() == ["1", "1", "2", "3"]
        assert triplets.groups.tolist() == ["x", "x", "x", "y"]
        assert triplets.n_answers == 3
        with pytest.raises(InvalidFileError, match="Row 1 is of answer 1 and of group y, which the rest of the answer"):
            read_answers(file("anchor,near,far,answer,group\na,b,c,1,x\nb,a,c,1,y\n"))

    def test_columns_by_option(self, file):
        content = "anchor,near,far,screen,block,took\na,b,c,1,x,500\nb,a,c,1,x,\n"
        triplets = read_answers(file(content), answer="screen", group="block", time="took")
        assert triplets.answers.tolist() == ["1", "1"]
        np.testing.assert_array_equal(triplets.times, [500.0, np.nan])

    def test_lines(self, file):
        content = 'anchor,near,far\na,b,c\n\n"a\nb",b,c\nb,a,c\n'
        assert read_answers(file(content)).lines.tolist() == [2, 4, 6]
        assert read_answers(file("anchor,near,far\na,b,c\n\nb,a,c\n")).lines.tolist() == [2, 4]


class TestTimes:
    """What a column of response times may be."""

    HEADER = "anchor,near,far,who,took\n"

    def test_moments_are_differences_of_one_person(self, file):
        dates = ["2024-03-01T10:00:00", "2024-03-01 10:00:02.5", "2024-03-01T10:00:03", "2024-03-01T10:00:09", "NA"]
        people = ["x", "x", "y", "x", "y"]
        rows = [f"a,b,c,{who},{date}\n" for who, date in zip(people, dates, strict=True)]
        triplets = read_answers(file(self.HEADER + "".join(rows)), time="took", annotator="who")
        np.testing.assert_array_equal(triplets.times, [np.nan, 2500.0, np.nan, 6500.0, np.nan])

    @pytest.mark.parametrize(("unit", "first"), [(1.0, 1_700_000_000_000), (1000.0, 1_700_000_000)])
    def test_moments_since_1970(self, file, unit, first):
        rows = [f"a,b,c,x,{first + step}\n" for step in (5, 0, 5, 7)]  # two rows at 5: one answer in two triplets
        triplets = read_answers(file(self.HEADER + "".join(rows)), time="took", annotator="who")
        np.testing.assert_array_equal(triplets.times, np.array([5.0, np.nan, 5.0, 2.0]) * unit)

    def test_moments_of_nobody(self, file):
        path = file("anchor,near,far,rt\na,b,c,2024-03-01T10:00:00\n")
        assert np.isnan(read_answers(path).times).all()
        with pytest.raises(
            InvalidFileError, match=r"line 2, column 'rt': '2024-03-01T10:00:00' is a moment.*annotator"
        ):
            read_answers(path, time="rt")

    def test_what_is_no_time(self, file):
        path = file(self.HEADER + "a,b,c,x,500\na,c,b,x,soon\nb,a,c,x,\n")
        with pytest.raises(InvalidFileError, match=r"line 3, column 'took': 'soon': not a response time.*1 such line"):
            read_answers(path, time="took")
        found_by_header = file("anchor,near,far,ms\na,b,c,500\na,c,b,soon\n")
        np.testing.assert_array_equal(read_answers(found_by_header).times, [500.0, np.nan])

    @pytest.mark.parametrize("parameter", ["time", "weight"])
    def test_names_that_look_like_numbers(self, file, parameter):
        path = file("anchor,near,far\n1,2,3\n")
        with pytest.raises(InvalidFileError, match=f"line 1: column 'far' is the far column.*`{parameter}`"):
            read_answers(path, **{parameter: "far"})


class TestLists:
    """Screens in one cell, of `io.list_cells`."""

    SCREENS = pd.DataFrame(
        {
            "anchor": ["a", "b", "c"],
            "choices": [["b", "c", "d"], ["a", "c"], ["a", "b", "d"]],
            "picked": [["c", "b"], ["a"], ["d"]],
            "votes": [1, 2, 1],
        }
    )
    EXPECTED = (("a", "c", "d"), ("a", "b", "d"), ("b", "a", "c"), ("c", "d", "a"), ("c", "d", "b"))

    @pytest.fixture(params=["parquet", "json", "fixed"])
    def screens(self, request, tmp_path):
        path = tmp_path / f"screens.{'json' if request.param == 'json' else 'parquet'}"
        if request.param == "json":
            self.SCREENS.to_json(path, orient="records")
        elif request.param == "parquet":
            self.SCREENS.to_parquet(path)
        else:  # lists of one length, some of them with nothing in the end, or not there at all
            padded = [[*each, *[None] * (3 - len(each))] for each in self.SCREENS["choices"]]
            columns = {name: pa.array(self.SCREENS[name].tolist()) for name in self.SCREENS}
            columns["choices"] = pa.array(padded, type=pa.list_(pa.string(), 3))
            pq.write_table(pa.table(columns), path)
        return path

    def test_by_header_and_by_name(self, screens):
        found = read_answers(screens)
        assert sorted(named(found)) == sorted(self.EXPECTED)
        assert found.answer_counts().tolist() == [1.0, 2.0, 1.0]
        ranked = read_answers(screens, columns=["anchor", "choices"], picked=["picked"], ranked=True)
        assert sorted(named(ranked)) == sorted((*self.EXPECTED, ("a", "c", "b")))

    def test_odd_ones(self, tmp_path):
        table = pd.DataFrame({"items": [["a", "b", "c"], ["b", "c", "d"]], "odd": ["c", "b"]})
        table.to_parquet(tmp_path / "odd.parquet")
        assert set(named(read_answers(tmp_path / "odd.parquet"))) == {
            *(("a", "b", "c"), ("b", "a", "c"), ("c", "d", "b"), ("d", "c", "b"))
        }

    def test_packed_alike(self, screens, tmp_path):
        if screens.suffix == ".parquet":
            pack_answers([screens], tmp_path / "packed.tete")
            packed = TripletShards(tmp_path / "packed.tete").sample()
            assert sorted(named(packed)) == sorted(self.EXPECTED)

    def test_lists_that_are_no_screens(self, tmp_path):
        path = tmp_path / "long.parquet"
        table = pd.DataFrame({"anchor": ["a"], "choices": [[f"o{n}" for n in range(101)]], "picked": ["o1"]})
        table.to_parquet(path)
        with pytest.raises(InvalidFileError, match=r"column 'choices': a screen may show at most 100 .* list of 101"):
            read_answers(path)
        table.assign(choices=[[["o1"]]]).to_parquet(path)
        with pytest.raises(InvalidFileError, match="expected texts or numbers, got values of the type list"):
            read_answers(path, columns=["anchor", "choices", "picked"])
        path.with_suffix(".json").write_text('[{"anchor": "a", "near": [["b"]], "far": "c"}]')
        with pytest.raises(InvalidFileError, match="row 0, column 'near1': expected a text or a number, got list"):
            read_answers(path.with_suffix(".json"), columns=["anchor", "near", "far"])

    def test_one_answer_of_several_choices(self, file):
        picks = read_answers(file("anchor,choice1,choice2,choice3,answer\nq,a,b,c,b\n"))
        assert named(picks) == [("q", "b", "a"), ("q", "b", "c")]


class TestPacked:
    def test_zip_and_gz(self, tmp_path):
        content = "anchor,near,far\na,b,c\nb,a,c\n"
        packed = tmp_path / "answers.csv.gz"
        packed.write_bytes(gzip.compress(content.encode()))
        archive = tmp_path / "answers.zip"
        with zipfile.ZipFile(archive, "w") as files:
            files.writestr("folder/answers.csv", content)
            files.writestr("__MACOSX/folder/._answers.csv", "junk")
        for path in (packed, archive):
            assert named(read_answers(path)) == [("a", "b", "c"), ("b", "a", "c")]

    def test_bad_archives(self, tmp_path):
        archive = tmp_path / "answers.zip"
        archive.write_bytes(b"PK no archive")
        with pytest.raises(InvalidFileError, match=r"answers\.zip is not a packed table of text"):
            read_answers(archive)
        with zipfile.ZipFile(archive, "w") as files:
            for name in ("a.csv", "b.csv"):
                files.writestr(name, "anchor,near,far\n")
        with pytest.raises(InvalidFileError, match=r"expected one table of text .* in the archive, got 2"):
            read_answers(archive)
        damaged = tmp_path / "answers.csv.gz"
        damaged.write_bytes(gzip.compress(b"anchor,near,far\na,b,c\n")[:-9])
        with pytest.raises(InvalidFileError, match=r"answers\.csv\.gz is not a packed table of text: it is damaged"):
            read_answers(damaged)

    def test_cells_too_long_are_told_with_the_file(self, tmp_path):
        packed = tmp_path / "answers.csv.gz"
        packed.write_bytes(gzip.compress(b"anchor,near,far" + b"x" * 200_000 + b"\na,b,c\n"))
        with pytest.raises(InvalidFileError, match=r"answers\.csv\.gz, line 1 cannot be read: field larger"):
            read_answers(packed)

    def test_little_packed_text_takes_little_memory(self, tmp_path):
        packed = tmp_path / "answers.csv.gz"
        packed.write_bytes(gzip.compress(b"anchor,near,far\n" + b"a,b,c\n" * 1000))
        tracemalloc.start()
        read_answers(packed)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 2**26


def test_objects_may_be_called_like_words(file):
    picks = read_answers(file("anchor,choice1,choice2,choice3,picked1\n1,0,2,3,0\n1,0,2,,2\n"))
    assert picks.to_array().tolist() == [[1, 0, 2], [1, 0, 3], [1, 2, 0]]
