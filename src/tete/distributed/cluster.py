"""The sum over packed answers on the workers of a Dask cluster.

Shards are leaves of a fixed tree of additions (`core.pairwise_sum`). Each worker sums neighbouring shards, whole
subtrees of it, and workers add these up among themselves. For each evaluation the map goes out to the workers and one
gradient comes back. Which worker sums what changes nothing in the result, so a worker that is lost only costs time:
Dask gives its tasks to others, and an evaluation that it cannot save is begun again.
"""

import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from math import ceil, log2
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import tete
from tete.core.types import Embedding
from tete.distributed.streaming import SUMMED_ELSEWHERE, PackedSum
from tete.distributed.triplet_shards import TripletShards
from tete.distributed.worker import Rows, add_sums, as_it_is, sum_of_shards
from tete.embedding.losses import Loss
from tete.embedding.objective import TripletSum
from tete.exceptions import ClusterError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["checked_workers", "on"]

MOST_ATTEMPTS = 5  # at one evaluation
PATIENCE = 60.0  # seconds to wait for workers where all are lost


@contextmanager
def on(client: "Client") -> Iterator[None]:
    """Sum packed answers on a Dask cluster while the block runs.

    The folder of the answers must be at the same path on all machines. The map has the same bits as without a cluster
    if all machines have the same kind of processor and the same versions.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster, all of whose workers have this version of tete.

    Yields
    ------
    None
        Fits to `TripletShards` run on the cluster.

    Raises
    ------
    ClusterError
        If a worker has no tete or another version, or the cluster is lost.

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> from tete import TETE
    >>> from tete.distributed import TripletShards, on
    >>> with Client("tcp://host:8786") as client, on(client):  # doctest: +SKIP
    ...     model = TETE().fit(TripletShards("answers.tete"))
    """
    checked_workers(client)

    @contextmanager
    def sum_on_cluster(answers: TripletShards, n_components: int) -> Iterator[TripletSum]:
        yield ClusterSum(answers, n_components, client)

    token = SUMMED_ELSEWHERE.set(sum_on_cluster)
    try:
        yield
    finally:
        SUMMED_ELSEWHERE.reset(token)


class ClusterSum(PackedSum):
    """Packed answers summed on the workers."""

    def __init__(self, answers: TripletShards, n_components: int, client: "Client") -> None:
        super().__init__(answers, n_components)
        self._client = client
        self._known: dict[str, int] = {}

    def whole_loss(self, loss: Loss, embedding: Embedding) -> tuple[float, Embedding]:
        """Sum of weighted losses and its gradient, for a map of all objects; begun again if it was lost."""
        from distributed import KilledWorker  # noqa: PLC0415

        for _ in range(MOST_ATTEMPTS):
            try:
                return self._evaluate(loss, embedding)
            except (CancelledError, KilledWorker, OSError, TimeoutError) as error:
                reason: BaseException = error
                if isinstance(error, ClusterError):
                    raise
                refuse_lost(self._client)
        raise ClusterError(f"The workers of the cluster were lost {MOST_ATTEMPTS} times in a row.") from reason

    def _evaluate(self, loss: Loss, embedding: Embedding) -> tuple[float, Embedding]:
        client, folder = self._client, (str(self.answers.path.absolute()), self.answers.digest, self.answers.left_out)
        slots = self._slots()
        units = subtrees([(rows.start, rows.stop) for rows in self.rows], len(slots))
        name = f"tete-{uuid4().hex[:12]}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a map is large on purpose
            # The map is a task: what is scattered dies with its worker, what is computed is computed again.
            sent = client.submit(as_it_is, embedding, key=f"{name}-map", pure=False)
        level = [
            client.submit(
                sum_of_shards,
                *folder,
                unit,
                loss,
                sent,
                key=f"{name}-sum-{number}",
                workers=[slots[number * len(slots) // len(units)]],
                allow_other_workers=True,
                pure=False,
            )
            for number, unit in enumerate(units)
        ]
        while len(level) > 1:
            pairs = [level[place : place + 2] for place in range(0, len(level), 2)]
            level = [client.submit(add_sums, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
        value, gradient = self._waited(level[0])
        return value, gradient if gradient.flags.writeable else gradient.copy()

    def _waited(self, future: Any) -> tuple[float, Embedding]:
        """The result, unless workers have stopped taking work for want of memory: they would never go on."""
        paused: set[str] = set()
        while True:
            try:
                found: tuple[float, Embedding] = future.result(timeout=PATIENCE)
            except TimeoutError:
                paused = refuse_paused(self._client, paused)
            else:
                return found

    def _slots(self) -> list[str]:
        """The address of a worker for each of its threads; new workers are looked at first."""
        threads_of = checked_workers(self._client, known=self._known)
        self._known = threads_of
        return [address for address in sorted(threads_of) for _ in range(threads_of[address])]


def subtrees(shards: Sequence[Rows], n_slots: int) -> list[Sequence[Rows]]:
    """The shards of the subtrees to sum at once: one for each slot, more where slots are no power of two."""
    wanted = n_slots if n_slots & (n_slots - 1) == 0 else 4 * n_slots
    size = 2 ** max(ceil(log2(len(shards) / wanted)), 0)
    return [shards[start : start + size] for start in range(0, len(shards), size)]


def checked_workers(client: "Client", known: dict[str, int] | None = None) -> dict[str, int]:
    """For each worker its threads; refuse those without this version of tete, and wait where there are none."""
    deadline = monotonic() + PATIENCE
    while not (threads_of := _answered(client, client.nthreads)):
        if monotonic() > deadline:
            raise ClusterError(
                f"The cluster at {client.scheduler_info()['address']} has had no worker for {PATIENCE:.0f} s."
            )
        sleep(0.1)
    new = sorted(set(threads_of) - set(known or ()))
    if new:
        for address, version in _answered(client, client.run, _version_asker(), workers=new).items():
            if version != tete.__version__:
                found = "has no tete" if version is None else f"has tete {version}"
                raise ClusterError(f"Worker {address} {found}, expected tete {tete.__version__}.")
    return dict(threads_of)


def _answered(client: "Client", ask: Any, *arguments: Any, **options: Any) -> dict[str, Any]:
    """What the scheduler says, or one sentence if it says nothing any more."""
    try:
        answer: dict[str, Any] = ask(*arguments, **options)
    except (OSError, TimeoutError, CancelledError) as error:
        refuse_lost(client)
        raise ClusterError(f"The cluster does not answer: {error}.") from error
    return answer


def refuse_paused(client: "Client", before: set[str]) -> set[str]:
    """The workers that Dask lets do nothing because their memory is full; refuse those that were so before."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    paused = {address for address, worker in workers.items() if worker["status"] == "paused"}
    for address in sorted(paused & before):
        limit = workers[address]["memory_limit"] / 2**20
        raise ClusterError(
            f"Worker {address} has used up its memory of {limit:,.0f} MiB and does nothing any more: give it more."
        )
    return paused


def refuse_lost(client: "Client") -> None:
    """Say so, if there is no scheduler any more."""
    if client.status != "running":
        raise ClusterError("The scheduler of the cluster was lost.")


def _version_asker() -> Any:
    """A function that travels whole, also to workers without tete."""

    def version() -> str | None:
        from importlib import import_module  # noqa: PLC0415

        try:
            return str(import_module("tete").__version__)
        except ImportError:
            return None

    return version
