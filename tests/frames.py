"""The same cells as data frames of other libraries, where these are installed."""

import warnings
from importlib.util import find_spec

import pytest

ABSENT = {
    "modin": "needs modin, which needs pandas before 3: `make test-oldest` has both",
    "polars": "needs polars",
    "pyarrow": "needs pyarrow",
}
LIBRARIES = [
    pytest.param(name, marks=pytest.mark.skipif(find_spec(name) is None, reason=reason))
    for name, reason in ABSENT.items()
]


def in_library(library, cells):
    """A data frame of the library with these columns."""
    if library == "polars":
        import polars

        return polars.DataFrame(cells)
    if library == "pyarrow":
        import pyarrow

        return pyarrow.table(cells)
    from modin.config import Engine, StorageFormat

    Engine.put("Python")  # in this process, one block at a time
    StorageFormat.put("Pandas")
    import modin.pandas

    with warnings.catch_warnings():  # it says that it works, and with what
        warnings.simplefilter("ignore")
        return modin.pandas.DataFrame(cells)
