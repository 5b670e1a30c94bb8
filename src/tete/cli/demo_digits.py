"""What `tete demo` shows: digits mapped from comparisons, some of them wrong, t-STE beside t-ETE; and by their pixels.

The digits come with scikit-learn. The comparisons are made from the images, as in the paper's first figure, and a share
of them is reversed.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.triplets import Triplets
from tete.datasets import make_triplets
from tete.drawing.figures import new_figure, save_picture
from tete.drawing.map_picture import plot_map
from tete.embedding.estimators import TETE, TSTE
from tete.experiments.style import draw_digits
from tete.io import write_answers, write_map
from tete.io.writing import check_output, write_frame
from tete.metrics.alignment import procrustes_align
from tete.metrics.classes import nearest_neighbor_error
from tete.metrics.quality import MapQuality, map_quality
from tete.page.document import write_page
from tete.page.thumbnails import make_thumbnails
from tete.reduction.estimators import ListwiseTETE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "FILES",
    "DigitMap",
    "PixelMap",
    "digit_maps",
    "pixel_map",
    "refuse_overwriting",
    "write_demo",
    "write_pixels",
]

NOISE = (0.0, 0.2, 0.4)  # none, that of the paper's first figure, and twice that
METHODS = {"t-STE": TSTE, "t-ETE": TETE}
SHOWN = ("t-ETE", 0.2)  # the map that gets a file and a page of its own

FILES = {
    "noisy_digits.png": "the maps of both methods side by side: open it first",
    "map.html": "the t-ETE map at 20 % reversed answers, to explore in a browser",
    "map.csv": "the same map as a table",
    "answers.csv": "the answers it was made from, 20 % of them reversed",
    "digits.html": "all digits by their pixels, with their images under the mouse",
    "digits.png": "a picture of it",
    "digits.csv": "the pixels as a table: try tete reduce digits.csv --label digit -o digits_map.csv",
}


@dataclass(frozen=True)
class DigitMap:
    """One map of the demonstration and how good it is."""

    method: str
    noise: float
    seconds: float
    accuracy: float
    neighbor_accuracy: float
    embedding: NDArray[np.float64]
    labels: NDArray[np.int64]
    answers: Triplets

    def as_dict(self) -> dict[str, Any]:
        """What was measured as plain values, for JSON."""
        return {name: getattr(self, name) for name in ("method", "noise", "seconds", "accuracy", "neighbor_accuracy")}


def digit_maps(n_digits: int = 600, per_point: int = 100) -> Iterator[DigitMap]:
    """Both methods at every share of reversed answers, turned alike; accuracy is that of unseen, true answers."""
    from sklearn.datasets import load_digits  # noqa: PLC0415  (loaded only for this)

    images, labels = (array[:n_digits] for array in load_digits(return_X_y=True))
    answers = make_triplets(images, per_point=per_point, random_state=0)
    unseen = make_triplets(images, per_point=20, random_state=1)
    reference = None
    for noise in NOISE:
        noisy = answers.flip(noise, random_state=2)
        for name, method in METHODS.items():
            started = time.perf_counter()
            fitted = method().fit(noisy)
            seconds = time.perf_counter() - started
            reference = fitted.embedding_ if reference is None else reference
            yield DigitMap(
                method=name,
                noise=noise,
                seconds=seconds,
                accuracy=fitted.score(unseen),
                neighbor_accuracy=1.0 - nearest_neighbor_error(fitted.embedding_, labels),
                embedding=procrustes_align(reference, fitted.embedding_, scale=False),
                labels=labels,
                answers=noisy,
            )


@dataclass(frozen=True)
class PixelMap:
    """The map of the digits by their pixels, and how good it is."""

    seconds: float
    images: NDArray[np.float64]
    labels: NDArray[np.int64]
    embedding: NDArray[np.float32]
    quality: MapQuality


def pixel_map(n_digits: int | None = None) -> PixelMap:
    """All digits as features, by the listwise method."""
    from sklearn.datasets import load_digits  # noqa: PLC0415

    images, labels = (array[:n_digits] for array in load_digits(return_X_y=True))
    started = time.perf_counter()
    embedding = ListwiseTETE(random_state=0).fit_transform(images)
    seconds = time.perf_counter() - started
    return PixelMap(seconds, images, labels, embedding, map_quality(images, embedding, labels=labels))


def write_pixels(folder: Path, shown: PixelMap, *, force: bool = False) -> None:
    """Write the page, the picture and the table of the digits by their pixels: see `FILES`."""
    import pandas as pd  # noqa: PLC0415

    names = _names(shown.labels)
    table = pd.DataFrame(shown.images.astype(int), columns=[f"pixel {number}" for number in range(64)])
    write_frame(folder / "digits.csv", table.assign(id=names, digit=shown.labels), force=force)
    figure, axes = new_figure()
    plot_map(shown.embedding, labels=shown.labels, label_name="digit", title="Digits by their pixels", axes=axes)
    save_picture(folder / "digits.png", figure, force=force)
    write_page(
        folder / "digits.html",
        shown.embedding,
        names=names,
        columns={"digit": shown.labels},
        label="digit",
        images=make_thumbnails(shown.images.reshape(-1, 8, 8)),
        title="Digits by their pixels",
        force=force,
    )


def refuse_overwriting(folder: Path, *, force: bool) -> None:
    """Make the folder, and refuse before any work is done to overwrite what is there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        check_output(folder / name, force=force)


def write_demo(folder: Path, maps: Sequence[DigitMap], *, force: bool = False) -> None:
    """Write the picture, and for one of the maps the table, the answers and the page: see `FILES`."""
    figure, axes = new_figure(9.0, 6.2, len(METHODS), len(NOISE))
    for each in maps:
        _draw(axes[list(METHODS).index(each.method), NOISE.index(each.noise)], each)
    save_picture(folder / "noisy_digits.png", figure, force=force)
    shown = next(each for each in maps if (each.method, each.noise) == SHOWN)
    names = _names(shown.labels)
    columns: dict[str, Any] = {"digit": shown.labels}
    answers = replace(shown.answers, names=tuple(names))
    write_answers(folder / "answers.csv", answers, force=force)
    write_map(folder / "map.csv", shown.embedding, names, columns, force=force)
    write_page(
        folder / "map.html",
        shown.embedding,
        names=names,
        columns=columns,
        label="digit",
        triplets=answers,
        title="Digits: t-ETE, 20 % of the answers reversed",
        force=force,
    )


def _draw(axes: "Axes", shown: DigitMap) -> None:
    draw_digits(axes, shown.embedding, shown.labels)
    axes.set(
        title=f"{shown.method}, {shown.noise:.0%} reversed",
        xlabel=f"agrees with {shown.accuracy:.0%} of unseen answers",
    )


def _names(labels: NDArray[np.int64]) -> list[str]:
    return [f"{digit} (image {number})" for number, digit in enumerate(labels)]
