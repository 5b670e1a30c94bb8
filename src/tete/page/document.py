"""The interactive page: one HTML file with everything inside, which works offline and runs no code from names.

Bokeh draws the points (`linked_maps`); `page.js` does the rest (search, colours, legend, neighbours, answers, tools,
export) and puts names on the page as text only. `placement.js` finds room for names beside points, and `walking.js`
goes from object to object with the arrow keys. The page is light or dark as the reader's system is.
"""

import base64
import html
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.comparisons.triplets import Triplets
from tete.core.any_frame import named_columns
from tete.core.docstrings import filled_from
from tete.core.randomness import make_generator
from tete.core.validation import check_map
from tete.drawing.class_order import class_texts, given_colors, ordered_classes
from tete.drawing.map_picture import is_number_scale, plane_of
from tete.drawing.themes import DARK, LIGHT, Theme
from tete.exceptions import InvalidParameterError
from tete.io.sources import AnyPath
from tete.io.writing import atomic_write
from tete.metrics.satisfaction import satisfied
from tete.page.linked_maps import linked_maps

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from narwhals.typing import IntoFrame

    from tete.reliability.uncertainty import Uncertainty

__all__ = ["POLICY", "make_page", "write_page"]

# What a browser may do for the page: nothing from outside. Bokeh's WebGL makes functions from text.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:"
)
SCRIPTS = ("placement.js", "walking.js", "page.js")
MOST_ANSWERS = 300_000  # about 5 MB in the file; beyond this a sample is shown
SCALE_STEPS = 64  # colours of numbers: a smooth scale that takes little room in the file


def make_page(
    embedding: ArrayLike,
    *,
    names: Sequence[Any] | None = None,
    columns: "Mapping[str, ArrayLike] | IntoFrame | None" = None,
    label: str | None = None,
    classes: Mapping[str, Sequence[Any]] | None = None,
    colors: Mapping[Any, str] | None = None,
    class_names: bool = False,
    background: ArrayLike | None = None,
    unlike: ArrayLike | None = None,
    triplets: Triplets | None = None,
    wrong: ArrayLike | None = None,
    uncertainty: "Uncertainty | None" = None,
    images: Sequence[str] | None = None,
    others: Mapping[str, ArrayLike] | None = None,
    map_name: str = "",
    title: str = "Map",
) -> str:
    """The interactive page of a map, as HTML.

    Parameters
    ----------
    embedding : array of shape (n_objects, n_components)
        The map. Beyond two dimensions the first two principal axes are drawn; neighbours are those of all dimensions.
    names : sequence of n_objects names, optional
        What the objects are called; by default their numbers.
    columns : mapping of names to arrays of n_objects values, or data frame, optional
        What to colour by: classes or numbers.
    label : str, optional
        The column to colour by at first.
    classes : mapping of columns to sequences of classes, optional
        All that there are, in the order of their colours, so that several pages agree; by default those of a column,
        sorted.
    colors : mapping of classes to colours like "#1f77b4", optional
        Colours of some classes, in whatever column they are; the others have those of the page.
    class_names : bool, default=False
        Whether to write the name of each class in its midst.
    background : array of shape (n_others, n_components), optional
        Places of the objects of a finished map that these were placed on: pale, behind them; of very many a sample.
    unlike : array of n_objects truth values, optional
        Objects that hardly belong to the map, as a `novelty` above 3 says: they get a ring.
    triplets : Triplets, optional
        Answers, to be listed with the object that is clicked.
    wrong : array, one number for each triplet, optional
        Probability that it is wrong, from `tete.trust`; those more likely wrong than right are marked in the list.
    uncertainty : Uncertainty, optional
        From `tete.position_uncertainty`: an ellipse about each place, where it lies with probability 0.9.
    images : sequence of n_objects data addresses, optional
        Pictures of the objects, shown under the mouse: see `tete.page.thumbnails`; "" where there is none.
    others : mapping of names to arrays of shape (n_objects, n_components), optional
        Further maps of the same objects, such as other views of them, drawn beside the first: what is pointed at or
        selected on one map is marked on all.
    map_name : str, default=""
        What the first map is called, beside others.
    title : str, default="Map"
        The title of the page.

    Returns
    -------
    str
        The page, with everything inside.

    Raises
    ------
    InvalidParameterError
        If an array does not have an entry for each object, or `label` is no column.

    Examples
    --------
    >>> from tete import make_page
    >>> page = make_page([[0.0, 0.0], [1.0, 0.0]], names=["tea", "cocoa"], columns={"kind": ["leaf", "bean"]})
    >>> page.lstrip()[:15].lower()
    '<!doctype html>'
    """
    places = check_map("embedding", embedding)
    values = {name: _check_column(name, column, len(places)) for name, column in named_columns(columns).items()}
    if label is not None and label not in values:
        raise InvalidParameterError(f"`label` must be one of the columns {sorted(values)}, got {label!r}.")
    texts = [str(name) for name in (range(len(places)) if names is None else names)]
    if len(texts) != len(places):
        raise InvalidParameterError(f"`names` must have one name for each of {len(places)} objects, got {len(texts)}.")
    given = given_colors(colors)
    further = {name: _check_other(name, each, len(places)) for name, each in (others or {}).items()}
    ellipses = None if uncertainty is None else uncertainty.ellipses(places)
    plane, behind = plane_of(places, background)
    plot = linked_maps(
        plane,
        ellipses,
        {name: plane_of(each)[0] for name, each in further.items()},
        map_name,
        behind=behind,
        rings=unlike is not None,
        pictured=images is not None,
    )
    data = {
        "names": texts,
        "columns": [_described(name, column, (classes or {}).get(name, ()), given) for name, column in values.items()],
        "class_names": bool(class_names),
        "unlike": None if unlike is None else _packed(_check_column("unlike", unlike, len(places)).astype(np.uint8)),
        "n_behind": len(behind),
        "label": label,
        "themes": {"light": _colors(LIGHT), "dark": _colors(DARK)},
        "x": _packed(plane[:, 0]),
        "y": _packed(plane[:, 1]),
        "ellipses": None if ellipses is None else [_packed(each) for each in ellipses.T],
        "embedding": _packed(places.astype(np.float32)),
        "n_components": places.shape[1],
        "others": [_other(name, each) for name, each in further.items()],
        "images": None if images is None else list(images),
        "answers": None if triplets is None else _answers(places, triplets, wrong),
    }
    return _filled(title, data, plot)


@filled_from(make_page)
def write_page(
    path: AnyPath,
    embedding: ArrayLike,
    *,
    names: Sequence[Any] | None = None,
    columns: "Mapping[str, ArrayLike] | IntoFrame | None" = None,
    label: str | None = None,
    classes: Mapping[str, Sequence[Any]] | None = None,
    colors: Mapping[Any, str] | None = None,
    class_names: bool = False,
    background: ArrayLike | None = None,
    unlike: ArrayLike | None = None,
    triplets: Triplets | None = None,
    wrong: ArrayLike | None = None,
    uncertainty: "Uncertainty | None" = None,
    images: Sequence[str] | None = None,
    others: Mapping[str, ArrayLike] | None = None,
    map_name: str = "",
    title: str = "Map",
    force: bool = False,
) -> None:
    """Write the interactive page of a map: one HTML file, which works offline.

    Parameters
    ----------
    path : str or path
        The file.
    force : bool, default=False
        Whether to overwrite a file that is there.

    Raises
    ------
    OutputExistsError
        If the file is there and `force` is false.
    InvalidParameterError
        If an array does not have an entry for each object, or `label` is no column.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tete import write_page
    >>> with TemporaryDirectory() as folder:
    ...     write_page(f"{folder}/map.html", [[0.0, 0.0], [1.0, 0.0]], names=["tea", "cocoa"])
    ...     [path.name for path in Path(folder).iterdir()]
    ['map.html']
    """
    page = make_page(
        embedding,
        names=names,
        columns=columns,
        label=label,
        classes=classes,
        colors=colors,
        class_names=class_names,
        background=background,
        unlike=unlike,
        triplets=triplets,
        wrong=wrong,
        uncertainty=uncertainty,
        images=images,
        others=others,
        map_name=map_name,
        title=title,
    )
    with atomic_write(path, force=force) as stream:
        stream.write(page.encode())


def _check_column(name: str, column: ArrayLike, length: int) -> NDArray[Any]:
    values = np.asarray(column)
    if values.shape != (length,):
        raise InvalidParameterError(
            f"`columns` must have one entry for each of {length} objects, got shape {values.shape} in {name!r}."
        )
    return values


def _check_other(name: str, embedding: ArrayLike, length: int) -> NDArray[np.float64]:
    places = check_map("others", embedding)
    if len(places) != length:
        raise InvalidParameterError(
            f"`others` must have a place for each of {length} objects, got {len(places)} in {name!r}."
        )
    return places


def _other(name: str, places: NDArray[np.float64]) -> dict[str, Any]:
    """What `page.js` needs of a further map."""
    x, y = plane_of(places)[0].T
    packed = {"x": _packed(x), "y": _packed(y), "embedding": _packed(places.astype(np.float32))}
    return {"name": name, "n_components": places.shape[1], **packed}


def _described(name: str, values: NDArray[Any], known: Sequence[Any], colors: Mapping[str, str]) -> dict[str, Any]:
    """A column: its numbers, or its classes in the order of their colours and which of them each object has."""
    if is_number_scale(values):
        return {"name": name, "numbers": _packed(values.astype(np.float64))}
    texts = class_texts(values)
    classes = [*ordered_classes(texts, [str(each) for each in known]), ""]
    number_of = {text: number for number, text in enumerate(classes)}
    codes = _packed(np.array([number_of[text] for text in texts], np.int32))
    return {"name": name, "classes": classes, "codes": codes, "colors": [colors.get(text) for text in classes]}


def _answers(places: NDArray[np.float64], triplets: Triplets, wrong: ArrayLike | None) -> dict[str, Any]:
    """The triplets, packed, whether the map agrees and how likely they are wrong in percent; of very many a sample.

    `answers` is how many answers they came from, since one answer may give several triplets.
    """
    total, n_answers = len(triplets), len(np.unique(triplets.answer_numbers()))
    percent = np.zeros(total) if wrong is None else 100.0 * np.asarray(wrong, dtype=np.float64)
    if percent.shape != (total,):
        raise InvalidParameterError(
            f"`wrong` must have one entry for each of {total} triplets, got shape {percent.shape}."
        )
    numbers = triplets.answer_numbers()
    if total > MOST_ANSWERS:
        rows = np.sort(make_generator(0).choice(total, size=MOST_ANSWERS, replace=False))
        triplets, percent, numbers = triplets.select(rows), percent[rows], numbers[rows]
    return {
        "total": total,
        "answers": n_answers,
        "numbers": None if n_answers == total else _packed(numbers.astype(np.int32)),
        "rows": _packed(triplets.to_array().astype(np.int32)),
        "agrees": _packed(satisfied(places, triplets).astype(np.uint8)),
        "wrong": _packed(np.round(percent).astype(np.uint8)),
    }


def _colors(theme: Theme) -> dict[str, Any]:
    """The colours of names, of classes, of what has none, and of numbers from low to high."""
    from bokeh import palettes  # noqa: PLC0415

    low, high = theme.scale_ends
    steps = np.linspace(255 * low, 255 * high, SCALE_STEPS).astype(int)
    scale = [palettes.all_palettes[theme.scale.capitalize()][256][step] for step in steps]
    plain = {"ink": theme.ink, "unknown": theme.unknown.lower(), "scale": scale}
    return {"colors": theme.colors, "shades": theme.shades, **plain}


def _packed(array: NDArray[Any]) -> str:
    """The array's bytes, lowest first, as text."""
    return base64.b64encode(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()).decode()


def _filled(title: str, data: dict[str, Any], plot: "LayoutDOM") -> str:
    """The template with the plot, the data and the scripts inside."""
    from bokeh.embed import json_item  # noqa: PLC0415
    from bokeh.resources import Resources  # noqa: PLC0415

    parts = {
        "POLICY": POLICY,
        "TITLE": html.escape(title),
        "STYLE": _file("page.css"),
        "BOKEH": Resources(mode="inline", components=["bokeh", "bokeh-gl"]).render(),
        "DRAWING": _script_json(json_item(plot)),
        "SCRIPT": "".join(_file(name) for name in SCRIPTS),
        "DATA": _script_json(data),
    }
    pieces = _file("page.html").split("@@")  # text and the names of parts in turn, so that no part is looked into
    return "".join(parts[piece] if number % 2 else piece for number, piece in enumerate(pieces))


def _script_json(data: Any) -> str:
    """JSON within a script element, which only "<" could end: JSON has another spelling for that."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def _file(name: str) -> str:
    return files("tete.page").joinpath(name).read_text(encoding="utf-8")
