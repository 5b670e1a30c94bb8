"""Commands that show things: view and demo."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tete.cli.messages import lines, one_sentence, print_result
from tete.cli.options import Columns, Encoding, Force, Label, Objects, Plot, Quiet, SkipInvalid, Theme

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tete.io import Map
    from tete.triplets import Triplets
    from tete.uncertainty import Uncertainty

__all__ = ["check_label", "check_outputs", "check_pictures", "demo", "view", "write_pictures"]

MOST_NAMES = 20_000
MOST_NUMBERS = 60


@one_sentence
def view(
    map_file: Annotated[str, typer.Argument(metavar="MAP", help="A map: .csv, .tsv, .parquet, .json or .npy.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page. Default: MAP with .html.")] = None,
    label: Label = None,
    objects: Objects = None,
    answers: Annotated[str | None, typer.Option(help="Answers to show with the object that is clicked.")] = None,
    images: Annotated[Path | None, typer.Option(help="Folder of pictures named after the objects.")] = None,
    plot: Plot = None,
    columns: Columns = "",
    skip_invalid: SkipInvalid = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Show the page to this computer instead of writing it.")
    ] = False,
    theme: Theme = "light",
    encoding: Encoding = "utf-8",
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Make an interactive page of a map, from any program.

    Example: tete view map.csv --label genre --answers answers.csv
    """
    page = None if serve else output or Path(map_file if map_file != "-" else "map").with_suffix(".html")
    check_pictures(plot, page, force=force)
    from tete.io import read_map  # noqa: PLC0415

    found = read_map(map_file, encoding=encoding)
    if objects is not None:
        found = found.with_columns(objects, encoding=encoding)
    check_label(found, label)
    triplets = _answers_about(found, answers, columns, encoding, skip_invalid)
    title = Path(map_file).stem
    write_pictures(found, triplets, plot, page, label, title=title, images=images, theme=theme, force=force)
    if serve:
        from tete.page import make_page  # noqa: PLC0415
        from tete.serving import serve_page  # noqa: PLC0415

        details = _details(found, triplets, label, title) | _images(found, images)
        with serve_page(make_page(found.embedding, **details)) as address:
            typer.echo(f"The page is at {address} until you press Ctrl-C.")
            _wait_for_ctrl_c()
    else:
        written = [str(path) for path in (plot, page) if path is not None]
        print_result({}, "\n".join(lines("written", written)), False, quiet)


@one_sentence
def demo(
    folder: Annotated[Path, typer.Argument(help="Where to write.")] = Path("tete-demo"),
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Show what it does on handwritten digits.

    Takes about a minute and downloads nothing. Maps 600 digits from 60,000 comparisons of which 0, 20 and 40 % are
    reversed, with t-STE and with t-ETE; then all 1,797 digits by their pixels.

    Example: tete demo
    """
    from tete.demo import FILES, digit_maps, pixel_map, refuse_overwriting, write_demo, write_pixels  # noqa: PLC0415

    refuse_overwriting(folder, force=force)
    print_result({}, "reversed  method  seconds  unseen answers  1-NN accuracy", False, quiet)
    maps = []
    for each in digit_maps():
        row = f"{each.noise:7.0%}   {each.method:6}  {each.seconds:7.2f}  {each.accuracy:14.1%}"
        print_result({}, f"{row}  {each.neighbor_accuracy:13.1%}", False, quiet)
        maps.append(each)
    write_demo(folder, maps, force=force)
    pixels = pixel_map()
    write_pixels(folder, pixels, force=force)
    heading = f"\nBy their pixels: {len(pixels.labels):,} digits in {pixels.seconds:.1f} seconds"
    print_result({}, f"{heading}\n{pixels.quality}", False, quiet)
    written = [f"{folder / name}: {meaning}" for name, meaning in FILES.items()]
    print_result({}, "\n".join(["", "Written:", *written]), False, quiet)


def check_outputs(output: Path | None, plot: Path | None, page: Path | None, *, force: bool) -> None:
    """Refuse, before any work is done, a map, a picture or a page that could not be written."""
    from tete.io.maps import check_map_output  # noqa: PLC0415

    if output is not None:
        check_map_output(output, force=force)
    check_pictures(plot, page, force=force)


def check_pictures(plot: Path | None, page: Path | None, *, force: bool) -> None:
    """Refuse, before any work is done, pictures and pages that could not be written."""
    from tete.io import check_output  # noqa: PLC0415

    if plot is not None:
        check_output(plot, force=force, allowed=(".png", ".svg", ".pdf"))
    if page is not None:
        check_output(page, force=force, allowed=(".html", ".htm"))


def write_pictures(
    shown: "Map",
    triplets: "Triplets | None",
    plot: Path | None,
    page: Path | None,
    label: str | None,
    *,
    title: str,
    wrong: "NDArray[np.float64] | None" = None,
    uncertainty: "Uncertainty | None" = None,
    images: Path | None = None,
    theme: Literal["light", "dark"] = "light",
    force: bool,
) -> None:
    """Write the picture and the page that were asked for."""
    details = _details(shown, triplets, label, title)
    if plot is not None:
        from tete.plotting import plot_map, save_picture  # noqa: PLC0415

        label = details["label"]
        labels = None if label is None else shown.columns[label]
        names = _names_to_write(shown)
        axes = plot_map(
            shown.embedding, labels=labels, label_name=label, names=names, uncertainty=uncertainty, theme=theme
        )
        figure = axes.get_figure(root=True)
        assert figure is not None
        save_picture(plot, figure, force=force)
    if page is not None:
        from tete.page import write_page  # noqa: PLC0415

        details |= {"wrong": wrong, "uncertainty": uncertainty}
        write_page(page, shown.embedding, force=force, **details, **_images(shown, images))


def check_label(shown: "Map", label: str | None) -> None:
    """Refuse a label that is no column of the map or of the table about its objects."""
    from tete.exceptions import InvalidParameterError  # noqa: PLC0415

    if label is not None and label not in shown.columns:
        raise InvalidParameterError(
            f"--label must be one of the columns {', '.join(map(repr, shown.columns)) or '(none)'}, got {label!r}."
        )


def _details(shown: "Map", triplets: "Triplets | None", label: str | None, title: str) -> dict[str, Any]:
    return {
        "names": shown.display_names,
        "columns": shown.columns,
        "label": label if label is not None else shown.first_label(),
        "triplets": triplets,
        "title": title,
    }


def _names_to_write(shown: "Map") -> list[str] | None:
    """Names for a picture: none where there are so many, or where they are mere row numbers and not few."""
    names = shown.display_names
    numbered = len(names) > MOST_NUMBERS and all(name.isdecimal() for name in names)
    return None if len(names) > MOST_NAMES or numbered else names


def _images(shown: "Map", folder: Path | None) -> dict[str, Any]:
    """Pictures named after the objects, or after what a column "image" or "image_file" says."""
    if folder is None:
        return {}
    from tete.thumbnails import read_thumbnails  # noqa: PLC0415

    files = next((shown.columns[name] for name in ("image", "image_file") if name in shown.columns), shown.labels)
    return {"images": read_thumbnails(folder, [str(file) for file in files])}


def _answers_about(
    shown: "Map", answers: str | None, columns: str, encoding: str, skip_invalid: bool
) -> "Triplets | None":
    from tete.io import read_answers  # noqa: PLC0415

    if answers is None:
        return None
    chosen = [column.strip() for column in columns.split(",")] if columns else None
    return read_answers(answers, columns=chosen, names=shown.labels, encoding=encoding, skip_invalid=skip_invalid)


def _wait_for_ctrl_c() -> None:
    import threading  # noqa: PLC0415

    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        return
