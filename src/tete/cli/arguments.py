"""What the arguments of several commands stand for: answers, an estimator, classes."""

from typing import TYPE_CHECKING

import typer

from tete.cli import options

if TYPE_CHECKING:
    from tete.embedding.fitting import TripletEmbedding
    from tete.io import Map

__all__ = ["class_label", "read_map_file", "triplet_estimator"]


def read_map_file(path: str, coordinates: str, encoding: str) -> "Map":
    """A map as the options say."""
    from tete.io import read_map  # noqa: PLC0415

    return read_map(path, coordinates=options.listed(coordinates), encoding=encoding)


def triplet_estimator(
    method: str, dims: int, t: float | None, t_prime: float | None, kernel: str = "auto"
) -> "TripletEmbedding":
    """The estimator that the options name."""
    of_tete = {"t": t, "t_prime": t_prime, "kernel": None if kernel == "auto" else kernel}
    given = {name: value for name, value in of_tete.items() if value is not None}
    if given and method != "tete":
        raise typer.BadParameter(f"--{next(iter(given)).replace('_', '-')} is an option of --method tete.")
    from tete.embedding.estimators import CKL, GNMDS, SOE, STE, TETE, TSTE  # noqa: PLC0415

    methods: dict[str, type[TripletEmbedding]] = {
        each.__name__.lower(): each for each in (TETE, TSTE, STE, CKL, GNMDS, SOE)
    }
    estimator: TripletEmbedding = methods[method](n_components=dims).set_params(**given)
    return estimator


def class_label(found: "Map", label: str | None) -> str | None:
    """The column of classes to measure by: the one that is asked for, or the first there is; no measurement."""
    from tete.drawing.map_picture import is_number_scale  # noqa: PLC0415

    chosen = label if label is not None else found.first_label()
    return None if chosen is None or is_number_scale(found.columns[chosen]) else chosen
