"""Small pictures of objects, as texts that a page can hold."""

import base64
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import InvalidFileError
from tete.io.sources import AnyPath, Source

if TYPE_CHECKING:
    from PIL import Image as PillowImage

__all__ = ["file_thumbnails", "make_thumbnails", "read_thumbnails"]

IMAGE_FILES = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"}


def read_thumbnails(folder: AnyPath, names: Sequence[str], *, size: int = 72) -> list[str]:
    """For each name a data address of its picture, at most `size` pixels wide and high, or "" where there is none.

    The picture of "apple" is the file apple.png (or .jpg, .gif, ...) of the folder, and that of "apple.png" the file
    of this name.
    """
    pictures = {path.name: path for path in sorted(Path(folder).iterdir()) if path.suffix.lower() in IMAGE_FILES}
    pictures |= {path.stem: path for path in pictures.values()}
    if not any(name in pictures for name in names):
        raise InvalidFileError(
            f"{folder}: no picture is named after an object, expected files such as {(names[0] + '.png')!r}."
        )
    return [_address(pictures[name], size) if name in pictures else "" for name in names]


def file_thumbnails(files: Sequence[Path | None], *, size: int = 72) -> list[str]:
    """For each file a data address of its picture, "" where there is none or it cannot be read as one."""
    addresses = []
    for path in files:
        try:
            addresses.append("" if path is None else _address(path, size))
        except (InvalidFileError, OSError, SyntaxError):  # Pillow calls a broken PNG a syntax error
            addresses.append("")
    return addresses


def make_thumbnails(images: NDArray[Any], *, scale: int = 4) -> list[str]:
    """For each grey image of an array of shape (n, height, width), bright on dark, a data address, enlarged."""
    Image = _pillow()
    top = max(float(images.max()), 1e-12)
    grey = np.clip(images / top * 255.0, 0, 255).astype(np.uint8).repeat(scale, axis=1).repeat(scale, axis=2)
    return [_as_address(Image.fromarray(image), "png") for image in grey]


def _address(path: Path, size: int) -> str:
    Image = _pillow()
    with Source.of(path).reading("a picture") as stream, Image.open(stream) as picture:
        small = picture.convert("RGBA" if "transparency" in picture.info or picture.mode == "RGBA" else "RGB")
    small.thumbnail((size, size))
    return _as_address(small, "png" if small.mode == "RGBA" else "jpeg")


def _as_address(picture: "PillowImage.Image", kind: str) -> str:
    stream = BytesIO()
    picture.save(stream, format=kind)
    return f"data:image/{kind};base64,{base64.b64encode(stream.getvalue()).decode()}"


def _pillow() -> Any:
    try:
        from PIL import Image  # noqa: PLC0415  (loaded only when there are pictures)
    except ImportError as error:
        raise ImportError("pictures on the page need Pillow: pip install 'tete[plot]'") from error
    return Image
