"""Running settings: nothing twice (`experiments.cache`), on after an interruption, in processes, without the data."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from tete.drawing.figures import new_figure
from tete.exceptions import InvalidParameterError
from tete.experiments import inputs
from tete.experiments.cache import identity_of, outcome_path, read_outcome
from tete.experiments.experiment import Experiment, Outcome
from tete.experiments.runner import experiment_table, run_experiment, workers


def settings(quick):
    return [{"seed": seed, "x": 0.5} for seed in range(4)]


def run(setting, n_jobs):
    value = float(np.random.default_rng(setting["seed"]).random())
    return Outcome([{"value": value, "part": part} for part in ("a", "b")], {"map": np.full((2, 2), value)})


TOY = Experiment(
    name="toy",
    title="Toy",
    version="1",
    paper="",
    protocol=(),
    settings=settings,
    run=run,
    draw=lambda table, maps: new_figure()[0],
    summary=lambda table: table,
    claims=lambda table: [],
)


class Counting:
    """A run function that remembers what it was asked, and can be told to stop."""

    def __init__(self, stop_after=None):
        self.seen, self.stop_after = [], stop_after

    def __call__(self, setting, n_jobs):
        if self.stop_after is not None and len(self.seen) == self.stop_after:
            raise KeyboardInterrupt
        self.seen.append(setting["seed"])
        return run(setting, n_jobs)


def go(experiment, cache, jobs=1):
    with workers(jobs) as team:
        return run_experiment(experiment, team, quick=True, cache=cache)


def counting(**details):
    counter = Counting(**details)
    return counter, dataclasses.replace(TOY, run=counter)


def test_the_table_has_settings_and_rows_in_order(tmp_path):
    found = go(TOY, tmp_path)
    assert list(found.table.columns) == ["seed", "x", "value", "part"]
    assert found.table["seed"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert len(found.maps) == 4
    setting, arrays = found.maps[2]
    assert setting["seed"] == 2
    np.testing.assert_array_equal(arrays["map"], found.table["value"][4])


def test_nothing_is_computed_twice(tmp_path):
    first = go(TOY, tmp_path)
    counter, experiment = counting()
    again = go(experiment, tmp_path)
    assert counter.seen == []
    pd.testing.assert_frame_equal(first.table, again.table)


def test_an_interrupted_run_goes_on(tmp_path):
    counter, experiment = counting(stop_after=2)
    with pytest.raises(KeyboardInterrupt):
        go(experiment, tmp_path)
    later, experiment = counting()
    table = go(experiment, tmp_path).table
    assert sorted(counter.seen + later.seen) == [0, 1, 2, 3]
    pd.testing.assert_frame_equal(table, go(TOY, tmp_path / "fresh").table)


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 half a file", b"not an archive"])
def test_a_damaged_result_is_computed_anew(tmp_path, damage):
    expected = go(TOY, tmp_path).table
    outcome_path(tmp_path, TOY, settings(True)[1]).write_bytes(damage)
    counter, experiment = counting()
    assert go(experiment, tmp_path).table.equals(expected)
    assert counter.seen == [1]


def test_a_truncated_result_is_computed_anew(tmp_path):
    go(TOY, tmp_path)
    path = outcome_path(tmp_path, TOY, settings(True)[0])
    path.write_bytes(path.read_bytes()[:-40])
    counter, experiment = counting()
    go(experiment, tmp_path)
    assert counter.seen == [0]


def test_another_version_or_setting_is_another_result(tmp_path):
    go(TOY, tmp_path)
    counter, experiment = counting()
    go(dataclasses.replace(experiment, version="2"), tmp_path)
    assert sorted(counter.seen) == [0, 1, 2, 3]
    one, other = settings(True)[:2]
    moved = outcome_path(tmp_path, TOY, one)
    assert read_outcome(moved, identity_of(TOY, one)) is not None
    assert read_outcome(moved, identity_of(TOY, other)) is None  # a file under a wrong name


def test_processes_give_the_same_table(tmp_path):
    pd.testing.assert_frame_equal(go(TOY, tmp_path / "one").table, go(TOY, tmp_path / "two", jobs=2).table)


def test_an_error_in_a_process_arrives(tmp_path):
    with pytest.raises(ZeroDivisionError):
        go(dataclasses.replace(TOY, run=fail), tmp_path, jobs=2)


def fail(setting, n_jobs):
    return 1 / 0


def test_missing_data_leave_out_their_part(tmp_path, monkeypatch):
    def absent():
        raise FileNotFoundError("put the file there")

    monkeypatch.setitem(inputs.SOURCES, "MNIST", absent)
    inputs.load.cache_clear()
    both = dataclasses.replace(TOY, settings=lambda quick: [{"data": "MNIST", "seed": 0}, {"data": "Wine", "seed": 1}])
    found = go(both, tmp_path)
    assert found.missing == {"MNIST": "put the file there"}
    assert set(found.table["data"]) == {"Wine"}


def test_without_a_cache_nothing_is_kept():
    assert len(experiment_table(TOY, quick=True)) == 8


def test_jobs_must_be_positive():
    with pytest.raises(InvalidParameterError, match="`jobs` must be a whole number"), workers(0):
        pass
