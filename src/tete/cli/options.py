"""Arguments and options that several commands share; used as `options.Columns`, because io has columns too."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Answers = Annotated[
    str,
    typer.Argument(
        help="Answers: CSV, TSV, Parquet, JSON, npz, npy, or the database of tete collect; - reads CSV from a pipe."
    ),
]
Table = Annotated[
    str, typer.Argument(help="Features: CSV, TSV, Parquet, npy or npz (also sparse); - reads CSV from a pipe.")
]
Tables = Annotated[
    list[str],
    typer.Argument(
        help="Features: CSV, TSV, Parquet, npy or npz (also sparse); - reads CSV from a pipe; Parquet and npy files "
        "also several, as one data set."
    ),
]
Scheduler = Annotated[
    str | None, typer.Option(help="Dask scheduler, e.g. tcp://host:8786, whose workers place a data set.")
]
Workers = Annotated[int | None, typer.Option(min=1, help="Place a data set in so many local processes.")]
Columns = Annotated[
    str, typer.Option(help="Columns of anchor, near and far, e.g. head,winner,loser or 3,1,2. Default: by header.")
]
Coordinates = Annotated[
    str, typer.Option(help="Columns of the map's coordinates, e.g. UMAP_1,UMAP_2 or 2,3. Default: by header.")
]
Annotator = Annotated[str | None, typer.Option(help="Column that says who answered. Default: by header.")]
By = Annotated[
    Literal["answers", "annotators"] | None,
    typer.Option(help="What errors count as independent draws. Default: also people, where there are at least 15."),
]
NoHeader = Annotated[bool, typer.Option("--no-header", help="The first line has data already, no names of columns.")]
Encoding = Annotated[str, typer.Option(help="Encoding of text files, e.g. cp1252.")]
SkipInvalid = Annotated[
    bool, typer.Option("--skip-invalid", help="Leave out lines with empty cells or one object twice, and count them.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but warnings and errors.")]
Label = Annotated[str | None, typer.Option(help="Column to colour by. Default: the first with few classes.")]
Objects = Annotated[str | None, typer.Option(help="Table about the objects (names, labels) to add.")]
MapOutput = Annotated[Path | None, typer.Option("--output", "-o", help="The map: .csv, .tsv, .parquet, .json or .npy.")]
MapOrFolder = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="The map: .csv, .tsv, .parquet, .json or .npy; or a folder, for the parts of a data set."
    ),
]
Plot = Annotated[Path | None, typer.Option(help="A picture of the map: .png, .svg or .pdf.")]
Page = Annotated[Path | None, typer.Option(help="A page to explore the map in a browser: .html.")]
Trust = Annotated[
    Path | None,
    typer.Option(help="All answers with the probability that each is wrong: .csv, .tsv, .parquet or .json."),
]
Theme = Annotated[
    Literal["light", "dark"], typer.Option(help="Of the picture; a page follows the reader's own setting.")
]
IdColumn = Annotated[
    str | None, typer.Option("--id", help="Column that names the rows. Default: object, name, id, key or index.")
]
Labels = Annotated[
    list[str] | None,
    typer.Option("--label", help="Column that is kept but is no feature (repeatable); the first one colours."),
]
Drop = Annotated[list[str] | None, typer.Option(help="Column to leave out (repeatable).")]
Standardize = Annotated[
    bool | None,
    typer.Option(
        "--standardize/--no-standardize",
        help="Weigh columns alike: divide each by its standard deviation. Default: where some are categories or dates.",
    ),
]
Ordered = Annotated[
    list[str] | None,
    typer.Option(help="All values of a column from the least on, e.g. size=small,medium,large (repeatable)."),
]
Array = Annotated[str | None, typer.Option(help="Array of features in an npz file. Default: X, features or data.")]
Ellipses = Annotated[
    bool,
    typer.Option("--ellipses", help="Say and draw how sure the places are: 60 or 70 more fits, to resampled answers."),
]
Images = Annotated[
    Path | None,
    typer.Option(help="Folder of pictures named after the objects, or their pixels (.npy), for the page."),
]
Colors = Annotated[list[str] | None, typer.Option("--color", help="Colour of a class, e.g. oak=#1f77b4 (repeatable).")]
ClassNames = Annotated[bool, typer.Option("--class-names", help="Write the name of each class in its midst.")]


EllipsesFile = Annotated[
    Path | None,
    typer.Option("--ellipses-file", help="A table of --ellipses with covariances: .csv, .tsv, .parquet or .json."),
]


def listed(columns: str) -> list[str] | None:
    """The names in a list with commas; None where there is none."""
    return [column.strip() for column in columns.split(",")] if columns else None
