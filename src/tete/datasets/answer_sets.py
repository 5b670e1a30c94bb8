"""Loaders of answers that people gave."""

import json
from typing import Literal

import numpy as np
from sklearn.utils import Bunch

from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.validation import check_choice
from tete.datasets.folder import Folder, find_file, load_arrays
from tete.datasets.registry import data_set
from tete.exceptions import InvalidParameterError

__all__ = ["load_accents", "load_alien_eggs", "load_food", "load_music"]


@filled_from(load_arrays)
def load_music(*, folder: Folder = None, download: bool = False) -> Bunch:
    """Music: 9,090 comparisons of 400 artists, nine genres; 17 that repeat an object are left out.

    Returns
    -------
    Bunch
        `triplets`, `names`, `target` and `target_names` (genres), `genres` and `genre_names` (all genres of an artist),
        and `published_map`, a map by t-STE. Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_music
    >>> load_music(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_music() needs ...
    """
    arrays = load_arrays("music", folder, download=download)
    anchor, near, far = arrays["triplets"].T
    differ = (anchor != near) & (anchor != far) & (near != far)
    names = tuple(arrays["names"].tolist())
    return data_set("music").bunch(
        triplets=Triplets.from_array(arrays["triplets"][differ], names=names),
        target=arrays["labels"],
        target_names=tuple(arrays["label_names"].tolist()),
        names=names,
        genres=arrays["genre_matrix"],
        genre_names=tuple(arrays["genre_names"].tolist()),
        published_map=arrays["tste_map_published"],
    )


@filled_from(load_arrays)
def load_food(
    answers: Literal["named", "all", "screens"] = "named", *, folder: Folder = None, download: bool = False
) -> Bunch:
    """Food: comparisons of dishes by crowd workers.

    Parameters
    ----------
    answers : "named", "all" or "screens", default="named"
        "named" has all 95,183 triplets among the 73 dishes whose names are known, "all" 123,823 triplets of 100 dishes,
        of which many are missing. "screens" has the 6,256 answers to "pick the one most like this", 46,160 triplets of
        100 dishes, with `answers` that keep the triplets of an answer together.

    Returns
    -------
    Bunch
        `triplets`, `names`, `taste` (six tastes of each dish in percent, NaN for the 27 dishes without a name) and
        `taste_names`. Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_food
    >>> load_food(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_food() needs ...
    """
    check_choice("answers", answers, ("named", "all", "screens"))
    arrays = load_arrays("food73", folder, download=download)
    n_dishes = 73 if answers == "named" else 100
    names = tuple(arrays["names"][:n_dishes].tolist())
    if answers == "screens":
        screens = data_set("food_screens")
        triplets = _from_screens(find_file(screens, folder, download=download).read_bytes(), names)
    else:
        triplets = Triplets.from_array(arrays["triplets73" if answers == "named" else "triplets"], names=names)
    entry = data_set({"named": "food73", "all": "food100", "screens": "food_screens"}[answers])
    return entry.bunch(
        triplets=triplets,
        names=names,
        taste=arrays["taste"][:n_dishes],
        taste_names=tuple(arrays["taste_names"].tolist()),
    )


@filled_from(load_arrays)
def load_alien_eggs(n_objects: Literal[30, 300] = 30, *, folder: Folder = None, download: bool = False) -> Bunch:
    """Alien eggs: comparisons of 30 or 300 shapes that differ in one parameter, the truth, with participants.

    Parameters
    ----------
    n_objects : 30 or 300, default=30
        Which of the two experiments.

    Returns
    -------
    Bunch
        `triplets`, `annotators`, `algorithm` (how the question of each triplet was chosen), `truth` and `truth_names`.
        Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_alien_eggs
    >>> load_alien_eggs(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_alien_eggs(30) needs ...
    """
    if n_objects not in {30, 300}:
        raise InvalidParameterError(f"`n_objects` must be 30 or 300, got {n_objects!r}.")
    arrays = load_arrays(f"alien_eggs{n_objects}", folder, download=download)
    prefix = "next30" if n_objects == 30 else "eggs300"
    annotators = arrays[f"{prefix}_participant"]
    return data_set(f"alien_eggs{n_objects}").bunch(
        triplets=Triplets.from_array(arrays[f"{prefix}_triplets"], annotators=annotators, n_objects=n_objects),
        annotators=annotators,
        algorithm=arrays[f"{prefix}_alg"],
        truth=arrays[f"{prefix}_spikiness"].astype(np.float64)[:, None],
        truth_names=("spikiness",),
    )


@filled_from(load_arrays)
def load_accents(*, folder: Folder = None, download: bool = False) -> Bunch:
    """Accents: 36,480 odd-one-out answers of 60 raters about 160 speakers, two triplets an answer.

    Returns
    -------
    Bunch
        `triplets`, `names`, `annotators`, `shown` (the three speakers of each answer) and `odd` (the column of the odd
        one). Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_accents
    >>> load_accents(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_accents() needs ...
    """
    arrays = load_arrays("accents", folder, download=download)
    names = tuple(str(number) for number in arrays["stimulus_id"])
    triplets = Triplets.from_odd_one_out(arrays["stimuli"], arrays["odd"], annotators=arrays["annotator"], names=names)
    return data_set("accents").bunch(
        triplets=triplets,
        names=names,
        annotators=triplets.annotators,
        shown=arrays["stimuli"],
        odd=arrays["odd"],
    )


def _from_screens(text: bytes, names: tuple[str, ...]) -> Triplets:
    """One group of triplets for each screen; screens have different numbers of choices."""
    rows, answers = [], []
    for number, screen in enumerate(json.loads(text)):
        others = [dish for dish in screen["shown"] if dish != screen["chosen"]]
        rows += [(screen["probe"], screen["chosen"], other) for other in others]
        answers += [number] * len(others)
    return Triplets.from_array(np.array(rows), answers=np.array(answers), names=names)
