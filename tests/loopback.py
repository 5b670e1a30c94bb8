"""A web server on this machine alone, for tests of downloads."""

import socket
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@contextmanager
def serving(content, *, ranges=True, breaks_after=None, status=200):
    """Serve the content at every path; yields the address and the list of requested ranges.

    `breaks_after` makes the first answer end after that many bytes, as a broken connection does.
    """
    requested = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            wanted = self.headers["Range"]
            requested.append(wanted)
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and ranges else 0
            if status != 200 or start >= len(content):
                self.send_error(status if status != 200 else 416)
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            stop = breaks_after if breaks_after is not None and len(requested) == 1 else None
            self.wfile.write(content[start:stop])

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/points.json", requested
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def closed_port():
    """A port of this machine on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
