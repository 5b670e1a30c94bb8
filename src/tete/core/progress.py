"""A progress bar as a callback, shown on stderr only when asked for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tete.core.types import Callback, Embedding

__all__ = ["progress"]


@contextmanager
def progress(
    label: str, *, total: int, shown: bool, callback: Callback | None
) -> Iterator[tuple[Callable[[str], None], Callback | None]]:
    """Yield what announces the stage of the work, and the callback to pass on, which also moves the bar.

    Where no bar is shown, the first does nothing and the second is the user's own callback (or None).
    """
    if not shown:
        yield (lambda stage: None), callback
        return
    from tqdm.auto import tqdm  # noqa: PLC0415  (takes long to import)

    with tqdm(total=total, desc=label, unit="it") as bar:

        def announce(stage: str) -> None:
            bar.set_description(f"{label}: {stage}")

        def advance(iteration: int, value: float, embedding: Embedding) -> bool:
            if iteration == 1:
                bar.reset(total)  # the time left is that of the iterations, not of what came before
            bar.set_postfix(loss=f"{value:.5f}", refresh=False)
            bar.update()
            return bool(callback is not None and callback(iteration, value, embedding))

        yield announce, advance
