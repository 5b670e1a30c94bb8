"""Run experiments and write what a reader needs: tables, pictures, verdicts and the report."""

import importlib.util
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from tete.drawing.figures import new_figure
from tete.exceptions import InvalidParameterError, OutputExistsError, Parameter
from tete.experiments import EXPERIMENT_NAMES, load_experiment
from tete.experiments.experiment import Claim, Experiment
from tete.experiments.runner import Run, Workers, run_experiment, usable_cores, workers
from tete.io.writing import atomic_write, write_frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Chapter", "check_folder", "chosen_names", "machine", "reproduce"]

CACHE = "cache"
SMALL_PICTURE = 100_000  # bytes of the small pictures, for a README
PACKAGES = ("tete", "numpy", "scipy", "scikit-learn", "numba", "openTSNE")


@dataclass(frozen=True)
class Chapter:
    """What one experiment contributes to the report; without its data it has no table."""

    experiment: Experiment
    summary: "pd.DataFrame | None"
    picture: bytes | None
    claims: Sequence[Claim]
    missing: Mapping[str, str]


def chosen_names(names: Sequence[str]) -> list[str]:
    """The experiments that are meant, in their own order; none means all. What they need must be installed."""
    unknown = [name for name in names if name not in (*EXPERIMENT_NAMES, "all")]
    if unknown:
        raise InvalidParameterError(
            f"There is no experiment {unknown[0]!r}: choose from {', '.join(EXPERIMENT_NAMES)} or all."
        )
    chosen = [name for name in EXPERIMENT_NAMES if name in names or "all" in names or not names]
    new_figure()  # says what to install if matplotlib is missing
    if "figure6" in chosen and importlib.util.find_spec("openTSNE") is None:
        raise ImportError("figure6 needs openTSNE: pip install 'tete[experiments]'")
    return chosen


def check_folder(folder: Path) -> None:
    """Make the folder, and refuse one that holds anything but an earlier run."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()) and not (folder / CACHE).is_dir():
        raise OutputExistsError(
            f"{folder} has files that are no earlier run's: name another ", Parameter("folder"), "."
        )
    (folder / CACHE).mkdir(exist_ok=True)


def reproduce(
    names: Sequence[str], folder: Path, *, quick: bool = False, jobs: int = 1, shown: bool = False
) -> Iterator[Chapter]:
    """Run experiments one after the other, and write tables and pictures of each to the folder."""
    chosen = chosen_names(names)
    check_folder(folder)
    with workers(jobs) as team:
        for name in chosen:
            yield _chapter(load_experiment(name), folder, team, quick=quick, shown=shown)


def _chapter(experiment: Experiment, folder: Path, team: Workers, *, quick: bool, shown: bool) -> Chapter:
    run = run_experiment(experiment, team, quick=quick, cache=folder / CACHE, shown=shown)
    if run.table.empty:
        return Chapter(experiment, None, None, [], run.missing)
    table = _through_file(folder / f"{experiment.name}.csv", run.table)
    summary = _through_file(folder / f"{experiment.name}_summary.csv", experiment.summary(table))
    return Chapter(
        experiment, summary, _pictures(experiment, folder, table, run), experiment.claims(table), run.missing
    )


def _through_file(path: Path, table: "pd.DataFrame") -> "pd.DataFrame":
    """Write a table and read it again, so that what the report says is what the file says."""
    import pandas as pd  # noqa: PLC0415

    write_frame(path, table, force=True)
    return pd.read_csv(path)


def _pictures(experiment: Experiment, folder: Path, table: "pd.DataFrame", run: Run) -> bytes:
    """The picture for the report, also as a file, and a small one."""
    figure = experiment.draw(table, run.maps)
    picture = _as_png(figure, 110.0)
    for path, content in (
        (folder / f"{experiment.name}.png", picture),
        (folder / f"{experiment.name}_small.png", _small_png(figure)),
    ):
        with atomic_write(path, force=True) as stream:
            stream.write(content)
    return picture


def _as_png(figure: "Figure", dpi: float) -> bytes:
    stream = BytesIO()
    figure.savefig(stream, format="png", dpi=dpi)
    return stream.getvalue()


def _small_png(figure: "Figure") -> bytes:
    """A picture with few colours, as large as it can be in `SMALL_PICTURE` bytes."""
    from PIL import Image  # noqa: PLC0415  (comes with matplotlib)

    width, height = figure.get_size_inches()
    full = Image.open(BytesIO(_as_png(figure, 110.0))).convert("RGB")
    for pixels in (1200, 1000, 850, 700, 550, 400):
        stream = BytesIO()
        size = (pixels, round(pixels * height / width))
        full.resize(size, Image.Resampling.LANCZOS).quantize(64, dither=Image.Dither.NONE).save(
            stream, format="PNG", optimize=True
        )
        if len(stream.getvalue()) < SMALL_PICTURE:
            break
    return stream.getvalue()


def machine() -> str:
    """On what the run was made."""
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:  # an extra, or the package itself in a folder on the path
            continue
    return f"{platform.machine()}, {usable_cores()} cores, Python {platform.python_version()}, {', '.join(found)}"
