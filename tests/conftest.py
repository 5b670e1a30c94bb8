import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from tete.exceptions import MissingDataError

NOBODY = 65534
QUICKLY_CHECKED = {"TETE", "AdaptedTETE", "ListwiseTETE", "TableEncoder"}

# Compiling a kernel takes longer than hypothesis allows an example.
settings.register_profile("tete", deadline=None, max_examples=40, derandomize=True)
settings.load_profile("tete")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """scikit-learn's checks make one quick pass for each kind of estimator; those of the others are slow."""
    for item in items:
        assert " at 0x" not in item.nodeid, f"{item.nodeid} has another name in each process"
        given = item.callspec.params if hasattr(item, "callspec") else {}
        if "check" in given and type(given["estimator"]).__name__ not in QUICKLY_CHECKED:
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def clean_triplets(rng):
    """2,000 uniform triplets of 30 points in the plane, all true."""
    from tete.datasets import make_uniform_triplets

    return make_uniform_triplets(rng.normal(size=(30, 2)), 2000, random_state=1)


@pytest.fixture(scope="session")
def data_folder():
    """Real data sets, where they are present; never part of the project."""
    folder = Path(os.environ.get("TETE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("needs the real data sets: set TETE_DATA to their folder")
    return folder


@pytest.fixture
def load(data_folder):
    """Load a real data set, or skip the test where its file is absent."""

    def load_or_skip(loader, *arguments):
        try:
            return loader(*arguments, folder=data_folder)
        except MissingDataError as error:
            pytest.skip(str(error))

    return load_or_skip


@pytest.fixture
def ordinary_user():
    """The superuser may read and write anywhere, so become nobody for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    yield
    os.setresuid(0, 0, 0)


@pytest.fixture
def open_folder():
    """A folder that everybody can look into, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
