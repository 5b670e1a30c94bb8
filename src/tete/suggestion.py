"""Which questions to ask next: those whose answers would teach most about where the objects are.

What an answer teaches is the mutual information between it and the places of its three objects: the entropy of the
answer as it is expected now, less the entropy it would have if the places were known. So neither clear calls teach,
nor close calls between objects whose places are known well, nor what people answer at random.

A question is judged by log l on the map, normal with a variance from the uncertainty of the three places. Uncertainty
is the inverse of the Fisher information of the answers given, object by object. Questions are chosen in rounds, no
object twice in one and none that teaches much less than the best; after each round the information expected from it
counts as given, so that the choice varies.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tete.answer_model import AnswerModel
from tete.base import TripletEmbedding
from tete.exceptions import InvalidParameterError
from tete.losses import log_ratio_slopes, ratio_loss
from tete.randomness import RandomState, make_generator
from tete.triplets import Triplets, as_triplets
from tete.validation import check_rows, check_whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["suggest"]

FEWEST_CANDIDATES = 20_000
CANDIDATES_A_QUESTION = 50
MUCH_LESS = 0.8
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(15)


def suggest(
    estimator: TripletEmbedding,
    n: int = 100,
    *,
    asked: Any,
    candidates: ArrayLike | None = None,
    random_state: RandomState = 0,
) -> "pd.DataFrame":
    """The questions whose answers would teach most, the best first.

    Parameters
    ----------
    estimator : fitted `TETE`, `STE`, ...
    n : int, default=100
        How many questions; fewer come back where there are not so many left.
    asked : Triplets, array or data frame
        The answers that the map was made of. None of these questions is asked again.
    candidates : array of shape (m, 3), optional
        Questions to choose from, as rows (anchor, one, other) of object numbers. By default many are drawn at random.
    random_state : int, generator or None, default=0
        Seed of these draws.

    Returns
    -------
    DataFrame with columns center, left and right ("is center more like left or like right?"), `p_left`, the
    probability that the answer is left, and `bits`, what the answer is expected to teach when the question was chosen.
    With an answer in a column `answer` (a name, left or right), `tete.io.read_answers` reads such a table.
    """
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    check_is_fitted(estimator, "embedding_")
    check_whole("n", n, least=1)
    given = as_triplets(asked, names=estimator.object_names_, n_objects=len(estimator.embedding_))
    if candidates is None:
        rows = _draw(given.n_objects, max(FEWEST_CANDIDATES, CANDIDATES_A_QUESTION * n), make_generator(random_state))
    else:
        rows = check_rows(candidates, n_columns=3)
    rows = _not_asked(rows, given)
    if not len(rows):
        raise InvalidParameterError("`candidates` must hold a question that was not asked yet, got none.")
    beliefs = _Beliefs(estimator, given)
    chosen, bits = _choose(beliefs, rows, n)
    names = range(given.n_objects) if estimator.object_names_ is None else estimator.object_names_
    columns = {
        role: [names[number] for number in rows[chosen, place]]
        for place, role in enumerate(("center", "left", "right"))
    }
    p_left = beliefs.model.probability(beliefs.ratios(rows[chosen])[0])
    return pd.DataFrame({**columns, "p_left": p_left, "bits": bits})


class _Beliefs:
    """Places, how uncertain they are, and how reliable answers are."""

    def __init__(self, estimator: TripletEmbedding, given: Triplets) -> None:
        self.embedding = estimator.embedding_
        self.loss = ratio_loss(estimator._loss())
        self.model: AnswerModel = estimator._answer_model()
        n_components = self.embedding.shape[1]
        variance = max(float(np.mean(np.var(self.embedding, axis=0))), np.finfo(float).tiny)
        self.information = np.tile(np.eye(n_components) / variance, (len(self.embedding), 1, 1))
        self.learn(given.to_array(), given.weights_or_ones())

    def ratios(self, rows: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Log l of questions, and its gradient in the places of the three objects."""
        columns = np.ascontiguousarray(rows.T, dtype=np.int32)
        return log_ratio_slopes(self.loss, np.ascontiguousarray(self.embedding), *columns)  # type: ignore[no-any-return]

    def learn(self, rows: NDArray[Any], weights: NDArray[np.float64]) -> None:
        """Add the Fisher information of answers to these questions to that of their objects."""
        ratio, slopes = self.ratios(rows)
        probability = self.model.probability(ratio)
        amount = weights * self.model.slope(ratio) ** 2 / (probability * (1.0 - probability))
        for place in range(3):
            outer = np.einsum("n,nc,nd->ncd", amount, slopes[:, place], slopes[:, place])
            np.add.at(self.information, rows[:, place], outer)

    def bits(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Mutual information of each answer and the places of its objects."""
        ratio, slopes = self.ratios(rows)
        covariance = np.linalg.inv(self.information)
        variance = np.zeros(len(rows))
        for place in range(3):
            slope = slopes[:, place]
            variance += np.einsum("nc,ncd,nd->n", slope, covariance[rows[:, place]], slope)
        spread = ratio[:, None] + np.sqrt(variance)[:, None] * NODES
        probability = self.model.probability(spread)
        shares = NODE_WEIGHTS / NODE_WEIGHTS.sum()
        return np.asarray(_entropy(probability @ shares) - _entropy(probability) @ shares)


def _choose(beliefs: _Beliefs, rows: NDArray[Any], n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Numbers of the chosen rows and what each was expected to teach."""
    left = np.arange(len(rows))
    chosen: list[NDArray[np.int64]] = []
    taught: list[NDArray[np.float64]] = []
    while len(left) and (wanted := n - sum(map(len, chosen))) > 0:
        bits = beliefs.bits(rows[left])
        best = np.argsort(-bits, kind="stable")
        best = best[bits[best] >= MUCH_LESS * bits[best[0]]]
        picked = best[_disjoint(rows[left[best]], len(beliefs.embedding), wanted)]
        chosen.append(left[picked])
        taught.append(bits[picked])
        beliefs.learn(rows[left[picked]], np.ones(len(picked)))
        left = np.delete(left, picked)
    return np.concatenate(chosen), np.concatenate(taught)


def _disjoint(rows: NDArray[Any], n_objects: int, most: int) -> list[int]:
    """The first rows that have no object in common."""
    used = np.zeros(n_objects, dtype=bool)
    picked: list[int] = []
    for place, row in enumerate(rows):
        if not used[row].any():
            used[row] = True
            picked.append(place)
            if len(picked) == most:
                break
    return picked


def _draw(n_objects: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Random questions, each with three different objects."""
    rows = rng.integers(n_objects, size=(count, 3))
    differ = (rows[:, 0] != rows[:, 1]) & (rows[:, 0] != rows[:, 2]) & (rows[:, 1] != rows[:, 2])
    return np.asarray(rows[differ])


def _not_asked(rows: NDArray[Any], given: Triplets) -> NDArray[np.int64]:
    """Each different question once, without those that were asked."""
    size = given.n_objects

    def keys(each: NDArray[Any]) -> NDArray[np.int64]:
        pair = np.sort(each[:, 1:].astype(np.int64), axis=1)
        return (each[:, 0].astype(np.int64) * size + pair[:, 0]) * size + pair[:, 1]

    own, first = np.unique(keys(rows), return_index=True)
    return np.asarray(rows[np.sort(first[~np.isin(own, keys(given.to_array()))])], dtype=np.int64)


def _entropy(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of yes-or-no answers, in bits."""
    p = np.clip(probability, 1e-12, 1.0 - 1e-12)
    return np.asarray(-(p * np.log2(p) + (1.0 - p) * np.log2(1.0 - p)))
