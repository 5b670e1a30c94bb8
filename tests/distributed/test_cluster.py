"""Tests on a cluster of processes: also of `distributed.worker`."""

import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

from samples import random_triplets
from tete import TETE, Triplets
from tete.datasets import make_uniform_triplets
from tete.distributed import TripletShards, on
from tete.distributed.cluster import ClusterSum, checked_workers, refuse_paused, subtrees
from tete.distributed.worker import _room
from tete.embedding.losses import TETELoss
from tete.exceptions import ClusterError

distributed = pytest.importorskip("distributed", reason="dask is not installed", exc_type=ImportError)

SMALL_CLUSTER = """
import time
from distributed import LocalCluster

if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None)
    print(cluster.scheduler_address, flush=True)
    time.sleep(300)
"""

pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask itself


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="1GiB"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def triplets():
    rng = np.random.default_rng(0)
    found = make_uniform_triplets(rng.normal(size=(60, 2)), 40_000, random_state=0)
    return Triplets.from_array(found.to_array(), weights=rng.exponential(size=40_000), n_objects=61)


@pytest.fixture(scope="module")
def shards(triplets, tmp_path_factory):
    return TripletShards.write(tmp_path_factory.mktemp("packed") / "a.tete", triplets, rows_in_a_shard=3000)


@pytest.mark.parametrize("temperatures", [(2, 2), (1.5, 1.3), (1, 1)])
def test_equal_bits_on_a_cluster_and_on_one_machine(temperatures, client, shards, triplets):
    model = TETE(t=temperatures[0], t_prime=temperatures[1], max_iter=30)
    with on(client):
        on_cluster = model.fit(shards).embedding_.copy()
    np.testing.assert_array_equal(on_cluster, model.fit(shards).embedding_)
    np.testing.assert_array_equal(on_cluster, model.fit(triplets).embedding_)


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 4])
def test_equal_bits_on_other_numbers_of_workers(n_workers, shards, triplets):
    model = TETE(t=1.5, t_prime=1.3, max_iter=30)
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        distributed.LocalCluster(n_workers=n_workers, **options) as cluster,
        distributed.Client(cluster) as client,
        on(client),
    ):
        on_cluster = model.fit(shards).embedding_.copy()
    np.testing.assert_array_equal(on_cluster, model.fit(triplets).embedding_)


def test_a_worker_killed_in_iteration_3_changes_no_bits(client, shards, triplets):
    killed = []

    def kill(iteration, _, __):
        if iteration == 3 and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    with on(client):
        on_cluster = TETE(t=2, t_prime=2, max_iter=30, callback=kill).fit(shards).embedding_
    assert killed
    np.testing.assert_array_equal(on_cluster, TETE(t=2, t_prime=2, max_iter=30).fit(triplets).embedding_)


def test_an_evaluation_that_was_lost_is_begun_again(client, shards, monkeypatch):
    total = ClusterSum(shards, 2, client)
    submit, lost = client.submit, []

    def lose_once(*arguments, **options):
        if not lost:
            lost.append(True)
            raise distributed.client.FutureCancelledError("map", "lost")
        return submit(*arguments, **options)

    expected = total.total_loss(TETELoss(1.5, 1.3), np.ones((60, 2)))
    monkeypatch.setattr(client, "submit", lose_once)
    found = total.total_loss(TETELoss(1.5, 1.3), np.ones((60, 2)))
    assert lost
    assert found[0] == expected[0]
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("n_slots", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("n_shards", [1, 5, 16, 23])
def test_subtrees_are_whole_and_cover_all_shards(n_slots, n_shards):
    shards = [(number, number + 1) for number in range(n_shards)]
    found = subtrees(shards, n_slots)
    assert [shard for unit in found for shard in unit] == shards
    sizes = {len(unit) for unit in found[:-1]}
    assert len(sizes) <= 1
    assert all(size & (size - 1) == 0 for size in sizes)
    assert len(found) >= min(n_slots, n_shards) // 2


@pytest.mark.parametrize(("version", "sentence"), [(None, "has no tete"), ("9.9", "has tete 9.9")])
def test_workers_with_another_version_are_refused(version, sentence, client, monkeypatch):
    monkeypatch.setattr(client, "run", lambda _, workers: dict.fromkeys(workers, version))
    with pytest.raises(ClusterError, match=f"Worker tcp://.* {sentence}, expected tete "):
        checked_workers(client)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('__version__ = "9.9"', "has tete 9.9"),
        ('raise ModuleNotFoundError("No module named tete", name="tete")', "has no tete"),
    ],
)
def test_a_worker_process_of_another_version_is_refused(content, sentence, shards, tmp_path):
    (tmp_path / "tete").mkdir()
    (tmp_path / "tete" / "__init__.py").write_text(content)
    options = ["--no-nanny", "--no-dashboard", "--nthreads", "1", "--local-directory", str(tmp_path)]
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        subprocess.Popen(
            [sys.executable, "-m", "dask", "worker", cluster.scheduler_address, *options],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            stderr=subprocess.DEVNULL,
        ) as worker,
    ):
        try:
            client.wait_for_workers(1, timeout=60)
            with pytest.raises(ClusterError, match=f"Worker tcp://.* {sentence}, expected tete "), on(client):
                TETE(t=2, t_prime=2).fit(shards)
        finally:
            worker.kill()


def test_workers_that_stay_out_of_memory_are_refused():
    class Stuck:
        def scheduler_info(self, n_workers):
            assert n_workers == -1
            one = {"status": "paused", "memory_limit": 300 * 2**20}
            return {"workers": {"tcp://one": one, "tcp://two": one | {"status": "running"}}}

    paused = refuse_paused(Stuck(), set())
    assert paused == {"tcp://one"}
    with pytest.raises(ClusterError, match=r"Worker tcp://one has used up its memory of 300 MiB"):
        refuse_paused(Stuck(), paused)


def test_a_worker_keeps_shards_until_half_of_its_memory_is_in_use(client):
    def room_and_used():
        return _room(), distributed.get_worker().monitor.get_process_memory()

    room, used = client.submit(room_and_used, pure=False).result()
    assert 0 < room < 0.5 * 2**30
    assert room + used == pytest.approx(0.5 * 2**30, rel=0.1)


@pytest.mark.slow
def test_a_lost_scheduler_is_one_sentence_and_leaves_the_checkpoint(shards, tmp_path):
    script = tmp_path / "cluster.py"
    script.write_text(SMALL_CLUSTER)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        with distributed.Client(address, timeout=20) as client:
            client.wait_for_workers(1, timeout=60)

            def lose(iteration, _, __):
                if iteration == 3:
                    process.kill()
                    process.wait()
                    time.sleep(1)

            with on(client), pytest.raises(ClusterError, match=r"scheduler of the cluster was lost|does not answer"):
                TETE(t=2, t_prime=2, callback=lose).fit(shards, checkpoint=tmp_path / "checkpoint.npz")
    assert (tmp_path / "checkpoint.npz").exists()
    with warnings.catch_warnings():
        resumed = TETE(t=2, t_prime=2).fit(shards, checkpoint=tmp_path / "checkpoint.npz")
    assert resumed.loss_ == pytest.approx(TETE(t=2, t_prime=2).fit(shards).loss_, rel=1e-3)
    assert not (tmp_path / "checkpoint.npz").exists()


def test_random_answers_of_three_objects_are_enough(client, rng, tmp_path):
    few = random_triplets(rng, n_objects=3, n_triplets=20)
    shards = TripletShards.write(tmp_path / "few.tete", few)
    with on(client):
        value, gradient = ClusterSum(shards, 2, client).total_loss(TETELoss(2.0, 2.0), np.eye(3)[:, :2])
    assert np.isfinite(value)
    assert gradient.shape == (3, 2)
