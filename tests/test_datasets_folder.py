import hashlib
import json
import subprocess
import sys
from dataclasses import replace
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
from tete.datasets.folder import data_folder, find_file
from tete.datasets.registry import data_set
from tete.exceptions import DownloadError, InvalidFileError, MissingDataError

POINTS = np.arange(12.0, dtype="<f4").reshape(4, 3)
TEXT = json.dumps(POINTS.tolist()).encode()


@pytest.fixture
def entry():
    """A data set of four points; each test gives it an address."""
    digest = hashlib.sha256(POINTS.tobytes()).hexdigest()
    return replace(data_set("mammoth"), file="points/points.npz", sha256="0" * 64, shape=(4, 3), values_sha256=digest)


@pytest.fixture
def no_way_out():
    """All requests go to a port on which nobody listens."""
    install_opener(build_opener(ProxyHandler({"https": f"http://127.0.0.1:{closed_port()}"})))
    yield
    install_opener(build_opener())


class TestFolder:
    def test_the_argument_comes_first_and_then_the_environment(self, tmp_path, monkeypatch):
        monkeypatch.setenv("TETE_DATA", str(tmp_path / "environment"))
        assert data_folder(tmp_path) == tmp_path
        assert data_folder() == tmp_path / "environment"

    @pytest.mark.parametrize(
        ("platform", "variables", "folder"),
        [
            ("linux", {"XDG_CACHE_HOME": "/caches"}, "/caches/tete"),
            ("linux", {}, "/home/ada/.cache/tete"),
            ("darwin", {}, "/home/ada/Library/Caches/tete"),
            ("win32", {"LOCALAPPDATA": "/local"}, "/local/tete"),
            ("win32", {}, "/home/ada/AppData/Local/tete"),
        ],
    )
    def test_the_cache_of_each_platform(self, monkeypatch, platform, variables, folder):
        for name in ("TETE_DATA", "XDG_CACHE_HOME", "LOCALAPPDATA"):
            monkeypatch.delenv(name, raising=False)
        for name, value in ({"HOME": "/home/ada"} | variables).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "platform", platform)
        assert data_folder() == Path(folder)

    def test_the_home_sign_is_understood(self, monkeypatch):
        monkeypatch.setenv("HOME", "/home/ada")
        assert data_folder("~/data") == Path("/home/ada/data")


class TestMissingAndWrongFiles:
    def test_the_message_says_which_file_where_and_whom_to_cite(self, tmp_path):
        with pytest.raises(MissingDataError) as caught:
            datasets.load_usps(folder=tmp_path)
        assert isinstance(caught.value, FileNotFoundError)
        message = str(caught.value)
        assert message.startswith(
            f"load_usps() needs {tmp_path / 'usps' / 'usps11000.npz'}: put the file there (source: "
        )
        assert "`folder` or TETE_DATA" in message
        assert "cites Hull, J. J. (1994)" in message

    def test_public_data_can_be_asked_for(self, tmp_path):
        with pytest.raises(MissingDataError, match="pass download=True to fetch it"):
            datasets.load_mnist(folder=tmp_path)

    def test_what_is_not_public_says_so(self, tmp_path):
        with pytest.raises(MissingDataError, match="no public place of it is known, so put the file there"):
            datasets.load_food(folder=tmp_path, download=True)

    def test_a_wrong_file(self, tmp_path):
        file = tmp_path / "usps" / "usps11000.npz"
        file.parent.mkdir()
        file.write_bytes(b"something else")
        digest = hashlib.sha256(b"something else").hexdigest()
        with pytest.raises(InvalidFileError, match=rf"usps11000\.npz: the sha256 must be ccaec\w+, got {digest}"):
            datasets.load_usps(folder=tmp_path)
        assert file.exists()  # it is the user's

    def test_a_damaged_file_with_a_receipt(self, entry, tmp_path):
        with serving(TEXT) as (url, _):
            path = find_file(replace(entry, url=url), tmp_path, download=True)
        path.write_bytes(path.read_bytes()[:-1])
        with pytest.raises(InvalidFileError, match="the file is damaged or another version of Mammoth"):
            find_file(entry, tmp_path)


class TestFetching:
    def test_it_is_fetched_once_and_then_read(self, entry, tmp_path):
        with serving(TEXT) as (url, requested):
            public = replace(entry, url=url)
            path = find_file(public, tmp_path, download=True)
            assert find_file(public, tmp_path, download=True) == path
            assert len(requested) == 1
        np.testing.assert_array_equal(np.load(find_file(entry, tmp_path))["X"], POINTS)
        assert sorted(file.name for file in path.parent.iterdir()) == ["points.npz", "points.npz.sha256"]
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert (path.parent / "points.npz.sha256").read_text() == f"{digest}  points.npz\n"

    @pytest.mark.parametrize("content", [json.dumps((POINTS + 1).tolist()).encode(), b"<html>Sorry</html>"])
    def test_wrong_content_is_not_kept(self, entry, tmp_path, content):
        with serving(content) as (url, _), pytest.raises(InvalidFileError, match=url):
            find_file(replace(entry, url=url), tmp_path, download=True)
        assert list((tmp_path / "points").iterdir()) == []

    def test_no_network(self, entry, tmp_path):
        url = f"http://127.0.0.1:{closed_port()}/points.json"
        with pytest.raises(DownloadError, match="refused"):
            find_file(replace(entry, url=url), tmp_path, download=True)

    @pytest.mark.parametrize("subfolders", [(), ("mammoth",)])
    def test_a_folder_without_permission(self, subfolders):
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

    def test_openml(self, tmp_path, monkeypatch, rng):
        measures = rng.integers(16, size=(20_000, 16)).astype(np.float64)
        names = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), dtype=object)
        found = Bunch(data=measures, target=rng.permutation(np.resize(names, 20_000)))
        fetch_openml = create_autospec(sklearn.datasets.fetch_openml, return_value=found)
        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
        letters = datasets.load_letters(folder=tmp_path, download=True)
        assert fetch_openml.call_args.args == ("letter",)
        assert fetch_openml.call_args.kwargs["version"] == 1
        np.testing.assert_array_equal(letters.data, measures)
        np.testing.assert_array_equal(names[letters.target], found.target)
        again = datasets.load_letters(folder=tmp_path)
        np.testing.assert_array_equal(again.data, letters.data)

    def test_openml_with_another_shape(self, tmp_path, monkeypatch):
        found = Bunch(data=np.zeros((3, 16)), target=np.array(["A", "B", "A"]))
        monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *_, **__: found)
        with pytest.raises(InvalidFileError, match=r"Letters must have the shape \(20000, 16\), got \(3, 16\)\."):
            datasets.load_letters(folder=tmp_path, download=True)
        assert list((tmp_path / "letters").iterdir()) == []

    @pytest.mark.filterwarnings("ignore:A network error occurred")
    def test_openml_without_network(self, tmp_path, no_way_out):
        with pytest.raises(DownloadError, match=r"letter cannot be downloaded from OpenML: .*refused"):
            datasets.load_letters(folder=tmp_path, download=True)


def test_importing_reads_no_data_and_loads_no_downloader():
    program = (
        "import sys, pathlib; opened = []\n"
        "sys.addaudithook(lambda event, details: opened.append(str(details[0])) if event == 'open' else None)\n"
        "import tete, tete.datasets\n"
        "print([name for name in opened if name.endswith(('.npz', 'registry.toml'))], 'pooch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[] False"
