"""What commands write: maps, pictures, pages and whatever else; checked before any work is done."""

from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from tete.core.printing import rows_under, table_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tete.comparisons.triplets import Triplets
    from tete.io import FeatureTable, Map
    from tete.reliability.trust_report import TrustReport
    from tete.reliability.uncertainty import Uncertainty

__all__ = ["Looks", "Outputs", "check_label", "map_of", "page_details", "page_images"]

MOST_NAMES_DRAWN = 20_000  # of more objects, hardly a name would find room in a picture
FEW_CLASSES = 20  # whose names find room in a picture
MOST_CLASSES_KEPT = 1000  # with a model; more have no colours of their own
MOST_NUMBERS_DRAWN = 60  # row numbers say little: they are written beside few points only
EXTENSIONS = {
    "page": (".html", ".htm"),
    "model": (".npz",),
    "trust": (".csv", ".tsv", ".parquet", ".json"),
    "ellipses": (".csv", ".tsv", ".parquet", ".json"),
    "questions": (".csv", ".tsv", ".json"),
}


@dataclass(frozen=True)
class Looks:
    """How classes are drawn: their colours where some are given, and whether their names are written in their midst."""

    colors: "Mapping[str, str]" = field(default_factory=dict)
    class_names: bool = False

    @classmethod
    def of_options(cls, colors: "Sequence[str] | None", class_names: bool) -> "Looks":
        """From options like oak=#1f77b4."""
        from tete.drawing.class_order import given_colors  # noqa: PLC0415

        pairs = [option.rpartition("=") for option in colors or []]
        for name, equals, color in pairs:
            if not (name and equals):
                raise typer.BadParameter(f"--color must be like oak=#1f77b4, got {color!r}.")
        return cls(given_colors({name: color for name, _, color in pairs}), class_names)

    def column_of(self, shown: "Map", known: "Mapping[str, Sequence[str]]") -> str | None:
        """The column of classes to draw where these looks are asked for, also if all objects have one class.

        One with the classes whose colours are given comes first, then those that the map knows, those of few classes.
        """
        if not (self.colors or self.class_names):
            return None
        classes = {name: known.get(name, each) for name, each in _classes_of(shown.columns).items()}

        def rank(name: str) -> tuple[bool, bool, bool]:
            return not self.colors.keys() & set(classes[name]), name not in known, len(classes[name]) > FEW_CLASSES

        return min(classes, key=rank, default=None)

    def check_classes(
        self, columns: "Mapping[str, NDArray[Any]]", known: "Mapping[str, Sequence[str]] | None" = None
    ) -> None:
        """Refuse the colour of a class that neither the columns nor the `known` classes of a map have."""
        if not self.colors:
            return
        from tete.exceptions import InvalidParameterError  # noqa: PLC0415

        classes = dict.fromkeys(name for each in [known or {}, _classes_of(columns)] for name in chain(*each.values()))
        unknown = next((name for name in self.colors if name not in classes), None)
        if unknown is not None:
            listed = ", ".join(map(repr, list(classes)[:8])) + (", ..." if len(classes) > 8 else "")
            raise InvalidParameterError(f"--color must name one of the classes {listed or '(none)'}, got {unknown!r}.")

    def as_arguments(self) -> dict[str, Any]:
        """What pictures and pages take."""
        return {"colors": self.colors, "class_names": self.class_names}


@dataclass(frozen=True)
class Outputs:
    """The files that the options of a command name, None where there is none, and how to write them."""

    map: Path | None = None
    plot: Path | None = None
    page: Path | None = None
    model: Path | None = None
    trust: Path | None = None
    questions: Path | None = None
    ellipses: Path | None = None
    theme: Literal["light", "dark"] = "light"
    force: bool = False

    @property
    def written(self) -> list[str]:
        """The files, for the summary."""
        paths = (self.map, self.plot, self.page, self.model, self.trust, self.questions, self.ellipses)
        return [str(path) for path in paths if path is not None]

    @property
    def written_lines(self) -> list[str]:
        """The lines of a summary that name them."""
        return table_lines(rows_under("written", self.written))

    def check(self) -> None:
        """Refuse files that could not be written."""
        from tete.drawing.figures import FIGURE_FILES  # noqa: PLC0415
        from tete.io.map_files import check_map_output  # noqa: PLC0415
        from tete.io.writing import check_distinct, check_output  # noqa: PLC0415

        check_distinct(self.written)
        if self.map is not None:
            check_map_output(self.map, force=self.force)
        for name, allowed in {"plot": FIGURE_FILES, **EXTENSIONS}.items():
            path: Path | None = getattr(self, name)
            if path is not None:
                check_output(path, force=self.force, allowed=allowed)

    def write_map(self, found: "Map") -> None:
        """Write the map, if asked for."""
        from tete.io import write_map  # noqa: PLC0415

        if self.map is not None:
            write_map(self.map, found.embedding, found.names, found.columns, force=self.force)

    def write_model(self, model: Any, found: "Map") -> None:
        """Write what places new rows, with the classes of its map."""
        from tete.reduction.model_files import save_model  # noqa: PLC0415

        assert self.model is not None
        save_model(self.model, model, classes=_few(_classes_of(found.columns)), force=self.force)

    def write_trust(self, report: "TrustReport | None") -> None:
        """Write what is known about every answer, if asked for."""
        if self.trust is None:
            return
        from tete.exceptions import InvalidTripletsError  # noqa: PLC0415
        from tete.io.writing import write_frame  # noqa: PLC0415

        if report is None:
            raise InvalidTripletsError(
                f"{self.trust}: nothing can be said about single answers, because they are too few or held-out ones "
                "cannot be predicted; leave out --trust."
            )
        answers = report.answers if report.answers.index.name is None else report.answers.reset_index()
        write_frame(self.trust, answers, force=self.force)

    def draw(
        self,
        shown: "Map",
        triplets: "Triplets | None",
        label: str | None,
        title: str,
        *,
        wrong: "NDArray[np.float64] | None" = None,
        uncertainty: "Uncertainty | None" = None,
        images: "Path | NDArray[Any] | None" = None,
        classes: "Mapping[str, Sequence[str]] | None" = None,
        background: "NDArray[Any] | None" = None,
        unlike: "NDArray[np.bool_] | None" = None,
        looks: Looks | None = None,
    ) -> None:
        """Write the picture and the page that were asked for; `classes` are those of the map that this is a part of."""
        details = page_details(shown, triplets, label, title) | {"classes": classes}
        extra = (looks or Looks()).as_arguments() | {"unlike": unlike, "background": background}
        if self.plot is not None:
            order = (classes or {}).get(details["label"])
            self._plot(shown, details["label"], classes=order, uncertainty=uncertainty, **extra)
        if self.page is not None:
            from tete.page.document import write_page  # noqa: PLC0415

            details |= {"wrong": wrong, "uncertainty": uncertainty, **extra}
            write_page(self.page, shown.embedding, force=self.force, **details, **page_images(shown, images))

    def _plot(self, shown: "Map", label: str | None, **details: Any) -> None:
        from tete.drawing.figures import save_picture  # noqa: PLC0415
        from tete.drawing.map_picture import plot_map  # noqa: PLC0415

        assert self.plot is not None
        axes = plot_map(
            shown.embedding,
            labels=None if label is None else shown.columns[label],
            label_name=label,
            names=_names_to_write(shown),
            theme=self.theme,
            **details,
        )
        figure = axes.get_figure(root=True)
        assert figure is not None
        save_picture(self.plot, figure, force=self.force)


def map_of(features: "FeatureTable", embedding: "NDArray[Any]") -> "Map":
    """The map of a table: its rows' ids and labels with their places."""
    from tete.io import Map  # noqa: PLC0415

    return Map(embedding, features.names, features.columns)


def _classes_of(columns: "Mapping[str, NDArray[Any]]") -> dict[str, list[str]]:
    """The classes in the order of their colours, by column; measurements are none."""
    from tete.drawing.class_order import class_texts, ordered_classes  # noqa: PLC0415
    from tete.drawing.map_picture import is_number_scale  # noqa: PLC0415

    labels = {name: values for name, values in columns.items() if not is_number_scale(values)}
    return {name: ordered_classes(class_texts(values)) for name, values in labels.items()}


def _few(classes: dict[str, list[str]]) -> dict[str, list[str]]:
    """Without columns that are rather names."""
    return {name: each for name, each in classes.items() if len(each) <= MOST_CLASSES_KEPT}


def check_label(shown: "Map", label: str | None) -> None:
    """Refuse a label that is no column of the map or of the table about its objects."""
    from tete.exceptions import InvalidParameterError  # noqa: PLC0415

    if label is not None and label not in shown.columns:
        raise InvalidParameterError(
            f"--label must be one of the columns {', '.join(map(repr, shown.columns)) or '(none)'}, got {label!r}."
        )


def page_details(shown: "Map", triplets: "Triplets | None", label: str | None, title: str) -> dict[str, Any]:
    """What `tete.make_page` is told about a map."""
    return {
        "names": shown.display_names,
        "columns": shown.columns,
        "label": label if label is not None else shown.first_label(),
        "triplets": triplets,
        "title": title,
    }


def page_images(shown: "Map", images: "Path | NDArray[Any] | None") -> dict[str, Any]:
    """Pictures in a folder, named after the objects or what a column "image" or "image_file" says, or from pixels."""
    if images is None:
        return {}
    from tete.page.thumbnails import make_thumbnails, read_thumbnails  # noqa: PLC0415

    if not isinstance(images, Path):
        return {"images": make_thumbnails(images)}
    files = next((shown.columns[name] for name in ("image", "image_file") if name in shown.columns), shown.name_texts)
    return {"images": read_thumbnails(images, [str(file) for file in files])}


def _names_to_write(shown: "Map") -> list[str] | None:
    """Names for a picture: none where there are so many, or where they are mere row numbers and not few."""
    names = shown.display_names
    numbered = len(names) > MOST_NUMBERS_DRAWN and all(name.isdecimal() for name in names)
    return None if len(names) > MOST_NAMES_DRAWN or numbered else names
