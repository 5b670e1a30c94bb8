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
    ├── MissingPicturesWarning                         objects that no picture is named after
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
    "MissingPicturesWarning",
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
    """Base of all errors raised on purpose.

    Examples
    --------
    >>> from tete import TETE
    >>> from tete.exceptions import TeteError
    >>> try:
    ...     TETE(t=3).fit([(0, 1, 2)])
    ... except TeteError as error:
    ...     print(error)
    `t` must be in [1, 2], got 3.
    """

    def __init__(self, *parts: str | Parameter) -> None:
        super().__init__("".join(map(str, parts)))
        self._parts = parts

    def worded(self, name_of: Callable[[Parameter], str]) -> str:
        """The message with parameters called otherwise than in Python."""
        return "".join(part if isinstance(part, str) else name_of(part) for part in self._parts)


class InvalidParameterError(TeteError, ValueError):
    """A parameter breaks its rule; the message has the name, the rule and the value.

    Examples
    --------
    >>> from tete import TETE
    >>> TETE(n_components=0).fit([(0, 1, 2)])
    Traceback (most recent call last):
        ...
    tete.exceptions.InvalidParameterError: `n_components` must be a whole number of at least 1, got 0.
    """


class InvalidFeaturesError(TeteError, ValueError):
    """The features cannot be used; the message has the first offending row and column.

    Examples
    --------
    >>> from tete import ListwiseTETE
    >>> ListwiseTETE().fit([[1.0, 2.0], [float("nan"), 3.0]])
    Traceback (most recent call last):
        ...
    tete.exceptions.InvalidFeaturesError: Row 1, column 0 of `X` is NaN: all values must be finite numbers.
    """


class InvalidTripletsError(TeteError, ValueError):
    """The answers cannot be used; the message has the first offending row and how many there are.

    Examples
    --------
    >>> from tete import Triplets
    >>> Triplets.from_array([(0, 1, 2), (3, 3, 5)])
    Traceback (most recent call last):
        ...
    tete.exceptions.InvalidTripletsError: Row 1 is (3, 3, 5): an object cannot be compared with itself (1 such row).
    """


class UnpredictableAnswersError(InvalidTripletsError):
    """Held-out answers are predicted hardly better than by chance, so nothing can be said about single ones.

    Examples
    --------
    >>> from tete import TETE, trust
    >>> from tete.datasets import make_sphere, make_uniform_triplets
    >>> guesses = make_uniform_triplets(make_sphere(20).data, 400).flip(0.5)
    >>> from tete.exceptions import UnpredictableAnswersError
    >>> try:
    ...     trust(TETE(t=2, t_prime=2), guesses)
    ... except UnpredictableAnswersError:
    ...     print("no map predicts these answers")
    no map predicts these answers
    """


class InvalidFileError(TeteError, ValueError):
    r"""A file cannot be used; the message has the file, the line and the column, and what was expected there.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from tete import read_answers
    >>> from tete.exceptions import InvalidFileError
    >>> answers = Path(mkdtemp(), "answers.csv")
    >>> _ = answers.write_text("taste,smell,look\nsweet,strong,red\n")
    >>> try:
    ...     read_answers(answers)
    ... except InvalidFileError as error:
    ...     print(str(error).split(" expected")[0].replace(str(answers), "answers.csv"))
    answers.csv, line 1:
    """


class MissingDataError(TeteError, FileNotFoundError):
    """The file of a data set is absent; the message says which file to put where, and whom to cite.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from tete.datasets import load_mnist
    >>> from tete.exceptions import MissingDataError
    >>> try:
    ...     load_mnist(folder=mkdtemp())
    ... except MissingDataError as error:
    ...     print("download=True" in str(error))
    True
    """


class DownloadError(TeteError, OSError):
    """A data set could not be fetched; the message has the address and the reason.

    Examples
    --------
    >>> from tete.exceptions import DownloadError
    >>> issubclass(DownloadError, OSError)  # so that `except OSError` catches it as well
    True
    """


class StorageError(TeteError, OSError):
    """The database of a study cannot be used now: full, locked, damaged, gone, or in use by another server.

    Examples
    --------
    >>> from tete.exceptions import StorageError
    >>> issubclass(StorageError, OSError)  # so that `except OSError` catches it as well
    True
    """


class ClusterError(TeteError, OSError):
    """A cluster cannot be used now: it was lost, has no workers, or workers with another version.

    Examples
    --------
    >>> from tete.exceptions import ClusterError
    >>> issubclass(ClusterError, OSError)  # so that `except OSError` catches it as well
    True
    """


class OutputExistsError(TeteError, FileExistsError):
    """A file to be written is already there, and nobody said that it may be overwritten.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from tete import write_map
    >>> from tete.exceptions import OutputExistsError
    >>> place = Path(mkdtemp(), "map.csv")
    >>> write_map(place, [[0.0, 1.0]])
    >>> try:
    ...     write_map(place, [[0.0, 1.0]])
    ... except OutputExistsError:
    ...     write_map(place, [[0.0, 1.0]], force=True)
    """


class TeteWarning(UserWarning):
    """Base of all warnings.

    Examples
    --------
    >>> import warnings
    >>> from tete.exceptions import TeteWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", TeteWarning)  # a script that shall stop at whatever is doubtful
    """


class UnmentionedObjectsWarning(TeteWarning):
    """Some objects occur in no triplet, so nothing is known about their place.

    Examples
    --------
    >>> import warnings
    >>> from tete import TETE, Triplets
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     model = TETE(t=2, t_prime=2).fit(Triplets.from_array([(0, 1, 2), (2, 1, 0)], n_objects=4))
    >>> [warning.category.__name__ for warning in seen]
    ['UnmentionedObjectsWarning']
    """


class DisconnectedAnswersWarning(TeteWarning):
    """The answers fall into parts that no answer relates, so the parts' relative places mean nothing.

    Examples
    --------
    >>> import warnings
    >>> from tete import TETE
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     model = TETE(t=2, t_prime=2).fit([(0, 1, 2), (2, 1, 0), (3, 4, 5), (5, 4, 3)])
    >>> [warning.category.__name__ for warning in seen]
    ['DisconnectedAnswersWarning']
    """


class DroppedAnswersWarning(TeteWarning):
    """Answers that say nothing, undecided or of an object with itself, were left out.

    Examples
    --------
    >>> import warnings
    >>> from tete import Triplets
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     answers = Triplets.from_answers([(0, 1, 2), (2, 1, 0), (1, 0, 2)], [1, -1, 0])
    >>> [warning.category.__name__ for warning in seen], len(answers)
    (['DroppedAnswersWarning'], 2)
    """


class SmallEllipsesWarning(TeteWarning):
    """The chosen loss bends maps of this dimension in a way that resampling does not see: ellipses are too small.

    Examples
    --------
    >>> import warnings
    >>> from tete.exceptions import SmallEllipsesWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", SmallEllipsesWarning)  # these ellipses are for a sketch
    """


class MissingLettersWarning(TeteWarning):
    """The font of a picture lacks letters of some names.

    Examples
    --------
    >>> import warnings
    >>> from tete.exceptions import MissingLettersWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", MissingLettersWarning)  # boxes instead of letters will do
    """


class MissingPicturesWarning(TeteWarning):
    """A folder of pictures has none of some objects.

    Examples
    --------
    >>> import warnings
    >>> from tete.exceptions import MissingPicturesWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", MissingPicturesWarning)  # the others will do
    """


class LeftOutFilesWarning(TeteWarning):
    """A folder of things to show has files that are none of them.

    Examples
    --------
    >>> import warnings
    >>> from tete.exceptions import LeftOutFilesWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", LeftOutFilesWarning)  # the folder has notes, too
    """


class MixedAnswersWarning(TeteWarning):
    """Answers of people are to be stored among those of a rehearsal.

    Examples
    --------
    >>> import warnings
    >>> from tete.exceptions import MixedAnswersWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", MixedAnswersWarning)  # nobody real will answer
    """


class MissingCodesWarning(TeteWarning):
    """A column has numbers so far beyond the others that they probably are codes for missing values.

    Examples
    --------
    >>> import warnings
    >>> from tete.exceptions import MissingCodesWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", MissingCodesWarning)  # -999 was measured
    """


class TruthValuesWarning(TeteWarning):
    """A metric of true and false values got other numbers.

    Examples
    --------
    >>> import warnings
    >>> from tete.exceptions import TruthValuesWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", TruthValuesWarning)  # every number but 0 is true
    """


class SlowMetricWarning(TeteWarning):
    """A function that compares rows is so slow that all pairs of them will take long.

    Examples
    --------
    >>> import warnings
    >>> from tete.exceptions import SlowMetricWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", SlowMetricWarning)  # there is time
    """


class FewRowsWarning(TeteWarning):
    """There are fewer rows than neighbours were asked for.

    Examples
    --------
    >>> import warnings
    >>> from tete import ListwiseTETE
    >>> from tete.datasets import make_sphere
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     model = ListwiseTETE(n_neighbors=15, random_state=0).fit(make_sphere(10).data)
    >>> [warning.category.__name__ for warning in seen]
    ['FewRowsWarning']
    """


class FewNeighborsWarning(TeteWarning):
    """Some rows of a given graph have far fewer neighbours than the others, which are cut to as many.

    Examples
    --------
    >>> import warnings
    >>> from tete.exceptions import FewNeighborsWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", FewNeighborsWarning)  # the graph is as it is
    """


class MemoryNeedWarning(TeteWarning):
    """The run is likely to need more memory than the machine has.

    Examples
    --------
    >>> import warnings
    >>> from tete.exceptions import MemoryNeedWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", MemoryNeedWarning)  # the machine may use its disk
    """


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the first line outside this package."""
    package = str(Path(__file__).parent)
    depth = 2  # the caller
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame = frame.f_back
        depth += 1
    warnings.warn(message, category, stacklevel=depth)
