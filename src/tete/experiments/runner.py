"""Run the settings of an experiment: in several processes, with a bar, going on where an earlier run stopped."""

import os
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm.auto import tqdm

from tete.experiments.cache import read_outcome, setting_path, write_outcome
from tete.experiments.data import missing_data
from tete.experiments.experiment import Experiment, Maps, Setting
from tete.validation import check_whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Run", "Workers", "run_experiment", "workers"]


@dataclass(frozen=True)
class Run:
    """What a run gave: the tidy table, the maps to draw, and for each data set that is missing, what to do."""

    table: "pd.DataFrame"
    maps: Maps
    missing: Mapping[str, str]


@dataclass(frozen=True)
class Workers:
    """Processes to run settings in (None: this one) and the threads that each may use."""

    pool: ProcessPoolExecutor | None
    n_threads: int
    n_cores: int


@contextmanager
def workers(jobs: int) -> Iterator[Workers]:
    """Make `jobs` processes that share the cores; after an error or Ctrl-C they end at once."""
    check_whole("jobs", jobs, least=1)
    n_cores = os.cpu_count() or 1
    if jobs == 1:
        yield Workers(None, n_cores, n_cores)
        return
    n_threads = max(1, n_cores // jobs)
    # Spawned, because compiled and BLAS threads do not survive a fork.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_prepare_process, initargs=(n_threads,))
    try:
        yield Workers(pool, n_threads, n_cores)
    except BaseException:
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:  # what they work on is lost, what they have finished is kept
            process.terminate()
        raise
    pool.shutdown()


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
    paths = {setting_path(cache, experiment, setting): setting for setting in settings}
    to_do = {path: each for path, each in paths.items() if read_outcome(path, experiment, each) is None}
    with tqdm(total=len(paths), initial=len(paths) - len(to_do), desc=experiment.name, disable=not shown) as bar:
        # In the order of hashes quick and slow settings are well mixed, and the time left is honest.
        for _ in _completed(experiment, team, sorted(to_do.items())):
            bar.update()
    return _gather(experiment, paths, missing)


def _completed(experiment: Experiment, team: Workers, to_do: Sequence[tuple[Path, Setting]]) -> Iterator[None]:
    """Run settings, and say after each that it is done."""
    if team.pool is None or experiment.timed:
        for path, setting in to_do:
            _run_setting(experiment, setting, path, team.n_cores)
            yield
        return
    running: set[Future[None]] = {
        team.pool.submit(_run_setting, experiment, setting, path, team.n_threads) for path, setting in to_do
    }
    while running:
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            future.result()
            yield


def _run_setting(experiment: Experiment, setting: Setting, path: Path, n_jobs: int) -> None:
    write_outcome(path, experiment, setting, experiment.run(setting, n_jobs))


def _gather(experiment: Experiment, paths: Mapping[Path, Setting], missing: Mapping[str, str]) -> Run:
    import pandas as pd  # noqa: PLC0415  (takes half a second)

    rows, maps = [], []
    for path, setting in paths.items():
        outcome = read_outcome(path, experiment, setting)
        if outcome is None:
            raise OSError(5, "A result that was just written cannot be read", str(path))
        rows += [{**setting, **row} for row in outcome.rows]
        if outcome.arrays:
            maps.append((setting, outcome.arrays))
    return Run(pd.DataFrame(rows), maps, missing)


def _prepare_process(n_threads: int) -> None:
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's to handle
    threadpool_limits(n_threads)
