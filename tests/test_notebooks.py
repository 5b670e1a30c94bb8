"""A notebook as a user would write it, run by a real kernel: progress bar, picture, page and representations."""

import importlib.util

import pytest

pytestmark = pytest.mark.slow

CELLS = [
    "from sklearn.datasets import load_digits\nfrom tete import ListwiseTETE\n"
    "X, y = load_digits(n_class=3, return_X_y=True)",
    "model = ListwiseTETE(quality='fast', random_state=0, verbose=True)\nmodel.fit(X[:150])",
    "axes = model.plot(y[:150])",
    "model.explore({'digit': y[:150]}, height=400)",
]


@pytest.fixture(scope="module")
def outputs():
    for package in ("nbclient", "nbformat", "ipykernel", "ipywidgets"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs {package}")
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_notebook

    notebook = new_notebook(cells=[new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=300).execute()
    return [cell.outputs for cell in notebook.cells]


def forms(outputs):
    return {form for output in outputs for form in output.get("data", {})}


def test_the_bar_is_that_of_notebooks(outputs):
    assert "application/vnd.jupyter.widget-view+json" in forms(outputs[1])
    assert not any(output.output_type == "stream" for output in outputs[1])


def test_estimators_are_shown_as_scikit_learn_shows_them(outputs):
    (shown,) = [output for output in outputs[1] if output.output_type == "execute_result"]
    assert "sk-estimator" in shown["data"]["text/html"]


def test_a_cell_shows_the_picture_that_it_draws(outputs):
    assert "image/png" in forms(outputs[2])


def test_a_cell_shows_the_page(outputs):
    (shown,) = outputs[3]
    assert shown["data"]["text/html"].startswith("<iframe srcdoc=")
    assert shown["data"]["text/plain"] == "MapPage(height=400)"
