import numpy as np
import pytest

from tete import datasets
from tete.metrics.satisfaction import triplet_error


class TestComparisons:
    @pytest.mark.parametrize(("n", "agreeing"), [(30, 0.795), (300, 0.862)])
    def test_most_answers_about_alien_eggs_agree_with_the_truth(self, load, n, agreeing):
        eggs = load(datasets.load_alien_eggs, n)
        assert 1 - triplet_error(eggs.truth, eggs.triplets) == pytest.approx(agreeing, abs=0.002)
        assert len(np.unique(eggs.triplets.annotators)) == {30: 416, 300: 231}[n]
        assert len(eggs.algorithm) == len(eggs.triplets)

    def test_accents_are_grouped_by_answer(self, load):
        accents = load(datasets.load_accents)
        triplets = accents.triplets
        assert set(np.bincount(triplets.answers)) == {2}
        assert set(np.bincount(triplets.annotators)) == {2 * 608}
        odd = accents.shown[np.arange(36_480), accents.odd]
        np.testing.assert_array_equal(triplets.far, odd[triplets.answers])

    def test_music_drops_triplets_that_repeat_an_object(self, load):
        music = load(datasets.load_music)
        assert "17 that repeat an object are left out" in music.description
        assert music.names[2] == "3 Doors Down"
        assert music.target_names[music.target[2]] == "rock"
        assert music.genres.shape == (400, 58)

    def test_foods(self, load):
        named, everything, screens = (load(datasets.load_food, part) for part in ("named", "all", "screens"))
        assert everything.names[:73] == named.names
        assert named.triplets.summary().n_contradictions > 0
        assert np.isfinite(named.taste).all()
        assert named.taste.shape == (73, 6)
        assert len(np.unique(screens.triplets.answers)) == 6256
        sizes = np.bincount(screens.triplets.answers) + 1
        assert set(sizes) == {2, 4, 8, 12, 16}
        for group in (0, 6255):
            one = screens.triplets.select(screens.triplets.answers == group)
            assert len(set(one.anchor)) == len(set(one.near)) == 1
            assert len(set(one.far)) == len(one)

    def test_bad_choices(self):
        with pytest.raises(ValueError, match=r"`answers` must be 'named', 'all' or 'screens', got 'some'\."):
            datasets.load_food("some")
        with pytest.raises(ValueError, match=r"`n_objects` must be 30 or 300, got 31\."):
            datasets.load_alien_eggs(31)
