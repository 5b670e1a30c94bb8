"""What keeps the tree readable: layers, exact public names, light imports."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import tete

SOURCE = Path(tete.__file__).parent

# Each module imports only from rows above its own.
LAYERS = [
    {"arrays", "exceptions", "counter", "blas"},
    {"randomness", "tempered", "validation", "threads", "grid"},
    {"themes", "density", "losses", "answer_model", "questions", "summary", "initialization", "optimization"}
    | {"nearest", "projection"},
    {"triplets", "progress", "anchored", "draws", "listwise", "affinities", "map_metrics", "cells"},
    {"metrics", "objective", "sampling", "surface", "placement", "newcomers", "fixing", "io"}
    | {"label_placement", "quality", "neighbors"},
    {"spectral", "continuation", "cross_validation", "neighborhoods", "features", "triplet_map"},
    {"base", "mapping"},
    {"embedding", "reduction"},
    {"datasets", "agreement", "crossfit", "lapse", "evidence", "uncertainty", "learning", "search", "suggestion"}
    | {"plotting", "serving", "thumbnails", "model_files", "ordinary_people"},
    {"trust_tables", "selection"},
    {"trust_report"},
    {"report"},
    {"page", "curves"},
    {"demo", "experiments"},
    {"cli"},
    {"__main__"},
]
MODULES = sorted(
    str(path.relative_to(SOURCE).with_suffix("")).replace("/", ".")
    for path in SOURCE.rglob("*.py")
    if path != SOURCE / "__init__.py"
)


def row_of(module):
    return next(row for row, names in enumerate(LAYERS) if module.split(".")[0] in names)


def imported_modules(path):
    """Modules of the package that a file imports when it runs (not for type checking alone)."""
    tree = ast.parse(path.read_text())
    type_checking = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and id(node) not in type_checking
            and (node.module or "").startswith("tete")
        ):
            inner = node.module.removeprefix("tete").removeprefix(".")
            yield from [inner] if inner else [alias.name for alias in node.names]


@pytest.mark.parametrize("module", MODULES)
def test_layers(module):
    own = module.removesuffix(".__init__")
    path = SOURCE / (module.replace(".", "/") + ".py")
    for other in imported_modules(path):
        if other.split(".")[0] == own.split(".")[0]:
            continue
        assert row_of(other) < row_of(own), f"{own} must not import {other}"


@pytest.mark.parametrize("module", MODULES)
def test_public_names_exist(module):
    loaded = importlib.import_module(f"tete.{module.removesuffix('.__init__')}")
    for name in getattr(loaded, "__all__", []):
        assert hasattr(loaded, name)


def test_top_level_names_are_exact():
    public = {name for name in dir(tete) if not name.startswith("_")}
    submodules = {module.split(".")[0] for module in MODULES}
    assert public - submodules == set(tete.__all__)
    assert all(getattr(tete, name).__name__ == name for name in tete.__all__)
    with pytest.raises(AttributeError, match="module 'tete' has no attribute 'TSNE'"):
        _ = tete.TSNE


def test_the_command_line_starts_without_numpy():
    program = (
        "import sys, tete.__main__; print(sorted({'numpy', 'pandas', 'scipy', 'sklearn', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_import_is_light():
    program = (
        "import sys, tete; heavy = {'matplotlib', 'bokeh', 'dask', 'faiss', 'typer', 'sklearn.neighbors'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_library_never_prints():
    for path in SOURCE.rglob("*.py"):
        calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
        assert not any(getattr(call.func, "id", "") == "print" for call in calls), path


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.stem)
def test_functions_are_short(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            assert length <= 40, f"{node.name} has {length} lines"
