"""Measure what `exaggeration` costs and draw what it does; writes `results/exaggeration.md`, `docs/exaggeration.png`.

Maps of MNIST (70,000 digits) and USPS (11,000) by `ListwiseTETE(exaggeration=...)` with its other defaults and seed 0.
Recall is the share of each row's 15 nearest rows that are its 15 nearest on the map, 10-NN the share of rows in the
class of most of their ten nearest on the map, random triplets those that keep their order, all on 2,000 rows. Void is
the share of the map's frame, in 100 x 100 cells, without a point: how much room is left between groups.
"""

import argparse
import json
import time

import numpy as np

from environments import ROOT, machine
from reduction_sets import load
from tete import ListwiseTETE, map_quality, plot_map, save_picture
from tete.drawing.figures import new_figure
from triplets import RESULTS, as_markdown

LEVELS = (1.0, 1.5, 2.0, 4.0)
DRAWN = "mnist"
SETS = ("usps", "mnist")
N_CELLS = 100


def measure(name: str) -> tuple[list[dict[str, object]], list[np.ndarray], np.ndarray]:
    """A row of measures and a map for each level, and the classes."""
    table, classes = load(name)
    rows, maps = [], []
    for level in LEVELS:
        started = time.process_time()
        embedding = ListwiseTETE(exaggeration=level, random_state=0).fit_transform(table)
        seconds = time.process_time() - started
        found = map_quality(table, embedding, labels=classes, n_samples=2000)
        measures = {"recall": found.recall, "10-NN": found.accuracy, "random triplets": found.random_triplets}
        rows.append(
            {"exaggeration": f"{level:g}", **measures, "void": void(embedding), "processor s": f"{seconds:.1f}"}
        )
        maps.append(embedding)
        print(name, rows[-1], flush=True)
    return rows, maps, classes


def void(embedding: np.ndarray) -> float:
    """The share of cells of the frame without a point; the outermost half per cent on each side is outside of it."""
    ends = np.quantile(embedding, [0.005, 0.995], axis=0).T
    return float(np.mean(np.histogram2d(*embedding.T, bins=N_CELLS, range=ends)[0] == 0))


def draw(maps: list[np.ndarray], rows: list[dict[str, object]], classes: np.ndarray) -> None:
    """The maps beside each other, with their price."""
    figure, axes = new_figure(12.0, 3.5, columns=len(maps))
    for each, embedding, row in zip(axes, maps, rows, strict=True):
        title = f"exaggeration {row['exaggeration']}, recall {row['recall']:.3f}"
        plot_map(embedding, labels=classes, title=title, axes=each)
        if each is not axes[-1]:
            each.get_legend().remove()
    save_picture(ROOT / "docs" / "exaggeration.png", figure, force=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=[], help=f"some of {', '.join(SETS)}")
    file = RESULTS / "exaggeration.json"
    stored = json.loads(file.read_text()) if file.exists() else {}
    ListwiseTETE(max_iter=2).fit(np.random.default_rng(0).normal(size=(200, 60)))  # compiles
    for name in parser.parse_args().sets or SETS:
        stored[name], maps, classes = measure(name)
        stored["machine"] = machine()
        file.write_text(json.dumps(stored, indent=1) + "\n")
        if name == DRAWN:
            draw(maps, stored[name], classes)
    parts = ["# Exaggeration", __doc__.strip()]
    for name in SETS:
        if name in stored:
            parts += [f"## {name.upper()}", as_markdown(stored[name])]
    parts.append(f"Machine: `{json.dumps(stored['machine'])}`")
    (RESULTS / "exaggeration.md").write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
