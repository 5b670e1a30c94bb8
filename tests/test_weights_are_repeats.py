"""A weight is a number of repeated lines: every number that is reported is the same for both, in any order."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import tete
from tete import TETE, TETECV, Triplets, learning_curve, position_uncertainty, suggest, trust
from tete.comparisons.agreement import agreement
from tete.comparisons.response_times import response_times
from tete.datasets import make_uniform_triplets
from tete.metrics import triplet_error
from tete.reliability.evidence import better_than_chance, worse_than_expected
from tete.reliability.held_out import HeldOutAnswers
from tete.reliability.lapses import fit_lapses
from tete.reliability.trust_report import report_on

CLOSE = {"rtol": 1e-5, "atol": 1e-7}


def repeated(weighted, rng):
    """The same answers as so many lines, shuffled; whole answers are repeated under other numbers."""
    numbers, counts = weighted.answer_numbers(), weighted.answer_counts().astype(int)
    rows, copies = [], []
    for answer, count in enumerate(counts):
        mine = np.flatnonzero(numbers == answer)
        for copy in range(count):
            rows += mine.tolist()
            copies += [f"{answer}-{copy}"] * len(mine)
    order = rng.permutation(len(rows))
    answers = None if weighted.answers is None else np.array(copies)[order]
    return replace(replace(weighted, weights=None, answers=None).select(np.array(rows)[order]), answers=answers)


def same(one, other):
    """Whether two results, of plain values, are the same but for rounding."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            same(one[key], other[key])
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for first, second in zip(one, other, strict=True):
            same(first, second)
    elif isinstance(one, float):
        np.testing.assert_allclose(one, other, **CLOSE)
    else:
        assert one == other


@st.composite
def small_sets(draw):
    """Weighted answers of some people, and margins that are the same for the same triplet."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    size = draw(st.integers(3, 12))
    shown = np.array([rng.choice(6, size=3, replace=False) for _ in range(size)])
    details = {
        "weights": rng.integers(1, 5, size=size).astype(float),
        "annotators": rng.integers(3, size=size),
        "times": rng.integers(100, 900, size=size).astype(float),
    }
    make = draw(st.sampled_from(["array", "odd", "central"]))
    if make == "array":
        return Triplets.from_array(shown, n_objects=6, **details), rng
    build = Triplets.from_odd_one_out if make == "odd" else Triplets.from_most_central
    return build(shown, rng.integers(3, size=size), n_objects=6, **details), rng


@given(small_sets())
def test_what_is_counted_before_any_map(drawn):
    weighted, rng = drawn
    lines = repeated(weighted, rng)
    assert weighted.summary() == lines.summary()
    for judge in (agreement, response_times):
        same(vars(judge(weighted)), vars(judge(lines)))
    places = rng.normal(size=(6, 2))
    same(triplet_error(places, weighted), triplet_error(places, lines))


@given(small_sets())
def test_what_held_out_margins_say(drawn):
    weighted, rng = drawn
    lines = repeated(weighted, rng)
    places = rng.normal(size=(6, 2))
    held_out = [HeldOutAnswers(each, _margins(places, each)) for each in (weighted, lines)]
    same(*((each.accuracy, each.accuracy_error, each.n_known) for each in held_out))
    if held_out[0].accuracy < 0.55:
        return
    reports = [report_on(each) for each in held_out]
    assert reports[0].n_distrusted == reports[1].n_distrusted
    shares = ((each.wrong_share, *each.wrong_interval) for each in reports)
    np.testing.assert_allclose(*shares, rtol=1e-3, atol=1e-5)  # as near as a fit and a search along it come
    for table in ("annotators", "objects"):
        pd.testing.assert_frame_equal(*(getattr(each, table) for each in reports), rtol=1e-4, atol=1e-6)


def _margins(places, triplets):
    anchor, near, far = places[triplets.to_array().T]
    return np.linalg.norm(anchor - far, axis=1) - np.linalg.norm(anchor - near, axis=1)


@given(st.lists(st.tuples(st.floats(-3.0, 3.0), st.integers(1, 150)), min_size=1, max_size=6))
def test_evidence(answers):
    evidence, counts = (np.array(each, dtype=float) for each in zip(*answers, strict=True))
    units = np.arange(len(counts)) % 2
    many = np.repeat(np.arange(len(counts)), counts.astype(int))
    for test in (worse_than_expected, better_than_chance):
        np.testing.assert_allclose(
            test(evidence, units, 2, counts), test(evidence[many], units[many], 2), rtol=1e-9, atol=1e-12
        )


def test_the_interval_of_wrong_answers_counts_copies(rng):
    margins, weights = rng.normal(1.0, 1.0, size=400), rng.integers(1, 4, size=400)
    few = fit_lapses(margins, np.arange(400), weights.astype(float), copies=weights.astype(float))
    many = np.repeat(margins, weights)
    lines = fit_lapses(many, np.arange(len(many)), np.ones(len(many)))
    np.testing.assert_allclose((few.low, few.high), (lines.low, lines.high), atol=2e-4)


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(5)
    answers = make_uniform_triplets(rng.normal(size=(12, 2)), 250, random_state=1).flip(0.1, random_state=2)
    weighted = replace(
        answers,
        weights=rng.integers(1, 4, size=250).astype(float),
        annotators=np.arange(250) % 4,
        names=tuple("abcdefghijkl"),
    )
    return weighted, repeated(weighted, rng)


def test_the_map_itself(rng):
    weighted = replace(
        make_uniform_triplets(rng.normal(size=(8, 2)), 80, random_state=1), weights=rng.integers(1, 4, size=80)
    )
    one, other = (TETE().fit(each) for each in (weighted, repeated(weighted, rng)))
    assert (one.t_, one.t_prime_) == (other.t_, other.t_prime_)
    np.testing.assert_allclose(one.embedding_, other.embedding_, rtol=1e-3, atol=1e-3)


def test_reports_and_regions(votes):
    model = TETE(t=2.0, t_prime=1.5)
    one, other = (trust(model, each) for each in votes)
    same((one.accuracy, one.accuracy_error, one.n_held_out), (other.accuracy, other.accuracy_error, other.n_held_out))
    np.testing.assert_allclose(
        (one.wrong_share, *one.wrong_interval), (other.wrong_share, *other.wrong_interval), atol=1e-3
    )
    pd.testing.assert_frame_equal(one.annotators, other.annotators, rtol=1e-3)
    fitted = [model.fit(votes[0]), model.fit(votes[0])]
    sure, again = (
        position_uncertainty(each, answers, n_replicates=10) for each, answers in zip(fitted, votes, strict=True)
    )
    np.testing.assert_allclose(sure.stability, again.stability, rtol=1e-3)
    np.testing.assert_allclose(sure.covariances, again.covariances, rtol=0.05, atol=1e-3)
    curve, other_curve = (learning_curve(model, each, n_repeats=1) for each in votes)
    assert curve.points["answers"].tolist() == other_curve.points["answers"].tolist()
    np.testing.assert_allclose(curve.points["error"], other_curve.points["error"], atol=0.01)
    one_choice, other_choice = (TETECV((1, 2), cv=3, refit=False).fit(each) for each in votes)
    assert one_choice.best_params_ == other_choice.best_params_
    np.testing.assert_allclose(one_choice.best_score_, other_choice.best_score_, atol=1e-3)
    questions, others = (suggest(fitted[0], each, n_questions=5) for each in votes)
    assert len(questions) == len(others) == 5


def test_the_commands(votes, tmp_path):
    """Through files and the commands: a column of votes, and as many lines."""
    paths = []
    for name, answers in zip(("votes", "lines"), votes, strict=True):
        cells = np.array(answers.names, dtype=object)[answers.to_array()]
        frame = pd.DataFrame(cells, columns=["anchor", "near", "far"]).assign(worker=answers.annotators)
        if answers.weights is not None:
            frame = frame.assign(votes=answers.weights.astype(int))
        paths.append(tmp_path / f"{name}.csv")
        frame.to_csv(paths[-1], index=False)

    def told(command, *options):
        results = []
        for path in paths:
            result = tete(command[0], *(path if each is None else each for each in command[1:]), *options, "--json")
            assert result.exit_code == 0, result.output
            results.append(json.loads(result.stdout))
        return results

    same(*told(("check", None)))
    one, other = told(("embed", None), "--t", "2", "--t-prime", "1.5")
    for key in ("n_answers", "n_triplets", "accuracy", "held_out_accuracy", "held_out_error", "n_held_out"):
        same(one[key], other[key])
    np.testing.assert_allclose(
        [one["wrong_share"], *one["wrong_interval"]], [other["wrong_share"], *other["wrong_interval"]], atol=1e-3
    )
    assert one["n_suspicious_answers"] == other["n_suspicious_answers"]
    same(one["suspicious_annotators"], other["suspicious_annotators"])
    made = tete("embed", paths[0], "-o", tmp_path / "map.csv", "--t", "2", "--t-prime", "1.5", "-q")
    assert made.exit_code == 0
    same(*told(("score", tmp_path / "map.csv", "--answers", None)))
    one, other = told(("choose", None), "--dims", "1:2", "--folds", "3")
    assert one["best"] == other["best"]
