"""npz files that are whole, and every way in which they are not."""

import io
import os
import zipfile

import numpy as np
import pytest

from tete.exceptions import InvalidFileError
from tete.io.array_files import read_array_file, write_array_file

ARRAYS = {"a": np.arange(12.0).reshape(3, 4), "n": np.array(3), "text": np.array("täxt"), "none": np.zeros((0, 2))}


@pytest.fixture
def path(tmp_path):
    write_array_file(tmp_path / "arrays.npz", ARRAYS)
    return tmp_path / "arrays.npz"


def test_a_round_trip(path):
    found = read_array_file(path)
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def npy(array, header=None):
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    content = stream.getvalue()
    return content if header is None else content.replace(*header)


def archive(path, members, **options):
    with zipfile.ZipFile(path, "w", **options) as file:
        for name, content in members:
            file.writestr(name, content)


@pytest.mark.parametrize(
    ("members", "options", "message"),
    [
        ([("a.npy", npy(np.zeros(3)))], {"compression": zipfile.ZIP_DEFLATED}, "'a.npy' is compressed"),
        ([("a.txt", b"text")], {}, "'a.txt' is not an array"),
        ([("a.npy", npy(np.array([None])))], {}, "type object, expected numbers or texts"),
        ([("a.npy", npy(np.zeros(3, dtype="f4,i4")))], {}, "expected numbers or texts"),
        ([("a.npy", npy(np.zeros(3, dtype="M8[s]")))], {}, "expected numbers or texts"),
        ([("a.npy", npy(np.zeros(30), (b"(30,)", b"(9**9,)")))], {}, "it is damaged"),
        ([("a.npy", npy(np.zeros(3000), (b"(3000,), ", b"(3001,), ")))], {}, "has 24128 bytes and claims 24136"),
        ([("a.npy", npy(np.zeros(3000), (b"(3000,), ", b"(9999999,)")))], {}, "claims|damaged"),
        ([("a.npy", b"")], {}, "it is damaged"),
    ],
)
def test_what_is_no_file_of_arrays(tmp_path, members, options, message):
    archive(tmp_path / "x.npz", members, **options)
    with pytest.raises(InvalidFileError, match=f"x.npz is not a whole npz file of plain arrays: .*{message}"):
        read_array_file(tmp_path / "x.npz")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name(tmp_path):
    archive(tmp_path / "x.npz", [("a.npy", npy(np.zeros(1)))] * 2)
    with pytest.raises(InvalidFileError, match="two of its arrays have one name"):
        read_array_file(tmp_path / "x.npz")


@pytest.mark.parametrize("size", [0, 1, 30, 200, -1, -22, -100])
def test_cut_short(path, size):
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(InvalidFileError, match="is not a whole npz file"):
        read_array_file(path)


def test_flipped_bytes_are_results_or_sentences(path):
    """Any single byte: the same arrays under other names at most, or our own error."""
    content = path.read_bytes()
    for place in range(0, len(content), 3):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x41]) + content[place + 1 :])
        try:
            found = read_array_file(path)
        except InvalidFileError:
            continue
        assert len(found) <= len(ARRAYS)


def test_pipes_and_folders_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.npz")
    with pytest.raises(InvalidFileError, match="is not a plain file"):
        read_array_file(tmp_path / "pipe.npz")
    with pytest.raises(IsADirectoryError):
        read_array_file(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_array_file(tmp_path / "none.npz")
