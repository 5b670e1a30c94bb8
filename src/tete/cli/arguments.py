"""What the arguments of several commands stand for: answers, a table of features, an estimator, classes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets
    from tete.embedding.fitting import TripletEmbedding
    from tete.io import FeatureTable, Map

__all__ = ["class_label", "read_table", "read_triplets", "triplet_estimator"]


def read_triplets(
    path: str,
    columns: str,
    odd_one_out: bool,
    weight: str | None,
    annotator: str | None,
    no_header: bool,
    encoding: str,
    skip_invalid: bool,
    *,
    names: Sequence[str] | None = None,
) -> "Triplets":
    """Answers as the options say; about the objects of a map, if their names are given."""
    from tete.io import read_answers  # noqa: PLC0415

    return read_answers(
        path,
        columns=[column.strip() for column in columns.split(",")] if columns else None,
        odd_one_out=odd_one_out,
        weight=weight,
        annotator=annotator,
        names=names,
        header=not no_header,
        encoding=encoding,
        skip_invalid=skip_invalid,
    )


def read_table(
    path: str,
    id_column: str | None,
    labels: list[str] | None,
    drop: list[str] | None,
    array: str | None,
    no_header: bool,
    encoding: str,
    *,
    features: Sequence[str] | None = None,
    likely_labels: Sequence[str] = (),
) -> "FeatureTable":
    """Features as the options say."""
    from tete.io import read_features  # noqa: PLC0415

    return read_features(
        path,
        id_column=id_column,
        labels=labels or [],
        drop=drop or [],
        features=features,
        likely_labels=likely_labels,
        array=array,
        header=not no_header,
        encoding=encoding,
    )


def triplet_estimator(method: str, dims: int, t: float | None, t_prime: float | None) -> "TripletEmbedding":
    """The estimator that the options name."""
    given = {name: value for name, value in (("t", t), ("t_prime", t_prime)) if value is not None}
    if given and method != "tete":
        raise typer.BadParameter(f"--{next(iter(given)).replace('_', '-')} is an option of --method tete.")
    from tete.embedding.estimators import CKL, GNMDS, STE, TETE, TSTE  # noqa: PLC0415

    methods: dict[str, type[TripletEmbedding]] = {"tete": TETE, "tste": TSTE, "ste": STE, "ckl": CKL, "gnmds": GNMDS}
    estimator: TripletEmbedding = methods[method](n_components=dims).set_params(**given)
    return estimator


def class_label(found: "Map", label: str | None) -> str | None:
    """The column of classes to measure by: the one that is asked for, or the first there is; no measurement."""
    from tete.drawing.map_picture import is_number_scale  # noqa: PLC0415

    chosen = label if label is not None else found.first_label()
    return None if chosen is None or is_number_scale(found.columns[chosen]) else chosen
