"""The command view: a page of any map, to explore in a browser."""

import threading
from pathlib import Path
from typing import Annotated

import typer

from tete.cli import options
from tete.cli.answer_options import AnswerOptions, reads_answers
from tete.cli.arguments import read_map_file
from tete.cli.messages import one_sentence, print_result
from tete.cli.outputs import Looks, Outputs, check_label, page_details, page_images

__all__ = ["view"]


@one_sentence
@reads_answers
def view(
    map_file: Annotated[str, typer.Argument(metavar="MAP", help="A map: .csv, .tsv, .parquet, .json or .npy.")],
    reading: AnswerOptions,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page. Default: MAP with .html.")] = None,
    label: options.Label = None,
    objects: options.Objects = None,
    answers: Annotated[str | None, typer.Option(help="Answers to show with the object that is clicked.")] = None,
    images: options.Images = None,
    color: options.Colors = None,
    class_names: options.ClassNames = False,
    plot: options.Plot = None,
    coordinates: options.Coordinates = "",
    serve: Annotated[
        bool, typer.Option("--serve", help="Show the page to this computer instead of writing it.")
    ] = False,
    theme: options.Theme = "light",
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make an interactive page of a map, from any program.

    Example: tete view map.csv --label genre --answers answers.csv
    """
    page = None if serve else output or Path(map_file if map_file != "-" else "map").with_suffix(".html")
    outputs = Outputs(plot=plot, page=page, theme=theme, force=force)
    looks = Looks.of_options(color, class_names)
    outputs.check()
    from tete.page.thumbnails import folder_or_pixels  # noqa: PLC0415

    found = read_map_file(map_file, coordinates, reading.encoding)
    if objects is not None:
        found = found.with_columns(objects, encoding=reading.encoding)
    check_label(found, label)
    looks.check_classes(found.columns)
    triplets = None
    if answers is not None:
        triplets = reading.read(answers, names=found.name_texts)
    title, pictures = Path(map_file).stem, None if images is None else folder_or_pixels(images, len(found))
    outputs.draw(found, triplets, label, title, images=pictures, looks=looks)
    result = {"n_objects": len(found), "written": outputs.written}
    if not serve:
        print_result(result, "\n".join(outputs.written_lines), as_json, quiet)
        return
    from tete.cli.serving import serve_page  # noqa: PLC0415
    from tete.page.document import make_page  # noqa: PLC0415

    details = page_details(found, triplets, label, title) | page_images(found, pictures) | looks.as_arguments()
    with serve_page(make_page(found.embedding, **details)) as address:
        text = f"The page is at {address} until you press Ctrl-C."
        print_result(result | {"address": address}, text, as_json, quiet)
        threading.Event().wait()
