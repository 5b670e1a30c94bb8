"""The socket that people connect to."""

import contextlib
import errno
import resource
import socket
from ipaddress import ip_address

from tete.exceptions import InvalidParameterError, Parameter

__all__ = ["allow_many_connections", "is_loopback", "listen", "local_address"]

WAITING = 2_048  # connections that nobody has accepted yet
OPEN_FILES = 16_384


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches what listens there."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """A socket that people can already connect to, so that nothing is started for a port that is taken."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # With its protocol named, asyncio lets accepted connections send at once; else an answer waits 40 ms.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise InvalidParameterError(Parameter("host"), f" cannot be used, got {host!r} ({error.strerror}).") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(WAITING)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise InvalidParameterError(
                Parameter("port"), f" {port} is taken by another program: give another one."
            ) from None
        reason = f" and {Parameter('port')} cannot be used, got {host!r} and {port} ({error.strerror})."
        raise InvalidParameterError(Parameter("host"), reason) from None
    return listener


def local_address(listener: socket.socket) -> str:
    """Where this computer itself reaches the server."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  (all interfaces, this one among them)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def allow_many_connections() -> None:
    """Open more files than is usual, where the system lets this process: each browser holds a few connections."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if most == resource.RLIM_INFINITY else min(OPEN_FILES, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
