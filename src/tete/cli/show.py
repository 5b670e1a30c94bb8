"""Commands that show things: view and demo."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tete.cli.messages import lines, one_sentence, print_result
from tete.cli.options import Columns, Encoding, Force, Json, Label, Objects, Plot, Quiet, SkipInvalid, Theme
from tete.cli.outputs import Outputs, check_label, page_details, page_images

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets
    from tete.io import Map

__all__ = ["demo", "view"]


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
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make an interactive page of a map, from any program.

    Example: tete view map.csv --label genre --answers answers.csv
    """
    page = None if serve else output or Path(map_file if map_file != "-" else "map").with_suffix(".html")
    outputs = Outputs(plot=plot, page=page, theme=theme, force=force)
    outputs.check()
    from tete.io import read_map  # noqa: PLC0415

    found = read_map(map_file, encoding=encoding)
    if objects is not None:
        found = found.with_columns(objects, encoding=encoding)
    check_label(found, label)
    triplets = _answers_about(found, answers, columns, encoding, skip_invalid)
    title = Path(map_file).stem
    outputs.draw(found, triplets, label, title, images=images)
    result = {"n_objects": len(found), "written": outputs.written}
    if not serve:
        print_result(result, "\n".join(lines("written", outputs.written)), as_json, quiet)
        return
    from tete.cli.serving import serve_page  # noqa: PLC0415
    from tete.page.document import make_page  # noqa: PLC0415

    details = page_details(found, triplets, label, title) | page_images(found, images)
    with serve_page(make_page(found.embedding, **details)) as address:
        text = f"The page is at {address} until you press Ctrl-C."
        print_result(result | {"address": address}, text, as_json, quiet)
        _wait_for_ctrl_c()


@one_sentence
def demo(
    folder: Annotated[Path, typer.Argument(help="Where to write.")] = Path("tete-demo"),
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what it does on handwritten digits.

    Takes about a minute and downloads nothing. Maps 600 digits from 60,000 comparisons of which 0, 20 and 40 % are
    reversed, with t-STE and with t-ETE; then all 1,797 digits by their pixels.

    Example: tete demo
    """
    from tete.cli.demo_maps import FILES, digit_maps, pixel_map, refuse_overwriting, write_demo, write_pixels  # noqa: PLC0415

    refuse_overwriting(folder, force=force)
    silent = quiet or as_json
    print_result({}, "reversed  method  seconds  unseen answers  1-NN accuracy", False, silent)
    maps = []
    for each in digit_maps():
        row = f"{each.noise:7.0%}   {each.method:6}  {each.seconds:7.2f}  {each.accuracy:14.1%}"
        print_result({}, f"{row}  {each.neighbor_accuracy:13.1%}", False, silent)
        maps.append(each)
    write_demo(folder, maps, force=force)
    pixels = pixel_map()
    write_pixels(folder, pixels, force=force)
    heading = f"\nBy their pixels: {len(pixels.labels):,} digits in {pixels.seconds:.1f} seconds"
    written = [f"{folder / name}: {meaning}" for name, meaning in FILES.items()]
    result = {
        "maps": [each.as_dict() for each in maps],
        "pixels": {"seconds": pixels.seconds, **pixels.quality.as_dict()},
        "written": [str(folder / name) for name in FILES],
    }
    text = "\n".join([heading, str(pixels.quality), "", "Written:", *written])
    print_result(result, text, as_json, quiet)


def _answers_about(
    shown: "Map", answers: str | None, columns: str, encoding: str, skip_invalid: bool
) -> "Triplets | None":
    from tete.io import read_answers  # noqa: PLC0415

    if answers is None:
        return None
    chosen = [column.strip() for column in columns.split(",")] if columns else None
    return read_answers(answers, columns=chosen, names=shown.name_texts, encoding=encoding, skip_invalid=skip_invalid)


def _wait_for_ctrl_c() -> None:
    import threading  # noqa: PLC0415

    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        return
