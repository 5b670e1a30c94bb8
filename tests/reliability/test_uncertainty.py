"""Tests `reliability.resampled_maps` as well."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from tete import TETE, Triplets, Uncertainty, position_uncertainty
from tete.datasets import answer_by_distance, make_uniform_triplets
from tete.exceptions import InvalidParameterError, SmallEllipsesWarning
from tete.metrics.alignment import procrustes_align
from tete.reliability.resampled_maps import SIDEWAYS, drift_squares


def answers_about(points, n_answers, seed):
    questions = make_uniform_triplets(points, n_answers, random_state=seed)
    return answer_by_distance(points, questions, sharpness=2.0, random_state=seed)


@pytest.mark.slow
@pytest.mark.parametrize("n_answers", [1500, 6000])  # a robust loss bends distances, which more answers do not cure
def test_ellipses_hold_the_true_places(n_answers):
    inside = []
    for seed in range(4):
        points = np.random.default_rng(seed).normal(size=(40, 2))
        answers = answers_about(points, n_answers, seed)
        fitted = TETE(n_jobs=1).fit(answers)
        sure = position_uncertainty(fitted, answers, random_state=seed)
        steps = procrustes_align(fitted.embedding_, points) - fitted.embedding_
        distances = np.einsum("ni,nij,nj->n", steps, np.linalg.inv(sure.covariances), steps)
        inside += (distances <= sure.radius(0.9) ** 2).tolist()
    assert 0.85 <= np.mean(inside) <= 0.95


def test_more_answers_make_a_map_stable(rng):
    points = rng.normal(size=(20, 2))
    few, many = (
        position_uncertainty(TETE().fit(answers), answers, n_replicates=10)
        for answers in (answers_about(points, size, 0) for size in (300, 6000))
    )
    assert few.stability < many.stability
    assert 0.9 < many.stability <= 1.0


def test_the_same_seed_gives_the_same_bits(clean_triplets):
    one, other = (
        position_uncertainty(TETE(n_jobs=jobs).fit(clean_triplets), clean_triplets, n_replicates=10) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.covariances, other.covariances)


def test_whole_answers_are_drawn(clean_triplets):
    rows = np.repeat(clean_triplets.to_array()[:400], 3, axis=0)
    alone = position_uncertainty(TETE().fit(rows), Triplets.from_array(rows), n_replicates=10)
    grouped = Triplets.from_array(rows, answers=np.repeat(np.arange(400), 3))
    together = position_uncertainty(TETE().fit(grouped), grouped, n_replicates=10)
    assert together.stability < alone.stability


def test_people_who_differ_move_the_map():
    """Half of them look at one property alone, half at another: the map depends on who is drawn."""
    points = np.random.default_rng(0).normal(size=(15, 2))
    seen = [make_uniform_triplets(points * [1.0, 0.1], 2000), make_uniform_triplets(points * [0.1, 1.0], 2000)]
    differing = replace(Triplets.concatenate(seen), annotators=np.arange(4000) // 200)
    fitted = TETE().fit(differing)
    by_answers, by_people, default = (
        position_uncertainty(fitted, differing, n_replicates=10, by=by) for by in ("answers", "annotators", None)
    )
    assert (by_answers.by, by_answers.n_people, by_people.by, by_people.n_people) == ("answers", None, "annotators", 20)
    assert by_people.stability < by_answers.stability
    np.testing.assert_array_equal(default.covariances, by_people.covariances)  # 15 people are enough
    assert by_answers.stability_by_answers is None
    assert abs(default.stability_by_answers - by_answers.stability) < 0.02
    expected = f"{default.stability:.1%} of the map's spread is reproduced by 20 other people, "
    assert str(default) == f"{expected}{default.stability_by_answers:.1%} by other answers (10 draws)"


@pytest.mark.parametrize(("n_answers", "said"), [(4, "4 answers for 8 coordinates, 20 are needed"), (20, None)])
def test_stability_is_not_known_from_few_answers(n_answers, said):
    points = np.random.default_rng(0).normal(size=(4, 2))
    answers = make_uniform_triplets(points, n_answers, random_state=0)
    sure = position_uncertainty(TETE(t=2.0, t_prime=1.5).fit(answers), answers, n_replicates=10)
    assert sure.no_stability == said
    assert (sure.stability is None) == (said is not None)
    assert np.isfinite(sure.covariances).all()
    if said is not None:
        assert str(sure) == f"unknown: {said}"


def test_answers_fewer_than_coordinates_tell_no_stability():
    points = np.random.default_rng(0).normal(size=(30, 2))
    answers = make_uniform_triplets(points, 55, random_state=1)
    sure = position_uncertainty(TETE(t=2.0, t_prime=1.5).fit(answers), answers, n_replicates=10)
    assert sure.no_stability == "55 answers for 60 coordinates, 60 are needed"


class Recording(TETE):
    """Keeps the weights of the answers that were drawn."""

    def map_of(self, triplets, *, start=None):
        self.drawn_ = [*getattr(self, "drawn_", []), triplets.weights]
        return super().map_of(triplets, start=start)


def test_people_are_drawn_with_all_their_answers(clean_triplets):
    people = np.random.default_rng(0).integers(20, size=2000)
    fitted = Recording(t=2, t_prime=2).fit(clean_triplets)
    position_uncertainty(fitted, replace(clean_triplets, annotators=people), n_replicates=10, by="annotators")
    for drawn in fitted.drawn_[:10]:
        times = np.array([drawn[people == person][0] for person in range(20)])
        np.testing.assert_array_equal(drawn, times[people])
        assert times.sum() == 20
        assert sorted(set(times)) != [1.0]


def test_people_with_an_answer_each_are_answers():
    """Drawn either way, as many different answers as there are, each some whole number of times."""
    places = np.random.default_rng(0).normal(size=(20, 2))
    answers = make_uniform_triplets(places, 2000, random_state=0).merge_repeats()
    alone = replace(answers, weights=None, annotators=np.arange(len(answers)))
    for by in ("answers", "annotators"):
        fitted = Recording(t=2, t_prime=2).fit(alone)
        position_uncertainty(fitted, alone, n_replicates=10, by=by)
        for drawn in fitted.drawn_[:10]:
            np.testing.assert_allclose(drawn, np.rint(drawn), atol=1e-9)
            assert drawn.sum() == pytest.approx(len(alone))
            assert np.mean(drawn == 0.0) == pytest.approx(np.exp(-1.0), abs=0.05)


def test_settings_that_flatten_space_are_said(clean_triplets):
    flat, fair = (TETE(3, t=2.0, t_prime=t_prime).fit(clean_triplets) for t_prime in (2.0, 1.5))
    with pytest.warns(SmallEllipsesWarning, match=r"in 3 dimensions are too small at t = 2, t' = 2: .* At t' = 1.5"):
        position_uncertainty(flat, clean_triplets, n_replicates=10)
    position_uncertainty(fair, clean_triplets, n_replicates=10)  # warnings are errors here


def test_few_people_need_a_larger_radius():
    radii = [Uncertainty(np.zeros((1, 2, 2)), 1.0, 40, n_people).radius() for n_people in (15, 30, 41, None)]
    assert radii[0] > radii[1] > radii[2] == radii[3]


def test_few_people_are_refused(clean_triplets):
    fitted = TETE().fit(clean_triplets)
    few = replace(clean_triplets, annotators=np.arange(2000) % 14)
    assert position_uncertainty(fitted, few, n_replicates=10).by == "answers"
    with pytest.raises(InvalidParameterError, match="14 people are too few to say how far people differ"):
        position_uncertainty(fitted, few, by="annotators")


def test_objects_without_answers_have_no_ellipse(clean_triplets):
    answers = Triplets.from_array(clean_triplets.to_array(), n_objects=31)
    with pytest.warns(UserWarning, match="in no triplet"):
        fitted = TETE().fit(answers)
    sure = position_uncertainty(fitted, answers, n_replicates=10)
    assert np.isnan(sure.covariances[30]).all()
    assert sure.ellipses(fitted.embedding_)[30, :2].tolist() == [0.0, 0.0]
    assert sure.stability > 0.9


def test_ellipses_by_hand():
    turn = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    sure = Uncertainty((turn @ np.diag([4.0, 1.0]) @ turn.T)[None], 1.0, 10**6)
    width, height, angle = sure.ellipses([[1.0, 2.0]])[0]
    radius = np.sqrt(chi2.ppf(0.9, 2))
    np.testing.assert_allclose([width, height], [4.0 * radius, 2.0 * radius], rtol=1e-4)
    assert angle % np.pi == pytest.approx(0.5)


def test_ellipses_of_other_dimensions(rng):
    places = rng.normal(size=(10, 3)) * [5.0, 3.0, 0.1]
    covariances = np.tile(np.diag([0.01, 0.04, 9.0]), (10, 1, 1))
    ellipses = Uncertainty(covariances, 1.0, 40).ellipses(places)
    assert ellipses[:, 0].max() < 6 * 0.4  # the third axis is not drawn
    assert Uncertainty(covariances[:, :1, :1], 1.0, 40).ellipses(places[:, :1])[:, 1].tolist() == [0.0] * 10


def test_few_replicates_need_a_larger_radius():
    radii = [Uncertainty(np.zeros((1, 2, 2)), 1.0, size).radius() for size in (10, 40, 10**6)]
    assert radii[0] > radii[1] > radii[2] == pytest.approx(np.sqrt(chi2.ppf(0.9, 2)), rel=1e-4)


def test_bad_input(clean_triplets):
    fitted = TETE().fit(clean_triplets)
    with pytest.raises(InvalidParameterError, match="`n_replicates` must be a whole number of at least 10, got 3"):
        position_uncertainty(fitted, clean_triplets, n_replicates=3)
    sure = Uncertainty(np.zeros((1, 2, 2)), 1.0, 40)
    with pytest.raises(InvalidParameterError, match=r"`level` must be in \(0, 1\), got 1"):
        sure.radius(1.0)
    with pytest.raises(InvalidParameterError, match=r"`embedding` must have the shape \(1, 2\) of the fitted map"):
        sure.ellipses(np.zeros((2, 2)))


def test_a_drift_on_a_line_counts_for_all_objects():
    np.testing.assert_allclose(drift_squares(np.array([[3.0], [0.0], [-3.0]]))[:, 0, 0], [15.0, 6.0, 15.0])


def test_a_drift_counts_most_along_itself_and_a_little_in_every_direction():
    square = drift_squares(np.array([[3.0, 4.0]]))[0]
    assert np.trace(square) == pytest.approx(25.0)
    values, axes = np.linalg.eigh(square)
    np.testing.assert_allclose(values, [25.0 * SIDEWAYS / 2.0, 25.0 * (1.0 - SIDEWAYS / 2.0)])
    np.testing.assert_allclose(np.abs(axes[:, 1]), [0.6, 0.8])
