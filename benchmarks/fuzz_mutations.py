"""Ways to damage a file, from a flipped bit to archives whose members were exchanged."""

import gzip
import io
import re
import struct
import warnings
import zipfile
from collections.abc import Callable

import numpy as np

from fuzz_samples import Sample, in_zip

Mutation = Callable[[np.random.Generator, Sample, list[Sample]], bytes]

TEXTS = [
    *(
        "\x00",
        "\xa0",
        "\u2028",
        "\x0c",
        "\u200b",
        "\ufeff",
        "\ud800",
        '" "',
        '"',
        "'",
        ",",
        ";",
        "\t",
        "|",
        "\n",
        "\r",
        "\r\n",
    ),
    *(
        '"1,000"',
        "1_000",
        "1e400",
        "-1e400",
        "nan",
        "inf",
        "1e-320",
        "0x1F",
        "\uff11",
        "-",
        "+1",
        "=1+1",
        "@x",
        "True",
        "",
    ),
    *("9" * 30, "-1", "0", "1.0", "01", "x" * 200_000, "[" * 3000, "{", "}", "null", '"\\ud800"', '"\\u0000"', "NaN"),
    *("anchor", "near", "far", "object", "x", "y", "id", "label", "PC1", "PC2", "weight", ",,,,,", "\n\n\n", "\n \n"),
]
SHAPES = [
    b"(-1, 3)",
    b"(99999999999, 3)",
    b"(0, 3)",
    b"()",
    b"(3,)",
    b"(2, 2, 2)",
    b"(9**9,)",
    b"(1L, 3)",
    b"(True, 3)",
]
TYPES = [b"<f8", b">f8", b"<i8", b"|O", b"|u1", b"<U0", b"<U9", b"|S3", b"<M8[s]", b"<c16", b"|b1", b"<f2", b"<V4"]


def flipped(rng: np.random.Generator, sample: Sample, _: list[Sample]) -> bytes:
    """Some bytes are others."""
    content = bytearray(sample.content)
    for place in rng.integers(len(content), size=rng.integers(1, 9)):
        content[place] = rng.integers(256) if rng.random() < 0.5 else content[place] ^ (1 << rng.integers(8))
    return bytes(content)


def cut(rng: np.random.Generator, sample: Sample, _: list[Sample]) -> bytes:
    """The end, the beginning or a part of the middle is missing."""
    start, stop = np.sort(rng.integers(len(sample.content) + 1, size=2))
    kept = [sample.content[:start], sample.content[start:], sample.content[:start] + sample.content[stop:]]
    return kept[rng.integers(3)]


def repeated(rng: np.random.Generator, sample: Sample, _: list[Sample]) -> bytes:
    """A part is there several times."""
    start, stop = np.sort(rng.integers(len(sample.content) + 1, size=2))
    return sample.content[:stop] + sample.content[start:stop] * int(rng.integers(1, 20)) + sample.content[stop:]


def spliced(rng: np.random.Generator, sample: Sample, samples: list[Sample]) -> bytes:
    """A part is one of another file."""
    other = samples[rng.integers(len(samples))].content
    start, stop = np.sort(rng.integers(len(sample.content) + 1, size=2))
    first, last = np.sort(rng.integers(len(other) + 1, size=2))
    return sample.content[:start] + other[first:last] + sample.content[stop:]


def inserted(rng: np.random.Generator, sample: Sample, _: list[Sample]) -> bytes:
    """Odd texts are put in, often in the place of a cell."""
    content = sample.content
    wide = content[:2] == b"\xff\xfe"
    for _ in range(rng.integers(1, 4)):
        text = TEXTS[rng.integers(len(TEXTS))].encode("utf-16-le" if wide else "utf-8", "surrogatepass")
        cells = [match.span() for match in re.finditer(rb"[^,;\t\r\n\x00\"]+", content)]
        start, stop = cells[rng.integers(len(cells))] if cells else (0, 0)
        if rng.random() < 0.5:
            start = stop = int(rng.integers(len(content) + 1))
        content = content[:start] + text + content[stop:]
    return content


def encoded(rng: np.random.Generator, sample: Sample, _: list[Sample]) -> bytes:
    """The text is in another encoding, or claims to be, or is cut amidst a letter."""
    mark = "utf-16" if sample.content[:2] == b"\xff\xfe" else "utf-8-sig"
    text = sample.content.decode(mark, "replace")
    encodings = ("utf-16", "utf-32", "utf-16-le", "utf-8-sig", "cp1252", "utf-7", "shift-jis")
    content = text.encode(encodings[rng.integers(len(encodings))], "replace")
    return content[: int(rng.integers(len(content) + 1))] if rng.random() < 0.3 else content


def lines_changed(rng: np.random.Generator, sample: Sample, _: list[Sample]) -> bytes:
    """Lines are shuffled, doubled, blank, or ended otherwise."""
    lines = sample.content.split(b"\n")
    blank = [b"", b" ", b"\t", b"\xc2\xa0", b"\x0c", b"\xe2\x80\xa8", b'" "', b",,,,", b'"']
    for _ in range(rng.integers(1, 4)):
        lines.insert(int(rng.integers(len(lines) + 1)), [*blank, *lines][rng.integers(len(blank) + len(lines))])
    if rng.random() < 0.3:
        rng.shuffle(lines)
    return [b"\n", b"\r", b"\r\n"][rng.integers(3)].join(lines)


def headers_changed(rng: np.random.Generator, sample: Sample, _: list[Sample]) -> bytes:
    """Shapes, types and orders that arrays declare are others, in headers of the same length."""
    content = sample.content
    for pattern, others in ((rb"\([0-9, ]*\)", SHAPES), (rb"[<>|][a-zA-Z][0-9]+", TYPES)):
        found = list(re.finditer(pattern, content))
        if found and rng.random() < 0.7:
            match = found[rng.integers(len(found))]
            new = others[rng.integers(len(others))]
            room = content.find(b"\n", match.end())
            tail = content[match.end() : room]
            padded = (new + tail)[: len(match[0]) + len(tail)].ljust(len(match[0]) + len(tail))
            content = content[: match.start()] + padded + content[room:]
    return content


def sizes_changed(rng: np.random.Generator, sample: Sample, _: list[Sample]) -> bytes:
    """Four or eight bytes, where sizes and offsets are, are extreme numbers."""
    content = bytearray(sample.content)
    for _ in range(rng.integers(1, 3)):
        size = int(rng.choice([2, 4, 8]))
        value = int(rng.choice([0, 1, 2**31 - 1, 2**32 - 1, len(content), 2 * len(content)]))
        packed = struct.pack("<Q", value)[:size]
        if rng.random() < 0.3:
            packed = b"\xff" * size
        place = int(rng.integers(max(len(content) - size, 1)))
        marks = [match.start() for match in re.finditer(rb"PK[\x01-\x06][\x02-\x06]", bytes(content))]
        if marks and rng.random() < 0.8:
            place = marks[rng.integers(len(marks))] + int(rng.integers(4, 46))
        content[place : place + size] = packed
    return bytes(content)


def members_exchanged(rng: np.random.Generator, sample: Sample, samples: list[Sample]) -> bytes:
    """Members of an archive are dropped, renamed, exchanged, doubled, damaged or packed otherwise."""
    with zipfile.ZipFile(io.BytesIO(sample.content)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    archives = [other for other in samples if other.extension == "npz"]
    with zipfile.ZipFile(io.BytesIO(archives[rng.integers(len(archives))].content)) as archive:
        others = [(name, archive.read(name)) for name in archive.namelist()]
    for _ in range(rng.integers(0, 3)):
        place = int(rng.integers(len(members)))
        name, content = members[place]
        changes = [
            [],
            [(name, members[rng.integers(len(members))][1])],
            [(name, content), (name, content)],
            [(name, others[rng.integers(len(others))][1])],
            [(name, content), others[rng.integers(len(others))]],
            [(name, flipped(rng, sample._replace(content=content or b"x"), samples))],
            [(name, headers_changed(rng, sample._replace(content=content), samples))],
            [(name.removesuffix(".npy"), content)],
            [(name, b"text, no array")],
        ]
        members[place : place + 1] = changes[rng.integers(len(changes))]
        if not members:
            break
    packing = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2)
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(stream, "w", packing[rng.choice(4, p=[0.5, 0.4, 0.05, 0.05])]) as archive,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # of two members with one name
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def tables_changed(rng: np.random.Generator, sample: Sample, _: list[Sample]) -> bytes:
    """A Parquet file is written anew with columns of other types, other names, no rows or very many."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    table = parquet.read_table(io.BytesIO(sample.content))
    changed, names = list(table.columns), list(table.column_names)
    for _ in range(rng.integers(0, 3)):
        place = int(rng.integers(len(changed)))
        texts = [str(value) for value in table.column(place).to_pylist()]
        columns = [
            pa.array([[text] for text in texts]),
            pa.array([{"a": text} for text in texts]),
            pa.array([text.encode() + b"\xff" for text in texts]),
            pa.array([text.encode() for text in texts]),
            pa.array(texts).dictionary_encode(),
            pa.array([None] * len(texts)),
            pa.array([None] * len(texts), type=pa.string()),
            pa.array([float(number) for number in range(len(texts))], type=pa.float32()),
            pa.array(rng.integers(-(2**63), 2**63 - 1, size=len(texts))).cast(pa.timestamp("us")),
            pa.array([True, False, None] * len(texts))[: len(texts)],
            pa.array([f"{text}\x00" for text in texts]),
        ]
        changed[place] = columns[rng.integers(len(columns))]
        if rng.random() < 0.3:
            names[place] = names[rng.integers(len(names))]
    rows = int(rng.choice([0, 1, len(changed[0])]))
    again = pa.table([column[:rows] for column in changed], names=names)
    stream = io.BytesIO()
    parquet.write_table(again, stream, compression=["none", "snappy", "gzip", "zstd"][rng.integers(4)])
    content = stream.getvalue()
    return flipped(rng, sample._replace(content=content), []) if rng.random() < 0.5 else content


def repacked(rng: np.random.Generator, sample: Sample, samples: list[Sample]) -> bytes:
    """What is in the archive is damaged, not the archive."""
    zipped = sample.extension.endswith("zip")
    text = (
        zipfile.ZipFile(io.BytesIO(sample.content)).read("answers.csv") if zipped else gzip.decompress(sample.content)
    )
    mutation = OF_KIND["text"][rng.integers(len(OF_KIND["text"]))]
    content = mutation(rng, sample._replace(content=text), samples)
    return in_zip(content) if zipped else gzip.compress(content, mtime=0)


BYTES: tuple[Mutation, ...] = (flipped, cut, repeated, spliced, inserted, sizes_changed)
OF_KIND: dict[str, tuple[Mutation, ...]] = {
    "text": (*BYTES, inserted, inserted, encoded, lines_changed, lines_changed),
    "JSON": (*BYTES, inserted, inserted, encoded),
    "npy": (*BYTES, headers_changed, headers_changed),
    "npz": (*BYTES, headers_changed, members_exchanged, members_exchanged, members_exchanged),
    "sparse npz": (*BYTES, headers_changed, members_exchanged, members_exchanged, members_exchanged),
    "Parquet": (*BYTES, tables_changed, tables_changed),
    "zip": (*BYTES, repacked, repacked),
    "gz": (*BYTES, repacked, repacked),
    "folder": BYTES,
}


def mutated(rng: np.random.Generator, sample: Sample, samples: list[Sample]) -> tuple[str, bytes]:
    """What was done to the file, and the file."""
    mutation = OF_KIND[sample.kind][rng.integers(len(OF_KIND[sample.kind]))]
    content = mutation(rng, sample, samples)
    if rng.random() < 0.1:
        content = flipped(rng, sample._replace(content=content or b"x"), samples)
    return mutation.__name__, content
