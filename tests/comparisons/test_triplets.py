"""Triplets from everything people have: `comparisons.reading`; sets of them joined: `comparisons.joining`."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import random_triplets
from tete import TETE, Triplets, read_answers
from tete.comparisons.reading import as_triplets
from tete.exceptions import DroppedAnswersWarning, InvalidParameterError, InvalidTripletsError

ROWS = [(0, 1, 2), (1, 0, 2), (3, 2, 0)]


def frame(**columns):
    return pd.DataFrame({"anchor": ["b", "a", "a"], "near": ["a", "b", "c"], "far": ["c", "c", "b"], **columns})


class TestConstruction:
    def test_from_array(self):
        triplets = Triplets.from_array(ROWS)
        assert len(triplets) == 3
        assert triplets.n_objects == 4
        np.testing.assert_array_equal(triplets.to_array(), ROWS)
        assert triplets.weights is triplets.groups is triplets.annotators is triplets.names is None

    @pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.float32, np.float64])
    def test_any_type_of_whole_numbers(self, dtype):
        np.testing.assert_array_equal(Triplets.from_array(np.array(ROWS, dtype=dtype)).to_array(), ROWS)

    def test_frozen_and_independent_of_the_input(self):
        rows, weights = np.array(ROWS), np.ones(3)
        triplets = Triplets.from_array(rows, weights=weights)
        rows[:] = 9
        weights[:] = 9
        np.testing.assert_array_equal(triplets.to_array(), ROWS)
        np.testing.assert_array_equal(triplets.weights, 1)
        with pytest.raises(ValueError, match="read-only"):
            triplets.anchor[0] = 5
        with pytest.raises(FrozenInstanceError):
            triplets.n_objects = 7

    def test_the_input_stays_writable(self):
        anchor = np.array([0], dtype=np.int32)
        Triplets(anchor=anchor, near=np.array([1]), far=np.array([2]))
        anchor[0] = 3

    def test_repr_says_what_is_inside(self):
        shown = repr(Triplets.from_array(ROWS, weights=[1, 2, 3], annotators=["x", "y", "x"]))
        assert shown == "Triplets(3 triplets of 4 objects, with weights, annotators)"

    @pytest.mark.parametrize(
        ("rows", "details", "message"),
        [
            ([(0, 1)], {}, r"minimum of 3 is required"),
            ([(0, 1, 2, 3)], {}, r"`X` must have 3 columns \(anchor, near, far\), got 4 columns\."),
            ([0, 1, 2], {}, r"Expected 2D array"),
            (np.empty((0, 3), dtype=int), {}, r"Found array with 0 sample"),
            (
                [(0, 1, 2), (0, 1.5, 2)],
                {},
                r"Row 1 of `X` holds 1\.5: whole numbers below 2\^53 are needed \(1 such value\)\.",
            ),
            ([(0, 1, np.nan)], {}, r"Input X contains NaN"),
            ([("a", "b", "c")], {}, r"`X` holds texts such as 'a'"),
            ([(0, 1, 2), (0, -1, 2), (3, -2, 1)], {}, r"Row 1 is \(0, -1, 2\): object numbers go from 0 to 3 \(2 such"),
            ([(0, 1, 5)], {"n_objects": 3}, r"Row 0 is \(0, 1, 5\): object numbers go from 0 to 2 \(1 such row\)\."),
            ([(0, 1, 2**40)], {}, r"object numbers go from 0 to 2147483646"),
            (
                [(0, 1, 2), (3, 3, 5), (1, 2, 2)],
                {},
                r"Row 1 is \(3, 3, 5\): an object cannot be compared with itself \(2",
            ),
            (ROWS, {"weights": [1, np.nan, 1]}, r"Row 1 of `weights` is nan: weights must be finite and not negative"),
            (ROWS, {"weights": [1, 1, -1]}, r"Row 2 of `weights` is -1\.0"),
            ([(0, 1, 1e300)], {}, r"Row 0 of `X` holds 1e\+300: whole numbers below 2\^53 are needed"),
            (ROWS, {"weights": [1e200, 0, 0]}, r"`weights` must be at most 1e\+100, got 1e\+200\."),
            (
                ROWS,
                {"weights": ["a", "b", "c"]},
                r"`weights` must hold numbers: could not convert string to float: 'a'\.",
            ),
            (
                ROWS,
                {"annotators": np.array([1, "1", 2], dtype=object)},
                r"must hold labels of one kind, got int and str",
            ),
            (ROWS, {"annotators": pd.Series(["x", pd.NA, "y"], dtype="string")}, r"Row 1 of `annotators` is missing"),
            (ROWS, {"groups": pd.to_datetime(["2020-01-01", None, "2020-01-02"])}, r"Row 1 of `groups` is missing"),
            (ROWS, {"n_objects": 4.0}, r"`n_objects` must be a whole number of at least 1, got 4\.0\."),
            (ROWS, {"n_objects": -1}, r"`n_objects` must be a whole number of at least 1, got -1\."),
            (ROWS, {"weights": [1, 1]}, r"`weights` must have 3 entries, got shape \(2,\)\."),
            (ROWS, {"annotators": ["x"]}, r"`annotators` must have 3 entries, got shape \(1,\)\."),
            (ROWS, {"annotators": ["x", None, "y"]}, r"Row 1 of `annotators` is missing \(1 such row\)\."),
            (ROWS, {"groups": [0.0, np.nan, np.nan]}, r"Row 1 of `groups` is missing \(2 such rows\)\."),
            (ROWS, {"names": ["a", "b", "a", "c"]}, r"`names` must all differ, got 'a' more than once\."),
            (ROWS, {"names": ["a", "b", "c"]}, r"Row 2 is \(3, 2, 0\): object numbers go from 0 to 2"),
            (ROWS, {"names": list("abcd"), "n_objects": 5}, r"one name for each of 5 objects, got 4\."),
        ],
    )
    def test_bad_input_gets_one_clear_sentence(self, rows, details, message):
        with pytest.raises(ValueError, match=message):
            Triplets.from_array(rows, **details)

    def test_columns_of_different_lengths(self):
        with pytest.raises(InvalidTripletsError, match=r"must have equal lengths, got \[1, 2, 1\]"):
            Triplets(anchor=np.array([0]), near=np.array([1, 2]), far=np.array([2]))

    def test_columns_must_be_flat_and_numeric(self):
        with pytest.raises(InvalidTripletsError, match=r"`anchor` must be one-dimensional, got shape \(1, 1\)"):
            Triplets(anchor=np.array([[0]]), near=np.array([1]), far=np.array([2]))
        with pytest.raises(InvalidTripletsError, match=r"`near` must hold whole numbers, got values of type <U1"):
            Triplets(anchor=np.array([0]), near=np.array(["x"]), far=np.array([2]))
        with pytest.raises(InvalidTripletsError, match="At least one triplet is needed, got 0"):
            Triplets(anchor=np.array([], dtype=int), near=np.array([], dtype=int), far=np.array([], dtype=int))


class TestAnswers:
    def test_cblearn_answers(self):
        triplets = Triplets.from_answers(ROWS, [1, -1, 1])
        np.testing.assert_array_equal(triplets.to_array(), [(0, 1, 2), (1, 2, 0), (3, 2, 0)])

    @pytest.mark.parametrize("y", [[True, False, True], [1, 0, 1], [1.0, 0.0, 1.0]])
    def test_booleans_and_zeros_and_ones(self, y):
        np.testing.assert_array_equal(Triplets.from_answers(ROWS, y).to_array(), [(0, 1, 2), (1, 2, 0), (3, 2, 0)])

    def test_undecided_answers_are_dropped_and_counted(self):
        with pytest.warns(DroppedAnswersWarning, match=r"1 of 3 answers was left out: undecided \(0\)\."):
            triplets = Triplets.from_answers(ROWS, [-1, 0, 1], weights=[1, 2, 3], annotators=["x", "y", "z"])
        np.testing.assert_array_equal(triplets.to_array(), [(0, 2, 1), (3, 2, 0)])
        np.testing.assert_array_equal(triplets.weights, [1, 3])
        assert triplets.annotators.tolist() == ["x", "z"]

    @pytest.mark.parametrize(
        ("y", "message"),
        [
            ([1, 2, 1], r"Row 1 of `y` is .*2.*: answers are \+1, -1, 0 or booleans \(1 such row\)"),
            (["yes", "no", "no"], r"Row 0 of `y` is .*'yes'"),
            ([1, -1], r"`y` must have one answer for each of the 3 rows, got shape \(2,\)"),
            ([1, np.nan, -1], r"Row 1 of `y`"),
        ],
    )
    def test_bad_answers(self, y, message):
        with pytest.raises(InvalidTripletsError, match=message):
            Triplets.from_answers(ROWS, y)


class TestFrames:
    def test_names_are_numbered_in_sorted_order(self):
        triplets = Triplets.from_frame(frame())
        assert triplets.names == ("a", "b", "c")
        np.testing.assert_array_equal(triplets.to_array(), [(1, 0, 2), (0, 1, 2), (0, 2, 1)])

    def test_other_columns(self):
        triplets = Triplets.from_frame(frame(weight=[1, 2, 3], annotator=["u", "v", "u"], group=[7, 7, 8]))
        np.testing.assert_array_equal(triplets.weights, [1, 2, 3])
        assert triplets.annotators.tolist() == ["u", "v", "u"]
        assert triplets.groups.tolist() == [7, 7, 8]

    def test_whole_numbers_are_object_numbers(self):
        triplets = Triplets.from_frame(pd.DataFrame(ROWS, columns=["anchor", "near", "far"]))
        assert triplets.names is None
        np.testing.assert_array_equal(triplets.to_array(), ROWS)

    @pytest.mark.parametrize("kind", ["int64", "float64", "Int64"])
    def test_whole_numbers_without_0_are_ids(self, kind):
        numbered = pd.DataFrame(ROWS, columns=["anchor", "near", "far"]).astype(kind) + 1
        assert Triplets.from_frame(numbered).names == (1, 2, 3, 4)
        assert Triplets.from_frame(numbered).to_array().tolist() == [list(row) for row in ROWS]
        assert as_triplets(numbered, names=(4, 3, 2, 1)).to_array()[0].tolist() == [3, 2, 1]
        assert as_triplets(numbered, n_objects=9).to_array()[0].tolist() == [1, 2, 3]  # of a map without names

    @pytest.mark.parametrize(
        ("column", "field"),
        [
            *[(name, "weights") for name in ("weight", "Weights", "count", "counts", "votes", "frequency")],
            *[(name, "groups") for name in ("group", "fold", "Group ID")],
            *[(name, "annotators") for name in ("worker", "participant_id", "Subject")],
            *[(name, "answers") for name in ("answer", "answer_id")],
            ("ms", "times"),
            ("tie", "ties"),
        ],
    )
    def test_columns_are_called_as_in_files(self, column, field, tmp_path):
        data = frame(**{column: [1, 0, 1]})
        data.to_csv(tmp_path / "answers.csv", index=False)
        found, read = (
            getattr(each, field) for each in (Triplets.from_frame(data), read_answers(tmp_path / "answers.csv"))
        )
        assert found.astype(float).tolist() == read.astype(float).tolist() == [1.0, 0.0, 1.0]

    def test_two_columns_for_the_same(self):
        with pytest.raises(InvalidTripletsError, match=r"'votes' and 'count' .* can both say the weights: rename"):
            Triplets.from_frame(frame(votes=[1, 2, 3], count=[1, 1, 1]))

    def test_layouts_of_files_are_told_what_reads_them(self):
        for columns in (["head", "winner", "loser"], ["first", "second", "odd"], ["anchor", "choice1", "picked1"]):
            with pytest.raises(InvalidTripletsError, match=r"`tete\.read_answers` knows other layouts"):
                TETE().fit(pd.DataFrame(ROWS, columns=columns))

    @pytest.mark.parametrize("kind", ["float64", "Int64", "int8"])
    def test_any_kind_of_number_column(self, kind):
        data = pd.DataFrame([(0, 1, 7)], columns=["anchor", "near", "far"]).astype(kind)
        triplets = Triplets.from_frame(data)
        assert triplets.names is None
        assert triplets.n_objects == 8

    def test_numbers_that_are_missing_or_not_whole(self):
        data = pd.DataFrame([(0, 1, 7), (0, 1, 2)], columns=["anchor", "near", "far"]).astype("Int64")
        data.loc[1, "far"] = pd.NA
        with pytest.raises(InvalidTripletsError, match="Row 1 has no object in column 'far'"):
            Triplets.from_frame(data)
        with pytest.raises(InvalidTripletsError, match=r"Row 0 of `X` holds 0\.5"):
            Triplets.from_frame(pd.DataFrame([(0, 1, 0.5)], columns=["anchor", "near", "far"]))

    def test_given_names_keep_their_numbers(self):
        triplets = Triplets.from_frame(frame(), names=["c", "b", "a", "unused"])
        assert triplets.n_objects == 4
        np.testing.assert_array_equal(triplets.to_array()[0], (1, 2, 0))

    def test_difficult_names(self):
        names = ['say "hi"', "a, b", "crème brûlée", "🍕", "  ", "<script>"]
        rows = pd.DataFrame({"anchor": names[:2], "near": names[2:4], "far": names[4:]})
        assert Triplets.from_frame(rows).names == tuple(sorted(names))

    @pytest.mark.parametrize("kind", ["object", "category", "string"])
    def test_any_kind_of_text_column(self, kind):
        assert Triplets.from_frame(frame().astype(kind)).names == ("a", "b", "c")

    def test_a_missing_column(self):
        with pytest.raises(InvalidTripletsError, match=r"columns anchor, near and far; far not found among \['anchor'"):
            Triplets.from_frame(frame().rename(columns={"far": "farther"}))

    def test_a_missing_name(self):
        data = frame()
        data.loc[1, "near"] = None
        with pytest.raises(InvalidTripletsError, match=r"Row 1 has no object in column 'near' \(1 such row\)\."):
            Triplets.from_frame(data)

    def test_an_unknown_name(self):
        with pytest.raises(InvalidTripletsError, match=r"Row 0 names 'c', which is not among the 2 known objects \(3"):
            Triplets.from_frame(frame(), names=["a", "b"])


class TestQuestions:
    def test_odd_one_out_gives_two_triplets_in_one_group(self):
        triplets = Triplets.from_odd_one_out([(5, 3, 4), (0, 1, 2)], odd=[0, 2], annotators=["x", "y"])
        rows = {tuple(row) for row in triplets.to_array().tolist()}
        assert rows == {(3, 4, 5), (4, 3, 5), (0, 1, 2), (1, 0, 2)}
        assert triplets.answers.tolist() == [0, 0, 1, 1]
        assert triplets.annotators.tolist() == ["x", "x", "y", "y"]

    def test_odd_one_out_of_four_with_one_column_for_all(self):
        triplets = Triplets.from_odd_one_out([(0, 1, 2, 3)], odd=-1)
        assert len(triplets) == 3 * 2
        assert (triplets.far == 3).all()

    def test_most_central(self):
        rows = Triplets.from_most_central([(5, 3, 4)], central=1).to_array().tolist()
        assert sorted(rows) == [[4, 3, 5], [5, 3, 4]]

    def test_selection_of_the_first(self):
        rows = Triplets.from_selection([(0, 1, 2, 3, 4)], selected=2).to_array().tolist()
        assert rows == [[0, 1, 3], [0, 1, 4], [0, 2, 3], [0, 2, 4]]

    def test_two_of_eight_gives_twelve_triplets(self):
        triplets = Triplets.from_selection([range(9)], selected=[[3, 7]], weights=[2.0])
        assert len(triplets) == 12
        assert set(triplets.near.tolist()) == {3, 7}
        assert (triplets.weights == 2.0).all()
        assert len(set(triplets.answers.tolist())) == 1

    def test_ranked_selection_adds_the_order_of_the_picks(self):
        rows = Triplets.from_selection([(0, 1, 2, 3)], selected=[[3, 1]], ranked=True).to_array().tolist()
        assert rows == [[0, 3, 1], [0, 3, 2], [0, 1, 2]]

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: Triplets.from_odd_one_out([(0, 1, 2)], 3), r"Row 0 of `odd` is \[3\]: columns go from -3 to 2"),
            (lambda: Triplets.from_odd_one_out([(0, 1, 2)], [0, 1]), r"one for each of the 1 rows, got shape \(2,\)"),
            (lambda: Triplets.from_odd_one_out([(0, 1)], 0), r"minimum of 3 is required"),
            (lambda: Triplets.from_odd_one_out([(0, 1, 1)], 0), r"an object cannot be compared with itself"),
            (lambda: Triplets.from_selection([(0, 1, 2)], 2), r"`selected` must pick between 1 and 1 of the 2 choices"),
            (
                lambda: Triplets.from_selection([(0, 1, 2, 3)], [[1, 1]]),
                r"Row 0 of `selected` is \[1, 1\]: a choice was",
            ),
            (
                lambda: Triplets.from_selection([(0, 1, 2, 3)], [[0, 1]]),
                r"Row 0 of `selected` is \[0, 1\]: columns go from 1",
            ),
            (lambda: Triplets.from_selection([(0, 1, 2)], 1, weights=[1, 2]), r"`weights` must have 1 entry"),
        ],
    )
    def test_bad_questions(self, make, message):
        with pytest.raises(ValueError, match=message):
            make()


class TestOperations:
    def test_select_by_number_and_by_mask(self):
        triplets = Triplets.from_array(ROWS, weights=[1, 2, 3], names="wxyz")
        for rows in ([2, 0], np.array([True, False, True])):
            part = triplets.select(rows)
            assert len(part) == 2
            assert part.n_objects == 4
            assert part.names == tuple("wxyz")
            assert part.weights.sum() == 4

    def test_they_are_indexed_like_an_array(self):
        triplets = Triplets.from_array(ROWS)
        np.testing.assert_array_equal(np.asarray(triplets), ROWS)
        np.testing.assert_array_equal(np.asarray(triplets[[2, 0]]), [ROWS[2], ROWS[0]])
        np.testing.assert_array_equal(np.asarray(triplets[np.array([0, 1]), ...]), ROWS[:2])
        assert triplets.shape == (3, 3)

    def test_they_stay_frozen_through_pickle(self):
        loaded = pickle.loads(pickle.dumps(Triplets.from_array(ROWS, weights=[1, 2, 3])))
        np.testing.assert_array_equal(np.asarray(loaded), ROWS)
        with pytest.raises(ValueError, match="read-only"):
            loaded.weights[0] = 5

    def test_split_of_weights_that_are_mostly_zero(self):
        parts = Triplets.from_array(ROWS, weights=[1, 0, 0]).split(0.5, random_state=0)
        assert sum(len(part) for part in parts) == 3

    def test_reverse_twice_is_nothing(self):
        triplets = Triplets.from_array(ROWS)
        np.testing.assert_array_equal(triplets.reverse().to_array()[:, 1:], triplets.to_array()[:, :0:-1])
        np.testing.assert_array_equal(triplets.reverse().reverse().to_array(), ROWS)

    @given(st.floats(0, 1), st.integers(0, 5))
    def test_flip_reverses_exactly_a_share(self, share, seed):
        triplets = random_triplets(np.random.default_rng(0), n_triplets=83)
        flipped = triplets.flip(share, random_state=seed)
        changed = flipped.near != triplets.near
        assert changed.sum() == round(share * 83)
        np.testing.assert_array_equal(flipped.far[changed], triplets.near[changed])
        again = triplets.flip(share, random_state=seed)
        np.testing.assert_array_equal(again.to_array(), flipped.to_array())

    def test_merge_repeats(self):
        merged = Triplets.from_array([ROWS[0], ROWS[1], ROWS[0], ROWS[0]], weights=[1, 2, 3, 4]).merge_repeats()
        found = {tuple(row): weight for row, weight in zip(merged.to_array().tolist(), merged.weights, strict=True)}
        assert found == {ROWS[0]: 8.0, ROWS[1]: 2.0}
        assert Triplets.from_array([ROWS[0], ROWS[0]]).merge_repeats().weights.tolist() == [2.0]

    @given(st.integers(0, 20))
    def test_split_keeps_groups_together(self, seed):
        shown = np.array([np.random.default_rng(i).choice(20, 4, replace=False) for i in range(50)])
        first, second = Triplets.from_odd_one_out(shown, 0).split(0.2, random_state=seed)
        assert not set(first.answers.tolist()) & set(second.answers.tolist())
        assert len(set(second.answers.tolist())) == 10
        assert len(first) + len(second) == 50 * 6

    def test_split_by_annotator(self, rng):
        triplets = random_triplets(rng, annotators=rng.integers(10, size=200))
        first, second = triplets.split(0.3, by="annotators", random_state=0)
        assert len(set(second.annotators.tolist())) == 3
        assert not set(first.annotators.tolist()) & set(second.annotators.tolist())

    def test_split_leaves_both_parts_something(self):
        for share in (0.01, 0.99):
            assert all(len(part) for part in Triplets.from_array(ROWS).split(share, random_state=0))

    def test_concatenate_keeps_groups_apart(self):
        one = Triplets.from_odd_one_out([(0, 1, 2)], 0)
        both = Triplets.concatenate([one, one, Triplets.from_array(ROWS, weights=[2, 2, 2])])
        assert both.answers.tolist() == [0, 0, 1, 1, 2, 3, 4]
        assert both.weights.tolist() == [1, 1, 1, 1, 2, 2, 2]
        assert both.n_objects == 4

    @pytest.mark.parametrize(
        ("use", "message"),
        [
            (lambda t: t.flip(1.5), r"`share` must be in \[0, 1\], got 1\.5\."),
            (lambda t: t.split(0.0), r"`share` must be in \(0, 1\), got 0\.0\."),
            (lambda t: t.split(by="people"), r"`by` must be 'answers' or 'annotators', got 'people'\."),
            (lambda t: t.split(by="annotators"), r"`by` must be 'answers' for triplets without annotators"),
            (lambda t: t.select([0]).split(), r"At least 2 different questions are needed to split them, got 1\."),
            (lambda t: t.select([True]), r"`rows` must have 3 entries"),
            (lambda t: t.select([]), r"At least one triplet is needed, got 0\."),
            (lambda t: t.select([99]), r"`rows` must be a mask or numbers from 0 to 2, got \[99\]\."),
            (lambda t: t.select([0.5]), r"`rows` must be a mask or numbers"),
            (lambda t: t.flip("a"), r"`share` must be in \[0, 1\], got 'a'\."),
            (
                lambda t: t.flip(0.5, random_state=-1),
                r"`random_state` must be a whole number from 0 on, a generator or",
            ),
            (lambda t: t.summary(few="a"), r"`few` must be a whole number of at least 1, got 'a'\."),
            (lambda t: Triplets.from_selection([(0, 1, 2, 3)], 1.7), r"Row 0 of `selected` holds 1\.7: whole numbers"),
            (lambda t: Triplets.concatenate([]), r"`parts` must hold at least one set"),
            (lambda t: Triplets.concatenate([t, Triplets.from_array(ROWS, names="abcd")]), r"the same `names`"),
            (
                lambda t: Triplets.concatenate([t, Triplets.from_array(ROWS, annotators=[1, 2, 3])]),
                r"Either all parts or none must have `annotators`",
            ),
        ],
    )
    def test_bad_parameters(self, use, message):
        with pytest.raises((InvalidParameterError, InvalidTripletsError), match=message):
            use(Triplets.from_array(ROWS))


class TestCoercion:
    def test_triplets_pass_through(self):
        triplets = Triplets.from_array(ROWS)
        assert as_triplets(triplets) is triplets

    def test_weights_multiply(self):
        triplets = as_triplets(Triplets.from_array(ROWS, weights=[1, 2, 3]), sample_weight=[2, 0, 1])
        assert triplets.weights.tolist() == [2, 0, 3]

    def test_answers_and_weights_together(self):
        assert as_triplets(ROWS, [1, -1, 1], [1, 2, 3]).weights.tolist() == [1, 2, 3]

    def test_a_frame_of_numbers_without_our_column_names_is_an_array(self):
        np.testing.assert_array_equal(as_triplets(pd.DataFrame(ROWS)).to_array(), ROWS)

    def test_a_frame_with_other_column_names_is_not_read_by_position(self):
        with pytest.raises(InvalidTripletsError, match=r"must have columns anchor, near and far"):
            as_triplets(pd.DataFrame(ROWS, columns=["winner", "loser", "head"]))

    def test_bad_sample_weights_are_called_so(self):
        with pytest.raises(InvalidTripletsError, match=r"Row 0 of `sample_weight` is -1\.0"):
            as_triplets(ROWS, sample_weight=[-1, 1, 1])

    def test_more_objects_than_the_map_has(self):
        with pytest.raises(InvalidTripletsError, match=r"The map has 3 objects, got triplets of 4\."):
            as_triplets(Triplets.from_array(ROWS), n_objects=3)

    def test_differently_numbered_names(self):
        with pytest.raises(InvalidTripletsError, match="number their names differently"):
            as_triplets(Triplets.from_frame(frame()), names=["c", "b", "a"])


def test_draws_have_the_default_seed_of_functions(clean_triplets):
    np.testing.assert_array_equal(clean_triplets.flip(0.3).near, clean_triplets.flip(0.3, random_state=0).near)
    one, other = clean_triplets.split(0.2)[1], clean_triplets.split(0.2, random_state=0)[1]
    np.testing.assert_array_equal(one.to_array(), other.to_array())
    assert not np.array_equal(clean_triplets.flip(0.3).near, clean_triplets.flip(0.3, random_state=1).near)
