"""Files around the package agree with each other: versions, bounds, recipes, forms."""

import json
import re
import tomllib

import pytest

import tete
from test_architecture import SOURCE

yaml = pytest.importorskip("yaml", reason="needs PyYAML")

ROOT = SOURCE.parents[1]
if not (ROOT / "pyproject.toml").exists():
    pytest.skip("needs the repository, not an installed package", allow_module_level=True)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
PINS = dict(line.split("==") for line in (ROOT / ".ci/oldest.txt").read_text().split())
# Tools, whose versions change nothing of what is tested, and what is not installed there.
UNPINNED = {"build", "check-wheel-contents", "mypy", "opentsne", "pytest-cov", "ruff", "twine"}


def bounds(requirements):
    """Lower bounds by package."""
    found = {}
    for requirement in requirements:
        name, bound = re.fullmatch(r"([\w-]+)(?:\[.*\])?(?:>=([\d.]+))?", requirement).groups()
        if bound is not None:
            found[name.lower()] = bound
    return found


def padded(version):
    return [int(part) for part in version.split(".")] + [0] * (4 - version.count("."))


def test_the_oldest_versions_are_those_that_are_allowed():
    allowed = bounds(PROJECT["dependencies"])
    for extra, requirements in EXTRAS.items():
        if extra != "docs":
            allowed |= bounds(requirements)
    for name, bound in allowed.items():
        if name not in UNPINNED:
            assert padded(PINS[name]) == padded(bound), f"{name}: {bound} is allowed, {PINS[name]} is tested"


def test_the_conda_recipe_has_the_same_bounds():
    recipe = (ROOT / "conda/meta.yaml").read_text()
    listed = dict(re.findall(r"^    - ([\w-]+) >=([\d.]+)$", recipe, flags=re.MULTILINE))
    expected = bounds(PROJECT["dependencies"]) | {"python": PROJECT["requires-python"].removeprefix(">=")}
    assert {name: listed[name] for name in expected} == expected


def test_no_file_names_where_packages_come_from():
    for path in (ROOT / "pyproject.toml", ROOT / ".ci/oldest.txt", ROOT / "conda/meta.yaml", ROOT / "Makefile"):
        assert not re.search(r"https?://|find-links", path.read_text()), path


def test_the_workflow_runs_targets_that_are_there_on_every_version():
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    steps = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    called = {word for step in steps for word in re.findall(r"make ([\w-]+)", step)}
    assert called - {"docs"} <= targets
    assert {"check", "test", "test-all", "test-oldest", "dist", "docs"} <= called
    versions = [each.split(" :: ")[-1] for each in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", each)]
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == versions


def test_forms_and_metadata_are_well_formed():
    for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text())
        if path.stem != "config":
            ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
            assert len(ids) == len(set(ids)) > 0
            assert form["name"]
            assert form["description"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0"
    zenodo = json.loads((ROOT / ".zenodo.json").read_text())
    assert zenodo["license"] == citation["license"] == PROJECT["license"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert {hook["entry"].split()[0] for hook in hooks} == {"ruff", "mypy"}


def test_the_changelog_has_the_version_and_the_kinds_of_keep_a_changelog():
    text = (ROOT / "CHANGELOG.md").read_text()
    headings = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", text, flags=re.MULTILINE)
    (first, undated), (version, date) = headings[:2]
    assert (first, undated) == ("Unreleased", "")
    assert version == tete.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (citation["version"], str(citation["date-released"])) == (version, date)
    zenodo = json.loads((ROOT / ".zenodo.json").read_text())
    assert (zenodo["version"], zenodo["publication_date"]) == (version, date)
    kinds = set(re.findall(r"^### (\w+)", text, flags=re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
