"""Where the work is done: on this machine's threads, in local processes, or on a Dask cluster."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

__all__ = ["Cluster"]


@dataclass(frozen=True)
class Cluster:
    """What --scheduler and --workers say."""

    scheduler: Annotated[
        str | None, typer.Option(help="Dask scheduler, e.g. tcp://host:8786, whose workers sum packed answers.")
    ] = None
    workers: Annotated[int | None, typer.Option(min=1, help="Sum packed answers in so many local processes.")] = None

    def __post_init__(self) -> None:
        if self.scheduler is not None and self.workers is not None:
            raise typer.BadParameter("give either --scheduler or --workers.")

    @property
    def given(self) -> bool:
        """Whether there is a cluster."""
        return self.scheduler is not None or self.workers is not None

    def takes(self, answers: str) -> bool:
        """Whether answers are packed; others are not summed on a cluster."""
        from tete.distributed.manifest import is_packed  # noqa: PLC0415

        if is_packed(answers):
            return True
        if self.given:
            raise typer.BadParameter("--scheduler and --workers are for packed answers: see tete pack.")
        return False

    @contextmanager
    def used(self) -> Iterator[None]:
        """Use it while the block runs."""
        if not self.given:
            yield
            return
        from tete.distributed import on  # noqa: PLC0415

        with self.client() as client, on(client):
            yield

    @contextmanager
    def client(self) -> Iterator[Any]:
        """The client of the cluster while the block runs; None if there is no cluster."""
        if not self.given:
            yield None
            return
        with ExitStack() as stack:
            yield stack.enter_context(self._client(stack))

    def _client(self, stack: ExitStack) -> Any:
        from tete.exceptions import ClusterError  # noqa: PLC0415

        try:
            from distributed import Client, LocalCluster, comm  # noqa: PLC0415
        except ImportError as error:
            raise ImportError("--scheduler and --workers need Dask: pip install 'tete[dask]'") from error
        for handler in logging.getLogger("distributed").handlers:  # one, of all loggers of Dask
            handler.setLevel(logging.CRITICAL)  # what matters is said in our own sentence
        if self.workers is not None:
            local = LocalCluster(
                n_workers=self.workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # or else 8787, which may be another's
                silence_logs=logging.CRITICAL,
            )
            return Client(stack.enter_context(local))
        try:
            comm.resolve_address(self.scheduler)  # a client of what is no address would outlive its error
            # Nothing else in this process is to wait for a scheduler that is perhaps not there.
            return Client(self.scheduler, timeout=10, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(f"There is no Dask scheduler at {self.scheduler}.") from error
