import numpy as np
import pytest

from tete import datasets


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
        with pytest.raises(ValueError, match=r"`n_points` must be a whole number of at least 1, got 0\."):
            make(0)

    def test_noise_moves_the_points(self):
        clean, noisy = (datasets.make_swiss_roll(500, noise=noise, random_state=0).data for noise in (0.0, 0.5))
        assert 0.1 < np.std(noisy - clean) < 1.0
        with pytest.raises(ValueError, match=r"`noise` must be in \[0, inf\), got -1\."):
            datasets.make_swiss_roll(noise=-1)


class TestFeatures:
    def test_mnist_is_in_its_order(self, load):
        mnist = load(datasets.load_mnist)
        assert mnist.target[:6].tolist() == [5, 0, 4, 1, 9, 2]
        assert mnist.target[60_000:60_004].tolist() == [7, 2, 1, 0]
        assert np.bincount(mnist.target).tolist() == [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]
        assert np.shares_memory(mnist.images, mnist.data)

    def test_classes(self, load):
        assert set(np.bincount(load(datasets.load_usps).target)) == {1100}
        assert set(np.bincount(load(datasets.load_coil20).target)) == {72}
        letters = load(datasets.load_letters)
        assert "".join(letters.target_names[label] for label in letters.target[:5]) == "TIDNG"
        scenes = load(datasets.load_mit_scenes)
        assert scenes.target_names[0] == "coast"
        assert np.bincount(scenes.target).tolist() == [360, 328, 260, 308, 374, 410, 292, 356]

    def test_the_views_of_coil_are_in_order(self, load):
        coil = load(datasets.load_coil20)
        np.testing.assert_array_equal(coil.angle.reshape(20, 72), np.tile(np.arange(0, 360, 5), (20, 1)))

    def test_faces_with_the_same_parameters_look_alike(self, load):
        faces = load(datasets.load_faces)
        assert faces.truth_names == ("pan", "tilt", "light")
        in_truth = np.linalg.norm(faces.truth[:, None] - faces.truth[None], axis=2) + 1e9 * np.eye(698)
        in_pixels = np.linalg.norm(faces.data - faces.data[in_truth.argmin(axis=1)], axis=1)
        assert in_pixels.mean() < 0.5 * np.linalg.norm(faces.data - np.roll(faces.data, 1, axis=0), axis=1).mean()
