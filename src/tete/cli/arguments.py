"""What the arguments of several commands stand for: maps, classes and metrics."""

from typing import TYPE_CHECKING

from tete.cli import options

if TYPE_CHECKING:
    from tete.io import Map

__all__ = ["class_label", "read_map_file", "refuse_metrics_of_python"]


def read_map_file(path: str, coordinates: str, encoding: str) -> "Map":
    """A map as the options say."""
    from tete.io import read_map  # noqa: PLC0415

    return read_map(path, coordinates=options.listed(coordinates), encoding=encoding)


def class_label(found: "Map", label: str | None) -> str | None:
    """The column of classes to measure by: the one that is asked for, or the first there is; no measurement."""
    from tete.drawing.map_picture import is_number_scale  # noqa: PLC0415

    chosen = label if label is not None else found.first_label()
    return None if chosen is None or is_number_scale(found.columns[chosen]) else chosen


def refuse_metrics_of_python(metric: str, instead: str) -> None:
    """Refuse a metric that does nothing without parameters, for which there are no options."""
    from tete.exceptions import InvalidParameterError  # noqa: PLC0415
    from tete.reduction.metric_names import NEEDED  # noqa: PLC0415

    if metric in NEEDED:
        raise InvalidParameterError(f"--metric {metric} needs parameters, which only Python can give: {instead}.")
