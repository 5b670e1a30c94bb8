"""Data sets of rows on the command line: several files, or a folder to write to, or a cluster."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tete.cli.clusters import Cluster
from tete.cli.messages import print_result
from tete.cli.table_options import TableOptions
from tete.core.printing import table_lines

if TYPE_CHECKING:
    from tete.distributed import PlacedRows

__all__ = ["Saying", "folder_of", "is_data_set", "place_all", "place_rows", "placed_lines", "refuse_options"]


@dataclass(frozen=True)
class Saying:
    """What is printed, and whether files are overwritten."""

    force: bool
    as_json: bool
    quiet: bool

    @property
    def verbose(self) -> bool:
        """Whether to show a progress bar."""
        return sys.stderr.isatty() and not self.quiet and not self.as_json


def is_data_set(tables: Sequence[str], output: Path | None, cluster: Cluster) -> bool:
    """Whether rows are placed part by part: several files, a folder to write to, or a cluster."""
    return len(tables) > 1 or cluster.given or (output is not None and (output.suffix == "" or output.is_dir()))


def refuse_options(**options: Any) -> None:
    """Refuse what is for one table."""
    given = [f"--{name.replace('_', '-')}" for name, value in options.items() if value]
    if given:
        raise typer.BadParameter(f"{given[0]} is for one table that fits into memory, not for a data set.")


def folder_of(output: Path | None) -> Path:
    """The folder to write to."""
    if output is None or (output.suffix != "" and not output.is_dir()):
        got = "nothing" if output is None else str(output)
        raise typer.BadParameter(f"-o must name the folder for the parts of the data set, got {got}.")
    return output


def place_rows(
    model: Path, tables: Sequence[str], reading: TableOptions, output: Path | None, cluster: Cluster, saying: Saying
) -> None:
    """Place a data set, and say so."""
    started = time.perf_counter()
    placed = place_all(model, tables, reading, folder_of(output), cluster, saying)
    rows, result = placed_lines(placed, time.perf_counter() - started)
    print_result(result, "\n".join(table_lines(rows)), saying.as_json, saying.quiet)


def place_all(
    model: Path, tables: Sequence[str], reading: TableOptions, folder: Path, cluster: Cluster, saying: Saying
) -> "PlacedRows":
    """Place all parts that are missing."""
    if reading.array is not None or reading.no_header:
        raise typer.BadParameter("--array and --no-header are not for data sets, which are Parquet or npy files.")
    from tete.distributed import place_dataset  # noqa: PLC0415

    with cluster.client() as client:
        return place_dataset(
            model,
            tables,
            folder,
            client=client,
            id_column=reading.id_column,
            labels=reading.label or [],
            drop=reading.drop or [],
            verbose=saying.verbose,
            force=saying.force,
        )


def placed_lines(placed: "PlacedRows", seconds: float) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """What was done, for people and for machines."""
    parts = f"{placed.n_parts - placed.n_kept:,} of {placed.n_parts:,} parts"
    new = placed.n_rows if placed.n_kept == 0 else None
    speed = "" if new is None else f", {new / seconds:,.0f} a second"
    rows = [("rows placed", f"{placed.n_rows:,}{speed}"), ("parts", f"{parts} placed, {placed.n_kept:,} were there")]
    if placed.n_unlike:
        rows.append(("unlike", f"{placed.n_unlike:,} of them have a novelty above 3: they hardly belong to the map"))
    rows += [("seconds", f"{seconds:.1f} to place them"), ("written", f"{placed.folder} ({placed.n_parts:,} files)")]
    counts = {name: getattr(placed, name) for name in ("n_rows", "n_parts", "n_kept", "n_unlike")}
    return rows, counts | {"seconds": seconds, "written": [str(placed.folder)]}
