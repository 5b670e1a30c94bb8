"""What people's deviations from a map have in common, from the margins of their answers alone, without another map.

The score of an answer, d log P / dx, is large where the answer surprises. Put at the pair (anchor, near), and with a
minus at (anchor, far), the scores of a person make a matrix of how distances on the map would have to change to please
that person. The Gram matrix of these matrices, without its diagonal, which noise fills, shows who deviates alike.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh
from scipy.sparse import csr_array
from scipy.special import expit

from tete.core.blas import one_blas_thread
from tete.embedding.answer_model import AnswerModel, Floats
from tete.views.unit_answers import UnitAnswers

__all__ = ["deviation_gram", "is_deviation_shared"]

N_DRAWS = 19  # of answers that share nothing: the chance to look further in vain is one or two in twenty


def deviation_gram(
    answers: UnitAnswers, margins: Floats, model: AnswerModel, units: NDArray[np.int64], signs: Floats | None = None
) -> Floats:
    """How alike each two of these units deviate from the map, from -1 to 1; 0 with themselves.

    With `signs`, one for each triplet, answers deviate to the side that they say.
    """
    sigmoid = expit(model.steepness * margins)
    slope = (1.0 - 2.0 * model.lapse) * sigmoid * (1.0 - sigmoid)
    scores = answers.shares * slope / model.probability(margins)
    if signs is not None:
        scores = scores * signs
    anchor, size = answers.triplets.anchor.astype(np.int64), answers.triplets.n_objects
    pairs = [
        np.minimum(anchor, other) * size + np.maximum(anchor, other)
        for other in (answers.triplets.near, answers.triplets.far)
    ]
    numbers, columns = np.unique(np.concatenate(pairs), return_inverse=True)
    entries = (np.concatenate([scores, -scores]), (np.tile(answers.units, 2), columns))
    matrix = csr_array(entries, shape=(answers.n_units, len(numbers)))[units]
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scales = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
    gram = (matrix @ matrix.T).toarray() * np.outer(scales, scales)
    np.fill_diagonal(gram, 0.0)
    return np.asarray(gram)


def is_deviation_shared(
    answers: UnitAnswers,
    margins: Floats,
    model: AnswerModel,
    suspected: NDArray[np.bool_],
    rng: np.random.Generator,
) -> bool:
    """Whether units deviate alike, more than where each answer deviates to a side drawn at random.

    Either all of them in groups, apart from what everybody shares, which is the map's own error, or those who are
    suspected of another view with each other.
    """
    if answers.n_units < 3:
        return False
    numbers, units = answers.triplets.answer_numbers(), np.arange(answers.n_units)

    def strengths(signs: Floats | None) -> tuple[float, float]:
        gram = deviation_gram(answers, margins, model, units, signs)
        return _largest_eigenvalue(_centred(gram)), float(gram[np.ix_(suspected, suspected)].sum())

    drawn = np.array([strengths(rng.choice([-1.0, 1.0], size=numbers.max() + 1)[numbers]) for _ in range(N_DRAWS)])
    return bool(np.any(np.array(strengths(None)) > drawn.max(axis=0)))


def _largest_eigenvalue(matrix: Floats) -> float:
    last = len(matrix) - 1
    with one_blas_thread():
        return float(eigvalsh(matrix, subset_by_index=(last, last))[0])


def _centred(gram: Floats) -> Floats:
    rows = gram.mean(axis=0)
    return np.asarray(gram - rows[None, :] - rows[:, None] + rows.mean())
