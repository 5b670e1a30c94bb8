from itertools import islice

import numpy as np
import pytest
from sklearn.base import clone

from samples import random_triplets
from tete import TETE, Triplets
from tete.comparisons.same_question import question_numbers
from tete.datasets import make_triplets, make_uniform_triplets
from tete.embedding import temperature_choice
from tete.embedding.temperature_choice import HeldOut, held_out_parts, unseen_answers
from tete.embedding.temperatures import CANDIDATES, Temperatures
from tete.exceptions import InvalidParameterError, InvalidTripletsError


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(3).normal(size=(40, 2))


def answers_of(points, noise, count=3000):
    return make_uniform_triplets(points, count, random_state=0).flip(noise, random_state=1)


def parts_of(answers, count):
    return list(islice(held_out_parts(answers), count))


def chosen(fitted):
    return Temperatures(fitted.kernel_, fitted.t_, fitted.t_prime_)


class TestChoice:
    @pytest.mark.parametrize(
        ("noise", "loser", "gain"), [(0.0, (2.0, 1.75), 0.02), (0.2, (1.0, 1.0), 0.02), (0.2, (2.0, 2.0), 0.02)]
    )
    def test_it_beats_settings_that_do_not_suit_the_answers(self, points, noise, loser, gain):
        answers, unseen = answers_of(points, noise), make_uniform_triplets(points, 4000, random_state=9)
        t, t_prime = loser
        assert TETE().fit(answers).score(unseen) > TETE(t=t, t_prime=t_prime).fit(answers).score(unseen) + gain

    def test_reversed_answers_choose_a_cap_and_true_ones_none(self, points):
        assert TETE().fit(answers_of(points, 0.0)).t_ == 1.0
        assert TETE().fit(answers_of(points, 0.2)).t_ == 2.0

    def test_the_most_likely_is_chosen_and_fitted_from_scratch(self, points):
        answers = answers_of(points, 0.1)
        fitted = TETE().fit(answers)
        scores = fitted.temperature_scores_
        assert list(scores) == list(CANDIDATES)
        assert max(scores, key=scores.get) == chosen(fitted)
        t_prime = "auto" if fitted.t_prime_ is None else fitted.t_prime_
        by_hand = TETE(t=fitted.t_, t_prime=t_prime, kernel=fitted.kernel_).fit(answers)
        np.testing.assert_array_equal(by_hand.embedding_, fitted.embedding_)
        assert by_hand.temperature_scores_ is None

    def test_numbers_that_are_given_stay(self, clean_triplets):
        fitted = TETE(t=1.3).fit(clean_triplets)
        assert fitted.t_ == 1.3
        assert {each.t for each in fitted.temperature_scores_} == {1.3}
        both = TETE(t=2, t_prime=1.75).fit(clean_triplets)
        assert (both.kernel_, both.t_, both.t_prime_, both.temperature_scores_) == ("squared", 2.0, 1.75, None)
        assert TETE(kernel="distance").fit(clean_triplets).t_prime_ is None

    def test_of_many_answers_what_is_clearly_worse_is_dropped(self, points, monkeypatch):
        answers = answers_of(points, 0.2)
        both = TETE().fit(answers)
        monkeypatch.setattr(temperature_choice, "ENOUGH_TO_SAY_SO", 100)
        fitted = TETE().fit(answers)
        assert chosen(fitted) == chosen(both)
        assert list(fitted.temperature_scores_) == list(CANDIDATES)
        light = Temperatures("squared", 1.0, 1.0)
        assert fitted.temperature_scores_[light] > both.temperature_scores_[light]  # one fold is against it, not two

    def test_a_near_tie_of_two_folds_is_looked_at_in_the_others(self, points, monkeypatch):
        answers = answers_of(points, 0.2, count=600)
        looks = []

        def judged(part, embedding, judge=HeldOut.log_likelihoods):
            looks.append(part.test)
            return judge(part, embedding)

        monkeypatch.setattr(HeldOut, "log_likelihoods", judged)
        by_all = TETE().fit(answers).temperature_scores_
        monkeypatch.setattr(temperature_choice, "ENOUGH_TO_SAY_SO", 100)
        n_looks = len(looks)
        by_two = TETE().fit(answers).temperature_scores_
        assert 2 * len(CANDIDATES) < n_looks < 5 * len(CANDIDATES)  # not of those that are behind already
        assert len(looks) - n_looks <= 2 * len(CANDIDATES)
        assert max(by_all.values()) < max(by_two.values())  # of more answers

    def test_what_is_left_out_is_never_chosen(self):
        candidates = dict(zip("abc", CANDIDATES, strict=False))
        gaps = {"a": np.zeros(100), "b": np.full(100, -0.01), "c": np.where(np.arange(100) < 50, 1.0, -1.03)}
        first = {candidates[name]: gap - 5.0 for name, gap in gaps.items()}
        kept = temperature_choice._within(1.0, [first])  # b is 1 behind and sure of it, c is 1.5 behind and not
        assert kept == list(candidates.values())
        assert temperature_choice._within(0.0, [first]) == [candidates["a"]]

    def test_weights_are_repeats_in_what_is_tried(self, points):
        answers = answers_of(points, 0.1, count=600)
        twice = TETE().fit(Triplets.concatenate([answers, answers])).temperature_scores_
        weighted = TETE().fit(answers.with_weights(np.full(600, 2.0))).temperature_scores_
        for each in CANDIDATES:
            assert twice[each] == pytest.approx(weighted[each], rel=1e-3)

    def test_another_fit_chooses_again(self, points):
        model = TETE().fit(answers_of(points, 0.2))
        first = chosen(model)
        assert chosen(model.fit(answers_of(points, 0.0))) != first
        assert chosen(model.fit(answers_of(points, 0.2))) == first

    def test_equal_bits_for_any_number_of_threads(self):
        sphere = np.random.default_rng(0).normal(size=(100, 5))
        answers = make_triplets(sphere, 150, random_state=0).flip(0.1, random_state=1)
        one, other = (TETE(n_jobs=n_jobs).fit(answers) for n_jobs in (1, 3))
        assert one.temperature_scores_ == other.temperature_scores_
        np.testing.assert_array_equal(one.embedding_, other.embedding_)

    def test_neither_order_nor_repeats_nor_answers_that_do_not_count_matter(self, clean_triplets):
        weights = np.random.default_rng(0).integers(0, 4, size=len(clean_triplets))
        weighted = TETE().fit(clean_triplets.with_weights(weights)).temperature_scores_
        rows = np.random.default_rng(1).permutation(np.repeat(np.arange(len(weights)), weights))
        repeated = TETE().fit(clean_triplets.select(rows)).temperature_scores_
        for each in CANDIDATES:
            assert repeated[each] == pytest.approx(weighted[each], rel=0.01)

    def test_names_and_not_numbers_of_objects_say_what_is_held_out(self, points, rng):
        answers = answers_of(points, 0.1, count=600).with_names([f"object {row}" for row in range(40)])
        order = rng.permutation(40)
        other = answers.renumbered(np.argsort(order), 40).with_names([f"object {row}" for row in order])
        for one, same in zip(held_out_parts(answers), held_out_parts(other), strict=True):
            np.testing.assert_array_equal(order[same.test.to_array()], one.test.to_array())
        scores, again = (TETE().fit(each).temperature_scores_ for each in (answers, other))
        for each in CANDIDATES:
            assert again[each] == pytest.approx(scores[each], rel=0.01)

    def test_callbacks_and_iterations_are_those_of_the_final_fit(self, clean_triplets):
        seen = []
        fitted = TETE(callback=lambda iteration, *_: seen.append(iteration)).fit(clean_triplets)
        assert seen == list(range(1, fitted.n_iter_ + 1))


class TestWithoutChoice:
    def test_few_answers_take_the_fallback(self):
        fitted = TETE().fit([(0, 1, 2), (1, 0, 2), (2, 1, 0)])
        assert chosen(fitted) == Temperatures("squared", 2.0, 1.5)
        assert fitted.temperature_scores_ is None

    def test_errors_are_those_of_the_final_fit(self, rng, clean_triplets):
        answers = random_triplets(rng)
        with pytest.raises(InvalidTripletsError, match="The 400 triplets cancel each other out"):
            TETE().fit(Triplets.concatenate([answers, answers.reverse()]))
        with pytest.raises(InvalidParameterError, match=r"`ridge` must be below .*, got 7\.0"):
            TETE(ridge=7.0).fit(clean_triplets)

    def test_maps_made_elsewhere(self, points, clean_triplets):
        model = TETE().fit(clean_triplets)
        model.on_map(points)
        assert chosen(model) == Temperatures("squared", 2.0, 1.5)
        assert chosen(TETE(t=1.0, t_prime=1.0).on_map(points)) == Temperatures("squared", 1.0, 1.0)


class TestSettled:
    def test_maps_of_other_answers_keep_the_choice(self, points):
        answers, clean = answers_of(points, 0.2), answers_of(points, 0.0)
        fitted = TETE().fit(answers)
        settled = fitted.settled()
        assert not hasattr(settled, "embedding_")
        assert chosen(settled.fit(clean)) == chosen(fitted)
        np.testing.assert_array_equal(fitted.map_of(clean), settled.embedding_)

    def test_maps_of_the_parts_go_on_from_where_they_are(self, points):
        answers = answers_of(points, 0.2)
        fitted = TETE().fit(answers)
        for train in (part.train for part in parts_of(answers, 2)):
            again, from_scratch = fitted.map_of(train), fitted.settled().fit(train)
            started = TETE(**{**fitted.settled().get_params(), "init": again}).fit(train)
            assert started.n_iter_ <= 3
            assert started.loss_ == pytest.approx(from_scratch.loss_, rel=0.01)
            assert not np.array_equal(again, from_scratch.embedding_)
            np.testing.assert_array_equal(fitted.map_of(train.reverse()), fitted.settled().map_of(train.reverse()))

    def test_parameters_of_the_fitted_one_do_not_change(self, clean_triplets):
        fitted = TETE().fit(clean_triplets)
        assert (fitted.t, fitted.t_prime, fitted.kernel) == ("auto", "auto", "auto")
        assert clone(fitted).get_params() == TETE().get_params()

    def test_before_a_fit_it_is_a_copy(self):
        assert TETE(3, t=1.5).settled().get_params() == TETE(3, t=1.5).get_params()


class TestUnseenAnswers:
    def test_answers_held_out_teach_the_answer_model(self, points):
        answers = answers_of(points, 0.1, count=600)
        fitted = TETE().fit(answers)
        unseen = fitted._answer_sample.unseen
        tested = [part.test for part in parts_of(answers, len(fitted._maps_of_parts))]
        np.testing.assert_array_equal(unseen.seen_margins, np.concatenate([fitted.margins(each) for each in tested]))
        assert np.mean(unseen.margins > 0.0) < np.mean(unseen.seen_margins > 0.0)
        by_hand = TETE(**fitted.settled().get_params()).fit(answers)
        np.testing.assert_array_equal(by_hand.embedding_, fitted.embedding_)
        assert by_hand._answer_sample.unseen is None
        others = make_uniform_triplets(points, 4000, random_state=9).flip(0.1, random_state=9)
        learned, supposed = (
            np.log(model.answer_model().probability(model.margins(others))).mean() for model in (fitted, by_hand)
        )
        assert learned > supposed

    def test_maps_are_compared_at_one_size(self, points):
        answers = answers_of(points, 0.1, count=600)
        fitted, places = TETE().fit(answers), np.random.default_rng(0).normal(size=points.shape)
        parts = parts_of(answers, len(fitted._maps_of_parts))
        found = [unseen_answers([(part, scale * places) for part in parts], points) for scale in (1.0, 1e3)]
        np.testing.assert_allclose(found[0].margins, found[1].margins)
        assert len(fitted._answer_sample.unseen.margins) == len(found[0].margins)

    def test_other_kinds_of_maps_have_none(self, points, monkeypatch):
        answers = answers_of(points, 0.1, count=600)
        fixed = TETE().fit(answers, fixed=dict(enumerate(points[:20])))
        assert fixed._answer_sample.unseen is None
        monkeypatch.setattr(temperature_choice, "MOST_QUESTIONS", 100)
        monkeypatch.setattr(temperature_choice, "MOST_AN_OBJECT", 5)
        assert not parts_of(answers, 1)[0].of_all
        assert TETE().fit(answers)._answer_sample.unseen is None


class TestParts:
    def test_questions_are_whole_and_different(self, rng):
        answers = random_triplets(rng, n_objects=8, n_triplets=400)
        parts = list(held_out_parts(answers))
        assert len(parts) == 5
        tested = []
        for part in parts:
            keys = [
                {(row[0], *sorted(row[1:])) for row in each.to_array().tolist()} for each in (part.train, part.test)
            ]
            assert not keys[0] & keys[1]
            assert len(keys[1]) == part.questions.max() + 1
            tested.append(keys[1])
        assert sum(map(len, tested)) == len(set.union(*tested))

    def test_triplets_of_an_answer_share_its_weight(self):
        shown = np.array([np.random.default_rng(i).choice(12, 3, replace=False) for i in range(300)])
        answers = Triplets.from_odd_one_out(shown, 0, weights=np.full(300, 3.0))
        for part in held_out_parts(answers):
            np.testing.assert_allclose(part.weights, 1.5)

    def test_objects_that_no_other_answer_mentions_are_not_tested(self):
        rows = [*np.arange(90).reshape(30, 3), *random_triplets(np.random.default_rng(0), 12).to_array()]
        for part in held_out_parts(Triplets.from_array(rows)):
            assert (part.train.mentions()[part.test.to_array()] > 0).all()

    def test_very_many_questions_are_chosen_by_a_part(self, monkeypatch, rng):
        answers = random_triplets(rng, n_objects=40, n_triplets=2000)
        monkeypatch.setattr(temperature_choice, "MOST_QUESTIONS", 500)
        monkeypatch.setattr(temperature_choice, "MOST_AN_OBJECT", 20)
        assert len(np.unique(question_numbers(parts_of(answers, 1)[0].train))) == 640  # 20 an object, of 5 folds 4
        monkeypatch.setattr(temperature_choice, "MOST_AN_OBJECT", 10)
        parts = list(held_out_parts(answers))
        for part in parts:
            assert len(np.unique(question_numbers(part.train))) == 400
        shuffled = answers.select(rng.permutation(2000))
        assert [len(part.test) for part in held_out_parts(shuffled)] == [len(part.test) for part in parts]

    def test_few_questions_have_none(self):
        assert list(held_out_parts(Triplets.from_array([(0, 1, 2)] * 50 + [(0, 2, 1)] * 50))) == []
