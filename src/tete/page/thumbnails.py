"""Small pictures of objects, as texts that a page can hold."""

import base64
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.core.printing import counted
from tete.exceptions import InvalidFileError, MissingPicturesWarning, warn
from tete.io.array_files import read_array
from tete.io.sources import AnyPath, Source

if TYPE_CHECKING:
    from PIL import Image as PillowImage

__all__ = ["file_thumbnails", "folder_or_pixels", "make_thumbnails", "read_thumbnails"]

IMAGE_FILES = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"}
COLORS_OF_A_PIXEL = (1, 3, 4)  # grey, colour, and colour with transparency


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
    without = [name for name in names if name not in pictures]
    if without:
        warn(
            f"{len(without):,} of the {counted(len(names), 'object')} have no picture in {folder}, the first is "
            f"{without[0]!r}.",
            MissingPicturesWarning,
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


def folder_or_pixels(path: AnyPath, n_objects: int) -> Path | NDArray[Any]:
    """The folder that a path names, or the pictures in a file npy: an array (n_objects, height, width[, colours])."""
    found = Path(path)
    if found.is_dir():
        return found
    if found.suffix.lower() != ".npy":
        raise InvalidFileError(f"{path}: expected a folder of pictures, or pixels in a file .npy.")
    pixels = read_array(Source.of(path))
    colored = pixels.ndim == 4 and pixels.shape[3] in COLORS_OF_A_PIXEL
    if pixels.dtype.kind not in "biuf" or len(pixels) != n_objects or not (pixels.ndim == 3 or colored):
        raise InvalidFileError(
            f"{path}: expected pictures as numbers of shape ({n_objects}, height, width) or ({n_objects}, height, "
            f"width, 3), got {pixels.shape}, {pixels.dtype}."
        )
    return pixels


def make_thumbnails(images: NDArray[Any], *, size: int = 72) -> list[str]:
    """For each image of an array of shape (n, height, width) or (n, height, width, colours) a data address.

    The largest number is white, 0 or the least, if that is below, black, and so are gaps. Pictures are made `size`
    pixels wide or high, or nearly so.
    """
    if images.size == 0:
        return [""] * len(images)
    low = min(float(np.nanmin(images)), 0.0)
    span = max(float(np.nanmax(images)) - low, 1e-12)
    return [_array_address(image, low, span, size) for image in images]


def _array_address(image: NDArray[Any], low: float, span: float, size: int) -> str:
    levels = np.nan_to_num((image.astype(np.float64) - low) / span * 255.0)
    bytes_ = np.clip(levels, 0, 255).astype(np.uint8)
    if bytes_.ndim == 3 and bytes_.shape[2] == 1:
        bytes_ = bytes_[:, :, 0]
    factor = max(1, size // max(image.shape[:2]))  # whole, so that pixels stay sharp
    picture = _pillow().fromarray(bytes_.repeat(factor, axis=0).repeat(factor, axis=1))
    picture.thumbnail((size, size))
    return _as_address(picture, "png")


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
