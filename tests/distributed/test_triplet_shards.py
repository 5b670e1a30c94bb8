"""Tests of packed answers: also of `distributed.columns`, `distributed.dask_frames`, `distributed.folders`,
`distributed.manifest`, `distributed.shard_files`, `distributed.shard_writer`, `distributed.streaming` and
`embedding.packed`.
"""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from samples import random_triplets
from tete import STE, TETE, Triplets
from tete.datasets import make_uniform_triplets
from tete.distributed import TripletShards
from tete.exceptions import ClusterError, InvalidFileError, InvalidParameterError, OutputExistsError
from tete.reliability.fit_report import fit_and_report


@pytest.fixture
def triplets(rng):
    found = make_uniform_triplets(rng.normal(size=(40, 2)), 9000, random_state=0)
    return Triplets.from_array(found.to_array(), weights=rng.exponential(size=9000), n_objects=40)


@pytest.fixture
def shards(triplets, tmp_path):
    return TripletShards.write(tmp_path / "answers.tete", triplets, rows_in_a_shard=1000)


def test_everything_comes_back(rng, tmp_path):
    triplets = Triplets.from_array(
        random_triplets(rng).to_array(),
        weights=rng.exponential(size=200),
        annotators=rng.choice(["ann", "bob"], 200),
        answers=np.repeat(np.arange(100), 2),
        groups=np.repeat(rng.choice(["x", "y", "z"], 100), 2),
        names=[f"object {number}" for number in range(12)],
    )
    shards = TripletShards.write(tmp_path / "a.tete", triplets, rows_in_a_shard=64)
    back = shards.sample()
    assert len(shards) == 200
    assert shards.n_answers == 100
    assert back.names == triplets.names
    np.testing.assert_array_equal(back.to_array(), triplets.to_array())
    np.testing.assert_array_equal(back.weights, triplets.weights)
    np.testing.assert_array_equal(back.annotators, triplets.annotators)
    np.testing.assert_array_equal(back.answers, triplets.answers)
    same = triplets.groups[:, None] == triplets.groups
    np.testing.assert_array_equal(back.groups[:, None] == back.groups, same)
    assert sum(shards.answers_per_annotator.values()) == 100
    np.testing.assert_array_equal(shards.mentions(), triplets.mentions())


@pytest.mark.parametrize(
    "estimator", [TETE(t=2, t_prime=2), TETE(t=1.5, t_prime=1.3), TETE(), STE(3), TETE(init="random", random_state=0)]
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_from_disk_has_the_bits_of_a_fit_from_memory(estimator, n_jobs, triplets, shards):
    streamed = estimator.set_params(max_iter=60, n_jobs=n_jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few iterations
        from_disk = streamed.fit(shards).embedding_.copy()
        from_memory = streamed.fit(triplets).embedding_
    np.testing.assert_array_equal(from_disk, from_memory)


def test_parts_and_objects_without_answers_change_no_bits(rng, tmp_path):
    one = random_triplets(rng, n_objects=80, n_triplets=6000).to_array()
    rows = rng.permutation(np.concatenate([one, one[:3000] + 85]))
    triplets = Triplets.from_array(rows, n_objects=170)
    shards = TripletShards.write(tmp_path / "a.tete", triplets, rows_in_a_shard=700)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of parts, and of objects without answers
        model = TETE(t=2, t_prime=2, max_iter=40)
        np.testing.assert_array_equal(model.fit(shards).embedding_.copy(), model.fit(triplets).embedding_)


def test_answers_of_no_weight_are_left_out(triplets, tmp_path):
    weights = np.where(np.arange(len(triplets)) % 3 == 0, 0.0, triplets.weights)
    some = Triplets.from_array(triplets.to_array(), weights=weights)
    shards = TripletShards.write(tmp_path / "a.tete", some)
    assert len(shards) == 6000
    model = TETE(t=2, t_prime=2)
    np.testing.assert_array_equal(model.fit(shards).embedding_.copy(), model.fit(some).embedding_)


def test_packed_answers_leave_no_trust_behind(triplets, shards):
    model = TETE(t=2, t_prime=2).fit(triplets)
    assert not hasattr(model.fit(shards), "triplet_trust_")
    assert model.answer_model() == TETE(t=2, t_prime=2).fit(triplets).answer_model()


def test_a_sample_has_all_answers_to_its_questions(shards, triplets):
    sample = shards.sample(2000)
    assert 1600 < len(sample) < 2400
    asked = {(a, *sorted((n, f))) for a, n, f in sample.to_array().tolist()}
    inside = [row for row in triplets.to_array().tolist() if (row[0], *sorted(row[1:])) in asked]
    assert sample.to_array().tolist() == inside


def test_what_is_held_out_is_not_fitted(shards, triplets):
    others, sample = shards.hold_out(500)
    assert len(others) + len(sample) == len(triplets)
    rest = others.sample()
    assert len(rest) == len(others)
    assert rest.weights.sum() == pytest.approx(others.total_weight)
    np.testing.assert_array_equal(rest.mentions(), others.mentions())
    drawn = {tuple(row) for row in sample.to_array().tolist()}
    assert not drawn & {tuple(row) for row in rest.to_array().tolist()}
    model = TETE(t=2, t_prime=2)
    np.testing.assert_allclose(model.map_of(others), model.map_of(rest), atol=0.05)


@pytest.mark.parametrize("given", [{"y": [1]}, {"sample_weight": [1.0]}, {"n_objects": 50}, {"fixed": {0: [0, 0]}}])
def test_what_does_not_go_with_packed_answers(given, shards):
    with pytest.raises(InvalidParameterError, match="must be None with packed answers"):
        TETE().fit(shards, **given)


def test_a_folder_that_is_there_is_kept(shards, triplets):
    with pytest.raises(OutputExistsError, match="exists already: force=True overwrites it"):
        TripletShards.write(shards.path, triplets)
    again = TripletShards.write(shards.path, triplets.select(np.arange(100)), force=True)
    assert len(again) == 100
    assert [path.name for path in shards.path.parent.iterdir()] == ["answers.tete"]


def spoil_byte(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "spoil", "sentence"),
    [
        ("manifest.json", lambda path: path.unlink(), "was not finished: it has no manifest.json"),
        ("manifest.json", lambda path: path.write_text("{"), "manifest.json is not JSON"),
        ("manifest.json", lambda path: path.write_text("[" * 100_000), "manifest.json is not JSON"),
        ("manifest.json", lambda path: path.write_text("{}"), "another kind of file"),
        ("names.json", lambda path: path.write_text("[]"), "names.json is missing or has changed"),
        ("000003.shard", lambda path: path.unlink(), "000003.shard is missing"),
        ("000003.shard", lambda path: path.write_bytes(b"short"), "000003.shard has 5 bytes, expected 20,000"),
        ("000003.shard", spoil_byte, "the content of 000003.shard has changed"),
    ],
)
def test_damaged_folders_are_refused_in_one_sentence(name, spoil, sentence, shards):
    spoil(shards.path / name)
    with pytest.raises(InvalidFileError, match=sentence):
        TETE(t=2, t_prime=2).fit(TripletShards(shards.path))


@pytest.mark.parametrize("edit", [{"n_objects": 3}, {"shards": [["000000.shard", np.inf, ""]]}])
def test_a_manifest_that_was_edited_is_refused(edit, shards):
    path = shards.path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | edit))
    with pytest.raises(InvalidFileError, match=r"manifest.json has changed since it was written"):
        TripletShards(shards.path)


def test_a_later_format_is_refused(shards):
    path = shards.path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 9}))
    with pytest.raises(InvalidFileError, match="version 9 of the format, expected 1"):
        TripletShards(shards.path)


def test_a_dask_data_frame_is_packed(rng, tmp_path):
    dd = pytest.importorskip("dask.dataframe", reason="dask is not installed", exc_type=ImportError)
    rows = random_triplets(rng).to_array()
    names = np.array([f"object {number:02}" for number in range(12)])
    frame = pd.DataFrame(names[rows], columns=["anchor", "near", "far"]).assign(
        weight=rng.exponential(size=200), annotator=rng.choice(["ann", "bob"], 200)
    )
    shards = TripletShards.from_dask(dd.from_pandas(frame, npartitions=3), tmp_path / "a.tete")
    expected = Triplets.from_frame(frame)
    back = shards.sample()
    assert back.names == expected.names
    np.testing.assert_array_equal(back.to_array(), expected.to_array())
    np.testing.assert_array_equal(back.weights, expected.weights)
    np.testing.assert_array_equal(back.annotators, expected.annotators)


def test_a_map_that_was_found_is_not_lost_with_the_cluster_that_tests_it(tmp_path, monkeypatch):
    places = np.random.default_rng(0).normal(size=(30, 2))
    shards = TripletShards.write(tmp_path / "a.tete", make_uniform_triplets(places, 4000, random_state=0))
    path, estimator = tmp_path / "fit.npz", TETE(t=2, t_prime=2)

    def lose(*_):
        raise ClusterError("The scheduler of the cluster was lost.")

    with monkeypatch.context() as patched:
        patched.setattr("tete.reliability.fit_report.held_out_sample", lose)
        with pytest.raises(ClusterError):
            fit_and_report(estimator, shards, checkpoint=path)
    n_made = len(np.load(path)["history"])
    fitted, report = fit_and_report(estimator, shards, checkpoint=path)
    assert n_made <= fitted.n_iter_ <= n_made + 3
    assert report.held_out_accuracy is not None
    assert fitted.loss_ == pytest.approx(TETE(t=2, t_prime=2).fit(shards).loss_, rel=1e-3)
    assert not path.exists()
