# Every target makes its own virtual environment, so each works in a fresh clone. Needs Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check bench clean

demo: $(VENV)/ready
	$(BIN)/tete demo demo --force

test: $(VENV)/ready
	$(BIN)/python -m pytest --cov --cov-report=term

check: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/ready
	$(BIN)/python benchmarks/triplets.py

$(VENV)/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tete needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) .bench demo .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
