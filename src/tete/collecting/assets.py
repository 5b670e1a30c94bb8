"""Files that browsers fetch: the pages with their scripts and styles, and the pictures, sounds and films."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from tete.collecting.items import Item
from tete.collecting.refusals import RefusedError

__all__ = ["StaticFiles", "media_response"]

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}
MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
MEDIA_SECONDS = 3_600
SMALL = 2**18  # bytes of a file that is read at once


class StaticFiles:
    """The package's own files, read once: a name that is not among them is no file, whatever it says."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files = {}
        for path in sorted(folder.glob("*")):
            if path.suffix in TYPES:
                content = path.read_bytes()
                tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
                self._files[path.name] = (content, {"etag": tag, "cache-control": "no-cache"}, TYPES[path.suffix])

    @property
    def names(self) -> set[str]:
        """Of all files."""
        return set(self._files)

    def response(self, request: Request, name: str) -> Response:
        """The file of this name, or that the browser's copy is still good."""
        if name not in self._files:
            raise RefusedError(404, "There is no such file.")
        content, headers, media_type = self._files[name]
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=media_type)


def media_response(request: Request, items: Sequence[Item], number: str, study_id: str) -> Response:
    """The picture, sound or film of an item, or the range of it that is asked for.

    Without the study's id in the address the browser asks whether its copy is still good: item 7 of another study may
    have been at this address.
    """
    known = number.isdecimal() and len(number) < 10 and int(number) < len(items)
    file = items[int(number)].file if known else None
    try:
        if file is not None and file.is_file():
            return _file_response(request, file, items[int(number)].media_type, f"{study_id} {number}", study_id)
    except OSError:
        pass  # it was there when the server started
    raise RefusedError(404, "There is no such picture, sound or film.")


def _file_response(request: Request, file: Path, media_type: str, name: str, study_id: str) -> Response:
    status = file.stat()
    tag = f'"{hashlib.sha256(f"{name} {status.st_mtime_ns} {status.st_size}".encode()).hexdigest()[:32]}"'
    for_good = request.query_params.get("study") == study_id
    headers = {
        "etag": tag,
        "cache-control": f"private, max-age={MEDIA_SECONDS}" if for_good else "private, no-cache",
        "content-security-policy": MEDIA_POLICY,
        "content-disposition": "inline",
        "accept-ranges": "bytes",
    }
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if status.st_size <= SMALL and "range" not in request.headers:  # five times less work than in a thread
        return Response(file.read_bytes(), headers=headers, media_type=media_type)
    return FileResponse(file, headers=headers, media_type=media_type, stat_result=status)
