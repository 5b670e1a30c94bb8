"""The members of the t-ETE family, and those among which `TETE` chooses by default.

No member is best everywhere: clean answers want t = t' = 1, a fifth of wrong ones the capped loss on plain distances,
very many wrong ones t = t' = 2, few answers t = 1 with a heavy tail (benchmarks/results/temperatures.md).
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from tete.embedding.losses import DistanceLoss, Loss, tete_loss

__all__ = ["CANDIDATES", "Kernel", "Temperatures", "described", "fallback", "is_auto", "possible_temperatures"]

Kernel: TypeAlias = Literal["squared", "distance"]
Auto: TypeAlias = Literal["auto"]


class Temperatures(NamedTuple):
    """One member of the family; on plain distances there is no t'."""

    kernel: Kernel
    t: float
    t_prime: float | None

    @property
    def loss(self) -> Loss:
        """The loss of one triplet."""
        return DistanceLoss(self.t) if self.t_prime is None else tete_loss(self.t, self.t_prime)

    def away(self, other: "Temperatures") -> float:
        """How far the other's map is from being this one's; all those with another kernel are equally far."""
        if other.kernel != self.kernel:
            return 3.0  # more than any two of one kernel
        return abs(other.t - self.t) + abs((other.t_prime or 0.0) - (self.t_prime or 0.0))

    def __str__(self) -> str:
        return f"t = {self.t:g}, " + ("on plain distances" if self.t_prime is None else f"t' = {self.t_prime:g}")


# Fits go on from map to map in this order.
CANDIDATES = (
    Temperatures("squared", 2.0, 2.0),
    Temperatures("squared", 2.0, 1.5),
    Temperatures("distance", 2.0, None),
    Temperatures("distance", 1.0, None),
    Temperatures("squared", 1.0, 1.75),
    Temperatures("squared", 1.0, 1.0),
)
MIDDLE_TAIL = 1.5


def described(params: Mapping[str, Any]) -> str:
    """The temperatures among the parameters of a `TETE` that leaves none to the answers."""
    kernel = params.get("kernel", "squared")
    return str(Temperatures(kernel, params["t"], None if kernel == "distance" else params["t_prime"]))


def is_auto(value: Any) -> bool:
    """Whether a temperature is left to the answers."""
    return isinstance(value, str) and value == "auto"


def possible_temperatures(t: float | Auto, t_prime: float | Auto, kernel: Kernel | Auto) -> list[Temperatures]:
    """The candidates with the numbers that are given in place of theirs; a given t' is one of squared distances."""
    found = []
    for each in CANDIDATES:
        if kernel not in {"auto", each.kernel} or (each.t_prime is None and t_prime != "auto"):
            continue
        own = each if t == "auto" else each._replace(t=float(t))
        found.append(own if t_prime == "auto" else own._replace(t_prime=float(t_prime)))
    return list(dict.fromkeys(found))


def fallback(possible: list[Temperatures]) -> Temperatures:
    """What to take of these where nothing can be held out: of all candidates t = 2, t' = 1.5."""
    return next((each for each in possible if each.t_prime == MIDDLE_TAIL), possible[0])
