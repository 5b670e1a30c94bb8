"""Where a long fit stands, in a file: written every minute, whole or not at all, and gone when the fit has ended.

A fit that goes on from there begins the optimiser anew at the last map, so its result is as good as, but not to the
last bit that of a fit that was never stopped.
"""

from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import numpy as np

from tete.core.types import Embedding
from tete.exceptions import InvalidFileError
from tete.io.array_files import read_arrays
from tete.io.sources import AnyPath, Source
from tete.io.writing import atomic_write

__all__ = ["Checkpoint", "Standing"]

SECONDS_BETWEEN = 60.0


class Standing(NamedTuple):
    """The stage that is under way, the last map, and the values of all iterations so far."""

    stage: int
    embedding: Embedding
    history: list[float]


@dataclass
class Checkpoint:
    """A file and the fit that it belongs to."""

    path: AnyPath
    fit: str  # names answers and parameters: a file of another fit is refused
    _last: Standing | None = field(default=None, init=False)
    _written: float = field(default_factory=monotonic, init=False)

    def found(self) -> Standing | None:
        """Where the fit stands, if there is such a file."""
        if not Path(self.path).exists():
            return None
        arrays = read_arrays(Source.of(self.path))
        if not {"fit", "stage", "embedding", "history"} <= set(arrays):
            raise InvalidFileError(f"{self.path} is not a checkpoint of a fit.")
        if str(arrays["fit"]) != self.fit:
            raise InvalidFileError(f"{self.path} is the checkpoint of a fit with other answers or other parameters.")
        return Standing(int(arrays["stage"]), arrays["embedding"], arrays["history"].tolist())

    def keep(self, standing: Standing) -> None:
        """Remember where the fit stands; write it if the last time is long ago."""
        self._last = standing
        if monotonic() - self._written >= SECONDS_BETWEEN:
            self.write()

    def write(self) -> None:
        """Write what was last kept."""
        if self._last is None:
            return
        with atomic_write(self.path, force=True) as stream:
            np.savez(
                stream,
                fit=np.array(self.fit),
                stage=np.array(self._last.stage),
                embedding=self._last.embedding,
                history=np.array(self._last.history),
            )
        self._written = monotonic()

    def remove(self) -> None:
        """The fit has ended."""
        Path(self.path).unlink(missing_ok=True)
