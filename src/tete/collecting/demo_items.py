"""Items that need no files of anybody: patches of colour.

Twelve hues in two strengths, at equal steps of the colour space OKLab. Everybody can say which two colours are more
alike, and everybody can judge the map: it should be the circle of colours, the pale ones inside.
"""

import math
import struct
import zlib
from pathlib import Path
from typing import Any

from tete.collecting.items import Item, read_items
from tete.collecting.study import QuestionKind

__all__ = ["DEMO", "write_demo_items"]

DEMO: dict[str, Any] = {
    "title": "Colours",
    "consent": "This is a demonstration. Your answers are kept in a file on the computer that shows you this page.",
    "instructions": "Go by your **first impression**: which colours look more alike to you?",
    "per_person": 40,
    "completion_code": "COLOURS",
}

HUES = (  # at 0, 30, 60, ... degrees
    "rose",
    "coral",
    "orange",
    "ochre",
    "olive",
    "green",
    "teal",
    "turquoise",
    "azure",
    "blue",
    "violet",
    "purple",
)
STRENGTHS = {"strong": (0.7, 0.12), "pale": (0.85, 0.06)}  # lightness and chroma that a screen has for every hue
SIZE = 240  # pixels


def write_demo_items(folder: Path, question: QuestionKind) -> tuple[Item, ...]:
    """Draw the patches into a folder, and read them as anybody's items."""
    for strength, (lightness, chroma) in STRENGTHS.items():
        for number, hue in enumerate(HUES):
            color = _screen_color(lightness, chroma, 2.0 * math.pi * number / len(HUES))
            (folder / f"{strength} {hue}.png").write_bytes(_picture(color))
    return read_items(folder, question)


def _screen_color(lightness: float, chroma: float, hue: float) -> bytes:
    """A colour of OKLab (B. Ottosson, 2020) as red, green and blue."""
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return bytes(round(255.0 * _gamma(value)) for value in linear)


def _gamma(value: float) -> float:
    """What a screen is told for an amount of light (IEC 61966-2-1)."""
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


def _picture(color: bytes) -> bytes:
    """A square of the colour as PNG, which thumbnails can be made of."""
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)  # eight bits for each of red, green and blue
    rows = zlib.compress(SIZE * (b"\0" + SIZE * color))  # each row begins with the number of its filter: none
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
