"""A small HTTP client that sends again what was not acknowledged, as the page does: for simulated people.

Each client keeps one connection open. It speaks just enough HTTP/1.1 for the interface of this room, so that one core
can act for many people.
"""

import asyncio
import json
import ssl
import time
from contextlib import suppress
from typing import Any, Self
from urllib.parse import urlsplit

__all__ = ["Client", "RefusedError", "UnreachableError"]

BUSY = {429, 500, 502, 503, 504}  # answers that say nothing about the request: later it may succeed
FIRST_WAIT, LONGEST_WAIT = 0.05, 1.0  # seconds between two attempts, doubled each time
LARGEST_REPLY = 4_000_000  # bytes


class RefusedError(Exception):
    """The server understood and said no."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(f"{status}: {sentence}")
        self.status = status


class UnreachableError(Exception):
    """The server did not answer for as long as anybody would wait."""


class Client:
    """One connection to a server.

    Parameters
    ----------
    address : str
        Such as http://127.0.0.1:8421.
    patience : float
        Seconds in which requests are sent again while there is no answer.
    """

    def __init__(self, address: str, patience: float = 60.0) -> None:
        parts = urlsplit(address)
        self._host, self._secure = parts.hostname or "127.0.0.1", parts.scheme == "https"
        self._port = parts.port or (443 if self._secure else 80)
        self._path, self._name = parts.path.rstrip("/"), parts.netloc
        self._patience = patience
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.key = ""
        self.sent_again = 0

    async def request(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the server says, asked as often as it takes.

        Raises
        ------
        RefusedError
            If the server says no.
        UnreachableError
            If it says nothing until patience ends.
        """
        message = self._message(method, path, body)
        end, wait = time.monotonic() + self._patience, FIRST_WAIT
        while True:
            try:
                status, reply = await self._exchange(message)
            except (OSError, EOFError, asyncio.IncompleteReadError, ValueError) as error:
                await self.close()
                status, reply = 0, {"error": f"{type(error).__name__} {error}"}
            if status == 200:
                return reply
            if status and status not in BUSY:
                raise RefusedError(status, str(reply.get("error", "")))
            if time.monotonic() + wait > end:
                raise UnreachableError(
                    f"{method} {path} got no answer in {self._patience:.0f} s ({reply.get('error')})."
                )
            self.sent_again += 1
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    async def close(self) -> None:
        """End the connection; the next request opens another."""
        if self._streams is not None:
            (_, writer), self._streams = self._streams, None
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _message(self, method: str, path: str, body: dict[str, Any] | None) -> bytes:
        content = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {self._path}{path} HTTP/1.1", f"Host: {self._name}", f"Content-Length: {len(content)}"]
        if body is not None:
            lines.append("Content-Type: application/json")
        if self.key:
            lines.append(f"Authorization: Bearer {self.key}")
        return "\r\n".join([*lines, "", ""]).encode() + content

    async def _exchange(self, message: bytes) -> tuple[int, dict[str, Any]]:
        """Status and content of the answer to one message."""
        if self._streams is None:
            security = ssl.create_default_context() if self._secure else None
            self._streams = await asyncio.open_connection(self._host, self._port, ssl=security)
        reader, writer = self._streams
        writer.write(message)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        _, _, after = head.partition(b"content-length:")
        length = int(after.partition(b"\r")[0])
        if length > LARGEST_REPLY:
            raise ValueError(f"a reply of {length} bytes")
        content = json.loads(await reader.readexactly(length))
        if b"connection: close" in head:
            await self.close()
        return int(head.split(b" ", 2)[1]), content
