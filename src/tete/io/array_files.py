"""Files of plain arrays in NumPy's npz format: written as they are, and read only if they are what they claim to be.

Before memory is taken, the sizes that an archive declares are compared with the file's own: arrays are stored without
compression, so that none can be larger than the file. Nothing is ever unpickled.
"""

import stat
from collections.abc import Mapping
from errno import EINVAL  # a place before the beginning of a file
from math import prod
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from tete.exceptions import InvalidFileError
from tete.io.sources import AnyPath
from tete.io.writing import atomic_write

__all__ = ["read_array_file", "write_array_file"]

EXTENSION = ".npy"
ENCRYPTED = 0x1
KINDS = "biufU"  # numbers and texts
LONGEST_HEADER = 10_000  # as NumPy's own limit


def write_array_file(path: AnyPath, arrays: Mapping[str, NDArray[Any]], *, force: bool = False) -> None:
    """Write named arrays of numbers or texts."""
    for name, array in arrays.items():
        if array.dtype.kind not in KINDS:
            raise TypeError(f"{name!r} has the type {array.dtype}, which no file of plain arrays can hold.")
    with atomic_write(path, force=force) as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]  # the stub takes arrays for `allow_pickle`


def read_array_file(path: AnyPath) -> dict[str, NDArray[Any]]:
    """All arrays of a file by name, or one sentence that says why it cannot be one."""
    _refuse_other_files(Path(path))
    with Path(path).open("rb") as stream:
        try:
            with ZipFile(stream) as archive:
                members = archive.infolist()
                _check_members(members, Path(path).stat().st_size)
                return {member.filename.removesuffix(EXTENSION): _read_member(archive, member) for member in members}
        except Exception as error:  # whatever damaged bytes make a library say
            if isinstance(error, OSError) and error.errno not in {None, EINVAL}:  # the disk, not the bytes
                raise
            reason = str(error).rstrip(".") if isinstance(error, (InvalidFileError, BadZipFile)) else "it is damaged"
            raise InvalidFileError(f"{path} is not a whole npz file of plain arrays: {reason}.") from error


def _refuse_other_files(path: Path) -> None:
    """Only files have a size to compare with; a pipe would also wait for ever."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(21, "Is a folder, expected a file", str(path))
    if not stat.S_ISREG(mode):
        raise InvalidFileError(f"{path} is not a plain file, as arrays must be in.")


def _check_members(members: list[ZipInfo], file_size: int) -> None:
    names = [member.filename for member in members]
    if len(set(names)) != len(names):
        raise InvalidFileError("two of its arrays have one name")
    for member in members:
        if not member.filename.endswith(EXTENSION) or member.flag_bits & ENCRYPTED:
            raise InvalidFileError(f"{member.filename!r} is not an array")
        if member.compress_type != ZIP_STORED:
            raise InvalidFileError(f"{member.filename!r} is compressed, which this format is not")
    if sum(member.file_size for member in members) > file_size:
        raise InvalidFileError("its arrays claim to be larger than the file")


def _read_member(archive: ZipFile, member: ZipInfo) -> NDArray[Any]:
    with archive.open(member) as stream:
        declared = _declared_size(stream)
        if declared != member.file_size:
            raise InvalidFileError(f"{member.filename!r} has {member.file_size} bytes and claims {declared}")
    with archive.open(member) as stream:
        array = npy.read_array(stream, allow_pickle=False, max_header_size=LONGEST_HEADER)
        stream.read()  # the end, where the checksum is compared
    return np.ascontiguousarray(array).reshape(array.shape)


def _declared_size(stream: Any) -> int:
    """Bytes of an array by its own header, header included."""
    counted = _Counted(stream)
    version = npy.read_magic(counted)
    if version not in {(1, 0), (2, 0)}:
        raise InvalidFileError(f"an array has version {version} of the npy format")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read_header(counted, max_header_size=LONGEST_HEADER)
    if dtype.kind not in KINDS or dtype.hasobject or dtype.subdtype is not None:
        raise InvalidFileError(f"an array has the type {dtype}, expected numbers or texts")
    return counted.n_read + prod(shape) * dtype.itemsize


class _Counted:
    """A stream that knows how much was read of it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.n_read = stream, 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        found = self._stream.read(size)
        self.n_read += len(found)
        return found
