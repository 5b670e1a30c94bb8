"""Options of the commands that make maps from answers: what kind of map, told once."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from tete.embedding.fitting import TripletEmbedding

__all__ = ["AnyEmbeddingOptions", "EmbeddingOptions"]


@dataclass(frozen=True)
class EmbeddingOptions:
    """What the command line says of a map by t-ETE."""

    dims: Annotated[int, typer.Option(min=1, help="Dimensions of the map.")] = 2
    t: Annotated[
        float | None, typer.Option("--t", help="Robustness of tete, from 1 to 2. Default: chosen by answers held out.")
    ] = None
    t_prime: Annotated[
        float | None,
        typer.Option("--t-prime", help="Tail of tete's kernel, from 1 to 2. Default: chosen by answers held out."),
    ] = None
    kernel: Annotated[
        Literal["auto", "squared", "distance"],
        typer.Option(help="What tete compares: squared distances, or plain ones, which have no --t-prime."),
    ] = "auto"

    def estimator(self, method: str = "tete") -> "TripletEmbedding":
        """The estimator that they name."""
        of_tete = {"t": self.t, "t_prime": self.t_prime, "kernel": None if self.kernel == "auto" else self.kernel}
        given = {name: value for name, value in of_tete.items() if value is not None}
        if given and method != "tete":
            raise typer.BadParameter(f"--{next(iter(given)).replace('_', '-')} is an option of --method tete.")
        from tete.embedding.estimators import CKL, GNMDS, SOE, STE, TETE, TSTE  # noqa: PLC0415

        methods: dict[str, type[TripletEmbedding]] = {
            each.__name__.lower(): each for each in (TETE, TSTE, STE, CKL, GNMDS, SOE)
        }
        estimator: TripletEmbedding = methods[method](n_components=self.dims).set_params(**given)
        return estimator


@dataclass(frozen=True)
class AnyEmbeddingOptions(EmbeddingOptions):
    """What the command line says of a map by any of the methods."""

    method: Annotated[
        Literal["tete", "tste", "ste", "ckl", "gnmds", "soe"], typer.Option(help="Kind of embedding.")
    ] = "tete"
