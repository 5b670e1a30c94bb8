"""One fit of many answers: from memory, streamed from disk, and on one and two Dask workers.

Writes results/distributed_fits.md and .json. Every way runs in a process of its own, one way after the other, in
several rounds. A run goes a few iterations from a given map; in the first round it also makes a whole fit with the
spectral start. At the end two workers sum answers that take three times the memory that they have together.

    python benchmarks/distributed_fits.py [--small] [--triplets 50000000] [--objects 100000] [--iterations 10]
"""

import argparse
import json
import multiprocessing
import os
import resource
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path

import numpy as np

from distributed import Client, LocalCluster
from environments import machine
from tete import TETE, Triplets
from tete.distributed import TripletShards, on
from tete.distributed.shard_writer import ShardWriter

RESULTS = Path(__file__).parent / "results"
WAYS = ("memory, 1 thread", "streamed, 1 thread", "1 worker", "2 workers", "streamed, 2 threads")
TARGETS = (  # what is compared with what, and what is wanted of the ratio of their seconds
    ("1 worker", "2 workers", "at least 1.6"),
    ("1 worker", "streamed, 1 thread", "at most 1.3"),
    ("streamed, 1 thread", "memory, 1 thread", "at most 1.3"),
)
ROWS_AT_ONCE = 2**20
LOCAL = {
    "threads_per_worker": 1,
    "processes": True,
    "dashboard_address": None,
    "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"},
}
WEIGHTED_BYTES = 20  # of a triplet with a weight


def pack(folder: Path, n_triplets: int, n_objects: int, *, weighted: bool = False) -> None:
    """Answers of the normal places of objects, and weights that change nothing but the room they take."""
    rng = np.random.default_rng(0)
    places = rng.normal(size=(n_objects, 2)).astype(np.float32)
    folder.mkdir()
    writer, left = ShardWriter(folder), n_triplets
    while left > 0:
        anchor, near, far = rng.integers(0, n_objects, size=(3, min(left, ROWS_AT_ONCE)), dtype=np.int32)
        different = (anchor != near) & (anchor != far) & (near != far)
        anchor, near, far = anchor[different], near[different], far[different]
        at_anchor = places[anchor]
        to_near, to_far = (np.square(at_anchor - places[other]).sum(axis=1) for other in (near, far))
        columns = {"anchor": anchor, "near": np.where(to_near < to_far, near, far)}
        columns["far"] = near + far - columns["near"]
        if weighted:
            columns["weights"] = rng.random(len(anchor)) + 0.5
        writer.append(columns)
        left -= len(anchor)
    writer.finish(n_objects, None, None)


# One way, in a process of its own ------------------------------------------------------------------------------------


def measured(way: str, folder: str, iterations: int, whole: bool, memory_limit: str | None = None) -> dict:
    """What a few iterations take this way, and a whole fit if it is asked for."""
    shards = TripletShards(folder)
    n_workers = int(way[0]) if "worker" in way else 0
    model = TETE(t=2, t_prime=2, max_iter=iterations, tol=0.0, n_jobs=2 if "2 threads" in way else 1)
    start = np.random.default_rng(1).normal(size=(shards.n_objects, 2))
    row: dict = {"way": way, "load": os.getloadavg()[0]}
    with ExitStack() as stack:
        client = None
        if n_workers:
            cluster = LocalCluster(n_workers=n_workers, memory_limit=memory_limit or "auto", **LOCAL)
            client = stack.enter_context(Client(stack.enter_context(cluster)))
            stack.enter_context(on(client))
        warm_up(model)
        data = shards.sample(len(shards)) if way.startswith("memory") else shards
        first = of_workers(client, os.getpid)
        row["iterations"] = timed(model.set_params(init=start), data, client)
        if whole:
            row["whole"] = timed(model.set_params(init="spectral"), data, client)
        row["memory"] = {"client": peak_memory(), "workers": sorted(of_workers(client, peak_memory).values())}
        row["restarted"] = first != of_workers(client, os.getpid)
        row["limit"] = sorted(of_workers(client, memory_limit_of).values())
    return row


def warm_up(model: TETE) -> None:
    """Load what is compiled; on a cluster also on the workers, of which each gets some shards."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few = Triplets.from_array(np.tile([(0, 1, 2), (2, 1, 0)], (40_000, 1)))
        packed = TripletShards.write(f"{folder}/few.tete", few)
        for data in (few, packed):
            model.set_params(init="spectral").fit(data)


def timed(model: TETE, data: Triplets | TripletShards, client: Client | None) -> dict:
    """Seconds of a fit and of an iteration, processor seconds of every process, and the map's bits."""
    ends: list[float] = []
    model.set_params(callback=lambda *_: ends.append(time.perf_counter()))
    begun, own, of_each = time.perf_counter(), time.process_time(), of_workers(client, processor_seconds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is stopped early on purpose
        model.fit(data)
    seconds = time.perf_counter() - begun
    used = of_workers(client, processor_seconds)
    return {
        "seconds": seconds,
        "an iteration": (ends[-1] - ends[0]) / (len(ends) - 1),
        "processor seconds": {
            "client": time.process_time() - own,
            "workers": sorted(used[each] - of_each.get(each, 0.0) for each in used),
        },
        "bits": sha256(model.embedding_.tobytes()).hexdigest(),
    }


def of_workers(client: Client | None, ask: Callable) -> dict:
    return {} if client is None else client.run(ask)


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def processor_seconds() -> float:
    return time.process_time()


def memory_limit_of(dask_worker: object = None) -> int:
    return int(dask_worker.memory_manager.memory_limit)


def alone(function: Callable, *arguments: object) -> dict:
    """Call it in a fresh process, whose end is noticed."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


# All of them ---------------------------------------------------------------------------------------------------------


def main() -> None:
    arguments = parsed()
    begun = time.perf_counter()
    rows, tight = [], None
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        packed = Path(folder, "answers.tete")
        pack(packed, arguments.triplets, arguments.objects)
        told(f"packed after {time.perf_counter() - begun:.0f} s")
        for number in range(arguments.rounds):
            for way in WAYS:
                rows.append(alone(measured, way, str(packed), arguments.iterations, number == 0))
                told(rows[-1])
                write(arguments, rows, tight, time.perf_counter() - begun)
        wide = Path(folder, "wide.tete")
        n_wide = 3 * 2 * arguments.limit * 2**20 // WEIGHTED_BYTES
        pack(wide, n_wide, arguments.objects, weighted=True)
        told(f"packed more than the workers' memory after {time.perf_counter() - begun:.0f} s")
        tight = alone(measured, "2 workers", str(wide), 3, False, f"{arguments.limit}MiB") | {"triplets": n_wide}
        told(tight)
    write(arguments, rows, tight, time.perf_counter() - begun)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true", help="a trial run: 1 million triplets of 5,000 objects")
    parser.add_argument("--triplets", type=int, default=50_000_000)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--limit", type=int, default=512, help="MiB of each worker in the last run")
    parser.add_argument("--folder", help="where to pack the answers for the time of the run; needs 4 GB")
    arguments = parser.parse_args()
    if arguments.small:
        arguments.triplets, arguments.objects, arguments.rounds = 1_000_000, 5_000, 1
    return arguments


def told(what: object) -> None:
    print(what, flush=True)


# The table -----------------------------------------------------------------------------------------------------------


def write(arguments: argparse.Namespace, rows: list[dict], tight: dict | None, seconds: float) -> None:
    name = "distributed_fits_small" if arguments.small else "distributed_fits"
    found = machine()
    same = all(len({row[kind]["bits"] for row in rows if kind in row}) == 1 for kind in ("iterations", "whole"))
    lines = [
        "# Answers from memory, from disk and on Dask workers",
        "",
        f"{arguments.triplets:,} triplets of {arguments.objects:,} objects, `TETE(t=2, t_prime=2)`. From a given map "
        f"{arguments.iterations} iterations; a whole fit has the spectral start and as many iterations. Each way is a "
        f"process of its own, {arguments.rounds} rounds one way after the other, and the least seconds of all rounds "
        f"are told. Maps of all ways have the same bits: {same}.",
        "",
        "| way | seconds an iteration | whole fit, s | its processor seconds: client; workers "
        "| peak memory, MiB: client; workers |",
        "|---|---|---|---|---|",
        *(line_of(way, rows) for way in WAYS if any(row["way"] == way for row in rows)),
        "",
        "| ratio of seconds | an iteration | whole fit | wanted |",
        "|---|---|---|---|",
        *ratios(rows),
        "",
        *lines_of_limit(arguments, tight),
        f"The whole run took {seconds / 60:.0f} minutes; mean load of the machine before each way: "
        f"{', '.join(format(row['load'], '.1f') for row in rows)}.",
        "",
        ", ".join(f"{key}: {value}" for key, value in found.items()),
    ]
    RESULTS.joinpath(f"{name}.md").write_text("\n".join(lines) + "\n")
    content = {"machine": found, "arguments": vars(arguments), "rows": rows, "tight": tight}
    RESULTS.joinpath(f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")


def line_of(way: str, rows: list[dict]) -> str:
    mine = [row for row in rows if row["way"] == way]
    whole = next(row["whole"] for row in mine if "whole" in row)
    used, memory = whole["processor seconds"], mine[0]["memory"]
    processors = "; ".join(f"{each:.1f}" for each in (used["client"], *used["workers"]))
    peaks = "; ".join(f"{each / 2**20:,.0f}" for each in (memory["client"], *memory["workers"]))
    return f"| {way} | {least(way, rows, an_iteration):.3f} | {whole['seconds']:.1f} | {processors} | {peaks} |"


def ratios(rows: list[dict]) -> list[str]:
    lines = []
    for one, other, wanted in TARGETS:
        if {one, other} <= {row["way"] for row in rows}:
            each, whole = (least(one, rows, of) / least(other, rows, of) for of in (an_iteration, whole_fit))
            lines.append(f"| {one} / {other} | {each:.2f} | {whole:.2f} | {wanted} |")
    return lines


def an_iteration(row: dict) -> float:
    return row["iterations"]["an iteration"]


def whole_fit(row: dict) -> float:
    return row["whole"]["seconds"] if "whole" in row else np.inf


def least(way: str, rows: list[dict], of: Callable[[dict], float]) -> float:
    return min(of(row) for row in rows if row["way"] == way)


def lines_of_limit(arguments: argparse.Namespace, tight: dict | None) -> list[str]:
    if tight is None:
        return []
    peaks = ", ".join(f"{each / 2**20:,.0f}" for each in tight["memory"]["workers"])
    n_bytes = tight["triplets"] * WEIGHTED_BYTES
    return [
        f"Two workers of at most {arguments.limit} MiB each and shards of {n_bytes / 2**20:,.0f} MiB "
        f"({tight['triplets']:,} triplets with weights), three times their memory: the workers' peaks are {peaks} MiB, "
        f"an iteration takes {an_iteration(tight):.2f} s, a worker was restarted: {tight['restarted']}.",
        "",
    ]


if __name__ == "__main__":
    main()
