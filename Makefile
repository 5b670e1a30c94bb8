# Every target makes its own virtual environment, so each works in a fresh clone. Needs Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DOCS := .venv-docs
OLDEST := .venv-oldest
JOBS ?= 2

.PHONY: demo test test-all test-oldest check dist bench docs fuzz paper paper-quick clean

demo: $(VENV)/ready
	$(BIN)/tete demo demo --force

# What is not marked slow, on all cores; compiled code is kept beside the source and shared between the processes.
test: $(VENV)/ready
	$(BIN)/python -m pytest -n auto -m "not slow"

# Everything, and what of the source it ran.
test-all: $(VENV)/ready
	$(BIN)/python -m pytest -n auto --cov --cov-report=term

# What is not marked slow (or TESTS alone), with the oldest versions that pyproject.toml allows, in their own environment;
# it also has what needs pandas before 3.
test-oldest: $(OLDEST)/ready
	$(OLDEST)/bin/python -m pytest -n auto -m "not slow" $(TESTS)

check: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# Wheel and sdist, checked, and the demo where nothing but the wheel is installed.
dist: $(VENV)/release
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python .ci/check_distribution.py dist

bench: $(VENV)/ready
	$(BIN)/python benchmarks/triplets.py

# The site, docs/_build/html/index.html: built without network, warnings are errors, every example is run.
docs: $(DOCS)/ready
	MPLBACKEND=agg $(DOCS)/bin/python -m sphinx -W -n --keep-going -q -j auto docs docs/_build/html

# Mutated files and random fits for a minute each: nothing but results and errors of our own.
fuzz: $(VENV)/ready
	$(BIN)/python benchmarks/fuzz.py files --seconds 60 --no-results
	$(BIN)/python benchmarks/fuzz.py fits --seconds 60 --no-results

# The paper's experiments again, about an hour on two cores; TETE_DATA is the folder of the data sets.
paper: $(VENV)/experiments
	$(BIN)/tete reproduce --out paper --jobs $(JOBS)

paper-quick: $(VENV)/experiments
	$(BIN)/tete reproduce --quick --out paper-quick --jobs $(JOBS)

$(VENV)/experiments: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,experiments]"
	touch $@

# An environment of its own: the example with cells needs anndata, which needs pandas before 3.
$(DOCS)/ready: pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	touch $@

$(VENV)/release: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,release]"
	touch $@

$(OLDEST)/ready: pyproject.toml .ci/oldest.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint .ci/oldest.txt --editable ".[dev-pandas2]"
	touch $@

$(VENV)/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tete needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) $(DOCS) $(OLDEST) .bench demo dist paper paper-quick
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .coverage.*
	rm -rf docs/_build docs/gallery docs/tutorials docs/reference/generated docs/reference/commands docs/reference/examples
