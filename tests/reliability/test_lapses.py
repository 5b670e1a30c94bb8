import numpy as np
import pytest
from scipy.special import expit

from tete.embedding.answer_model import MOST_SUPPORT_POINTS, AnswerModel
from tete.exceptions import UnpredictableAnswersError
from tete.reliability.lapses import LapseEstimate, fit_lapses, vagueness


def simulate(rng, n_answers=2000, share=0.1, slope=1.5, size=1):
    """Margins of answers, the triplets of an answer lapsing together, and which answers lapsed."""
    answers = np.repeat(np.arange(n_answers), size)
    clear = np.abs(rng.normal(scale=3.0, size=n_answers))[answers] * rng.uniform(0.5, 1.5, size=n_answers * size)
    lapsed = rng.random(n_answers) < share
    wrong = lapsed[answers] ^ (rng.random(len(answers)) > expit(slope * clear))
    return np.where(wrong, -clear, clear), answers, lapsed


def fit(margins, answers):
    return fit_lapses(margins, answers, 1.0 / np.bincount(answers)[answers])


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3])
def test_lapse_and_steepness_are_found(rng, share):
    margins, answers, _ = simulate(rng, 20_000, share)
    found = fit(margins, answers)
    assert found.model.lapse == pytest.approx(share, abs=0.01)
    assert found.model.steepness == pytest.approx(1.5, rel=0.15)
    assert found.low <= found.model.lapse <= found.high


def test_it_is_the_maximum_of_the_likelihood(rng):
    margins, answers, _ = simulate(rng, 1000)
    model = fit(margins, answers).model
    powered = np.sign(margins) * np.abs(margins) ** model.exponent

    def likelihood(share, slope):
        return np.sum(np.log(share + (1 - 2 * share) / (1 + np.exp(-slope * powered))))

    best = likelihood(model.lapse, model.steepness)
    for share in np.linspace(0.0, 0.4, 41):
        for slope in np.geomspace(0.1, 10.0, 41):
            assert likelihood(share, slope) <= best + 1e-4


@pytest.mark.parametrize("power", [0.85, 1.2])
def test_stretched_margins_are_straightened(rng, power):
    margins, answers, lapsed = simulate(rng, 20_000, 0.1)
    stretched = np.sign(margins) * np.abs(margins) ** power
    found, plain = fit(stretched, answers), fit(margins, answers)
    assert plain.model.exponent == pytest.approx(1.0, abs=0.06)
    assert found.model.exponent == pytest.approx(plain.model.exponent / power, abs=0.06)
    wrong = found.model.probability_wrong(stretched)
    for tenth in range(10):
        inside = (wrong >= tenth / 10) & (wrong < (tenth + 1) / 10)
        assert abs(lapsed[inside].mean() - wrong[inside].mean()) < 0.05 + 2.0 * (0.25 / inside.sum()) ** 0.5


def test_few_answers_leave_margins_as_they_are(rng):
    exponents = [fit(*simulate(rng, 60)[:2]).model.exponent for _ in range(5)]
    np.testing.assert_allclose(exponents, 1.0, atol=0.1)


@pytest.mark.parametrize(("share", "size"), [(0.0, 1), (0.02, 4), (0.1, 1), (0.1, 4)])
def test_intervals_hold_the_share(rng, share, size):
    found = [fit(*simulate(rng, 500, share, size=size)[:2]) for _ in range(100)]
    assert np.mean([model.low <= share <= model.high for model in found]) >= 0.93


def test_answers_of_several_triplets_widen_the_interval(rng):
    margins, answers, _ = simulate(rng, 500, size=1)
    once, four_times = fit(margins, answers), fit(np.repeat(margins, 4), np.repeat(answers, 4))
    assert four_times.model.lapse == pytest.approx(once.model.lapse, abs=1e-3)
    assert four_times.high - four_times.low == pytest.approx(once.high - once.low, rel=0.05)


def test_the_unit_of_weights_does_not_matter(rng):
    margins, answers, _ = simulate(rng, 500, 0.02, size=4)
    one, tenth = (fit_lapses(margins, answers, np.full(2000, weight)) for weight in (0.25, 0.025))
    np.testing.assert_allclose([tenth.low, tenth.high], [one.low, one.high], atol=1e-4)


def test_summing_neighbours_changes_hardly_anything(rng, monkeypatch):
    margins, answers, _ = simulate(rng, 2 * MOST_SUPPORT_POINTS)
    summed = fit(margins, answers)
    monkeypatch.setattr("tete.embedding.answer_model.MOST_SUPPORT_POINTS", 10**9)
    exact = fit(margins, answers)
    np.testing.assert_allclose(
        [*summed.model, summed.low, summed.high],
        [*exact.model, exact.low, exact.high],
        rtol=1e-3,
    )


def test_probabilities_are_calibrated(rng):
    margins, answers, lapsed = simulate(rng, 20_000, 0.2)
    probability = fit(margins, answers).model.probability_wrong(margins)
    for low, high in ((0.0, 0.1), (0.3, 0.7), (0.9, 1.0)):
        chosen = (probability >= low) & (probability <= high)
        assert lapsed[chosen].mean() == pytest.approx(probability[chosen].mean(), abs=0.05)


def test_ordinary_answers_lapse_as_often_as_the_interval_lets_them():
    found = LapseEstimate(AnswerModel(0.1, 1.0), low=0.05, high=0.2)
    np.testing.assert_allclose(found.probability_of_map(np.array([0.0, 100.0, -100.0])), [0.5, 0.8, 0.8])


def test_few_and_noisy_answers_are_too_vague(rng):
    few = fit(*simulate(rng, 150, 0.3, slope=0.3)[:2])
    assert vagueness(few.low, few.high) == ", too vague to tell which"
    many = fit(*simulate(rng, 2000, 0.3)[:2])
    assert vagueness(many.low, many.high) == ""


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_intervals_by_people_hold_the_mean_share(rng, share):
    """Everybody lapses at a rate of their own, so that intervals by answers are far too narrow."""
    held = {"answers": 0, "people": 0}
    for _ in range(60):
        people = np.repeat(np.arange(20), 60)
        rates = rng.uniform(0.0, 2.0 * share, size=20)
        clear = np.abs(rng.normal(scale=3.0, size=1200))
        wrong = (rng.random(1200) < rates[people]) ^ (rng.random(1200) > expit(1.5 * clear))
        margins = np.where(wrong, -clear, clear)
        for by in held:
            found = fit_lapses(margins, np.arange(1200), np.ones(1200), people=people if by == "people" else None)
            held[by] += found.low <= share <= found.high
    assert held["people"] >= 54
    assert held["people"] >= held["answers"]


def test_chance_is_refused(rng):
    margins = rng.normal(size=1000)
    with pytest.raises(UnpredictableAnswersError, match=r"held-out error must be at most 47% .* got [45]\d\.\d%"):
        fit_lapses(margins, np.arange(1000), np.ones(1000))


def test_answers_of_which_none_counts_are_refused():
    with pytest.raises(UnpredictableAnswersError, match="got none that counts"):
        fit_lapses(np.ones(3), np.arange(3), np.zeros(3))
