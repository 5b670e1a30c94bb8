import subprocess
import sys

import pytest

from tete.core.lazy import lazy_names


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
