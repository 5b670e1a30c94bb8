"""Does a first stage with more dimensions find better maps? Writes `results/lifting.md`.

Mean over five folds (human answers) or five draws (MNIST, answers reversed) of held-out accuracy and of the objective,
for `TETE()` with no extra dimensions, with 2, 4 and 8. The human data are the paper's and the alien eggs of NEXT.
"""

import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import KFold

from environments import data_folder, machine
from tete import TETE, Triplets
from tete.datasets import load_alien_eggs, load_food, load_music, make_triplets
from tete.embedding import fitting
from triplets import RESULTS, as_markdown, noise_data

EXTRA = (0, 2, 4, 8)


def human_sets(folder: Path) -> dict[str, np.ndarray]:
    sets = {
        "Music": load_music(folder=folder),
        "Food": load_food(folder=folder),
        "30 eggs": load_alien_eggs(30, folder=folder),
        "300 eggs": load_alien_eggs(300, folder=folder),
    }
    return {name: answers.triplets.to_array() for name, answers in sets.items()}


def splits(folder: Path):
    """Name, training triplets, test triplets, dimensions to try."""
    for name, rows in human_sets(folder).items():
        n_objects = int(rows.max()) + 1
        for train, test in KFold(5, shuffle=True, random_state=0).split(rows):
            parts = (Triplets.from_array(rows[part], n_objects=n_objects) for part in (train, test))
            yield name, *parts, (1, 2, 3)
    for seed in range(5):
        images, _, source = noise_data(seed)
        train, test = (make_triplets(images, 100, random_state=2 * seed + part) for part in (0, 1))
        for noise in (0.0, 0.2, 0.4):
            yield f"{source}, {noise:.0%} reversed", train.flip(noise, random_state=seed), test, (1, 2, 3)


def main() -> None:
    folder = data_folder()
    measured: dict[tuple[str, int, int], list[tuple[float, float, float]]] = {}
    for name, train, test, dimensions in splits(folder):
        for n_components in dimensions:
            for extra in EXTRA:
                fitting.EXTRA_COMPONENTS = extra
                started = time.perf_counter()
                fitted = TETE(n_components).fit(train)
                seconds = time.perf_counter() - started
                found = (fitted.score(test), fitted.loss_, seconds)
                measured.setdefault((name, n_components, extra), []).append(found)
    rows = []
    for name, n_components in dict.fromkeys((name, n) for name, n, _ in measured):
        means = {extra: np.mean(measured[name, n_components, extra], axis=0) for extra in EXTRA}
        rows.append(
            {"data": name, "dimensions": n_components}
            | {f"accuracy, +{extra}": f"{means[extra][0]:.4f}" for extra in EXTRA}
            | {f"objective, +{extra}": f"{means[extra][1]:.4f}" for extra in EXTRA}
            | {f"seconds, +{extra}": f"{means[extra][2]:.2f}" for extra in EXTRA}
        )
    text = f"# A first stage with more dimensions\n\n{__doc__}\n`{machine()}`\n\n{as_markdown(rows)}\n"
    (RESULTS / "lifting.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
