"""Estimators that place objects on a map from triplets.

    TripletEmbedding      fit, predict, score: everything but the loss
    ├── TETE              the paper's robust t-ETE
    ├── STE, TSTE         stochastic triplet embedding, with Gaussian and Student kernels
    ├── CKL               crowd kernel learning
    ├── GNMDS             generalised non-metric multidimensional scaling
    └── SOE               soft ordinal embedding

The classes are dataclasses because a scikit-learn estimator is one: its constructor only keeps its parameters.
"""

from dataclasses import dataclass

import numpy as np

from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.validation import check_interval
from tete.embedding.fitting import TripletEmbedding
from tete.embedding.losses import (
    CKLLoss,
    GNMDSLoss,
    Loss,
    SOELoss,
    STELoss,
    TSTELoss,
    UnitTETELoss,
    log_ratios,
    tete_loss,
)

__all__ = ["CKL", "GNMDS", "SOE", "STE", "TETE", "TSTE", "TripletEmbedding"]


@filled_from(TripletEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class TETE(TripletEmbedding):
    """A map that wrong answers hardly disturb: t-Exponential Triplet Embedding (t-ETE), paper eq. (ete-obj).

    Each triplet's loss is ``log_t(1 + l)`` with ``l = exp_t'(-|y_i - y_k|^2) / exp_t'(-|y_i - y_j|^2)``. It is capped
    at 1/(t-1), so that an answer that cannot be satisfied is forgotten instead of tearing the map.

    Parameters
    ----------
    t : float in [1, 2], default=2.0
        Temperature of the logarithm: 2 is the most robust, 1 has no cap.
    t_prime : float in [1, 2], default=1.75
        Temperature of the kernel: 2 has the heaviest tail, best for nearest neighbours and under much noise; 1.5 is
        best for careful human answers; 1 is Gaussian.

    Attributes
    ----------
    triplet_trust_ : array, one number in (0, 1] for each triplet (undecided answers are no triplets)
        The forgetting factors ``1 / (1 + l)^t`` of eq. (grad) at the solution: near 1 where the map agrees clearly,
        near 0 where it contradicts the answer and the fit has ignored it.

    Notes
    -----
    ``TETE(t=2, t_prime=2, ridge=0, init="random", optimizer="gradient_descent")`` is the paper. Its authors lower the
    temperature with the dimension: ``t = t_prime = min(1.45 + 1.1 / n_components, 2)``.

    Examples
    --------
    >>> from tete import TETE
    >>> triplets = [(0, 1, 2), (0, 1, 3), (1, 0, 2), (2, 3, 0), (3, 2, 1), (2, 3, 1)]
    >>> TETE().fit(triplets).predict([(0, 1, 3), (0, 3, 1)])
    array([ True, False])
    """

    t: float = 2.0
    t_prime: float = 1.75

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_interval("t", self.t, 1.0, 2.0)
        check_interval("t_prime", self.t_prime, 1.0, 2.0)

    def _loss(self) -> Loss:
        return tete_loss(self.t, self.t_prime)

    def _first_loss(self) -> Loss:
        return UnitTETELoss()

    def _finish(self, triplets: Triplets) -> None:
        trust = log_ratios(self._loss(), self.embedding_, triplets.anchor, triplets.near, triplets.far)
        np.logaddexp(0.0, trust, out=trust)  # in place: triplets may be many
        trust *= -self.t
        self.triplet_trust_ = np.exp(trust, out=trust)


@filled_from(TripletEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class STE(TripletEmbedding):
    """Stochastic Triplet Embedding (van der Maaten & Weinberger 2012): loss ``log(1 + exp(a - b))``.

    The same as ``TETE(t=1, t_prime=1)``: best for careful answers in enough dimensions, not robust.

    Examples
    --------
    >>> from tete import STE
    >>> triplets = [(0, 1, 2), (0, 1, 3), (1, 0, 2), (2, 3, 0), (3, 2, 1), (2, 3, 1)]
    >>> STE().fit(triplets).score(triplets)
    1.0
    """

    def _loss(self) -> Loss:
        return STELoss()


@filled_from(TripletEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class TSTE(TripletEmbedding):
    """Stochastic Triplet Embedding with the Student kernel, t-STE (van der Maaten & Weinberger 2012).

    The loss is ``-log p`` with the kernel ``(1 + d / alpha)^(-(alpha + 1) / 2)``.

    Parameters
    ----------
    alpha : float > 0 or None, default=None
        Degrees of freedom; None takes ``n_components - 1``, at least 1, as its authors do.

    Examples
    --------
    >>> from tete import TSTE
    >>> triplets = [(0, 1, 2), (0, 1, 3), (1, 0, 2), (2, 3, 0), (3, 2, 1), (2, 3, 1)]
    >>> TSTE().fit(triplets).score(triplets)
    1.0
    """

    alpha: float | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.alpha is not None:
            check_interval("alpha", self.alpha, 0.0, np.inf, closed=False)

    def _loss(self) -> Loss:
        return TSTELoss(float(max(self.n_components - 1, 1) if self.alpha is None else self.alpha))


@filled_from(TripletEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class CKL(TripletEmbedding):
    """Crowd Kernel Learning (Tamuz et al. 2011): loss ``-log (mu + b) / (2 mu + a + b)``.

    Parameters
    ----------
    mu : float > 0, default=1.0
        Keeps the ratio defined for objects that coincide; with ``ridge=0`` it only sets the scale of the map.

    Examples
    --------
    >>> from tete import CKL
    >>> triplets = [(0, 1, 2), (0, 1, 3), (1, 0, 2), (2, 3, 0), (3, 2, 1), (2, 3, 1)]
    >>> CKL().fit(triplets).score(triplets)
    1.0
    """

    mu: float = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_interval("mu", self.mu, 0.0, np.inf, closed=False)

    def _loss(self) -> Loss:
        return CKLLoss(float(self.mu))


@filled_from(TripletEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class GNMDS(TripletEmbedding):
    """Generalised Non-metric Multidimensional Scaling (Agarwal et al. 2007): hinge loss ``max(0, 1 + a - b)``.

    `ridge` is the method's lambda, the price of the size of the map. There is no probability, so no `predict_proba`.

    Examples
    --------
    >>> from tete import GNMDS
    >>> triplets = [(0, 1, 2), (0, 1, 3), (1, 0, 2), (2, 3, 0), (3, 2, 1), (2, 3, 1)]
    >>> GNMDS().fit(triplets).score(triplets)
    1.0
    """

    def _loss(self) -> Loss:
        return GNMDSLoss()


@filled_from(TripletEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class SOE(TripletEmbedding):
    """Soft Ordinal Embedding (Terada & von Luxburg 2014): ``max(0, 1 + sqrt(a) - sqrt(b))^2``, on plain distances.

    The strongest of the older methods on careful answers, not robust. There is no probability in it; `predict_proba`
    takes the difference of the distances for log odds.

    Examples
    --------
    >>> from tete import SOE
    >>> triplets = [(0, 1, 2), (0, 1, 3), (1, 0, 2), (2, 3, 0), (3, 2, 1), (2, 3, 1)]
    >>> SOE().fit(triplets).score(triplets)
    1.0
    """

    def _loss(self) -> Loss:
        return SOELoss()

    def _first_loss(self) -> Loss:
        return UnitTETELoss()
