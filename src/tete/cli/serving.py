"""Show one page to this computer's own browser, and to nobody else.

Only this computer reaches the port. A foreign page in the same browser could still try to, by letting its own name
point to 127.0.0.1: its requests name it as their host, and are refused.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tete.page.document import POLICY

__all__ = ["serve_page"]

POLLING = 0.05  # seconds until it notices that it shall end
OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")
HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": f"{POLICY}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@contextmanager
def serve_page(page: str) -> Iterator[str]:
    """Serve the page on the loopback interface at a free port, and yield its address."""
    with _PageServer(page.encode()) as server:
        thread = threading.Thread(target=server.serve_forever, args=(POLLING,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


class _PageServer(ThreadingHTTPServer):
    def __init__(self, page: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.page = page
        self.hosts = [f"{name}:{self.server_port}" for name in OWN_NAMES]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of browsers that hang up."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _PageServer
    server_version, sys_version = "tete", ""
    timeout = 30.0  # seconds for a request to arrive

    def do_GET(self) -> None:
        """Send the page."""
        if self._is_welcome():
            self._send(HTTPStatus.OK, self.server.page)

    def do_HEAD(self) -> None:
        """Say what `do_GET` would send."""
        self.do_GET()

    def do_POST(self) -> None:
        """Refuse whatever would change something: there is nothing to change."""
        if self._is_welcome():
            self._send(HTTPStatus.METHOD_NOT_ALLOWED, b"", Allow="GET, HEAD")

    do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST  # noqa: N815  (the base class names them so)

    def _is_welcome(self) -> bool:
        """Whether the request is for this server and its only page; if not, that is said."""
        hosts = [host.strip().lower() for host in self.headers.get_all("Host", [])]
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            self._send(HTTPStatus.MISDIRECTED_REQUEST, b"")
        elif self.path.partition("?")[0] != "/":
            self._send(HTTPStatus.NOT_FOUND, b"")
        else:
            return True
        return False

    def _send(self, status: HTTPStatus, content: bytes, **more: str) -> None:
        self.send_response(status)
        for name, value in (HEADERS | more | {"Content-Length": str(len(content))}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class names it so)
        """Say nothing."""
