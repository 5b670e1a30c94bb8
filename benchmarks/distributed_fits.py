"""One fit of many answers: from memory, streamed from disk, and on one and two Dask workers.

Writes results/distributed_fits.md and .json. Every way is a process of its own and makes as many iterations.

    python benchmarks/distributed_fits.py [--small] [--triplets 50000000] [--objects 100000] [--iterations 10]
"""

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
import warnings
from hashlib import sha256
from pathlib import Path

import numpy as np

from distributed import Client, LocalCluster
from environments import machine
from tete import TETE, Triplets
from tete.distributed import TripletShards, on
from tete.distributed.shard_writer import ShardWriter

RESULTS = Path(__file__).parent / "results"
WAYS = ("memory, 1 thread", "memory", "streamed, 1 thread", "streamed", "1 worker", "2 workers")


def pack(folder: Path, n_triplets: int, n_objects: int) -> None:
    rng = np.random.default_rng(0)
    places = rng.normal(size=(n_objects, 2))
    folder.mkdir()
    writer, left = ShardWriter(folder), n_triplets
    while left > 0:
        rows = rng.integers(0, n_objects, size=(min(left, 2**20), 3))
        rows = rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 0] != rows[:, 2]) & (rows[:, 1] != rows[:, 2])]
        to_near, to_far = (np.square(places[rows[:, 0]] - places[rows[:, other]]).sum(axis=1) for other in (1, 2))
        rows = np.where((to_near < to_far)[:, None], rows, rows[:, [0, 2, 1]]).astype(np.int32)
        writer.append(dict(zip(("anchor", "near", "far"), rows.T, strict=True)))
        left -= len(rows)
    writer.finish(n_objects, None, None)


def measure(way: str, folder: str, iterations: int, answers: "multiprocessing.Queue") -> None:
    shards = TripletShards(folder)
    one = way.endswith(("1 thread", "1 worker"))
    model = TETE(t=2, t_prime=2, max_iter=iterations, tol=0.0, n_jobs=1 if one else 2)
    data = shards.sample(len(shards)) if way.startswith("memory") else shards
    started: list[float] = []
    model.set_params(callback=lambda *_: started.append(time.perf_counter()) and None)
    if "worker" in way:
        options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with LocalCluster(n_workers=int(way[0]), **options) as cluster, Client(cluster) as client, on(client):
            seconds = fit(model, data)
            memory = max(client.run(peak_memory).values())
    else:
        seconds = fit(model, data)
        memory = peak_memory()
    each = float(np.median(np.diff(started)))
    digest = sha256(model.embedding_.tobytes()).hexdigest()
    answers.put({"way": way, "seconds": seconds, "iteration": each, "memory": memory, "bits": digest})


def fit(model: TETE, data: Triplets | TripletShards) -> float:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is stopped early on purpose
        model.fit(data)
    return time.perf_counter() - start


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true", help="a trial run: 1 million triplets of 5,000 objects")
    parser.add_argument("--triplets", type=int, default=50_000_000)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--iterations", type=int, default=10)
    arguments = parser.parse_args()
    if arguments.small:
        arguments.triplets, arguments.objects = 1_000_000, 5_000
    context = multiprocessing.get_context("spawn")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder, "answers.tete")
        pack(packed, arguments.triplets, arguments.objects)
        for way in WAYS:
            answers = context.Queue()
            process = context.Process(target=measure, args=(way, str(packed), arguments.iterations, answers))
            process.start()
            rows.append(answers.get())
            process.join()
            print(rows[-1], flush=True)
    same = len({row["bits"] for row in rows}) == 1
    write(arguments, rows, same)


def write(arguments: argparse.Namespace, rows: list[dict], same: bool) -> None:
    name = "distributed_fits_small" if arguments.small else "distributed_fits"
    found = machine()
    lines = [
        "# Answers from memory, from disk and on Dask workers",
        "",
        f"{arguments.triplets:,} triplets of {arguments.objects:,} objects, `TETE(t=2, t_prime=2)`, "
        f"{arguments.iterations} iterations after the spectral start. Maps of all ways have the same bits: {same}.",
        "",
        "| way | seconds in all | seconds an iteration | peak memory of a process, MB |",
        "|---|---|---|---|",
        *(f"| {r['way']} | {r['seconds']:.1f} | {r['iteration']:.3f} | {r['memory'] / 2**20:,.0f} |" for r in rows),
        "",
        ", ".join(f"{name}: {value}" for name, value in found.items()),
    ]
    RESULTS.joinpath(f"{name}.md").write_text("\n".join(lines) + "\n")
    RESULTS.joinpath(f"{name}.json").write_text(json.dumps({"machine": found, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
