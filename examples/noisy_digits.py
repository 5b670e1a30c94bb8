"""Maps of handwritten digits from comparisons, some of them wrong: t-STE beside t-ETE.

Run as ``python examples/noisy_digits.py FOLDER``; the digits come with scikit-learn, nothing is downloaded. The
comparisons are made from the images, as in the paper's first figure, and a share of them is reversed.
"""

import sys
import time
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from tete import TETE, TSTE
from tete.datasets import make_triplets
from tete.metrics import nearest_neighbor_error, procrustes_align

N_DIGITS = 600
NOISE = (0.0, 0.2, 0.4)
METHODS = {"t-STE": TSTE(), "t-ETE": TETE()}


def main(folder: Path) -> None:
    images, labels = load_digits(return_X_y=True)
    images, labels = images[:N_DIGITS], labels[:N_DIGITS]
    answers = make_triplets(images, per_point=100, random_state=0)
    unseen = make_triplets(images, per_point=20, random_state=1)
    print(f"{len(answers):,} comparisons of {N_DIGITS} digits\n")
    print("reversed  method  seconds  unseen answers  1-NN accuracy")
    first = None
    figure, axes = plt.subplots(len(METHODS), len(NOISE), figsize=(9, 6.2), layout="constrained")
    for column, noise in enumerate(NOISE):
        noisy = answers.flip(noise, random_state=2)
        for row, (name, method) in enumerate(METHODS.items()):
            started = time.perf_counter()
            fitted = method.fit(noisy)
            seconds = time.perf_counter() - started
            accuracy = fitted.score(unseen)
            neighbors = 1 - nearest_neighbor_error(fitted.embedding_, labels)
            print(f"{noise:7.0%}   {name:6}  {seconds:7.2f}  {accuracy:14.1%}  {neighbors:13.1%}")
            first = fitted.embedding_ if first is None else first
            places = procrustes_align(first, fitted.embedding_, scale=False)  # turned alike, to be compared
            draw(axes[row, column], places, labels, f"{name}, {noise:.0%} reversed", accuracy)
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / "noisy_digits.png"
    figure.savefig(picture, dpi=110)
    print(f"\nWrote {picture}: open it to see the maps.")


def draw(axis: plt.Axes, embedding: np.ndarray, labels: np.ndarray, title: str, accuracy: float) -> None:
    for digit, color in enumerate(mpl.colormaps["tab10"].colors):
        places = embedding[labels == digit]
        axis.scatter(*places.T, color=color, marker=f"${digit}$", s=22, linewidths=0.3)
    axis.set(title=title, xlabel=f"agrees with {accuracy:.0%} of unseen answers", xticks=[], yticks=[], aspect="equal")


if __name__ == "__main__":
    mpl.use("Agg")
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("demo"))
