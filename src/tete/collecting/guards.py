"""What every request passes before anything else sees it, and what every response carries.

Host (against other names that were made to point here), origin and content type of what is posted, the size of
bodies, and the headers of security. Nothing here knows people; nothing about who asks is kept.
"""

import asyncio
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tete.collecting.json_text import dump
from tete.collecting.refusals import RefusedError

__all__ = ["Guard", "origin_of", "refusal"]

MOST_BYTES = 16 * 1024
BODY_SECONDS = 10.0  # in which a body must have arrived
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ON_EVERYTHING = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
BY_DEFAULT = [(b"content-security-policy", POLICY.encode()), (b"cache-control", b"no-store")]
DEFAULT_PORTS = {"http": 80, "https": 443}
LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}


def refusal(refused: RefusedError) -> Response:
    """A refusal as people and programs get it: one sentence."""
    headers = {"retry-after": str(max(1, round(refused.wait + 0.5)))} if refused.wait else {}
    if refused.status in {408, 413}:  # the rest of the body is not waited for
        headers["connection"] = "close"
    body = dump({"error": refused.sentence})
    return Response(body, refused.status, headers, media_type="application/json")


class Guard:
    """Wraps an application.

    Parameters
    ----------
    app : ASGI application
        Gets only requests that pass, with their whole bodies at once.
    addresses : sequence of str
        Where people reach the server. This computer itself may call it by any name of its own, at any port: a tunnel
        may lead there.
    """

    def __init__(self, app: ASGIApp, addresses: Sequence[str] = ()) -> None:
        self._app = app
        self._origins = {origin_of(address) for address in addresses}
        self._hosts = LOOPBACK | {_host_name(origin.partition("//")[2]) for origin in self._origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _with_headers(send)
        try:
            headers = Headers(scope=scope)
            self._check(scope["method"], headers)
            if scope["method"] == "POST":
                receive = _replayed(await _read_body(headers, receive))
        except RefusedError as refused:
            await refusal(refused)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _check(self, method: str, headers: Headers) -> None:
        hosts = headers.getlist("host")
        host = _host_name(hosts[0]) if len(hosts) == 1 else ""
        if host not in self._hosts:
            raise RefusedError(403, f"This server does not answer for the host {', '.join(hosts)[:100]!r}.")
        if method != "POST":
            return
        ours = {*self._origins, f"http://{hosts[0]}".lower()} if host in LOOPBACK else self._origins
        for origin in headers.getlist("origin"):
            if origin.lower() not in ours:
                raise RefusedError(403, f"This server accepts nothing from the origin {origin[:100]!r}.")
        content_type = headers.get("content-type", "")
        if content_type.partition(";")[0].strip().lower() != "application/json":
            raise RefusedError(415, f"The content type must be application/json, got {content_type[:100]!r}.")


def origin_of(address: str) -> str:
    """As browsers send it: without the usual port, in the letters that names of hosts have on the wire.

    Raises
    ------
    ValueError
        If the address is none of http or https, or has more than a host and a port.
    """
    parts = urlsplit(address)
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.username or parts.path not in {"", "/"}:
        raise ValueError(address)
    if parts.query or parts.fragment:
        raise ValueError(address)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname.encode("idna").decode()
    usual = parts.port in {None, DEFAULT_PORTS[parts.scheme]}
    return f"{parts.scheme}://{host}" if usual else f"{parts.scheme}://{host}:{parts.port}"


def _host_name(host: str) -> str:
    """Without the port, in small letters."""
    host = host.lower()
    return host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]


async def _read_body(headers: Headers, receive: Receive) -> bytes:
    too_long = RefusedError(413, f"The body must have at most {MOST_BYTES} bytes.")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length[:20]) > MOST_BYTES:
        raise too_long
    message = await receive()  # nearly always all of it: then no clock is needed
    body = message.get("body", b"")
    try:
        async with asyncio.timeout(BODY_SECONDS if message.get("more_body") else None):
            while message.get("more_body"):
                if len(body) > MOST_BYTES:
                    raise too_long
                message = await receive()
                body += message.get("body", b"")
    except TimeoutError:
        raise RefusedError(408, f"The body did not arrive within {BODY_SECONDS:.0f} seconds.") from None
    if len(body) > MOST_BYTES:
        raise too_long
    return bytes(body)


def _replayed(body: bytes) -> Receive:
    """What the application receives: the body, then the end."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return messages.pop() if messages else {"type": "http.disconnect"}

    return receive


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message["headers"], *ON_EVERYTHING]
            present = {name for name, _ in message["headers"]}
            headers += [default for default in BY_DEFAULT if default[0] not in present]
            message = {**message, "headers": headers}
        await send(message)

    return with_headers
