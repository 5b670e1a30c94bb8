import hashlib
import json
import subprocess
import sys
import time
from dataclasses import replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import create_autospec
from urllib.request import ProxyHandler, build_opener, install_opener

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from loopback import closed_port, serving
from tete import datasets
from tete.datasets import fetching, folder
from tete.datasets.folder import find_file
from tete.datasets.registry import data_set
from tete.exceptions import DownloadError, InvalidFileError

POINTS = np.arange(12.0, dtype="<f4").reshape(4, 3)
TEXT = json.dumps(POINTS.tolist()).encode()


@pytest.fixture
def entry():
    """A data set of four points; each test gives it an address."""
    digest = fetching.values_sha256({"X": POINTS})
    return replace(data_set("mammoth"), file="points/points.npz", sha256="0" * 64, shape=(4, 3), values_sha256=digest)


@pytest.fixture
def no_way_out():
    """All requests go to a port on which nobody listens."""
    install_opener(build_opener(ProxyHandler({"https": f"http://127.0.0.1:{closed_port()}"})))
    yield
    install_opener(build_opener())


@pytest.fixture
def unknown(entry):
    """A data set of which the registry has no digest."""
    return replace(entry, sha256=None, values_sha256=None)


@pytest.mark.parametrize("kind", ["entry", "unknown"])
def test_a_damaged_file(request, kind, tmp_path):
    entry = request.getfixturevalue(kind)
    with serving(TEXT) as (url, _):
        path = find_file(replace(entry, url=url), tmp_path, download=True)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidFileError, match="the file is damaged or another version of Mammoth"):
        find_file(entry, tmp_path)


def receipt_for(path):
    path.with_name(f"{path.name}.sha256").write_text(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n")


def test_a_receipt_does_not_override_the_registry(entry, tmp_path):
    path = tmp_path / "points" / "points.npz"
    path.parent.mkdir()
    for arrays in ({"X": POINTS + 1}, {"X": POINTS, "y": np.ones(4)}, {"Z": POINTS}, {"X": POINTS[:3]}):
        np.savez(path, **arrays)
        receipt_for(path)
        with pytest.raises(InvalidFileError, match="the sha256 must be 0000"):
            find_file(entry, tmp_path)
    np.savez(path, X=POINTS)  # the right values need none
    assert find_file(replace(entry, sha256=None), tmp_path) == path


def test_a_receipt_counts_where_the_registry_knows_nothing(unknown, tmp_path):
    with serving(TEXT) as (url, _):
        path = find_file(replace(unknown, url=url), tmp_path, download=True)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert (path.parent / "points.npz.sha256").read_text() == f"{digest}  points.npz\n"
    assert find_file(unknown, tmp_path) == path
    for content in ("", "0" * 64):
        (path.parent / "points.npz.sha256").write_text(content)
        with pytest.raises(InvalidFileError, match="the sha256 must be "):
            find_file(unknown, tmp_path)


def test_the_order_of_the_rows_is_no_part_of_the_values():
    classes = np.array([1, 0, 1, 2])
    digest = fetching.values_sha256({"X": POINTS, "y": classes})
    order = [2, 0, 3, 1]
    assert fetching.values_sha256({"X": POINTS[order].astype(np.uint8), "y": classes[order].astype(np.uint8)}) == digest
    assert fetching.values_sha256({"X": POINTS, "y": classes[order]}) != digest


@pytest.mark.parametrize("name", ["mnist", "letters", "mammoth"])
def test_the_registry_knows_the_values_of_its_files(data_folder, name):
    entry = data_set(name)
    if not (data_folder / entry.file).is_file():
        pytest.skip(f"needs {entry.file}")
    path = find_file(replace(entry, values_sha256=None), data_folder)
    assert find_file(replace(entry, sha256=None), data_folder) == path


def test_it_is_fetched_once_and_then_read(entry, tmp_path):
    with serving(TEXT) as (url, requested):
        public = replace(entry, url=url)
        path = find_file(public, tmp_path, download=True)
        assert find_file(public, tmp_path, download=True) == path
        assert len(requested) == 1
    np.testing.assert_array_equal(np.load(find_file(entry, tmp_path))["X"], POINTS)
    assert [file.name for file in path.parent.iterdir()] == ["points.npz"]


@pytest.mark.parametrize("content", [json.dumps((POINTS + 1).tolist()).encode(), b"<html>Sorry</html>"])
def test_wrong_content_is_not_kept(entry, tmp_path, content):
    with serving(content) as (url, _), pytest.raises(InvalidFileError, match=url):
        find_file(replace(entry, url=url), tmp_path, download=True)
    assert list((tmp_path / "points").iterdir()) == []


def test_no_network(entry, tmp_path):
    url = f"http://127.0.0.1:{closed_port()}/points.json"
    with pytest.raises(DownloadError, match="refused"):
        find_file(replace(entry, url=url), tmp_path, download=True)


@pytest.mark.parametrize("subfolders", [(), ("mammoth",)])
def test_a_folder_without_permission(subfolders):
    # Root may write everywhere, so that a test run by root goes on as nobody once all is read that root alone can.
    program = (
        "import os, sys; from tete.datasets import folder, registry; entry = registry.data_set('mammoth')\n"
        "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "try: folder.find_file(entry, sys.argv[1], download=True)\n"
        "except PermissionError as error: print('refused', error.filename)"
    )
    with TemporaryDirectory() as locked:
        for folder in (Path(locked).joinpath(*subfolders), Path(locked)):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o555)
        run = subprocess.run([sys.executable, "-c", program, locked], capture_output=True, text=True, check=True)
        Path(locked).chmod(0o755)
    assert run.stdout == f"refused {locked}/mammoth\n"


def test_openml(tmp_path, monkeypatch, rng):
    measures = rng.integers(16, size=(20_000, 16)).astype(np.float64)
    names = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), dtype=object)
    found = Bunch(data=measures, target=rng.permutation(np.resize(names, 20_000)))
    fetch_openml = create_autospec(sklearn.datasets.fetch_openml, return_value=found)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    with pytest.raises(
        InvalidFileError, match=r"OpenML, letter: the sha256 of the values must be \w+, got \w+; nothing"
    ):
        datasets.load_letters(folder=tmp_path, download=True)
    digest = fetching.values_sha256({"X": measures, "y": np.unique(found.target, return_inverse=True)[1]})
    monkeypatch.setattr(folder, "data_set", lambda name: replace(data_set(name), values_sha256=digest))
    letters = datasets.load_letters(folder=tmp_path, download=True)
    assert fetch_openml.call_args.args == ("letter",)
    assert fetch_openml.call_args.kwargs["version"] == 1
    np.testing.assert_array_equal(letters.data, measures)
    np.testing.assert_array_equal(names[letters.target], found.target)
    again = datasets.load_letters(folder=tmp_path)
    np.testing.assert_array_equal(again.data, letters.data)


def test_openml_with_another_shape(tmp_path, monkeypatch):
    found = Bunch(data=np.zeros((3, 16)), target=np.array(["A", "B", "A"]))
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *_, **__: found)
    with pytest.raises(InvalidFileError, match=r"Letters must have the shape \(20000, 16\), got \(3, 16\)\."):
        datasets.load_letters(folder=tmp_path, download=True)
    assert list((tmp_path / "letters").iterdir()) == []


@pytest.mark.filterwarnings("ignore:A network error occurred")
def test_openml_without_network(tmp_path, no_way_out):
    with pytest.raises(DownloadError, match=r"letter cannot be downloaded from OpenML: .*refused"):
        datasets.load_letters(folder=tmp_path, download=True)


def test_the_bar_follows_what_arrives(tmp_path, monkeypatch):
    class Bar(fetching.tqdm):
        def __init__(self, **options):
            super().__init__(**(options | {"disable": False, "file": StringIO()}))
            bars.append(self)

    bars = []
    monkeypatch.setattr(fetching, "tqdm", Bar)
    monkeypatch.setattr(fetching, "GLANCE", 0.01)
    (tmp_path / "inside").mkdir()
    with fetching._growth_shown(tmp_path, "Points"):
        (tmp_path / "inside" / "points").write_bytes(b"x" * 1000)
        deadline = time.monotonic() + 30
        while bars[0].n != 1000 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert bars[0].n == 1000
