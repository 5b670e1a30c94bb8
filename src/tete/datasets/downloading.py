"""Downloads that go on where they were interrupted (pooch, which scientific packages often use, starts anew)."""

from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tqdm.auto import tqdm

from tete.exceptions import DownloadError

if TYPE_CHECKING:
    from http.client import HTTPResponse

__all__ = ["download"]

BYTES_AT_ONCE = 1 << 16  # few enough for a bar that moves
TIMEOUT = 30.0  # seconds without a byte
PARTIAL_CONTENT = 206  # HTTP: this is the rest that was asked for
RANGE_NOT_SATISFIABLE = 416  # HTTP: the server has no such rest


def download(url: str, path: Path, *, label: str) -> None:
    """Fetch a file with a bar on stderr (if that is a terminal); the folder must exist.

    What has arrived is in a file beside it whose name ends in ``.part``, until all of it is there. The next call asks
    the server for the rest only.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        _receive(url, part, label)
    except HTTPError as error:
        if error.code != RANGE_NOT_SATISFIABLE or not part.exists():
            raise DownloadError(f"{url} cannot be downloaded: the server says {error.code} {error.reason}.") from error
        part.unlink()  # more than the server has: it belongs to something else
        download(url, path, label=label)
        return
    except (OSError, HTTPException) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # not the network but a file of ours
        reason = str(getattr(error, "reason", error)) or type(error).__name__
        kept = f"; {part.stat().st_size:,} bytes are kept, and the next attempt goes on there" if part.exists() else ""
        raise DownloadError(f"{url} cannot be downloaded: {reason}{kept}.") from error
    part.replace(path)


def _receive(url: str, part: Path, label: str) -> None:
    """Append what is missing, or write all anew where the server cannot send a rest."""
    have = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": "tete"} | ({"Range": f"bytes={have}-"} if have else {})
    response: HTTPResponse
    with urlopen(Request(url, headers=headers), timeout=TIMEOUT) as response:  # noqa: S310  (registry's addresses)
        is_rest = response.status == PARTIAL_CONTENT
        have = have if is_rest else 0
        length = response.headers["Content-Length"]
        total = None if length is None else have + int(length)
        with (
            part.open("ab" if is_rest else "wb") as stream,
            tqdm(total=total, initial=have, unit="B", unit_scale=True, desc=label, disable=None) as bar,
        ):
            while chunk := response.read(BYTES_AT_ONCE):
                stream.write(chunk)
                bar.update(len(chunk))
    if total is not None and part.stat().st_size < total:
        raise ConnectionError(f"the connection broke off after {part.stat().st_size:,} of {total:,} bytes")
