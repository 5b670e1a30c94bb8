"""The command views: several maps, for people who see the objects in different ways."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tete.cli import options
from tete.cli.answer_options import AnswerOptions, reads_answers
from tete.cli.messages import one_sentence, print_result
from tete.core.printing import rows_under, table_lines

if TYPE_CHECKING:
    from tete.comparisons.by_people import By
    from tete.comparisons.triplets import Triplets
    from tete.views.multiview import MultiViewTETE

__all__ = ["views"]

MOST_VIEWS = 20  # that can be asked for


@one_sentence
@reads_answers
def views(
    answers: options.Answers,
    reading: AnswerOptions,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the maps, the people or answers, the words and a page."),
    ] = None,
    n_views: Annotated[str, typer.Option(help="Number of views, or auto.")] = "auto",
    by: Annotated[
        Literal["annotators", "answers"], typer.Option(help="What belongs to a view: a person, or each answer.")
    ] = "annotators",
    dims: Annotated[int, typer.Option(min=1, help="Dimensions of the maps.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of the halves that answers are dealt into.")] = 0,
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find people who see the objects in different ways, and make a map for each view.

    A view is believed where held-out answers gain by it, in two searches that put the same people together.

    Example: tete views answers.csv -o views
    """
    wanted = _number(n_views)
    _check(output, MOST_VIEWS if wanted == "auto" else wanted, by, force)
    triplets = reading.read(answers)
    from tete.views.multiview import MultiViewTETE  # noqa: PLC0415

    model = MultiViewTETE(dims, n_views=wanted, by=by, random_state=seed).fit(triplets)
    written = [] if output is None else _write(model, triplets, output, Path(answers).stem, force)
    summary = model.summary()
    text = "\n".join([str(summary), *table_lines(rows_under("written", written))])
    print_result(summary.as_dict() | {"written": written}, text, as_json, quiet)


def _number(text: str) -> int | Literal["auto"]:
    if text == "auto":
        return "auto"
    if not text.isdecimal() or not 1 <= int(text) <= MOST_VIEWS:
        raise typer.BadParameter(f"--n-views must be auto or a whole number from 1 to {MOST_VIEWS}, got {text!r}.")
    return int(text)


def _files(folder: Path, n_views: int, by: "By") -> list[Path]:
    """The maps, and then people (or answers), words and page."""
    maps = [folder / f"view_{number}.csv" for number in range(n_views)]
    return [
        *maps,
        folder / ("people.csv" if by == "annotators" else "answers.csv"),
        folder / "summary.txt",
        folder / "views.html",
    ]


def _check(folder: Path | None, most: int, by: "By", force: bool) -> None:
    """Refuse files that could not be written; the folder is made when there is something to put in."""
    if folder is None or not folder.exists():
        return
    if not folder.is_dir():
        raise typer.BadParameter(f"--output must be a folder, got the file {folder}.")
    from tete.io.writing import check_output  # noqa: PLC0415

    for path in _files(folder, most, by):
        check_output(path, force=force)


def _write(model: "MultiViewTETE", triplets: "Triplets", folder: Path, title: str, force: bool) -> list[str]:
    """Write the maps, the table of people (or answers), the words and the page."""
    from tete.io import Map, write_map  # noqa: PLC0415
    from tete.io.writing import atomic_write, write_frame  # noqa: PLC0415
    from tete.page.document import write_page  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    *maps, units, words, page = _files(folder, model.n_views_, model.by)
    for path, places in zip(maps, model.embeddings_, strict=True):
        write_map(path, places, triplets.names, force=force)
    table = model.answers_ if model.people_ is None else model.people_
    assert table is not None
    write_frame(units, table.reset_index(), force=force)
    with atomic_write(words, force=force) as stream:
        stream.write(f"{model.summary()}\n".encode())
    known = Map.without_places(triplets.n_objects, triplets.names)
    named = {f"view {number}": places for number, places in enumerate(model.embeddings_)}
    first = named.pop("view 0")
    write_page(page, first, names=known.display_names, others=named, map_name="view 0", title=title, force=force)
    return [str(path) for path in (*maps, units, words, page)]
