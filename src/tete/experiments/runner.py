"""Run the settings of an experiment: in several processes, with a bar, going on where an earlier run stopped."""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tqdm.auto import tqdm

from tete.core.validation import check_whole
from tete.experiments.cache import identity_of, outcome_path, read_outcome, write_outcome
from tete.experiments.experiment import Experiment, Maps, Outcome, Setting
from tete.experiments.inputs import missing_data
from tete.experiments.processes import Processes, processes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Run", "Workers", "experiment_table", "run_experiment", "usable_cores", "workers"]


@dataclass(frozen=True)
class Run:
    """What a run gave: the tidy table, the maps to draw, and for each data set that is missing, what to do."""

    table: "pd.DataFrame"
    maps: Maps
    missing: Mapping[str, str]


class Task(NamedTuple):
    """A setting to run, and where its outcome goes."""

    path: Path
    identity: str
    setting: Setting


@dataclass(frozen=True)
class Workers:
    """Processes to run settings in (None: this one) and the threads that each may use."""

    pool: Processes | None
    n_threads: int
    n_cores: int


@contextmanager
def workers(jobs: int) -> Iterator[Workers]:
    """Make `jobs` processes that share the cores; after an error or Ctrl-C they end at once."""
    check_whole("jobs", jobs, least=1)
    n_cores = usable_cores()
    if jobs == 1:
        yield Workers(None, n_cores, n_cores)
        return
    with processes(jobs) as pool:
        yield Workers(pool, max(1, n_cores // jobs), n_cores)


def run_experiment(
    experiment: Experiment, team: Workers, *, quick: bool, cache: Path | None = None, shown: bool = False
) -> Run:
    """Run what is not cached yet, and gather everything; without `cache` nothing is kept."""
    if cache is None:
        with tempfile.TemporaryDirectory() as folder:
            return run_experiment(experiment, team, quick=quick, cache=Path(folder), shown=shown)
    wanted = experiment.settings(quick)
    missing = missing_data({str(setting["data"]) for setting in wanted if "data" in setting})
    settings = [setting for setting in wanted if setting.get("data") not in missing]
    tasks = [Task(outcome_path(cache, experiment, each), identity_of(experiment, each), each) for each in settings]
    # In the order of hashes quick and slow settings are well mixed, and the time left is honest.
    to_do = sorted(task for task in tasks if read_outcome(task.path, task.identity) is None)
    with tqdm(total=len(tasks), initial=len(tasks) - len(to_do), desc=experiment.name, disable=not shown) as bar:
        for _ in _completed(experiment, team, to_do):
            bar.update()
    return _gather(tasks, missing)


def experiment_table(
    experiment: Experiment, *, quick: bool = False, cache: Path | None = None, jobs: int = 1
) -> "pd.DataFrame":
    """Run every setting, or read what is cached, and return the tidy table."""
    with workers(jobs) as team:
        return run_experiment(experiment, team, quick=quick, cache=cache).table


def _completed(experiment: Experiment, team: Workers, to_do: Sequence[Task]) -> Iterator[None]:
    """Run settings, and say after each that it is done."""
    if team.pool is None or experiment.timed:
        for task in to_do:
            _run_task(experiment.run, task, team.n_cores)
            yield
        return
    yield from team.pool.completed(_run_task, [(experiment.run, task, team.n_threads) for task in to_do])


def _run_task(run: Callable[[Setting, int], Outcome], task: Task, n_jobs: int) -> None:
    write_outcome(task.path, task.identity, run(task.setting, n_jobs))


def _gather(tasks: Sequence[Task], missing: Mapping[str, str]) -> Run:
    import pandas as pd  # noqa: PLC0415  (takes half a second)

    rows, maps = [], []
    for task in tasks:
        outcome = read_outcome(task.path, task.identity)
        if outcome is None:
            raise OSError(5, "A result that was just written cannot be read", str(task.path))
        rows += [{**task.setting, **row} for row in outcome.rows]
        if outcome.arrays:
            maps.append((task.setting, outcome.arrays))
    return Run(pd.DataFrame(rows), maps, missing)


def usable_cores() -> int:
    """The cores that this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
