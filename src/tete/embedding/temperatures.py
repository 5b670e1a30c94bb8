"""The members of the t-ETE family, and those among which `TETE` chooses by default.

No member is best everywhere: clean answers want t = t' = 1, a fifth of wrong ones the capped loss on plain distances,
very many wrong ones t = t' = 2, few answers t = 1 with a heavy tail. What was measured: benchmarks/results/
temperatures.md.
"""

from typing import Literal, NamedTuple, TypeAlias

from tete.embedding.losses import DistanceLoss, Loss, tete_loss

__all__ = ["CANDIDATES", "FALLBACK", "Kernel", "Temperatures", "possible_temperatures"]

Kernel: TypeAlias = Literal["squared", "distance"]


class Temperatures(NamedTuple):
    """One member of the family; on plain distances there is no t'."""

    kernel: Kernel
    t: float
    t_prime: float | None

    @property
    def loss(self) -> Loss:
        """The loss of one triplet."""
        return DistanceLoss(self.t) if self.t_prime is None else tete_loss(self.t, self.t_prime)

    def __str__(self) -> str:
        return f"t = {self.t:g}, " + ("on plain distances" if self.t_prime is None else f"t' = {self.t_prime:g}")


# In this order each is near the one before it, from whose map its fit goes on.
CANDIDATES = (
    Temperatures("squared", 2.0, 2.0),
    Temperatures("squared", 2.0, 1.5),
    Temperatures("distance", 2.0, None),
    Temperatures("distance", 1.0, None),
    Temperatures("squared", 1.0, 1.75),
    Temperatures("squared", 1.0, 1.0),
)
# Where nothing can be held out, and for maps made elsewhere.
FALLBACK = Temperatures("squared", 2.0, 1.5)


def possible_temperatures(
    t: float | Literal["auto"], t_prime: float | Literal["auto"], kernel: Kernel | Literal["auto"]
) -> list[Temperatures]:
    """The candidates with the numbers that are given for those that are not; a given t' is of squared distances."""
    found = []
    for each in (*CANDIDATES, FALLBACK):
        if kernel not in {"auto", each.kernel} or (each.kernel == "distance" and not isinstance(t_prime, str)):
            continue
        own = each if isinstance(t, str) else each._replace(t=float(t))
        found.append(own if isinstance(t_prime, str) else own._replace(t_prime=float(t_prime)))
    return list(dict.fromkeys(found))
