"""The methods that the paper compares, with its choices of t, from our start and from the paper's."""

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from tete.comparisons.triplets import Triplets
from tete.embedding.estimators import CKL, GNMDS, STE, TETE, TSTE
from tete.embedding.fitting import TripletEmbedding
from tete.exceptions import UnmentionedObjectsWarning
from tete.experiments.experiment import Row
from tete.metrics.classes import nearest_neighbor_error
from tete.metrics.satisfaction import triplet_error

__all__ = ["METHODS", "NOISE_T", "Fit", "fit_method", "make_method", "paper_temperature", "scores"]

METHODS = ("GNMDS", "CKL", "STE", "t-STE", "t-ETE")
NOISE_T = 1.7  # caption of the paper's figure on generalization: "For the noise experiments, we set t = 1.7"

# "ours" is the library's default: spectral start, L-BFGS, a small ridge. "paper" is what the paper describes and its
# authors' code does: a tiny random start, 1,000 steps of gradient descent, no ridge. "random" has only the start of it.
STARTS: dict[str, dict[str, Any]] = {
    "ours": {},
    "paper": {"init": "random", "optimizer": "gradient_descent", "ridge": 0.0},
    "random": {"init": "random", "ridge": 0.0},
}


class Fit(NamedTuple):
    """A map and how it was found."""

    embedding: NDArray[np.float64]
    loss: float
    seconds: float
    stop_reason: str


def paper_temperature(n_components: int) -> float:
    """The authors' t = t': 2 in two dimensions and smaller in more, as the caption of the paper's figure says."""
    return min(1.45 + 1.1 / n_components, 2.0)


def make_method(
    method: str, n_components: int = 2, *, t: float = 2.0, start: str = "ours", **details: Any
) -> TripletEmbedding:
    """An estimator by its name in the paper; "t-ETE (default)" is `TETE()`, which chooses its temperatures."""
    options = {"n_components": n_components, **STARTS[start], **details}
    if method == "t-ETE":
        return TETE(t=t, t_prime=t, **options)
    others = {"GNMDS": GNMDS, "CKL": CKL, "STE": STE, "t-STE": TSTE, "t-ETE (default)": TETE}
    return others[method](**options)


def fit_method(triplets: Triplets, method: str, n_components: int = 2, **options: Any) -> Fit:
    """Fit, and note how it ended instead of warning; objects without a triplet are at the centre."""
    estimator = make_method(method, n_components, **options)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UnmentionedObjectsWarning)
        estimator.fit(triplets)
    seconds = time.perf_counter() - started
    return Fit(estimator.embedding_, estimator.loss_, seconds, str(estimator.stop_reason_.value))


def scores(fit: Fit, unseen: Triplets, labels: NDArray[Any]) -> Row:
    """How good a map is: unseen triplets satisfied, and leave-one-out 1-NN accuracy of the labels."""
    return {
        "triplet_accuracy": 1.0 - triplet_error(fit.embedding, unseen),
        "neighbor_accuracy": 1.0 - nearest_neighbor_error(fit.embedding, labels),
        "loss": fit.loss,
        "seconds": fit.seconds,
        "stop_reason": fit.stop_reason,
    }
