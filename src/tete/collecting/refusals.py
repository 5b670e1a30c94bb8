"""What cannot be accepted, said in one sentence, and how much of anything is accepted at once."""

from time import monotonic

__all__ = ["Bucket", "RefusedError", "UnfamiliarError"]


class RefusedError(Exception):
    """What somebody sent cannot be accepted: the status of HTTP, one sentence, and when to try again."""

    def __init__(self, status: int, sentence: str, *, wait: float = 0.0) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.wait = status, sentence, wait


class UnfamiliarError(RefusedError):
    """Refused by what is in memory, of which the database may know more."""


class Bucket:
    """Lets through `rate` a second on average, and `burst` at once; by a clock that is never set.

    Parameters
    ----------
    what : str
        What is let through, for the refusal.
    rate : float
        How many a second.
    burst : int
        How many at once after a while without any.
    """

    __slots__ = ("_burst", "_filled", "_level", "_rate", "_what")

    def __init__(self, what: str, rate: float, burst: int) -> None:
        self._what, self._rate, self._burst = what, rate, float(burst)
        self._level, self._filled = float(burst), monotonic()

    def take(self) -> None:
        """Let one through, or refuse it."""
        now = monotonic()
        self._level = min(self._burst, self._level + (now - self._filled) * self._rate)
        self._filled = now
        if self._level < 1.0:
            sentence = f"Too many {self._what}: wait a moment and try again."
            raise RefusedError(429, sentence, wait=(1.0 - self._level) / self._rate)
        self._level -= 1.0
