from http.client import HTTPConnection
from socket import create_connection
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tete.cli.serving import serve_page
from tete.page.document import POLICY


@pytest.fixture
def port():
    with serve_page("<p>é</p>") as address:
        yield int(address.removesuffix("/").rpartition(":")[2])


def ask(port, method="GET", path="/", host=None):
    connection = HTTPConnection("127.0.0.1", port)
    connection.request(method, path, headers={} if host is None else {"Host": host.format(port=port)})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


def raw(port, request):
    """The first line of the answer to a request that no library would send."""
    with create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request)
        return connection.makefile("rb").readline().decode()


def test_the_page_is_there_for_this_computer_only_while_it_is_served():
    with serve_page("<p>é</p>") as address:
        assert address.startswith("http://127.0.0.1:")
        with urlopen(address) as answer:
            assert answer.read().decode() == "<p>é</p>"
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    with pytest.raises(URLError):
        urlopen(address)


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_its_own_names_are_served(port, host):
    answer, content = ask(port, host=host)
    assert (answer.status, content) == (200, "<p>é</p>".encode())


@pytest.mark.parametrize(
    "host", ["evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""]
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_a_foreign_page_whose_name_points_here_gets_nothing(port, host, method):
    answer, content = ask(port, method, host=host)
    assert (answer.status, content) == (421, b"")


def test_no_host_or_two_of_them(port):
    assert " 421 " in raw(port, b"GET / HTTP/1.0\r\n\r\n")
    both = f"Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n".encode()
    assert " 421 " in raw(port, b"GET / HTTP/1.1\r\n" + both + b"\r\n")


def test_the_headers_hold_the_policy(port):
    answer, _ = ask(port)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"].startswith(f"{POLICY}; ")
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert "Python" not in answer.headers["Server"]


def test_head_has_the_headers_alone(port):
    answer, content = ask(port, "HEAD")
    assert (answer.status, content) == (200, b"")
    assert answer.headers["Content-Length"] == str(len("<p>é</p>".encode()))


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_there_is_nothing_to_change(port, method):
    answer, content = ask(port, method)
    assert (answer.status, answer.headers["Allow"], content) == (405, "GET, HEAD", b"")


def test_there_is_nothing_else(port):
    assert ask(port, path="/etc/passwd")[0].status == 404
    assert ask(port, path="/?theme=dark")[0].status == 200
    assert " 501 " in raw(port, f"BREW / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())


def test_a_browser_that_hangs_up_is_no_news(capfd):
    with serve_page("x" * 50_000_000) as address:
        port = int(address.removesuffix("/").rpartition(":")[2])
        with create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            connection.recv(1000)
        assert ask(port)[0].status == 200
    assert capfd.readouterr().err == ""
