"""Which questions to ask next: those whose answers would teach most about where the objects are.

What an answer teaches is the mutual information between it and the map: the entropy of the answer as it is expected
now, less the entropy it would have if the map were known (Houlsby et al. 2011). So neither clear calls teach, nor close
calls between objects whose places are known well, nor what people answer at random.

What is not known of the map is seen on a committee of maps of resampled answers. How reliable people are is learned
from the answers that a map of the committee was not told: on those it was made of, a map always looks too good.

The best questions of one map are alike, and a committee of few maps errs about them together. So questions are drawn,
with a chance that grows with the square of what they teach, instead of taken from the top (Kirsch et al. 2023).
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.comparisons.reading import as_triplets
from tete.comparisons.resampling import EqualAnswers
from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.randomness import RandomState, make_generator
from tete.core.types import Embedding
from tete.core.validation import check_whole
from tete.embedding.answer_model import AnswerModel, Floats, fit_answer_model
from tete.embedding.fitted_map import FittedMap
from tete.exceptions import InvalidParameterError, InvalidTripletsError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["suggest"]

# Questions that are drawn at random to choose from, of which a fiftieth at most is asked. Other numbers are not
# recorded as tried.
FEWEST_CANDIDATES = 20_000
CANDIDATES_A_QUESTION = 50
N_MAPS = 16  # of the committee; results/selection.md was measured with these, other numbers are not recorded
FEWEST_TESTED = 20  # answers that maps were not told, to learn how reliable people are
# The power of what a question teaches in its chance to be asked (Kirsch et al. 2023). Tried: the best questions, as if
# it were infinite, which was worse than random ones on 30 alien eggs (docs/method.md).
GREED = 2.0


@filled_from(as_triplets)
def suggest(
    estimator: FittedMap,
    X: Any,
    y: ArrayLike | None = None,
    *,
    n_questions: int = 100,
    candidates: ArrayLike | None = None,
    random_state: RandomState = 0,
) -> "pd.DataFrame":
    """Questions whose answers would teach much, the best first.

    16 maps are fitted to parts of the answers, starting at the map. None of the questions that these answer is asked
    again.

    Parameters
    ----------
    estimator : triplet embedding, fitted
        `TETE`, a baseline or `TETECV`, with its map. It is left alone.
    n_questions : int, default=100
        How many questions; fewer come back where there are not so many left.
    candidates : array of shape (m, 3), optional
        Questions to choose from, as rows (anchor, one, other) of object numbers. By default many are drawn at random.
    random_state : int, generator or None, default=0
        Seed of all draws; each gives other questions; None takes another one each time.

    Returns
    -------
    DataFrame
        Columns center, left and right ("is center more like left or like right?"), `p_left`, the probability that the
        answer is left, and `bits`, what the answer is expected to teach. With an answer in a column `answer` (a name,
        left or right), `tete.io.read_answers` reads such a table.

    Raises
    ------
    InvalidParameterError
        If every candidate was asked already.
    InvalidTripletsError
        If every question about the objects was asked already.

    Examples
    --------
    >>> from tete import TETE, suggest
    >>> from tete.datasets import make_sphere, make_uniform_triplets
    >>> answers = make_uniform_triplets(make_sphere(20).data, 400)
    >>> questions = suggest(TETE().fit(answers), answers, n_questions=5)
    >>> list(questions.columns), len(questions)
    (['center', 'left', 'right', 'p_left', 'bits'], 5)
    """
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    check_whole("n_questions", n_questions, least=1)
    given = estimator.read(X, y)
    rng = make_generator(random_state)
    if candidates is None:
        count = max(FEWEST_CANDIDATES, CANDIDATES_A_QUESTION * n_questions)
        rows: NDArray[Any] = _draw(given.n_objects, count, rng)
    else:
        rows = Triplets.from_array(candidates, n_objects=given.n_objects).to_array()
    rows = _not_asked(rows, given)
    if not len(rows) and candidates is None:
        raise InvalidTripletsError(f"No question about the {given.n_objects} objects is left that was not asked yet.")
    if not len(rows):
        raise InvalidParameterError("`candidates` must hold a question that was not asked yet, got none.")
    questions = Triplets.from_array(rows, n_objects=given.n_objects)
    p_left, bits = _Committee(estimator, given, rng).judge(questions)
    chance = GREED * np.log(np.maximum(bits, np.finfo(float).tiny)) + rng.gumbel(size=len(rows))
    chosen = np.argsort(-chance, kind="stable")[:n_questions]  # draws without replacement
    chosen = chosen[np.argsort(-bits[chosen], kind="stable")]
    names = range(given.n_objects) if estimator.object_names_ is None else estimator.object_names_
    columns = {
        role: [names[number] for number in rows[chosen, place]]
        for place, role in enumerate(("center", "left", "right"))
    }
    return pd.DataFrame({**columns, "p_left": p_left[chosen], "bits": bits[chosen]})


class _Committee:
    """Maps of resampled answers, and how reliable answers are."""

    def __init__(self, estimator: FittedMap, given: Triplets, rng: np.random.Generator) -> None:
        self._estimator, self._given, self._equal = estimator, given, EqualAnswers(given)
        members = [self._member(rng) for _ in range(N_MAPS)]
        self.maps: list[Embedding] = [embedding for embedding, *_ in members]
        margins, weights = (np.concatenate(parts) for parts in zip(*(tested for _, *tested in members), strict=True))
        enough = weights.sum() >= FEWEST_TESTED
        self.model: AnswerModel = fit_answer_model(margins, weights) if enough else estimator.answer_model()

    def judge(self, questions: Triplets) -> tuple[Floats, Floats]:
        """Probability that the answer is the second object, and mutual information of answer and map."""
        margins = [self._estimator.margins(questions, embedding=embedding) for embedding in self.maps]
        probability = np.array([self.model.probability(each) for each in margins])
        mean = probability.mean(axis=0)
        return mean, np.maximum(_entropy(mean) - _entropy(probability).mean(axis=0), 0.0)

    def _member(self, rng: np.random.Generator) -> tuple[Embedding, Floats, Floats]:
        """A map of resampled answers, margins and counts of the others. Unknown objects are put anywhere."""
        drawn = self._equal.drawn(rng)
        told = self._given.select(drawn > 0)
        known = told.mentions() > 0
        start = self._estimator.embedding_
        embedding = rng.normal(scale=start.std(axis=0), size=start.shape)
        try:
            embedding[known] = self._estimator.map_of(told.with_weights(drawn[drawn > 0]), start=start)[known]
        except InvalidTripletsError:  # of very few answers, those drawn may contradict each other
            return embedding, np.empty(0), np.empty(0)
        counts = self._given.counts()
        untold = (drawn == 0) & (counts > 0.0) & known[self._given.to_array()].all(axis=1)
        if not untold.any():
            return embedding, np.empty(0), np.empty(0)
        margins = self._estimator.margins(self._given.select(untold), embedding=embedding)
        return embedding, margins, counts[untold]


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


def _entropy(probability: Floats) -> Floats:
    """Of yes-or-no answers, in bits."""
    p = np.clip(probability, 1e-12, 1.0 - 1e-12)
    return np.asarray(-(p * np.log2(p) + (1.0 - p) * np.log2(1.0 - p)))
