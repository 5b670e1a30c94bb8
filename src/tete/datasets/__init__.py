"""Data to try things on: real data sets, and generators of points and of triplets with known truth and known noise.

Loaders return a `Bunch` with `data` (rows of features) or `triplets`, and always `target`, `target_names` and `names`
(None where there are none), `title`, `description`, `licence` and `citation`. A file is looked for in `folder`, or else
in the folder of the environment variable TETE_DATA, or else in the user's cache folder. With `download=True` a missing
file is fetched, if a public place of it is known.

`registry` lists what is known of each data set, `folder` finds its file and checks it, `fetching` makes a file that is
missing (`downloading` gets the bytes). `feature_sets` and `answer_sets` have the loaders, `generators` make triplets.
"""

from tete.datasets.answer_sets import load_accents, load_alien_eggs, load_food, load_music
from tete.datasets.feature_sets import (
    load_coil20,
    load_digits,
    load_faces,
    load_fashion_mnist,
    load_letters,
    load_mammoth,
    load_mit_scenes,
    load_mnist,
    load_usps,
    load_wine,
    make_sphere,
    make_swiss_roll,
)
from tete.datasets.folder import data_folder
from tete.datasets.generators import answer_by_distance, assign_annotators, make_triplets, make_uniform_triplets

__all__ = [
    "answer_by_distance",
    "assign_annotators",
    "data_folder",
    "load_accents",
    "load_alien_eggs",
    "load_coil20",
    "load_digits",
    "load_faces",
    "load_fashion_mnist",
    "load_food",
    "load_letters",
    "load_mammoth",
    "load_mit_scenes",
    "load_mnist",
    "load_music",
    "load_usps",
    "load_wine",
    "make_sphere",
    "make_swiss_roll",
    "make_triplets",
    "make_uniform_triplets",
]
