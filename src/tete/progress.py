"""A progress bar as a callback, shown only when asked for."""

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm.auto import tqdm

from tete.arrays import Callback, Embedding

__all__ = ["progress"]


@contextmanager
def progress(label: str, *, total: int, shown: bool, callback: Callback | None) -> Iterator[Callback | None]:
    """Yield the user's callback, wrapped in a progress bar on stderr when `shown`."""
    if not shown:
        yield callback
        return
    with tqdm(total=total, desc=label, unit="it") as bar:

        def advance(iteration: int, value: float, embedding: Embedding) -> bool:
            bar.set_postfix(loss=f"{value:.5f}", refresh=False)
            bar.update()
            return bool(callback is not None and callback(iteration, value, embedding))

        yield advance
