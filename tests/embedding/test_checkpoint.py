import numpy as np
import pytest

from tete import TETE
from tete.datasets import make_uniform_triplets
from tete.exceptions import InvalidFileError, InvalidParameterError


class StoppedError(Exception):
    pass


def stop_at(last):
    def callback(iteration, _, __):
        if iteration == last:
            raise StoppedError

    return callback


@pytest.fixture
def triplets(rng):
    return make_uniform_triplets(rng.normal(size=(40, 2)), 3000, random_state=0)


def estimator(**parameters):
    return TETE(t=1.5, t_prime=1.5, **parameters)


@pytest.mark.parametrize("stopped", [2, 25])  # in the first stage and in a later one
def test_a_stopped_fit_goes_on_where_it_was(stopped, triplets, tmp_path):
    path = tmp_path / "fit.npz"
    with pytest.raises(StoppedError):
        estimator(callback=stop_at(stopped)).fit(triplets, checkpoint=path)
    kept = np.load(path)
    resumed = estimator().fit(triplets, checkpoint=path)
    np.testing.assert_array_equal(resumed.history_[:stopped], kept["history"])
    assert resumed.loss_ == pytest.approx(estimator().fit(triplets).loss_, rel=1e-3)
    assert not path.exists()


def test_it_is_written_each_time_that_a_minute_is_over(triplets, tmp_path, monkeypatch):
    monkeypatch.setattr("tete.embedding.checkpoint.SECONDS_BETWEEN", 0.0)
    path, seen = tmp_path / "fit.npz", []
    estimator(callback=lambda *_: seen.append(len(np.load(path)["history"])) and None).fit(triplets, checkpoint=path)
    assert seen == list(range(1, len(seen) + 1))


def test_a_fit_without_trouble_is_the_same(triplets, tmp_path):
    kept = estimator().fit(triplets, checkpoint=tmp_path / "fit.npz").embedding_
    np.testing.assert_array_equal(kept, estimator().fit(triplets).embedding_)


def test_the_checkpoint_of_another_fit_is_refused(triplets, tmp_path):
    path = tmp_path / "fit.npz"
    with pytest.raises(StoppedError):
        estimator(callback=stop_at(3)).fit(triplets, checkpoint=path)
    for other, answers in ((estimator(ridge=1e-3), triplets), (estimator(), triplets.reverse())):
        with pytest.raises(InvalidFileError, match=r"fit.npz is the checkpoint of a fit with other answers"):
            other.fit(answers, checkpoint=path)
    np.savez(path, something=1)
    with pytest.raises(InvalidFileError, match=r"fit.npz is not a checkpoint of a fit"):
        estimator().fit(triplets, checkpoint=path)


def test_only_fits_from_the_spectral_start_have_one(triplets, tmp_path):
    with pytest.raises(InvalidParameterError, match="`checkpoint` needs `init` to be 'spectral'"):
        estimator(init="random").fit(triplets, checkpoint=tmp_path / "fit.npz")
