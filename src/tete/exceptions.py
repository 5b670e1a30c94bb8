"""Errors and warnings.

::

    TeteError
    ├── InvalidParameterError    (also a ValueError)   a parameter breaks its rule
    ├── InvalidFeaturesError     (also a ValueError)   the features themselves are wrong
    ├── InvalidTripletsError     (also a ValueError)   the answers themselves are wrong
    │   └── UnpredictableAnswersError                  no map predicts the answers better than chance
    ├── InvalidFileError         (also a ValueError)   a file does not hold what it should
    ├── MissingDataError         (also a FileNotFoundError)  the file of a data set is absent
    ├── DownloadError            (also an OSError)     a data set could not be fetched
    ├── ClusterError             (also an OSError)     a cluster was lost, or its workers do not fit
    ├── StorageError             (also an OSError)     the database of a study could not be used
    └── OutputExistsError        (also a FileExistsError)  a file would be overwritten
    TeteWarning                  (also a UserWarning)
    ├── UnmentionedObjectsWarning                      objects without a single answer
    ├── DisconnectedAnswersWarning                     parts of the map that no answer relates
    ├── DroppedAnswersWarning                          answers that say nothing ("not sure")
    ├── SmallEllipsesWarning                           places that are less sure than their ellipses say
    ├── MissingLettersWarning                          names that the font of a picture cannot write
    ├── LeftOutFilesWarning                            files that are nothing to show to people
    ├── MixedAnswersWarning                            invented answers where real ones are to come
    ├── MissingCodesWarning                            numbers that probably mean "missing"
    ├── TruthValuesWarning                             numbers that a metric takes for true and false
    ├── SlowMetricWarning                              a function that all pairs of rows will wait for
    ├── FewRowsWarning                                 fewer rows than neighbours were asked for
    ├── FewNeighborsWarning                            a graph in which some rows have far fewer edges than others
    └── MemoryNeedWarning                              more memory needed than the machine has free

An estimator used before `fit` raises scikit-learn's `NotFittedError`, and an optimiser that runs out of iterations
warns with its `ConvergenceWarning`. Warnings point at the user's line, however deep in the library they arise.
"""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "ClusterError",
    "DisconnectedAnswersWarning",
    "DownloadError",
    "DroppedAnswersWarning",
    "FewNeighborsWarning",
    "FewRowsWarning",
    "InvalidFeaturesError",
    "InvalidFileError",
    "InvalidParameterError",
    "InvalidTripletsError",
    "LeftOutFilesWarning",
    "MemoryNeedWarning",
    "MissingCodesWarning",
    "MissingDataError",
    "MissingLettersWarning",
    "MixedAnswersWarning",
    "OutputExistsError",
    "SlowMetricWarning",
    "SmallEllipsesWarning",
    "StorageError",
    "TeteError",
    "TeteWarning",
    "TruthValuesWarning",
    "UnmentionedObjectsWarning",
    "UnpredictableAnswersError",
]


@dataclass(frozen=True)
class Parameter:
    """A parameter that a message speaks of, with the value to give it where there is one.

    The library says ``force=True``. The command names its flag instead: see `TeteError.worded`.
    """

    name: str
    value: object = None

    def __str__(self) -> str:
        return f"`{self.name}`" if self.value is None else f"{self.name}={self.value!r}"


class TeteError(Exception):
    """Base of all errors raised on purpose."""

    def __init__(self, *parts: str | Parameter) -> None:
        super().__init__("".join(map(str, parts)))
        self._parts = parts

    def worded(self, name_of: Callable[[Parameter], str]) -> str:
        """The message with parameters called otherwise than in Python."""
        return "".join(part if isinstance(part, str) else name_of(part) for part in self._parts)


class InvalidParameterError(TeteError, ValueError):
    """A parameter breaks its rule; the message has the name, the rule and the value."""


class InvalidFeaturesError(TeteError, ValueError):
    """The features cannot be used; the message has the first offending row and column."""


class InvalidTripletsError(TeteError, ValueError):
    """The answers cannot be used; the message has the first offending row and how many there are."""


class UnpredictableAnswersError(InvalidTripletsError):
    """Held-out answers are predicted hardly better than by chance, so nothing can be said about single ones."""


class InvalidFileError(TeteError, ValueError):
    """A file cannot be used; the message has the file, the line and the column, and what was expected there."""


class MissingDataError(TeteError, FileNotFoundError):
    """The file of a data set is absent; the message says which file to put where, and whom to cite."""


class DownloadError(TeteError, OSError):
    """A data set could not be fetched; the message has the address and the reason."""


class StorageError(TeteError, OSError):
    """The database of a study cannot be used now: full, locked, damaged, gone, or in use by another server."""


class ClusterError(TeteError, OSError):
    """A cluster cannot be used now: it was lost, has no workers, or workers with another version."""


class OutputExistsError(TeteError, FileExistsError):
    """A file to be written is already there, and nobody said that it may be overwritten."""


class TeteWarning(UserWarning):
    """Base of all warnings."""


class UnmentionedObjectsWarning(TeteWarning):
    """Some objects occur in no triplet, so nothing is known about their place."""


class DisconnectedAnswersWarning(TeteWarning):
    """The answers fall into parts that no answer relates, so the parts' relative places mean nothing."""


class DroppedAnswersWarning(TeteWarning):
    """Answers that say nothing, undecided or of an object with itself, were left out."""


class SmallEllipsesWarning(TeteWarning):
    """The chosen loss bends maps of this dimension in a way that resampling does not see: ellipses are too small."""


class MissingLettersWarning(TeteWarning):
    """The font of a picture lacks letters of some names."""


class LeftOutFilesWarning(TeteWarning):
    """A folder of things to show has files that are none of them."""


class MixedAnswersWarning(TeteWarning):
    """Answers of people are to be stored among those of a rehearsal."""


class MissingCodesWarning(TeteWarning):
    """A column has numbers so far beyond the others that they probably are codes for missing values."""


class TruthValuesWarning(TeteWarning):
    """A metric of true and false values got other numbers."""


class SlowMetricWarning(TeteWarning):
    """A function that compares rows is so slow that all pairs of them will take long."""


class FewRowsWarning(TeteWarning):
    """There are fewer rows than neighbours were asked for."""


class FewNeighborsWarning(TeteWarning):
    """Some rows of a given graph have far fewer neighbours than the others, which are cut to as many."""


class MemoryNeedWarning(TeteWarning):
    """The run is likely to need more memory than the machine has."""


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the first line outside this package."""
    package = str(Path(__file__).parent)
    depth = 2  # the caller
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame = frame.f_back
        depth += 1
    warnings.warn(message, category, stacklevel=depth)
