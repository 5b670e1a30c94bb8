"""Options of the command reduce that say what kind of map is made."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tete.cli import options

if TYPE_CHECKING:
    from tete.reduction.feature_map import FeatureMap

__all__ = ["MapOptions"]


@dataclass(frozen=True)
class MapOptions:
    """What the command line says of the map and how it is found."""

    method: Annotated[
        Literal["listwise", "weighted"],
        typer.Option(help="listwise: neighbourhoods and classes; weighted: surfaces and the shape of the whole."),
    ] = "listwise"
    quality: Annotated[
        Literal["fast", "default", "high"] | None, typer.Option(help="Speed against quality, of listwise.")
    ] = None
    exaggeration: Annotated[
        float | None, typer.Option(help="From 1: more gives compact groups with gaps between them, of listwise.")
    ] = None
    dims: Annotated[int, typer.Option(min=1, help="Dimensions of the map.")] = 2
    neighbors: Annotated[int | None, typer.Option(min=1, help="Neighbours of a row that shall stay near.")] = None
    metric: Annotated[
        str, typer.Option(help="euclidean, cosine, manhattan, ...; or precomputed: the table has distances.")
    ] = "euclidean"
    standardize: options.Standardize = None
    ordered: options.Ordered = None
    seed: Annotated[int, typer.Option(help="Seed of all draws.")] = 0

    def estimator(self, *, verbose: bool) -> "FeatureMap":
        """The estimator that they name."""
        of_listwise = {"quality": self.quality, "exaggeration": self.exaggeration}
        given = {name: value for name, value in of_listwise.items() if value is not None}
        if given and self.method != "listwise":
            raise typer.BadParameter(f"--{next(iter(given))} is an option of --method listwise.")
        from tete.reduction.estimators import ListwiseTETE, WeightedTETE  # noqa: PLC0415

        self._refuse_parameters()
        estimator = ListwiseTETE(**given) if self.method == "listwise" else WeightedTETE()  # type: ignore[arg-type]
        if self.neighbors is not None:
            estimator.set_params(n_neighbors=self.neighbors)
        estimator.set_params(
            n_components=self.dims,
            metric=self.metric,
            standardize=bool(self.standardize),
            random_state=self.seed,
            verbose=verbose,
        )
        return estimator

    def _refuse_parameters(self) -> None:
        """Refuse a metric that does nothing without parameters, for which there are no options."""
        from tete.exceptions import InvalidParameterError  # noqa: PLC0415
        from tete.reduction.metric_names import NEEDED  # noqa: PLC0415

        if self.metric in NEEDED:
            method = "ListwiseTETE" if self.method == "listwise" else "WeightedTETE"
            raise InvalidParameterError(
                f"--metric {self.metric} needs parameters, which only Python can give: "
                f"{method}(metric={self.metric!r}, metric_params=...)."
            )
