import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

from tete import TETE
from tete.datasets import make_uniform_triplets
from tete.exceptions import InvalidFileError, InvalidParameterError

KILLED = """
import os, signal, sys
import numpy as np
import tete.embedding.checkpoint as checkpoint
from tete import TETE, Triplets

checkpoint.SECONDS_BETWEEN = 0.0

def kill(iteration, value, embedding):
    if iteration == 12:
        os.kill(os.getpid(), signal.SIGKILL)

TETE(t=1.5, t_prime=1.5, callback=kill).fit(Triplets.from_array(np.load(sys.argv[1])), checkpoint=sys.argv[2])
"""


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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs the signal that cannot be caught")
def test_a_killed_fit_goes_on_from_its_last_map_and_always_to_the_same_end(triplets, tmp_path):
    np.save(tmp_path / "triplets.npy", triplets.to_array())
    path = tmp_path / "fit.npz"
    ended = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "triplets.npy", path], check=False)
    assert ended.returncode == -signal.SIGKILL
    shutil.copy(path, tmp_path / "again.npz")
    resumed = estimator().fit(triplets, checkpoint=path)
    again = estimator(n_jobs=1).fit(triplets, checkpoint=tmp_path / "again.npz")
    whole = estimator().fit(triplets)
    np.testing.assert_array_equal(resumed.embedding_, again.embedding_)
    np.testing.assert_array_equal(resumed.history_[:12], whole.history_[:12])
    assert resumed.loss_ == pytest.approx(whole.loss_, rel=1e-3)


def test_the_spectral_start_is_kept_and_a_fit_from_it_has_the_same_bits(triplets, tmp_path, monkeypatch):
    def lose(*_, **__):
        raise StoppedError

    path = tmp_path / "fit.npz"
    with monkeypatch.context() as patched:
        patched.setattr("tete.embedding.stages.lbfgs", lose)
        with pytest.raises(StoppedError):
            estimator().fit(triplets, checkpoint=path)
    assert len(np.load(path)["history"]) == 0
    monkeypatch.setattr("tete.embedding.fitting.spectral_start", lose)  # it is not made again
    resumed = estimator().fit(triplets, checkpoint=path).embedding_
    monkeypatch.undo()
    np.testing.assert_array_equal(resumed, estimator().fit(triplets).embedding_)


@pytest.mark.parametrize("stopped", [3, 30])
def test_an_interrupt_leaves_where_it_stood(stopped, triplets, tmp_path):
    def interrupt(iteration, _, __):
        if iteration == stopped:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        estimator(callback=interrupt).fit(triplets, checkpoint=tmp_path / "fit.npz")
    assert len(np.load(tmp_path / "fit.npz")["history"]) == stopped


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
