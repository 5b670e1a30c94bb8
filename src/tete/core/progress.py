"""A progress bar as a callback, shown on stderr only when asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from tete.core.types import Callback, Embedding

__all__ = ["Announce", "progress"]


class Announce(Protocol):
    """Announces a stage of the work, and how many iterations it has, if that was not known before."""

    def __call__(self, stage: str, *, total: int | None = None) -> None:
        """Say it."""


@contextmanager
def progress(
    label: str, *, total: int, shown: bool, callback: Callback | None
) -> Iterator[tuple[Announce, Callback | None]]:
    """Yield what announces the stage of the work, and the callback to pass on, which also moves the bar.

    Where no bar is shown, the first does nothing and the second is the user's own callback (or None).
    """
    if not shown:
        yield _say_nothing, callback
        return
    from tqdm.auto import tqdm  # noqa: PLC0415  (takes long to import)

    with tqdm(total=total, desc=label, unit="it") as bar:
        expected = total

        def announce(stage: str, *, total: int | None = None) -> None:
            nonlocal expected
            expected = expected if total is None else total
            bar.set_description(f"{label}: {stage}")

        def advance(iteration: int, value: float, embedding: Embedding) -> bool:
            if iteration == 1:
                bar.reset(expected)  # the time left is that of the iterations, not of what came before
            bar.set_postfix(loss=f"{value:.5f}", refresh=False)
            bar.update()
            return bool(callback is not None and callback(iteration, value, embedding))

        yield announce, advance


def _say_nothing(stage: str, *, total: int | None = None) -> None:
    """What announces where nothing is shown."""
