"""What a fit says when something is odd about the answers or its own end: warnings, and errors where no map is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from tete.core.optimization import Minimum, StopReason
from tete.core.printing import counted
from tete.embedding.losses import Loss, evaluate
from tete.embedding.objective import TripletSum
from tete.embedding.packed import Answers
from tete.embedding.spectral_start import largest_eigenvalue
from tete.exceptions import (
    DisconnectedAnswersWarning,
    InvalidParameterError,
    InvalidTripletsError,
    UnmentionedObjectsWarning,
    warn,
)

__all__ = ["refuse_beside_packed", "refuse_collapse", "warn_of_parts", "warn_of_stop", "warn_of_unmentioned"]


def refuse_beside_packed(**given: Any) -> None:
    """Packed answers have all they need with them."""
    for name, value in given.items():
        if value is not None:
            raise InvalidParameterError(f"`{name}` must be None with packed answers.")


def warn_of_unmentioned(triplets: Answers, mentioned: NDArray[np.bool_]) -> None:
    """Name some of the objects that no triplet mentions."""
    missing = np.flatnonzero(~mentioned)
    listed = ", ".join(repr(triplets.name_of(int(number))) for number in missing[:10])
    verb = "is" if len(missing) == 1 else "are"
    hint = ""
    if triplets.names is None and missing.tolist() == [0]:
        hint = " In arrays objects are numbered from 0: if these numbers begin at 1, subtract 1."
    warn(
        f"{len(missing)} of {counted(triplets.n_objects, 'object')} {verb} in no triplet, "
        f"and placed at the centre: {listed}{', ...' if len(missing) > 10 else ''}.{hint}",
        UnmentionedObjectsWarning,
    )


def warn_of_parts(parts: NDArray[np.int64]) -> None:
    """Say that the answers fall apart, if they do."""
    if parts.max() > 0:
        warn(
            f"The answers fall into {parts.max() + 1} parts that no answer relates: places within a part can be "
            "compared, places in different parts cannot.",
            DisconnectedAnswersWarning,
        )


def warn_of_stop(minimum: Minimum, *, planned: bool) -> None:
    """Say why the optimiser stopped too early, if it did; some are `planned` to take all their iterations."""
    finished = planned and minimum.stop_reason is StopReason.MAX_ITER
    if minimum.stop_reason in {StopReason.MAX_ITER, StopReason.DIVERGED} and not finished:
        warn(
            f"The optimiser stopped after {counted(minimum.n_iter, 'iteration')} because {minimum.stop_reason.text}.",
            ConvergenceWarning,
        )


def refuse_collapse(loss: Loss, ridge: float, shards: TripletSum, best: Minimum) -> None:
    """Say why, if no map was found that is better than all objects in one point.

    Y = 0 is a minimum if ridge >= g n mu / W: g is the loss's slope at 0 (2^-t for t-ETE), mu is the largest
    eigenvalue of the comparison counts and W is the sum of the weights.
    """
    at_one_point = evaluate(loss, 0.0, 0.0)
    if best.value < at_one_point[0] or best.stop_reason not in {StopReason.CONVERGED, StopReason.STALLED}:
        return
    if shards.cancel_out():
        raise InvalidTripletsError(
            f"The {shards.n_triplets} triplets cancel each other out: each is contradicted, so there is no map."
        )
    limit = at_one_point[1] * shards.n_objects * largest_eigenvalue(shards) / shards.total_weight
    if 1e-12 < limit <= ridge:
        raise InvalidParameterError(
            f"`ridge` must be below {limit:.3g} for these triplets, got {ridge}: "
            "a larger one draws all objects into one point."
        )
    raise InvalidTripletsError(
        f"No map of the {shards.n_triplets} triplets was found that is better than all objects in one point: "
        "the answers go in circles, or `init` has all objects in one place."
    )
