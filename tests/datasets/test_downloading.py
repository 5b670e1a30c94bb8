import socket

import pytest

from loopback import closed_port, serving
from tete.datasets import downloading
from tete.datasets.downloading import download
from tete.exceptions import DownloadError

CONTENT = bytes(range(256)) * 1000


@pytest.fixture
def target(tmp_path):
    return tmp_path / "points.json"


def test_a_file_arrives_whole(target):
    with serving(CONTENT) as (url, requested):
        download(url, target, label="Points")
    assert target.read_bytes() == CONTENT
    assert requested == [None]
    assert list(target.parent.iterdir()) == [target]


def test_a_broken_connection_is_resumed(target):
    with serving(CONTENT, breaks_after=100_000) as (url, requested):
        with pytest.raises(DownloadError, match=r"broke off after 100,000 of 256,000 bytes; 100,000 bytes are kept"):
            download(url, target, label="Points")
        assert not target.exists()
        download(url, target, label="Points")
    assert target.read_bytes() == CONTENT
    assert requested == [None, "bytes=100000-"]


def test_a_server_that_cannot_resume_sends_all_again(target):
    with serving(CONTENT, ranges=False, breaks_after=100_000) as (url, _):
        with pytest.raises(DownloadError):
            download(url, target, label="Points")
        download(url, target, label="Points")
    assert target.read_bytes() == CONTENT


def test_what_was_kept_of_something_longer_is_thrown_away(target):
    target.with_name("points.json.part").write_bytes(CONTENT + b"more")
    with serving(CONTENT) as (url, requested):
        download(url, target, label="Points")
    assert target.read_bytes() == CONTENT
    assert requested == ["bytes=256004-", None]


def test_an_interruption_keeps_what_has_arrived(target, monkeypatch):
    class Impatient(downloading.tqdm):
        def update(self, n=1):
            raise KeyboardInterrupt

    with serving(CONTENT) as (url, requested):
        with monkeypatch.context() as patch:
            patch.setattr(downloading, "tqdm", Impatient)
            with pytest.raises(KeyboardInterrupt):
                download(url, target, label="Points")
        kept = target.with_name("points.json.part").stat().st_size
        assert 0 < kept < len(CONTENT)
        assert not target.exists()
        download(url, target, label="Points")
    assert target.read_bytes() == CONTENT
    assert requested == [None, f"bytes={kept}-"]


def test_no_network(target):
    url = f"http://127.0.0.1:{closed_port()}/points.json"
    with pytest.raises(DownloadError, match=rf"{url} cannot be downloaded: .*refused"):
        download(url, target, label="Points")
    assert list(target.parent.iterdir()) == []


def test_a_server_that_refuses(target):
    with (
        serving(CONTENT, status=404) as (url, _),
        pytest.raises(DownloadError, match=r"the server says 404 Not Found\."),
    ):
        download(url, target, label="Points")


def test_a_silent_server(target, monkeypatch):
    monkeypatch.setattr(downloading, "TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/points.json"
        with pytest.raises(DownloadError, match="timed out"):
            download(url, target, label="Points")


def test_a_missing_folder_is_not_called_a_network_problem(target):
    with serving(CONTENT) as (url, _), pytest.raises(FileNotFoundError, match=r"absent"):
        download(url, target.parent / "absent" / "points.json", label="Points")
