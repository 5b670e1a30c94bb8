"""What keeps the tree readable: layers, exact public names, light imports."""

import ast
import importlib
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import tete

SOURCE = Path(tete.__file__).parent

# Each room imports only from rows above its own. CONTRIBUTING.md shows the same rows.
LAYERS = [
    ["exceptions"],
    ["tempered"],
    ["core"],
    ["comparisons"],
    ["metrics", "io"],
    ["embedding"],
    ["reduction", "views"],
    ["selection", "reliability", "datasets", "distributed", "anndata"],
    ["drawing"],
    ["page", "experiments"],
    ["collecting"],
    ["cli"],
    ["__main__"],
]
MODULES = sorted(
    str(path.relative_to(SOURCE).with_suffix("")).replace("/", ".")
    for path in SOURCE.rglob("*.py")
    if path != SOURCE / "__init__.py"
)


def row_of(module):
    return next(row for row, names in enumerate(LAYERS) if module.split(".")[0] in names)


def imported_modules(module):
    """Modules of the package that a file imports when it runs, also inside functions (not for type checking alone)."""
    tree = ast.parse(path_of(module).read_text())
    type_checking = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and getattr(block.test, "id", "").endswith("TYPE_CHECKING")
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        module = getattr(node, "module", None) or ""
        if id(node) not in type_checking and (module == "tete" or module.startswith("tete.")):
            inner = module.removeprefix("tete").removeprefix(".")
            named = [".".join(filter(None, (inner, alias.name))) for alias in node.names]
            yield from {name if name in PLAIN_MODULES else inner for name in named} - {""}


def path_of(module):
    return SOURCE / (module.replace(".", "/") + ".py")


PLAIN_MODULES = {module.removesuffix(".__init__") for module in MODULES}


@pytest.mark.parametrize("module", MODULES)
def test_rooms_import_only_from_rows_above(module):
    room = module.split(".")[0]
    for other in imported_modules(module):
        if other.split(".")[0] != room:
            assert row_of(other) < row_of(module), f"{module} must not import {other}"


def test_files_of_a_room_import_in_one_direction():
    after = {}
    for module in MODULES:
        own, room = module.removesuffix(".__init__"), module.split(".")[0]
        others = {other for other in imported_modules(module) if other.split(".")[0] == room and other != own}
        after[own] = after.get(own, set()) | others
    list(TopologicalSorter(after).static_order())  # raises CycleError with the cycle's files


def test_contributing_shows_the_layers():
    text = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text()
    rows = ["    " + "  ".join(row) for row in LAYERS if row != ["__main__"]]
    assert "\n".join(rows) in text


def test_file_names_tell_files_apart():
    """One name, one meaning: a few say the same thing in several rooms."""
    same_meaning = {"__init__", "kernel", "placer", "problem", "estimators"}
    names = [path.stem for path in SOURCE.rglob("*.py")]
    assert {name for name in names if names.count(name) > 1} <= same_meaning


# Names that begin with an underscore and still are there to be used, or that nothing public replaces.
FOREIGN = {
    "_asdict": "NamedTuple: its documented methods have an underscore so as not to clash with fields",
    "_fields": "NamedTuple",
    "_replace": "NamedTuple",
    "_getframe": "sys: the way to find the caller's frame without building the whole stack",
    "_run_exitfuncs": "atexit: nothing public does what is to be done at the end before the end",
    "_exit": "os: the way to end a process from another thread than the main one, at once",
    "_cache": "numba's dispatcher: nothing public replaces the place where compiled code is kept",
}


def test_an_underscore_is_private_to_its_file():
    """Files read underscore attributes of `self`, `cls` and `super()`, and of others only where they define them."""
    for module in MODULES:
        tree = ast.parse(path_of(module).read_text())
        own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or not node.attr.startswith("_") or node.attr.startswith("__"):
                continue
            of_super = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super"
            if of_super or getattr(node.value, "id", "") in {"self", "cls"}:
                continue
            assert node.attr in own or node.attr in FOREIGN, f"{module}, line {node.lineno}: {ast.unparse(node)}"


def test_the_house_has_few_rooms():
    entries = {path.name for path in SOURCE.iterdir()} - {"__pycache__"}
    assert len(entries) <= 22
    assert not {Path(entry).stem for entry in entries} & set(tete.__all__), "a room must not hide a public name"


@pytest.mark.parametrize("module", MODULES)
def test_public_names_exist(module):
    loaded = importlib.import_module(f"tete.{module.removesuffix('.__init__')}")
    for name in getattr(loaded, "__all__", []):
        assert hasattr(loaded, name)


def test_top_level_names_are_exact():
    public = {name for name in dir(tete) if not name.startswith("_")}
    assert public == set(tete.__all__)
    assert all(getattr(tete, name).__name__ == name for name in tete.__all__)
    with pytest.raises(AttributeError, match="module 'tete' has no attribute 'TSNE'"):
        _ = tete.TSNE


@pytest.mark.parametrize("package", ["metrics", "io", "datasets", "tempered", "exceptions", "anndata"])
def test_names_of_public_packages_are_exact(package):
    """All that is listed is the package's own, and nothing else in it is a function or class for users."""
    loaded = importlib.import_module(f"tete.{package}")
    assert loaded.__all__ == sorted(loaded.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name))
    for name in loaded.__all__:
        assert getattr(loaded, name).__module__.startswith(f"tete.{package}")
    if hasattr(loaded, "__path__"):
        modules = {module.split(".")[1] for module in MODULES if module.startswith(f"{package}.")}
        assert {name for name in dir(loaded) if not name.startswith("_")} - modules == set(loaded.__all__)


def test_the_command_line_starts_without_numpy():
    program = (
        "import sys, tete.__main__; print(sorted({'numpy', 'pandas', 'scipy', 'sklearn', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_import_is_light():
    program = (
        "import sys, tete;"
        "heavy = {'matplotlib', 'bokeh', 'dask', 'typer', 'sklearn.neighbors', 'starlette', 'sqlalchemy'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_a_small_map_and_its_quality_load_no_more_than_they_use():
    program = (
        "import sys, numpy; from tete import ListwiseTETE, map_quality;"
        "X = numpy.random.default_rng(0).normal(size=(60, 3));"
        "map_quality(X, ListwiseTETE(max_iter=3, random_state=0).fit_transform(X), labels=X[:, 0] > 0);"
        "unused = {f'sklearn.{each}' for each in ('neighbors', 'decomposition', 'preprocessing', 'pipeline')};"
        "print(sorted((unused | {'matplotlib', 'bokeh', 'typer', 'tete.io.answer_files'}) & set(sys.modules)))"
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
