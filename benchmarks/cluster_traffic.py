"""What one evaluation on a Dask cluster costs beside the sum itself: messages, bytes, seconds and processor seconds.

Writes results/cluster_traffic.md and .json. There are hardly any answers, so that nothing but the traffic is left.

    python benchmarks/cluster_traffic.py [--objects 100000] [--calls 20]
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from distributed import Client, LocalCluster
from distributed_fits import LOCAL
from environments import machine
from tete import Triplets
from tete.distributed import TripletShards, on
from tete.distributed.cluster import ClusterSum
from tete.embedding.losses import UnitTETELoss

RESULTS = Path(__file__).parent / "results"
WORKERS = (1, 2, 4)
DIMENSIONS = (1, 2, 6)  # of a product of the spectral start, of a map, of the first stage of its fit


class Counted:
    """Counts of everything that was sent so far: by the client, the scheduler and the workers."""

    def __init__(self, client: Client, cluster: LocalCluster) -> None:
        streams = [client.scheduler_comm, *cluster.scheduler.stream_comms.values()]
        streams += cluster.scheduler.client_comms.values()
        sent = [(each.batch_count, each.byte_count) for each in streams]
        of_workers = client.run(sent_by_worker)
        sent += [(batches, n_bytes) for batches, n_bytes, _, _ in of_workers.values()]
        self.messages = sum(batches for batches, _ in sent)
        self.control_bytes = sum(n_bytes for _, n_bytes in sent)
        self.transfers = sum(count for _, _, count, _ in of_workers.values())
        self.transferred_bytes = sum(n_bytes for _, _, _, n_bytes in of_workers.values())


def sent_by_worker(dask_worker: object = None) -> tuple[int, int, int, int]:
    stream = dask_worker.batched_stream
    return (
        stream.batch_count,
        stream.byte_count,
        dask_worker.transfer_outgoing_count_total,
        dask_worker.transfer_outgoing_bytes_total,
    )


def processor_seconds() -> float:
    return time.process_time()


def ring(folder: str, n_objects: int) -> TripletShards:
    """As few answers as mention all objects, in as many shards as workers."""
    numbers = np.random.default_rng(0).permutation(n_objects)
    rows = np.stack([numbers, np.roll(numbers, 1), np.roll(numbers, 2)], axis=1)
    return TripletShards.write(f"{folder}/ring.tete", Triplets.from_array(np.tile(rows, (8, 1)), n_objects=n_objects))


def measured(shards: TripletShards, n_workers: int, n_calls: int) -> list[dict]:
    rows = []
    with LocalCluster(n_workers=n_workers, **LOCAL) as cluster, Client(cluster) as client, on(client):
        for n_components in DIMENSIONS:
            places = np.random.default_rng(0).normal(size=(shards.n_objects, n_components))
            total = ClusterSum(shards, 1, client)

            def call(total: ClusterSum = total, places: np.ndarray = places) -> None:
                total.total_loss(UnitTETELoss(), places)

            rows.append({"workers": n_workers, "dimensions": n_components} | of_calls(call, n_calls, client, cluster))
            print(rows[-1], flush=True)
    return rows


def of_calls(call: Callable[[], None], n_calls: int, client: Client, cluster: LocalCluster) -> dict:
    """Medians of the seconds and means of all else, over some calls after the first few."""
    for _ in range(3):
        call()
    time.sleep(1.0)  # what is sent late is counted before
    before, used = Counted(client, cluster), client.run(processor_seconds)
    own, seconds = time.process_time(), []
    for _ in range(n_calls):
        begun = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begun)
    own = time.process_time() - own
    later = client.run(processor_seconds)
    time.sleep(1.0)
    after = Counted(client, cluster)
    return {
        "seconds": float(np.median(seconds)),
        "processor seconds": {
            "client and scheduler": own / n_calls,
            "workers": sorted((later[each] - used[each]) / n_calls for each in used),
        },
        **{name: (getattr(after, name) - getattr(before, name)) / n_calls for name in vars(before)},
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--calls", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        shards = ring(folder, arguments.objects)
        rows = [row for n_workers in WORKERS for row in measured(shards, n_workers, arguments.calls)]
    write(arguments, rows)


def write(arguments: argparse.Namespace, rows: list[dict]) -> None:
    found = machine()
    lines = [
        "# What an evaluation on a Dask cluster costs beside the sum",
        "",
        f"Maps of {arguments.objects:,} objects, {8 * arguments.objects:,} answers, {arguments.calls} evaluations on "
        "workers of one thread each, all on one machine. Messages and their bytes are those between client, scheduler "
        "and workers, in batches as Dask sends them; transfers are those of maps and gradients between workers and to "
        "the client.",
        "",
        "| workers | dimensions | map, MB | messages | MB in them | transfers | MB in them | ms an evaluation "
        "| processor ms: client with scheduler; workers |",
        "|---|---|---|---|---|---|---|---|---|",
        *(line_of(row, arguments.objects) for row in rows),
        "",
        ", ".join(f"{key}: {value}" for key, value in found.items()),
    ]
    RESULTS.joinpath("cluster_traffic.md").write_text("\n".join(lines) + "\n")
    RESULTS.joinpath("cluster_traffic.json").write_text(json.dumps({"machine": found, "rows": rows}, indent=2) + "\n")


def line_of(row: dict, n_objects: int) -> str:
    used = row["processor seconds"]
    each = "; ".join(f"{1e3 * seconds:.0f}" for seconds in (used["client and scheduler"], *used["workers"]))
    map_size = 8e-6 * n_objects * row["dimensions"]
    return (
        f"| {row['workers']} | {row['dimensions']} | {map_size:.1f} | {row['messages']:.0f} "
        f"| {row['control_bytes'] / 1e6:.1f} | {row['transfers']:.0f} | {row['transferred_bytes'] / 1e6:.1f} "
        f"| {1e3 * row['seconds']:.0f} | {each} |"
    )


if __name__ == "__main__":
    main()
