"""Tests of packing files: also of `io.answer_pieces`, `cli.pack`, `cli.clusters`, `cli.embed_packed` and
`distributed.summary_of_shards`.
"""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from command import tete
from tete import TETE, read_answers, read_map
from tete.datasets import make_uniform_triplets
from tete.distributed import TripletShards, pack_answers
from tete.exceptions import InvalidFileError, InvalidParameterError


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr("tete.io.answer_pieces.ROWS_IN_A_PIECE", 300)


@pytest.fixture
def frame(rng):
    names = np.array([f"object {number}" for number in range(20)])
    rows = make_uniform_triplets(rng.normal(size=(20, 2)), 2000, random_state=0).to_array()
    return pd.DataFrame(names[rows], columns=["anchor", "near", "far"]).assign(
        weight=rng.exponential(size=2000), annotator=rng.choice(["ann", "bob", "cid"], 2000)
    )


@pytest.fixture
def files(frame, tmp_path):
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame[:1100].to_csv(tmp_path / "a.csv", index=False)
    frame[1100:].to_parquet(tmp_path / "b.parquet", index=False)
    return [tmp_path / "a.csv", tmp_path / "b.parquet"]


def assert_same(shards, triplets):
    back = shards.sample()
    assert back.names == triplets.names
    assert back.n_objects == triplets.n_objects
    np.testing.assert_array_equal(back.to_array(), triplets.to_array())
    for name in ("weights", "annotators"):
        np.testing.assert_array_equal(getattr(back, name), getattr(triplets, name))


def test_files_in_pieces_are_what_one_file_is(files, tmp_path):
    pack_answers(files, tmp_path / "a.tete", rows_in_a_shard=256)
    assert_same(TripletShards(tmp_path / "a.tete"), read_answers(tmp_path / "all.csv"))


@pytest.mark.parametrize("n_shards", [1, 4, 6])
def test_a_stopped_run_goes_on(n_shards, files, tmp_path, monkeypatch):
    from tete.distributed import shard_writer

    written, write = [], shard_writer.write_shard

    def stop_later(path, columns):
        if len(written) == n_shards:
            raise KeyboardInterrupt
        written.append(path.name)
        return write(path, columns)

    with monkeypatch.context() as patch:
        patch.setattr("tete.distributed.shard_writer.write_shard", stop_later)
        with pytest.raises(KeyboardInterrupt):
            pack_answers(files, tmp_path / "a.tete", rows_in_a_shard=256)
    assert not (tmp_path / "a.tete").exists()
    again = []
    monkeypatch.setattr("tete.distributed.shard_writer.write_shard", lambda *a: again.append(a[0].name) or write(*a))
    monkeypatch.setattr("tete.distributed.packing._first_pass", lambda _: pytest.fail("names are known"))
    pack_answers(files, tmp_path / "a.tete", rows_in_a_shard=256)
    assert written + again == [f"{number:06}.shard" for number in range(8)]
    assert_same(TripletShards(tmp_path / "a.tete"), read_answers(tmp_path / "all.csv"))


def test_numbers_stay_numbers_and_ids_become_names(tmp_path):
    (tmp_path / "numbers.csv").write_text("anchor,near,far\n0,1,2\n4,1,0\n")
    (tmp_path / "ids.csv").write_text("anchor,near,far\n100,101,102\n104,101,100\n")
    for name in ("numbers", "ids"):
        pack_answers([tmp_path / f"{name}.csv"], tmp_path / f"{name}.tete")
        assert_same(TripletShards(tmp_path / f"{name}.tete"), read_answers(tmp_path / f"{name}.csv"))


def test_odd_one_out_keeps_answers_together(rng, tmp_path):
    shown = np.array([rng.choice(9, 3, replace=False) for _ in range(700)])
    pd.DataFrame(shown, columns=["first", "second", "odd"]).to_csv(tmp_path / "odd.csv", index=False)
    pack_answers([tmp_path / "odd.csv"], tmp_path / "odd.tete")
    shards, whole = TripletShards(tmp_path / "odd.tete"), read_answers(tmp_path / "odd.csv")
    assert shards.n_answers == whole.n_answers == 700
    np.testing.assert_array_equal(shards.sample().to_array(), whole.to_array())
    np.testing.assert_array_equal(shards.sample().answer_numbers(), whole.answer_numbers())


def test_zeros_of_two_meanings_are_refused(tmp_path):
    lines = ["center,left,right,answer", *["a,b,c,0"] * 300, *["a,b,c,-1"] * 300]
    (tmp_path / "zeros.csv").write_text("\n".join(lines))
    with pytest.raises(InvalidFileError, match="answers of 0 may mean undecided or the second"):
        pack_answers([tmp_path / "zeros.csv"], tmp_path / "a.tete")


def test_bad_lines_are_named(tmp_path):
    lines = ["anchor,near,far", *["a,b,c"] * 400, "a,a,c"]
    (tmp_path / "bad.csv").write_text("\n".join(lines))
    with pytest.raises(InvalidFileError, match=r"bad.csv, line 402.*cannot be compared with itself"):
        pack_answers([tmp_path / "bad.csv"], tmp_path / "a.tete")


def test_files_with_different_columns_are_refused(files, frame, tmp_path):
    frame[["anchor", "near", "far"]].to_csv(tmp_path / "plain.csv", index=False)
    with pytest.raises(InvalidFileError, match="files have annotators, weights and others do not"):
        pack_answers([*files, tmp_path / "plain.csv"], tmp_path / "a.tete")
    with pytest.raises(InvalidParameterError, match="at least one file"):
        pack_answers([], tmp_path / "a.tete")


def test_the_commands(files, tmp_path, monkeypatch):
    monkeypatch.setattr("tete.distributed.triplet_shards.SAMPLED_TRIPLETS", 500)
    packed = tmp_path / "answers.tete"
    result = tete("pack", *files, "-o", packed)
    assert result.exit_code == 0, result.output
    assert "2,000 from 2,000 answers" in result.output
    assert tete("pack", *files, "-o", packed).exit_code == 2
    checked = tete("check", packed)
    assert "2,000 from 2,000 answers" in checked.output
    assert "sample of" in checked.output
    made = tete(
        "embed", packed, "-o", tmp_path / "map.csv", "--trust", tmp_path / "trust.csv", "--t", 2, "--t-prime", 2
    )
    assert made.exit_code == 0, made.output
    assert "answers not fitted" in made.output
    expected = TETE(t=2, t_prime=2).fit(read_answers(tmp_path / "all.csv")).embedding_
    np.testing.assert_array_equal(read_map(tmp_path / "map.csv").embedding, expected)
    assert tete("score", tmp_path / "map.csv", "--answers", packed).exit_code == 0


def test_choose_says_of_how_many_answers(files, tmp_path):
    packed = tmp_path / "answers.tete"
    pack_answers(files, packed)
    shards = TripletShards(packed)
    result = tete("choose", packed, "--dims", "1,2", "--folds", 2, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["best"]["n_components"] in {1, 2}
    assert len(shards.sample(500)) < len(shards)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["embed", "PACKED", "--columns", "a,b,c"], "packed already"),
        (["embed", "PACKED", "--ellipses"], "not for packed ones"),
        (["embed", "CSV", "--workers", "2"], "for packed answers: see tete pack"),
        (["embed", "PACKED", "--workers", "2", "--scheduler", "tcp://localhost:1"], "either --scheduler or --workers"),
        (["check", "ABSENT.tete"], "No such file"),
        (["pack", "CSV", "-o", "other.tete", "--ties", "half"], "do not go with packing"),
    ],
)
def test_mistakes_are_one_sentence(arguments, sentence, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pack_answers(files, "answers.tete")
    told = {"PACKED": "answers.tete", "CSV": "all.csv"}
    result = tete(*(told.get(argument, argument) for argument in arguments))
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())


def test_no_scheduler_is_nobodys_mistake(files, tmp_path):
    distributed = pytest.importorskip("distributed", reason="dask is not installed", exc_type=ImportError)
    pack_answers(files, tmp_path / "a.tete")
    (tmp_path / "a.tete" / "manifest.json").rename(tmp_path / "kept")
    assert "was not finished" in tete("embed", tmp_path / "a.tete").output
    shutil.move(tmp_path / "kept", tmp_path / "a.tete" / "manifest.json")
    result = tete("embed", tmp_path / "a.tete", "--scheduler", "nonsense://host")
    assert result.exit_code == 1
    assert "There is no Dask scheduler at nonsense://host." in result.output
    with pytest.raises(ValueError, match="No clients found"):  # for which Dask's own work would wait
        distributed.default_client()
