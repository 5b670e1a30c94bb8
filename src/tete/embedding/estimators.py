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
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.threads import threads
from tete.core.types import Embedding
from tete.core.validation import check_choice, check_interval
from tete.embedding.answer_model import AnswerSample
from tete.embedding.fitted_map import FittedMap
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
)
from tete.embedding.packed import Answers
from tete.embedding.temperature_choice import (
    QUICK_TOLERANCE,
    Choice,
    choose_temperatures,
    digest,
    held_out_parts,
    unseen_answers,
)
from tete.embedding.temperatures import Kernel, Temperatures, fallback, is_auto, possible_temperatures
from tete.exceptions import InvalidParameterError, InvalidTripletsError, Parameter

__all__ = ["CKL", "GNMDS", "SOE", "STE", "TETE", "TSTE", "TripletEmbedding"]


@filled_from(TripletEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class TETE(TripletEmbedding):
    """A map that wrong answers hardly disturb: t-Exponential Triplet Embedding (t-ETE).

    Each triplet's loss, paper eq. (ete-obj), is ``log_t(1 + l)`` with ``l = exp_t'(-|y_i - y_k|^2) /
    exp_t'(-|y_i - y_j|^2)``. It is capped at 1/(t-1), so that an answer that cannot be satisfied is forgotten instead
    of tearing the map.

    No temperatures are best everywhere, so what is not given is chosen: six members of the family are tried on answers
    held out, at the price of two or three more fits. The choice draws nothing at random: what a question asks decides
    whether it is held out, neither the order of the answers nor, where objects have names, their numbers. Objects
    without names are known by their numbers, so that other numbers may decide a near tie otherwise. Maps that judge
    this one (`map_of`, `trust`, `position_uncertainty`, ...) keep the temperatures chosen.

    Parameters
    ----------
    t : "auto" or float in [1, 2], default="auto"
        Temperature of the logarithm: 2 is the most robust, 1 has no cap.
    t_prime : "auto" or float in [1, 2], default="auto"
        Temperature of the kernel: 2 has the heaviest tail, best for nearest neighbours and under much noise; 1 is
        Gaussian.
    kernel : "auto", "squared" or "distance", default="auto"
        What is compared: squared distances as in the paper, or plain distances, ``log l = |y_i - y_j| - |y_i - y_k|``,
        which have no `t_prime`. A number for `t_prime` means squared distances.

    Attributes
    ----------
    t_ : float
        The temperature of the logarithm, given or chosen.
    t_prime_ : float or None
        The temperature of the kernel, given or chosen; None on plain distances.
    kernel_ : "squared" or "distance"
        The kernel, given or chosen.
    temperature_scores_ : dict or None
        The log-likelihood of held-out answers by (kernel, t, t_prime) of what was tried; None where nothing was.
    triplet_trust_ : array, one number in (0, 1] for each triplet (undecided answers are no triplets)
        The forgetting factors ``1 / (1 + l)^t`` of eq. (grad) at the solution: near 1 where the map agrees clearly,
        near 0 where it contradicts the answer and the fit has ignored it. Not for packed answers.

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

    t: float | Literal["auto"] = "auto"
    t_prime: float | Literal["auto"] = "auto"
    kernel: Kernel | Literal["auto"] = "auto"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name in ("t", "t_prime"):
            if not is_auto(getattr(self, name)):
                check_interval(name, getattr(self, name), 1.0, 2.0)
        check_choice("kernel", self.kernel, ("auto", "squared", "distance"))
        if self.kernel == "distance" and not is_auto(self.t_prime):
            raise InvalidParameterError(
                Parameter("t_prime"),
                " must not be given with ",
                Parameter("kernel", "distance"),
                f", got {self.t_prime!r}: plain distances have no t'.",
            )

    def settled(self) -> Self:
        """A copy that is not fitted, with the parameters that this one was given or has learned.

        To fit it to other answers chooses no temperatures again.

        Returns
        -------
        estimator
            The copy.
        """
        copied = super().settled()
        if not hasattr(self, "kernel_"):
            return copied
        t_prime = "auto" if self.t_prime_ is None else self.t_prime_
        settled: Self = copied.set_params(t=self.t_, t_prime=t_prime, kernel=self.kernel_)
        return settled

    def _settle(self, answers: Answers | None) -> None:
        possible = possible_temperatures(self.t, self.t_prime, self.kernel)
        choice = None
        if answers is not None and len(possible) > 1:
            choice = self._choice(answers if isinstance(answers, Triplets) else answers.sample(), possible)
        self.temperature_scores_ = None if choice is None else choice.likelihoods
        self.kernel_, self.t_, self.t_prime_ = fallback(possible) if choice is None else choice.best
        self._tested = [] if choice is None else choice.best_looks
        self._maps_of_parts = {digest(part.train): embedding for part, embedding in self._tested}

    def _sample_answers(self, answers: Answers, moved: NDArray[np.bool_]) -> AnswerSample:
        """Beside the answers of the map, those that were held out to choose its temperatures, where it is such a map.

        Maps of a part of the answers know less, and objects that are fixed have places of another kind of map.
        """
        sample, tested = super()._sample_answers(answers, moved), self._tested
        self._tested = []
        if not (isinstance(answers, Triplets) and tested and tested[0][0].of_all):
            return sample
        counted = answers if answers.weights is None else answers.select(answers.weights > 0)
        is_free = bool(moved[counted.mentions() > 0].all())
        return sample._replace(unseen=unseen_answers(tested, self.embedding_)) if is_free else sample

    def _choice(self, answers: Triplets, possible: list[Temperatures]) -> Choice | None:
        """What held-out answers say of the possible temperatures; None where they are too few or a part has no map."""
        start = clone(self).set_params(
            t=2.0, t_prime=2.0, kernel="auto", init="spectral", n_init=1, optimizer="lbfgs", learning_rate="auto"
        )
        start.set_params(tol=max(self.tol, QUICK_TOLERANCE), verbose=False, callback=None)
        try:
            with threads(self.n_jobs) as workers:
                return choose_temperatures(
                    held_out_parts(answers),
                    possible,
                    start.map_of,
                    ridge=self.ridge,
                    max_iter=self.max_iter,
                    workers=workers,
                )
        except (InvalidParameterError, InvalidTripletsError):  # perhaps there is one of all answers
            return None

    @filled_from(FittedMap.map_of)
    def map_of(self, triplets: Answers, *, start: ArrayLike | None = None) -> Embedding:
        """The map of other answers at the same temperatures, in silence; the estimator is left alone.

        Where the very same answers were fitted to choose the temperatures, the fit goes on from there.

        Returns
        -------
        array of shape (n_objects, n_components)
            The map.
        """
        chosen_with_it = isinstance(self.init, str) and hasattr(self, "_maps_of_parts")
        if start is None and chosen_with_it and isinstance(triplets, Triplets):
            start = self._maps_of_parts.get(digest(triplets))
        return super().map_of(triplets, start=start)

    def _loss(self) -> Loss:
        if hasattr(self, "kernel_"):
            return Temperatures(self.kernel_, self.t_, self.t_prime_).loss
        return fallback(possible_temperatures(self.t, self.t_prime, self.kernel)).loss

    def _first_loss(self) -> Loss:
        return UnitTETELoss()

    def _finish(self, triplets: Triplets | None) -> None:
        if triplets is None:
            self.__dict__.pop("triplet_trust_", None)  # an earlier fit's
            return
        trust = log_ratios(self._loss(), self.embedding_, triplets.anchor, triplets.near, triplets.far)
        np.logaddexp(0.0, trust, out=trust)  # in place: triplets may be many
        trust *= -self.t_
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
    takes the difference of the distances for log odds. ``SOE(init="random", n_init=10)`` takes the best of ten starts,
    as cblearn does.

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
