"""Options of the command reduce that say what kind of map is made."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tete.cli import options
from tete.cli.arguments import refuse_metrics_of_python

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

        name = "ListwiseTETE" if self.method == "listwise" else "WeightedTETE"
        refuse_metrics_of_python(self.metric, f"{name}(metric={self.metric!r}, metric_params=...)")
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
