"""Facts of every data set; those of real data where their folder is present."""

import re
from pathlib import Path

import numpy as np
import pytest

from tete import Triplets, datasets
from tete.datasets.registry import data_sets
from tete.metrics import triplet_error

REGISTRY = data_sets()
FETCHED = [name for name, entry in REGISTRY.items() if entry.file is not None]
PAGE = Path(__file__).parents[1] / "docs" / "datasets.md"


@pytest.fixture
def real_data(data_folder, monkeypatch):
    monkeypatch.setenv("TETE_DATA", str(data_folder))


def load(name):
    """The data set that the call in the registry gives."""
    function, argument = re.fullmatch(r"(\w+)\((.*)\)", REGISTRY[name].loader).groups()
    arguments = [int(argument) if argument.isdigit() else argument.strip("'")] if argument else []
    entry = REGISTRY[name]
    if entry.file is not None and not (datasets.data_folder() / entry.file).is_file():
        pytest.skip(f"needs {entry.file} in the data folder")
    return getattr(datasets, function)(*arguments)


def check_shape(name, bunch):
    """What all data sets have in common."""
    entry = REGISTRY[name]
    n_objects, second = entry.shape
    assert [bunch[key] for key in ("title", "description", "licence", "citation")] == [
        getattr(entry, key) for key in ("title", "description", "licence", "citation")
    ]
    assert ("data" in bunch) != ("triplets" in bunch)
    if "data" in bunch:
        assert bunch.data.shape == (n_objects, second)
        assert np.isfinite(bunch.data).all()
    else:
        assert isinstance(bunch.triplets, Triplets)
        assert (bunch.triplets.n_objects, len(bunch.triplets)) == (n_objects, second)
        assert bunch.triplets.names == bunch.names
    for key in ("target", "names", "images", "truth", "angle", "taste", "genres", "published_map"):
        assert bunch.get(key) is None or len(bunch[key]) == n_objects, key
    if bunch.target_names is not None:
        assert set(np.unique(bunch.target)) == set(range(len(bunch.target_names)))
    if "images" in bunch:
        assert bunch.images.ndim == 3


@pytest.mark.parametrize("name", [name for name in REGISTRY if name not in FETCHED])
def test_what_needs_no_file(name):
    check_shape(name, load(name))


@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize("name", FETCHED)
def test_what_needs_a_file(name):
    check_shape(name, load(name))


class TestRegistry:
    def test_every_loader_is_listed(self):
        called = {entry.loader.split("(")[0] for entry in REGISTRY.values()}
        public = {name for name in datasets.__all__ if name.startswith("load_")}
        assert called == public | {"make_sphere", "make_swiss_roll"}

    @pytest.mark.parametrize("name", FETCHED)
    def test_a_file_can_be_checked(self, name):
        entry = REGISTRY[name]
        assert entry.openml or re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
        assert entry.url is None or (entry.url.startswith("https://") and entry.values_sha256)

    def test_the_page_has_the_table_of_the_registry(self):
        lines = [
            f"| {entry.title} | `{entry.loader}` | {entry.shape[0]:,} | {entry.shape[1]:,} | {entry.licence} | "
            f"{f'`{entry.file}`' if entry.file else 'none'} | "
            f"{'`download=True`' if entry.can_be_fetched else entry.source if entry.file else 'nothing to get'} |"
            for entry in REGISTRY.values()
        ]
        found = [line for line in PAGE.read_text().splitlines() if re.match(r"\|.*`(load|make)_", line)]
        assert found == lines, "docs/datasets.md should have these lines:\n" + "\n".join(lines)


class TestGenerators:
    def test_the_sphere_is_round_and_uniform(self):
        sphere = datasets.make_sphere(5000, random_state=0)
        np.testing.assert_allclose(np.linalg.norm(sphere.data, axis=1), 1.0)
        # Archimedes: the height of a uniform point is uniform, so that its square has the mean 1/3.
        np.testing.assert_allclose((sphere.data**2).mean(axis=0), 1 / 3, atol=0.02)
        longitude, latitude = sphere.truth.T
        back = np.column_stack(
            [np.cos(longitude) * np.cos(latitude), np.sin(longitude) * np.cos(latitude), np.sin(latitude)]
        )
        np.testing.assert_allclose(back, sphere.data, atol=1e-12)

    def test_the_truth_of_the_swiss_roll_is_an_isometry(self):
        roll = datasets.make_swiss_roll(20_000, random_state=0)
        order = np.argsort(roll.target)
        places, flat = roll.data[order], roll.truth[order]
        close = np.abs(np.diff(flat, axis=0)).max(axis=1) < 0.3  # near enough for the chord to be the arc
        assert close.sum() > 100
        in_space, on_paper = (np.linalg.norm(np.diff(x, axis=0), axis=1)[close] for x in (places, flat))
        np.testing.assert_allclose(in_space, on_paper, rtol=1e-3, atol=1e-6)

    @pytest.mark.parametrize("make", [datasets.make_sphere, datasets.make_swiss_roll])
    def test_seeds_and_sizes(self, make):
        one, other, different = (make(7, random_state=seed).data for seed in (0, 0, 1))
        np.testing.assert_array_equal(one, other)
        assert one.shape == (7, 3)
        assert (one != different).any()
        with pytest.raises(ValueError, match=r"`n` must be a whole number of at least 1, got 0\."):
            make(0)

    def test_noise_moves_the_points(self):
        clean, noisy = (datasets.make_swiss_roll(500, noise=noise, random_state=0).data for noise in (0.0, 0.5))
        assert 0.1 < np.std(noisy - clean) < 1.0
        with pytest.raises(ValueError, match=r"`noise` must be in \[0, inf\), got -1\."):
            datasets.make_swiss_roll(noise=-1)


@pytest.mark.usefixtures("real_data")
class TestFeatures:
    def test_mnist_is_in_its_order(self):
        mnist = load("mnist")
        assert mnist.target[:6].tolist() == [5, 0, 4, 1, 9, 2]
        assert mnist.target[60_000:60_004].tolist() == [7, 2, 1, 0]
        assert np.bincount(mnist.target).tolist() == [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]
        assert np.shares_memory(mnist.images, mnist.data)

    def test_classes(self):
        assert set(np.bincount(load("usps").target)) == {1100}
        assert set(np.bincount(load("coil20").target)) == {72}
        letters = load("letters")
        assert "".join(letters.target_names[label] for label in letters.target[:5]) == "TIDNG"
        scenes = load("mit_scenes")
        assert scenes.target_names[0] == "coast"
        assert np.bincount(scenes.target).tolist() == [360, 328, 260, 308, 374, 410, 292, 356]

    def test_the_views_of_coil_are_in_order(self):
        coil = load("coil20")
        np.testing.assert_array_equal(coil.angle.reshape(20, 72), np.tile(np.arange(0, 360, 5), (20, 1)))

    def test_faces_with_the_same_parameters_look_alike(self):
        faces = load("faces")
        assert faces.truth_names == ("pan", "tilt", "light")
        in_truth = np.linalg.norm(faces.truth[:, None] - faces.truth[None], axis=2) + 1e9 * np.eye(698)
        in_pixels = np.linalg.norm(faces.data - faces.data[in_truth.argmin(axis=1)], axis=1)
        assert in_pixels.mean() < 0.5 * np.linalg.norm(faces.data - np.roll(faces.data, 1, axis=0), axis=1).mean()


@pytest.mark.usefixtures("real_data")
class TestComparisons:
    @pytest.mark.parametrize(("n", "agreeing"), [(30, 0.795), (300, 0.862)])
    def test_most_answers_about_alien_eggs_agree_with_the_truth(self, n, agreeing):
        eggs = load(f"alien_eggs{n}")
        assert 1 - triplet_error(eggs.truth, eggs.triplets) == pytest.approx(agreeing, abs=0.002)
        assert len(np.unique(eggs.triplets.annotators)) == {30: 416, 300: 231}[n]
        assert len(eggs.algorithm) == len(eggs.triplets)

    def test_accents_are_grouped_by_answer(self):
        accents = load("accents")
        triplets = accents.triplets
        assert set(np.bincount(triplets.groups)) == {2}
        assert set(np.bincount(triplets.annotators)) == {2 * 608}
        odd = accents.shown[np.arange(36_480), accents.odd]
        np.testing.assert_array_equal(triplets.far, odd[triplets.groups])

    def test_music_drops_triplets_that_repeat_an_object(self):
        music = load("music")
        assert "17 that repeat an object are left out" in music.description
        assert music.names[2] == "3 Doors Down"
        assert music.target_names[music.target[2]] == "rock"
        assert music.genres.shape == (400, 58)

    def test_foods(self):
        named, everything, screens = (load(name) for name in ("food73", "food100", "food_screens"))
        assert everything.names[:73] == named.names
        assert named.triplets.summary().n_contradictions > 0
        assert np.isfinite(named.taste).all()
        assert named.taste.shape == (73, 6)
        assert len(np.unique(screens.triplets.groups)) == 6256
        sizes = np.bincount(screens.triplets.groups) + 1
        assert set(sizes) == {2, 4, 8, 12, 16}
        for group in (0, 6255):
            one = screens.triplets.select(screens.triplets.groups == group)
            assert len(set(one.anchor)) == len(set(one.near)) == 1
            assert len(set(one.far)) == len(one)

    def test_bad_choices(self):
        with pytest.raises(ValueError, match=r"`answers` must be 'named', 'all' or 'screens', got 'some'\."):
            datasets.load_food("some")
        with pytest.raises(ValueError, match=r"`n` must be 30 or 300, got 31\."):
            datasets.load_alien_eggs(31)
