"""Every reader ends in a result or in an error of our own, in little time and memory.

Of `io.sources`, `io.parquet_files`, `io.json_tables` and `io.sparse_tables`, and of all readers together.
"""

import io
import json
import os
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from scipy import sparse

from tete import load_model, read_answers, read_features, read_map
from tete.exceptions import InvalidFileError, TeteError
from tete.io import sources
from tete.io.object_tables import read_columns

ROWS = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
FRAME = pd.DataFrame({"object": list("abc"), "x": [0.5, 1.5, -2.0], "y": [1, 2, 3]})


def read_objects(path):
    return read_columns(path, ["a", "b"])


def saved(save, *arguments, **named):
    stream = io.BytesIO()
    save(stream, *arguments, **named)
    return stream.getvalue()


ANSWERS = pd.DataFrame(ROWS, columns=["anchor", "near", "far"])
READERS = [
    (read_answers, "a.csv", ANSWERS.assign(weight=0.5).to_csv(index=False).encode()),
    (read_answers, "a.tsv", ANSWERS.to_csv(index=False, sep="\t").encode("utf-16")),
    (read_answers, "a.npz", saved(np.savez, triplets=ROWS, names=["a", "b", "c"])),
    (read_answers, "a.npz", saved(np.savez_compressed, triplets=ROWS, weights=[1.0, 2.0, 3.0])),
    (read_answers, "a.npy", saved(np.save, ROWS)),
    (read_answers, "a.parquet", saved(ANSWERS.to_parquet)),
    (read_features, "f.csv", FRAME.to_csv(index=False).encode()),
    (read_features, "f.npy", saved(np.save, np.eye(3))),
    (read_features, "f.npz", saved(np.savez, X=np.eye(3), y=[1, 2, 3])),
    (read_features, "s.npz", saved(sparse.save_npz, sparse.eye(4, format="csr"), compressed=False)),
    (read_features, "c.npz", saved(sparse.save_npz, sparse.eye(4, format="coo"))),
    (read_features, "f.parquet", saved(FRAME.to_parquet)),
    (read_map, "m.csv", FRAME.to_csv(index=False).encode()),
    (read_map, "m.json", json.dumps(FRAME.to_dict(orient="records")).encode()),
    (read_map, "m.parquet", saved(FRAME.to_parquet)),
    (read_map, "m.npy", saved(np.save, np.eye(3))),
    (read_objects, "o.csv", FRAME.to_csv(index=False).encode()),
    (read_objects, "o.parquet", saved(FRAME.to_parquet)),
    (load_model, "model.npz", saved(np.savez, header="{}", embedding=np.eye(3))),
]
EVERY_READER = pytest.mark.parametrize(
    ("read", "name", "content"),
    READERS,
    ids=[f"{read.__name__} {name} {len(content)}" for read, name, content in READERS],
)


def ends_well(read, path):
    """A result, or an error of our own with the file's name in one line."""
    said = path.name
    try:
        read(path)
    except TeteError as error:
        said = str(error)
    assert path.name in said
    assert "\n" not in said


@EVERY_READER
def test_valid_files_are_read(tmp_path, read, name, content):
    (tmp_path / name).write_bytes(content)
    if read is load_model:
        with pytest.raises(InvalidFileError, match="is not a model"):
            read(tmp_path / name)
    else:
        read(tmp_path / name)


@EVERY_READER
def test_cut_anywhere(tmp_path, read, name, content):
    for size in {*range(0, len(content), max(1, len(content) // 60)), len(content) - 1, len(content) - 8}:
        (tmp_path / name).write_bytes(content[:size])
        ends_well(read, tmp_path / name)


@EVERY_READER
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_bytes_changed_anywhere(tmp_path, read, name, content, data):
    start = data.draw(st.integers(0, len(content)))
    stop = data.draw(st.integers(start, min(len(content), start + 12)))
    new = data.draw(
        st.binary(max_size=12) | st.sampled_from([b"\x00", b"\xff" * 4, b'"', b"\n\xc2\xa0\n", b"1_000", b"[["])
    )
    (tmp_path / name).write_bytes(content[:start] + new + content[stop:])
    ends_well(read, tmp_path / name)


@pytest.mark.parametrize("extension", ["csv", "npy", "npz", "parquet", "json"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_anything_at_all(tmp_path, extension, content):
    path = tmp_path / f"file.{extension}"
    path.write_bytes(content)
    for read in (read_answers, read_features, read_map, read_objects, load_model):
        ends_well(read, path)


@EVERY_READER
def test_pipes_devices_and_folders(tmp_path, read, name, content):
    os.mkfifo(tmp_path / f"pipe{name}")
    with pytest.raises(InvalidFileError, match=f"pipe{name} is not a plain file"):
        read(tmp_path / f"pipe{name}")
    (tmp_path / f"device{name}").symlink_to("/dev/zero")
    with pytest.raises(InvalidFileError, match="is not a plain file"):
        read(tmp_path / f"device{name}")
    (tmp_path / name).mkdir()
    with pytest.raises(IsADirectoryError):
        read(tmp_path / name)


def npz(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)


class TestArchives:
    def test_without_arrays(self, tmp_path):
        npz(tmp_path / "a.npz", [])
        for read in (read_answers, read_features):
            with pytest.raises(InvalidFileError, match="it has no arrays"):
                read(tmp_path / "a.npz")

    def test_members_that_are_no_arrays(self, tmp_path):
        npz(tmp_path / "a.npz", [("triplets.npy", saved(np.save, ROWS)), ("read.me", b"text")])
        with pytest.raises(InvalidFileError, match=r"'read\.me' is not an array"):
            read_answers(tmp_path / "a.npz")
        npz(tmp_path / "a.npz", [("triplets.npy", saved(np.save, ROWS))], zipfile.ZIP_LZMA)
        with pytest.raises(InvalidFileError, match="compressed in a way that NumPy does not write"):
            read_answers(tmp_path / "a.npz")

    def test_encrypted_members(self, tmp_path):
        content = bytearray(saved(np.savez, triplets=ROWS))
        for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            content[content.index(mark) + offset] |= 1
        (tmp_path / "a.npz").write_bytes(content)
        with pytest.raises(InvalidFileError, match=r"'triplets\.npy' is not an array"):
            read_answers(tmp_path / "a.npz")

    @pytest.mark.parametrize(
        ("arrays", "message"),
        [
            ({"triplets": ROWS, "names": [["a", "b", "c"]]}, r"`names` must be a list of names, got .* \(1, 3\)"),
            ({"triplets": ROWS, "weights": np.ones(3) * 1j}, "array 'weights': expected numbers, got complex128"),
            ({"triplets": ROWS, "weights": 1.0}, "`weights` must have 3 entries"),
            ({"triplets": ROWS, "annotators": np.zeros(3, "M8[s]")}, "expected numbers or texts, got datetime"),
            ({"triplets": [0, 1, 2]}, "array 'triplets'"),
            ({"triplets": [["a", "b", "c"]]}, "expected numbers, got <U1"),
            ({"triplets": ROWS, "n_objects": [3, 4]}, "array 'triplets'"),
            ({"triplets": ROWS, "n_objects": 10**18}, "1,000,000,000,000,000,000 objects would take"),
            ({"triplets": ROWS, "names": ["a", "b", "b"]}, "`names` must all differ"),
        ],
    )
    def test_arrays_that_do_not_fit(self, tmp_path, arrays, message):
        np.savez(tmp_path / "a.npz", **arrays)
        with pytest.raises(InvalidFileError, match=message):
            read_answers(tmp_path / "a.npz")

    def test_bytes_are_texts(self, tmp_path):
        np.savez(tmp_path / "a.npz", triplets=ROWS, names=np.array([b"a", "\u00e9".encode(), b"c"]))
        assert read_answers(tmp_path / "a.npz").names == ("a", "\u00e9", "c")

    def test_sizes_are_refused_before_memory_is_taken(self, tmp_path):
        header = saved(np.save, np.zeros((3, 3), dtype=np.int64))[:128]
        huge = header.replace(b"(3, 3), }          ", b"(3333333333, 3), } ")
        assert len(huge) == 128
        (tmp_path / "a.npy").write_bytes(huge)
        npz(tmp_path / "a.npz", [("triplets.npy", huge)])
        npz(tmp_path / "b.npz", [("triplets.npy", huge + bytes(10**6))], zipfile.ZIP_DEFLATED)
        tracemalloc.start()
        for name, read in (
            ("a.npy", read_answers),
            ("a.npz", read_answers),
            ("b.npz", read_features),
            ("a.npy", read_map),
        ):
            with pytest.raises(InvalidFileError, match="claims"):
                read(tmp_path / name)
        assert tracemalloc.get_traced_memory()[1] < 10**7
        tracemalloc.stop()

    def test_more_than_the_memory(self, tmp_path, monkeypatch):
        np.savez_compressed(tmp_path / "a.npz", X=np.zeros((1000, 100)))
        monkeypatch.setattr(sources, "free_memory", lambda: 10_000.0)
        with pytest.raises(InvalidFileError, match=r"its arrays would take 0\.0 GiB of memory, more than there is"):
            read_features(tmp_path / "a.npz")


class TestSparse:
    @pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
    def test_every_format(self, tmp_path, kind):
        table = sparse.random(6, 5, 0.4, random_state=0)
        sparse.save_npz(tmp_path / "s.npz", table.asformat(kind))
        np.testing.assert_array_equal(read_features(tmp_path / "s.npz").matrix.toarray(), table.toarray())

    @pytest.mark.parametrize(
        "changes",
        [
            {"indices": [0, 1, 99]},
            {"indices": [0, 1, -1]},
            {"indptr": [0, 1, 2, 99]},
            {"indptr": [0, 2, 1, 3]},
            {"indptr": [0.0, 1.0, 2.0, 3.0]},
            {"shape": [3]},
            {"shape": [10**17, 3]},
            {"shape": [0, 3]},
            {"shape": [2**63, 3]},
            {"data": ["a", "b", "c"]},
            {"format": "xyz"},
            {"format": ["csr", "csr"]},
            {"format": "coo"},
        ],
    )
    def test_indices_are_checked(self, tmp_path, changes):
        arrays = {
            "indices": [0, 1, 2],
            "indptr": [0, 1, 2, 3],
            "data": [1.0, 2.0, 3.0],
            "shape": [3, 3],
            "format": "csr",
        }
        np.savez(tmp_path / "s.npz", **(arrays | changes))
        with pytest.raises(InvalidFileError, match=r"s\.npz"):
            read_features(tmp_path / "s.npz")


class TestParquet:
    def write(self, path, **columns):
        parquet.write_table(pa.table(columns), path)
        return path

    def test_without_rows(self, tmp_path):
        empty = self.write(tmp_path / "e.parquet", x=pa.array([], pa.float64()), label=pa.array([], pa.string()))
        for read in (read_features, read_map, read_objects, read_answers):
            with pytest.raises(InvalidFileError, match=r"e\.parquet.* no rows"):
                read(empty)

    def test_lists_and_bytes(self, tmp_path):
        path = self.write(tmp_path / "p.parquet", anchor=[["a"]], near=["b"], far=["c"])
        with pytest.raises(InvalidFileError, match=r"column 'anchor': expected texts or numbers, got .* type list"):
            read_answers(path)
        path = self.write(tmp_path / "p.parquet", anchor=[b"a"], near=["b"], far=["c"])
        assert read_answers(path).names == ("a", "b", "c")
        path = self.write(tmp_path / "p.parquet", anchor=[b"\xff"], near=["b"], far=["c"])
        with pytest.raises(InvalidFileError, match=r"p\.parquet is not a whole Parquet file"):
            read_answers(path)
        path = self.write(tmp_path / "p.parquet", x=[[1.0]], label=[b"a"])
        with pytest.raises(InvalidFileError, match="column 'x': expected texts or numbers"):
            read_features(path)

    def test_equal_names(self, tmp_path):
        table = pa.table([pa.array([1.0]), pa.array([2.0])], names=["x", "x"])
        parquet.write_table(table, tmp_path / "p.parquet")
        for read in (read_features, read_map, read_objects, read_answers):
            with pytest.raises(InvalidFileError, match="columns 1 and 2 are both called 'x'"):
                read(tmp_path / "p.parquet")

    def test_other_types_are_texts(self, tmp_path):
        path = self.write(
            tmp_path / "m.parquet",
            x=pa.array([0.1, 2.0], pa.float32()),
            y=pa.array([1, 2], pa.int8()),
            name=pa.array(["a", "b"]).dictionary_encode(),
            when=pa.array([0, None], pa.date32()),
            large=pa.array([2**60 + 1, None]),
        )
        found = read_map(path)
        assert found.embedding.tolist() == [[float(np.float32(0.1)), 1.0], [2.0, 2.0]]
        assert found.names == ("a", "b")
        assert found.columns["when"].tolist() == ["1970-01-01", ""]

    def test_very_many_rows_in_a_small_file(self, tmp_path):
        columns = {name: np.full(2_000_000, number) for number, name in enumerate(("anchor", "near", "far"))}
        path = self.write(tmp_path / "a.parquet", **columns, worker=pa.array(["w"] * 2_000_000))
        assert path.stat().st_size < 10**5
        tracemalloc.start()
        triplets = read_answers(path)
        assert tracemalloc.get_traced_memory()[1] < 150 * 2_000_000  # no text for every row
        tracemalloc.stop()
        assert triplets.summary().n_answers == 2_000_000

    def test_more_rows_than_the_memory_holds(self, tmp_path, monkeypatch):
        path = self.write(tmp_path / "a.parquet", **{name: np.arange(1000.0) for name in ("x", "y", "object")})
        monkeypatch.setattr(sources, "free_memory", lambda: 10_000.0)
        for read in (read_map, read_features, read_objects):
            with pytest.raises(InvalidFileError, match="its 1,000 rows would take"):
                read(path)


class TestJSON:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("[" * 100_000, "is not JSON"),
            ('[{"x": ' * 2, "is not JSON: Expecting value"),
            ('[{"object": "\\ud800", "x": 1}]', r"row 0, column 'object': '\\ud800' holds what is no character"),
            ('[{"\\ud800": 1, "x": 1}]', "expected names of columns"),
            ('[{"object": ["a"], "x": 1}]', "row 0, column 'object': expected a text or a number, got list"),
            ('[{"x": {}}]', "row 0, column 'x': expected a text or a number, got dict"),
            ('[{"x": 1}, {"x": null}]', "row 1, column 'x': '' is not a number"),
            ('[{"x": NaN}]', "row 0, column 'x': '' is not a number"),
            ('[{"x": 1e999}]', "row 0, column 'x': 'inf' is not a number"),
            ('[{"x": true}]', "'True' is not a number"),
            ('[{"x": ' + "9" * 5000 + "}]", "is not JSON"),
            ("[{}]", "expected names of columns, got none"),
            ("[]", "expected a list of objects"),
            ("[1]", "expected a list of objects"),
        ],
    )
    def test_one_sentence(self, file, content, message):
        with pytest.raises(InvalidFileError, match=message):
            read_map(file(content, "m.json"))


def test_what_is_nobodys_fault_stays_what_it_is(tmp_path, monkeypatch):
    """A failing disk and a missing library are not the file's fault."""
    (tmp_path / "a.csv").write_text("anchor,near,far\n0,1,2\n")
    source = sources.Source.of(tmp_path / "a.csv")
    for error in (OSError(5, "Input/output error"), ImportError("pyarrow"), KeyboardInterrupt()):
        with pytest.raises(type(error)), source.blamed("a file"):
            raise error
    with (
        pytest.raises(InvalidFileError, match="is damaged, or needs more memory than there is"),
        source.blamed("a file"),
    ):
        raise MemoryError
