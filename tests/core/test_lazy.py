import importlib
import subprocess
import sys
from importlib.util import find_spec
from threading import Thread

import pytest

from tete.core.lazy import deferred, lazy_names, set_aside


def test_names_are_loaded_when_they_are_used(monkeypatch, tmp_path):
    (tmp_path / "heavy_home.py").write_text("class Heavy:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    get, names = lazy_names("package", {"Heavy": "heavy_home", "Another": "nowhere"})
    assert names() == ["Another", "Heavy"]
    assert "heavy_home" not in sys.modules
    assert get("Heavy").__name__ == "Heavy"
    assert get("Heavy") is sys.modules["heavy_home"].Heavy
    monkeypatch.delitem(sys.modules, "heavy_home")


def test_unknown_names_are_refused_as_python_does():
    get, _ = lazy_names("package", {"Heavy": "heavy_home"})
    with pytest.raises(AttributeError, match="module 'package' has no attribute 'Light'"):
        get("Light")


def test_modules_are_loaded_by_their_names():
    get, names = lazy_names("email", {}, ("charset",))
    assert get("charset").__name__ == "email.charset"
    assert names() == []
    code = "import tete; tete.metrics.global_score, tete.datasets.make_sphere, tete.tempered.log_t"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture
def heavy(monkeypatch, tmp_path):
    """A package that leaves a trace when it is run."""
    (tmp_path / "heavy_parent").mkdir()
    (tmp_path / "heavy_parent" / "__init__.py").write_text("")
    (tmp_path / "heavy_parent" / "heavy").mkdir()
    (tmp_path / "heavy_parent" / "heavy" / "__init__.py").write_text(
        "import sys\nsys.heavy_runs.append(1)\nweight = 7\n"
    )
    (tmp_path / "heavy_parent" / "heavy" / "part.py").write_text("from heavy_parent.heavy import weight\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "heavy_runs", [], raising=False)
    yield "heavy_parent.heavy"
    for name in [name for name in sys.modules if name.startswith("heavy_parent")]:
        del sys.modules[name]


def test_a_deferred_module_is_run_when_a_name_is_used(heavy):
    deferred(heavy)
    parent = importlib.import_module("heavy_parent")
    assert importlib.import_module(heavy) is parent.heavy
    assert find_spec(heavy).origin.endswith("__init__.py")
    assert sys.heavy_runs == []
    stands_in = parent.heavy
    assert stands_in.weight == 7
    assert sys.heavy_runs == [1]
    assert parent.heavy is sys.modules[heavy] is not stands_in
    assert stands_in.weight == 7
    deferred(heavy)  # it stays loaded
    assert sys.modules[heavy] is parent.heavy
    with pytest.raises(AttributeError, match="has no attribute 'height'"):
        _ = stands_in.height
    assert sys.heavy_runs == [1]


def test_parts_of_a_deferred_module_load_it_once_from_any_number_of_threads(heavy):
    deferred(heavy)
    found = []
    threads = [Thread(target=lambda: found.append(importlib.import_module(f"{heavy}.part").weight)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (found, sys.heavy_runs) == ([7] * 8, [1])


def test_what_is_not_installed_is_not_deferred():
    deferred("email.nowhere")
    assert "email.nowhere" not in sys.modules


def test_what_was_set_aside_is_absent_afterwards_and_loaded_by_whoever_uses_it(heavy):
    with set_aside(heavy):
        stands_in = importlib.import_module(heavy)
    assert heavy not in sys.modules
    assert sys.heavy_runs == []
    assert stands_in.weight == 7
    assert sys.heavy_runs == [1]
    with set_aside(heavy):  # what is loaded stays so
        assert importlib.import_module(heavy).weight == 7
    assert sys.modules[heavy].weight == 7
    assert sys.heavy_runs == [1]


def test_what_is_used_while_set_aside_stays_loaded(heavy):
    with set_aside(heavy):
        assert importlib.import_module(heavy).weight == 7
    assert sys.modules[heavy].weight == 7
    assert sys.heavy_runs == [1]


def test_a_table_of_numbers_needs_no_data_frames():
    code = """
import sys
import numpy as np
from tete import ListwiseTETE
import sklearn
is_loaded = "pandas" in sys.modules
assert not is_loaded or sklearn.__version__ < "1.9"  # older ones ask for its version at once
X = np.random.default_rng(0).normal(size=(60, 3))
places = ListwiseTETE(max_iter=5, random_state=0).fit(X).transform(X)
assert ("pandas" in sys.modules) == is_loaded
import pandas as pd
found = ListwiseTETE(max_iter=5, random_state=0).set_output(transform="pandas").fit_transform(pd.DataFrame(X))
assert type(found) is pd.DataFrame and (found.to_numpy() == places).all()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_estimators_do_not_load_statistics_before_they_are_used():
    code = """
import sys
from tete import TETE, ListwiseTETE
TETE().fit([(0, 1, 2), (1, 0, 2), (2, 1, 0)])
assert "scipy.stats._stats_py" not in sys.modules
import scipy.stats
assert scipy.stats.norm.cdf(0.0) == 0.5
"""
    subprocess.run([sys.executable, "-c", code], check=True)
