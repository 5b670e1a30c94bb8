"""Sockets, and which of their addresses are this computer's alone; `test_running` has those that are refused."""

import resource
import socket
from urllib.parse import urlsplit

import pytest

from tete.collecting.listening import allow_many_connections, is_loopback, listen, local_address


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("127.3.2.1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.1", False),
        ("example.org", False),
    ],
)
def test_loopback(host, expected):
    assert is_loopback(host) == expected


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1"),
        ("localhost", "http://"),
        ("0.0.0.0", "http://127.0.0.1"),
        ("::1", "http://[::1]"),
        ("::", "http://[::1]"),
    ],
)
def test_this_computer_reaches_its_own_server(host, address):
    if ":" in host and not socket.has_dualstack_ipv6():
        pytest.skip("needs IPv6")
    with listen(host, 0) as listener:
        found = urlsplit(local_address(listener))
        assert found.geturl().startswith(address)
        with socket.create_connection((found.hostname, found.port), timeout=5):  # before anybody accepts it
            assert listener.proto == socket.IPPROTO_TCP  # by which asyncio knows that answers may be sent at once


def test_more_files_may_be_open():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        allow_many_connections()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 256
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
