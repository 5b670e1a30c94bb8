"""Small pictures of objects, as texts that a page can hold."""

import base64
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from tete.exceptions import InvalidFileError
from tete.io.sources import AnyPath

__all__ = ["read_thumbnails"]

PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"}


def read_thumbnails(folder: AnyPath, names: Sequence[str], *, size: int = 72) -> list[str]:
    """For each name a data address of its picture, at most `size` pixels wide and high, or "" where there is none.

    The picture of "apple" is the file apple.png (or .jpg, .gif, ...) of the folder, and that of "apple.png" the file
    of this name.
    """
    pictures = {path.name: path for path in sorted(Path(folder).iterdir()) if path.suffix.lower() in PICTURES}
    pictures |= {path.stem: path for path in pictures.values()}
    if not any(name in pictures for name in names):
        raise InvalidFileError(
            f"{folder}: no picture is named after an object, expected files such as {(names[0] + '.png')!r}."
        )
    return [_address(pictures[name], size) if name in pictures else "" for name in names]


def _address(path: Path, size: int) -> str:
    try:
        from PIL import Image, UnidentifiedImageError  # noqa: PLC0415  (loaded only when there are pictures)
    except ImportError as error:
        raise ImportError("pictures on the page need Pillow: pip install 'tete[plot]'") from error
    try:
        with Image.open(path) as picture:
            small = picture.convert("RGBA" if "transparency" in picture.info or picture.mode == "RGBA" else "RGB")
    except UnidentifiedImageError as error:
        raise InvalidFileError(f"{path} is not a picture.") from error
    small.thumbnail((size, size))
    stream = BytesIO()
    kind = "png" if small.mode == "RGBA" else "jpeg"
    small.save(stream, format=kind)
    return f"data:image/{kind};base64,{base64.b64encode(stream.getvalue()).decode()}"
