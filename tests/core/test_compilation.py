"""Compiled code is kept where that is possible, and nothing about keeping it is a reason to fail or to complain."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tete
from conftest import NOBODY
from tete.core.compilation import compiled

MIX = "from tete.core.hashed_draws import mix; print(mix(17), sum(mix.stats.cache_hits.values()))"
WHERE = "import tete; from tete.core.hashed_draws import mix; print(tete.__file__, mix._cache.cache_path)"
FITS = {
    "TETE": "from tete import TETE; print(TETE().fit([(0, 1, 2), (1, 0, 2), (2, 1, 0)]).embedding_.shape)",
    "ListwiseTETE": (
        "import numpy as np; from tete import ListwiseTETE;"
        "X = np.random.default_rng(0).normal(size=(60, 3));"
        "model = ListwiseTETE(max_iter=5, random_state=0).fit(X); print(model.transform(X + 0.1).shape)"
    ),
}
SHAPES = {"TETE": "(3, 2)", "ListwiseTETE": "(60, 2)"}


def run(program, source=Path(tete.__file__).parents[1], user=None, **environment):
    """What a new process prints, which must be nothing on stderr."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_", "COV_", "HOME"))
    }
    command = [sys.executable, "-c", program]
    variables = inherited | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    result = subprocess.run(command, env=variables, user=user, cwd="/", capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.strip()


@pytest.fixture
def ordinary():
    """For a process of its own: a user who is not the superuser, where such a one may run this Python."""
    if os.geteuid() != 0:
        return None
    try:
        subprocess.run([sys.executable, "-c", "import numba"], user=NOBODY, cwd="/", capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return NOBODY


@pytest.fixture
def read_only_source(open_folder):
    """The package where nothing can be kept: where the folder for it would be, a file stops even the superuser."""
    shutil.copytree(Path(tete.__file__).parent, open_folder / "tete", ignore=shutil.ignore_patterns("__pycache__"))
    folders = [open_folder, *(path for path in open_folder.rglob("*") if path.is_dir())]
    for folder in folders:
        (folder / "__pycache__").touch()
        folder.chmod(0o555)
    yield open_folder
    for folder in folders:
        folder.chmod(0o755)


@pytest.mark.parametrize("estimator", ["TETE", pytest.param("ListwiseTETE", marks=pytest.mark.slow)])
def test_nothing_that_can_be_written_is_needed(read_only_source, ordinary, estimator):
    assert run(WHERE, read_only_source, ordinary, HOME="/dev/null") == f"{read_only_source}/tete/__init__.py None"
    assert run(FITS[estimator], read_only_source, ordinary, HOME="/dev/null") == SHAPES[estimator]


def test_compiled_code_is_kept_and_used_again(tmp_path):
    assert [run(MIX, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)] == ["3932492541 0", "3932492541 1"]
    assert list(tmp_path.rglob("*.nbc"))


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("size", [0, pytest.param(40, marks=pytest.mark.slow)])
def test_a_damaged_file_is_replaced(tmp_path, kind, size):
    first = run(MIX, NUMBA_CACHE_DIR=str(tmp_path))
    for path in tmp_path.rglob(f"*.{kind}"):
        path.write_bytes(path.read_bytes()[:size])
    assert run(MIX, NUMBA_CACHE_DIR=str(tmp_path)) == first  # compiled anew
    assert run(MIX, NUMBA_CACHE_DIR=str(tmp_path)) == first.replace(" 0", " 1")  # loaded


@pytest.mark.parametrize("estimator", [pytest.param(each, marks=pytest.mark.slow) for each in FITS])
def test_a_fit_mends_what_is_kept_of_it(tmp_path, estimator):
    run(FITS[estimator], NUMBA_CACHE_DIR=str(tmp_path))
    damaged = sorted(tmp_path.rglob("*.nb?"))
    for place, path in enumerate(damaged):
        path.write_bytes(b"" if place % 2 else b"not compiled code")
    for _ in range(2):
        assert run(FITS[estimator], NUMBA_CACHE_DIR=str(tmp_path)) == SHAPES[estimator]
    indices = [path for path in damaged if path.suffix == ".nbi"]
    assert indices
    assert all(path.stat().st_size > 20 for path in indices)


def test_a_full_disk_only_means_to_compile_again_next_time(monkeypatch, tmp_path):
    from tete.core import compilation

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compilation.FunctionCache, "save_overload", full)

    @compiled()
    def twice(number):
        return 2 * number

    assert twice(4) == 8


def test_without_the_compiler_the_functions_are_plain(tmp_path):
    program = (
        "import types; from tete.core.hashed_draws import mix; print(isinstance(mix, types.FunctionType), mix(17))"
    )
    assert run(program, NUMBA_DISABLE_JIT="1", NUMBA_CACHE_DIR=str(tmp_path)) == "True 3932492541"
    assert not list(tmp_path.rglob("*.nbi"))
