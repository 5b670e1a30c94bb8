import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from tete import datasets
from tete.datasets.folder import data_folder
from tete.exceptions import InvalidFileError, MissingDataError


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


def test_importing_reads_no_data_and_loads_no_downloader():
    program = (
        "import sys, pathlib; opened = []\n"
        "sys.addaudithook(lambda event, details: opened.append(str(details[0])) if event == 'open' else None)\n"
        "import tete, tete.datasets\n"
        "print([name for name in opened if name.endswith(('.npz', 'registry.toml'))], 'pooch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[] False"
