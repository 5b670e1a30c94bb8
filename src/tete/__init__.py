"""Maps from comparisons, robust to wrong answers: t-exponential triplet embedding (t-ETE).

>>> from tete import TETE
>>> TETE().fit_transform([(0, 1, 2), (1, 0, 2), (2, 1, 0)]).shape
(3, 2)
"""

from tete.embedding import CKL, GNMDS, STE, TETE, TSTE
from tete.reduction import ListwiseTETE, WeightedTETE
from tete.triplets import Triplets

__version__ = "0.1.0"

__all__ = ["CKL", "GNMDS", "STE", "TETE", "TSTE", "ListwiseTETE", "Triplets", "WeightedTETE"]
