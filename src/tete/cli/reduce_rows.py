"""What `tete reduce --landmarks` does: a map of some rows of a data set, on which all rows are placed."""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tete.cli.clusters import Cluster
from tete.cli.encoding_tables import encoded, with_encoder
from tete.cli.map_options import MapOptions
from tete.cli.messages import print_result, said_of
from tete.cli.outputs import Outputs, map_of
from tete.cli.row_sets import Saying, folder_of, place_all, placed_lines
from tete.cli.table_options import TableOptions
from tete.core.printing import table_lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tete.distributed.row_parts import RowPart
    from tete.reduction.feature_map import FeatureMap

__all__ = ["RowsRun"]


@dataclass(frozen=True)
class RowsRun:
    """A data set, what is fitted to its landmarks, and what is said of the fit."""

    tables: Sequence[str]
    landmarks: str
    estimator: "FeatureMap"
    making: MapOptions
    reading: TableOptions
    model: Path | None
    summary: Callable[..., tuple[dict[str, Any], list[str]]]

    def do(self, output: Path | None, cluster: Cluster, saying: Saying) -> None:
        """Fit, unless an earlier run has, place what is missing, and say so."""
        from tete.distributed.placing import MODEL  # noqa: PLC0415
        from tete.distributed.row_parts import row_parts  # noqa: PLC0415

        folder = folder_of(output)
        parts = row_parts(self.tables)
        rows = self._rows(sum(part.n_rows for part in parts))
        model = folder / MODEL if self.model is None else self.model
        made_from = self._made_from(parts)
        said: tuple[dict[str, Any], list[str]] = ({}, [])
        if saying.force or not _is_fitted(folder, model, made_from):
            said = self._fit(parts, rows, folder, model, made_from, saying)
        started = time.perf_counter()
        placed = place_all(model, self.tables, self.reading, folder, cluster, saying)
        lines, counts = placed_lines(placed, time.perf_counter() - started)
        result = {"landmarks": {"n_rows": len(rows), **said[0]}, **counts}
        result["written"] = [str(folder), str(model)]
        text = [*table_lines([("landmarks", f"{len(rows):,} rows")]), *said[1], *table_lines(lines)]
        print_result(result, "\n".join(text), saying.as_json, saying.quiet)

    def _rows(self, n_rows: int) -> "NDArray[Any]":
        """Numbers of the landmarks."""
        from tete.distributed.landmarks import given_rows, landmark_rows  # noqa: PLC0415
        from tete.io.array_files import read_array  # noqa: PLC0415
        from tete.io.sources import Source  # noqa: PLC0415

        if self.landmarks.isdecimal() and int(self.landmarks) >= 3:
            return landmark_rows(n_rows, int(self.landmarks), self.making.seed)
        if not self.landmarks.endswith(".npy"):
            raise typer.BadParameter(
                "--landmarks must be a whole number from 3 on, or an npy file of row numbers or truth values, "
                f"got {self.landmarks!r}."
            )
        with said_of(self.landmarks):
            return given_rows(read_array(Source.of(self.landmarks)), n_rows)

    def _made_from(self, parts: Sequence["RowPart"]) -> str:
        """Names the rows, the landmarks and all options that the map depends on."""
        states = [part.state() for part in parts]
        known = repr((states, self.landmarks, self.making, self.reading)).encode()
        if self.landmarks.endswith(".npy"):
            known += Path(self.landmarks).read_bytes()
        return hashlib.blake2b(known, digest_size=16).hexdigest()

    def _fit(
        self,
        parts: Sequence["RowPart"],
        rows: "NDArray[Any]",
        folder: Path,
        model: Path,
        made_from: str,
        saying: Saying,
    ) -> tuple[dict[str, Any], list[str]]:
        from tete.distributed.landmarks import read_rows  # noqa: PLC0415
        from tete.distributed.part_placing import model_digest  # noqa: PLC0415
        from tete.distributed.placing import check_folder, write_placed_manifest  # noqa: PLC0415

        check_folder(folder, self.tables)
        outputs = Outputs(model=model, force=saying.force)
        outputs.check()
        features = read_rows(parts, rows, self._wanted(), mixed=self.estimator.metric != "precomputed")
        started = time.perf_counter()
        with said_of(f"landmarks of {self.tables[0]}"):
            making = self.making
            encoder, features = encoded(
                features, metric=making.metric, standardize=making.standardize, ordered=making.ordered
            )
            self.estimator.set_params(standardize=bool(making.standardize) and encoder is None).fit(features.X)
        seconds = time.perf_counter() - started
        found = map_of(features, self.estimator.embedding_)
        outputs.write_model(with_encoder(encoder, self.estimator), found)
        write_placed_manifest(folder, model_digest(model), made_from)
        if saying.quiet and not saying.as_json:
            return {}, []
        return self.summary(features, found, self.estimator, seconds, encoder)

    def _wanted(self) -> Any:
        from tete.io.feature_columns import Wanted  # noqa: PLC0415

        return Wanted(self.reading.id_column, tuple(self.reading.label or ()), tuple(self.reading.drop or ()))


def _is_fitted(folder: Path, model: Path, made_from: str) -> bool:
    """Whether an earlier run has fitted this very map; another map's folder is refused."""
    from tete.distributed.part_placing import model_digest  # noqa: PLC0415
    from tete.distributed.placing import placed_manifest  # noqa: PLC0415
    from tete.exceptions import OutputExistsError, Parameter  # noqa: PLC0415

    manifest = placed_manifest(folder)
    if manifest is None:
        return False
    if manifest["made_from"] != made_from:
        raise OutputExistsError(
            f"{folder} was made from other rows or with other options: ", Parameter("force", True), " makes it anew."
        )
    return model.exists() and model_digest(model) == manifest["model"]
