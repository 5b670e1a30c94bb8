"""Files of plain arrays in NumPy's npz and npy formats, read only if they are what they claim to be.

Before memory is taken, the sizes that a file declares are compared with its own: what is stored cannot be larger than
the file, what is compressed not larger than compression allows, and nothing larger than the memory. Nothing is ever
unpickled. Our own files of arrays are stored without compression; others may be compressed.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from tete.io.sources import AnyPath, DamageError, Source
from tete.io.writing import atomic_write

__all__ = ["read_array", "read_array_file", "read_arrays", "write_array_file"]

EXTENSION = ".npy"
ENCRYPTED = 0x1
KINDS = "biufU"  # numbers and texts
FOREIGN_KINDS = KINDS + "cSmM"  # what others write besides: complex numbers, bytes, times
LONGEST_HEADER = 10_000  # as NumPy's own limit
LAST_CHARACTER = 0x10FFFF
MOST_INFLATED = 1032  # bytes that one byte of deflated data can become
NPZ, NPY = "a whole npz file of plain arrays", "a whole npy file of plain numbers"


def write_array_file(path: AnyPath, arrays: Mapping[str, NDArray[Any]], *, force: bool = False) -> None:
    """Write named arrays of numbers or texts."""
    for name, array in arrays.items():
        if array.dtype.kind not in KINDS:
            raise TypeError(f"{name!r} has the type {array.dtype}, which no file of plain arrays can hold.")
    with atomic_write(path, force=force) as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]  # the stub takes arrays for `allow_pickle`


def read_array_file(path: AnyPath) -> dict[str, NDArray[Any]]:
    """All arrays by name of a file that `write_array_file` has written."""
    source = Source.of(path)
    with source.reading(NPZ) as stream, ZipFile(stream) as archive:
        for member in archive.infolist():
            if member.compress_type != ZIP_STORED:
                raise DamageError(f"{member.filename!r} is compressed, which this format is not")
        return _read_members(source, archive, KINDS)


def read_arrays(source: Source) -> dict[str, NDArray[Any]]:
    """All arrays by name of an npz file from anywhere, at least one; texts in bytes become texts."""
    with source.reading(NPZ) as stream, ZipFile(stream) as archive:
        arrays = _read_members(source, archive, FOREIGN_KINDS)
        if not arrays:
            raise DamageError("it has no arrays")
        return {
            name: np.char.decode(array, "utf-8") if array.dtype.kind == "S" else array for name, array in arrays.items()
        }


def read_array(source: Source) -> NDArray[Any]:
    """The array of an npy file, which stays on the disk until it is used."""
    with source.reading(NPY) as stream:
        declared = _declared_size(stream, FOREIGN_KINDS)
        if declared != source.size:
            raise DamageError(f"it has {source.size} bytes and claims {declared}")
        with _old_headers():
            return np.asarray(np.load(source.name, mmap_mode="r", allow_pickle=False, max_header_size=LONGEST_HEADER))


def _read_members(source: Source, archive: ZipFile, kinds: str) -> dict[str, NDArray[Any]]:
    members = archive.infolist()
    _check_members(members, source.size)
    source.refuse_beyond_memory("its arrays", sum(member.file_size for member in members))
    return {member.filename.removesuffix(EXTENSION): _read_member(archive, member, kinds) for member in members}


def _check_members(members: list[ZipInfo], file_size: int) -> None:
    names = [member.filename for member in members]
    if len(set(names)) != len(names):
        raise DamageError("two of its arrays have one name")
    for member in members:
        if not member.filename.endswith(EXTENSION) or member.flag_bits & ENCRYPTED:
            raise DamageError(f"{member.filename!r} is not an array")
        if member.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            raise DamageError(f"{member.filename!r} is compressed in a way that NumPy does not write")
        growth = 1 if member.compress_type == ZIP_STORED else MOST_INFLATED
        if member.file_size > growth * member.compress_size:
            raise DamageError(f"{member.filename!r} claims to be larger than its bytes can be")
    if sum(member.compress_size for member in members) > file_size:
        raise DamageError("its arrays claim to be larger than the file")


def _read_member(archive: ZipFile, member: ZipInfo, kinds: str) -> NDArray[Any]:
    with archive.open(member) as stream:
        declared = _declared_size(stream, kinds)
        if declared != member.file_size:
            raise DamageError(f"{member.filename!r} has {member.file_size} bytes and claims {declared}")
    with archive.open(member) as stream, _old_headers():
        array = npy.read_array(stream, allow_pickle=False, max_header_size=LONGEST_HEADER)
        stream.read()  # the end, where the checksum is compared
    array = np.ascontiguousarray(array).reshape(array.shape)
    if array.dtype.kind == "U":
        _check_characters(member.filename, array)
    return array


def _check_characters(name: str, texts: NDArray[Any]) -> None:
    """Refuse what Python would not take for a text, or not write into a file."""
    native = texts.astype(texts.dtype.newbyteorder("="), copy=False)
    codes = native.reshape(-1).view(np.uint32).reshape(texts.size, -1)
    halves = (codes >= 0xD800) & (codes <= 0xDFFF)  # of pairs of UTF-16
    inner_nul = (codes[:, :-1] == 0) & (codes[:, 1:] != 0)
    if np.any(codes > LAST_CHARACTER) or halves.any() or inner_nul.any():
        raise DamageError(f"{name!r} holds what is no character of a text")


def _declared_size(stream: Any, kinds: str) -> int:
    """Bytes of an array by its own header, header included."""
    counted = _Counted(stream)
    version = npy.read_magic(counted)
    if version not in {(1, 0), (2, 0)}:
        raise DamageError(f"an array has version {version} of the npy format")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    with _old_headers():
        shape, _, dtype = read_header(counted, max_header_size=LONGEST_HEADER)
    if dtype.kind not in kinds or dtype.hasobject or dtype.subdtype is not None or dtype.itemsize == 0:
        raise DamageError(f"an array has the type {dtype}, expected numbers or texts")
    if min(shape, default=0) < 0:
        raise DamageError(f"an array has the shape {shape}")
    return counted.n_read + prod(shape) * dtype.itemsize


@contextmanager
def _old_headers() -> Iterator[None]:
    """Headers that Python 2 has written are read without a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


class _Counted:
    """A stream that knows how much was read of it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.n_read = stream, 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        found = self._stream.read(size)
        self.n_read += len(found)
        return found
