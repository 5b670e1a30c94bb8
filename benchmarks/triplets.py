"""Measure the triplet half side by side with cblearn and write the tables of `results/triplets.md`."""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from environments import ROOT, cblearn_python, data_folder, machine
from tete import CKL, GNMDS, SOE, STE, TETE, TSTE, Triplets
from tete.core.threads import threads
from tete.datasets import load_digits, load_mnist, make_triplets, make_uniform_triplets
from tete.embedding.losses import TETELoss, UnitTETELoss
from tete.embedding.objective import ShardedTriplets
from tete.exceptions import MissingDataError
from tete.metrics.classes import nearest_neighbor_error
from tete.metrics.satisfaction import triplet_error

RESULTS = Path(__file__).parent / "results"
NOISE = (0.0, 0.1, 0.2, 0.3, 0.4)
OURS: dict[str, Callable[[], object]] = {
    "TETE": TETE,
    "TETE, t = t' = 2": lambda: TETE(t=2.0, t_prime=2.0),
    "TETE, paper (t = t' = 1.7)": lambda: TETE(
        t=1.7, t_prime=1.7, ridge=0.0, init="random", optimizer="gradient_descent", random_state=0
    ),
    "TSTE": lambda: TSTE(alpha=1.0),
    "STE": STE,
    "CKL": CKL,
    "GNMDS": lambda: GNMDS(max_iter=3000),
    "SOE": SOE,
}
CHOSEN = ("TETE", "TETE, t = t' = 2", "SOE")  # what is measured without cblearn, in minutes
PEERS = ("TSTE", "SOE, one start")  # its default of ten starts takes ten times as long
PEER_NOISE = (0.0, 0.2, 0.4)


def seconds_of(action: Callable[[], object], repeats: int = 1) -> float:
    """Least wall time of several runs."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times)


def measure_kernel() -> list[dict[str, object]]:
    """Million triplets a second, value and gradient, in 2-D."""
    rows = []
    points = np.random.default_rng(0).normal(size=(1000, 2))
    triplets = make_uniform_triplets(points, 1_000_000, random_state=0)
    for loss in (UnitTETELoss(), TETELoss(2.0, 1.75), TETELoss(1.7, 1.7)):
        speeds = {}
        for n_jobs in (1, 2):
            with threads(n_jobs) as workers:
                shards = ShardedTriplets(triplets, 2, workers)
                shards.total_loss(loss, points)
                speeds[n_jobs] = 1.0 / seconds_of(lambda s=shards, x=loss: s.total_loss(x, points), repeats=15)
        rows.append(
            {
                "t, t'": f"{loss.t:g}, {loss.t_prime:g}",
                "M triplets/s, 1 thread": round(speeds[1], 1),
                "2 threads": round(speeds[2], 1),
                "ratio": round(speeds[2] / speeds[1], 2),
            }
        )
    return rows


def noise_data(seed: int) -> tuple[np.ndarray, np.ndarray, str]:
    try:
        digits, source = load_mnist(folder=data_folder()), "MNIST"
    except MissingDataError:
        digits, source = load_digits(), "digits of scikit-learn (MNIST not found)"
    chosen = np.random.default_rng(seed).choice(len(digits.data), 1000, replace=False)
    return digits.data[chosen].astype(np.float64), digits.target[chosen], source


class PeerFit(NamedTuple):
    """What a peer's fit took, and its map."""

    seconds: float
    processor_seconds: float
    embedding: np.ndarray


def fit_peer(
    python: Path, method: str, triplets: Triplets, dims: int = 2, *, limit: int | None = None
) -> PeerFit | None:
    """A fit in cblearn's environment; None if it takes more than `limit` processor seconds."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "triplets.npy"), Path(folder, "embedding.npy")
        np.save(source, triplets.to_array())
        script = Path(__file__).with_name("cblearn_peer.py")
        command = [python, script, method, source, target, str(dims), *([] if limit is None else [str(limit)])]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if limit is not None and run.returncode in {-signal.SIGKILL, -signal.SIGXCPU}:
            return None
        run.check_returncode()
        return PeerFit(*map(float, run.stdout.split()), np.load(target))


def measure_noise(
    far: str, seeds: int, python: Path | None, peer_noise: tuple[float, ...], names: tuple[str, ...] = tuple(OURS)
) -> list[dict[str, object]]:
    """Held-out triplet accuracy, 1-NN accuracy and seconds: ours over several seeds, peers on the first."""
    rows = []
    for seed in range(seeds):
        images, labels, source = noise_data(seed)
        train, test = (make_triplets(images, 100, far=far, random_state=2 * seed + part) for part in (0, 1))
        for noise in NOISE:
            noisy = train.flip(noise, random_state=seed)
            for name in names:
                estimator = OURS[name]()
                seconds = seconds_of(lambda e=estimator, t=noisy: e.fit(t))
                rows.append(_row(name, source, far, seed, noise, seconds, estimator.embedding_, test, labels))
            if python is not None and seed == 0 and noise in peer_noise:
                for method in PEERS:
                    print(f"cblearn {method} at {noise:.0%} ...", flush=True)
                    peer = fit_peer(python, method, noisy)
                    assert peer is not None
                    said = (f"cblearn {method}", source, far, seed, noise, peer.seconds)
                    rows.append(_row(*said, peer.embedding, test, labels))
    return rows


def _row(name, source, far, seed, noise, seconds, embedding, test, labels) -> dict[str, object]:
    return {
        "method": name,
        "data": source,
        "far": far,
        "seed": seed,
        "reversed": noise,
        "seconds": seconds,
        "triplets": 1.0 - triplet_error(embedding, test),
        "1-NN": 1.0 - nearest_neighbor_error(embedding, labels),
    }


def run_python(program: str, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "-c", program, *arguments]
    run = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def measure_start_up() -> list[dict[str, object]]:
    """Import over scikit-learn's, first fit with an empty compilation cache, first fit with a full one."""
    imports = "import time; import sklearn.base; t = time.perf_counter(); {}; print(time.perf_counter() - t)"
    fit = (
        "import time, numpy as np; from tete import TETE; from tete.datasets import make_uniform_triplets;"
        "x = make_uniform_triplets(np.random.default_rng(0).normal(size=(50, 2)), 2000, random_state=0);"
        "e = TETE(); t = time.perf_counter(); e.fit(x); a = time.perf_counter() - t;"
        "t = time.perf_counter(); e.fit(x); print(a - (time.perf_counter() - t))"
    )
    with tempfile.TemporaryDirectory() as cache:
        cold = float(run_python(fit, NUMBA_CACHE_DIR=cache))
        warm = min(float(run_python(fit, NUMBA_CACHE_DIR=cache)) for _ in range(3))
    return [
        *(
            {
                "what": f"{statement} after import sklearn.base",
                "seconds": min(float(run_python(imports.format(statement))) for _ in range(5)),
            }
            for statement in ("import tete", "from tete import TETE")
        ),
        {"what": "compiling in the first fit ever", "seconds": cold},
        {"what": "loading the cache in a later process", "seconds": warm},
    ]


SIZE_PROGRAM = """
import resource, sys, time, warnings
import numpy as np
from tete import TETE
from tete.datasets import make_uniform_triplets

warnings.simplefilter("ignore")
points = np.random.default_rng(0).normal(size=(10_000, 2))
TETE(max_iter=5).fit(make_uniform_triplets(points[:50], 20_000, random_state=0).to_array())
rows = make_uniform_triplets(points, 1_000_000, random_state=1).flip(0.1, random_state=2).to_array().astype(np.int64)
weights = np.ones(len(rows)) if sys.argv[1] == "weighted" else None
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # forget the peak so far
with open("/proc/self/statm") as file:
    before = int(file.read().split()[1]) * resource.getpagesize()
started = time.perf_counter()
fitted = TETE().fit(rows, sample_weight=weights)
seconds = time.perf_counter() - started
with open("/proc/self/status") as file:
    peak = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
print(seconds, (peak - before) / len(rows), fitted.n_iter_, fitted.score(rows))
"""


def measure_size() -> list[dict[str, object]]:
    """A million triplets of 10,000 objects: seconds, and peak memory above the input in bytes a triplet."""
    rows = []
    for weighting in ("plain", "weighted"):
        numbers = run_python(SIZE_PROGRAM, weighting).split()
        seconds, size, iterations, score = (float(number) for number in numbers)
        rows.append(
            {
                "triplets": f"1,000,000, {weighting}",
                "objects": "10,000",
                "seconds": round(seconds, 1),
                "iterations": int(iterations),
                "bytes a triplet above the input": round(size, 1),
                "share satisfied (10 % reversed)": round(score, 3),
            }
        )
    return rows


def summarize_noise(rows: list[dict[str, object]], key: str) -> list[dict[str, object]]:
    table = []
    for name in dict.fromkeys(row["method"] for row in rows):
        line: dict[str, object] = {"method": name}
        for noise in NOISE:
            values = [row[key] for row in rows if row["method"] == name and row["reversed"] == noise]
            spread = f" ± {np.std(values):.3f}" if len(values) > 1 and key != "seconds" else ""
            line[f"{noise:.0%} reversed"] = f"{np.mean(values):.3f}{spread}" if values else "-"
        table.append(line)
    return table


def speed_ratios(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    ours = {row["reversed"]: row["seconds"] for row in rows if row["method"] == "TETE" and row["seed"] == 0}
    peers = [row for row in rows if str(row["method"]).startswith("cblearn")]
    return [
        {
            "peer": row["method"],
            "reversed": f"{row['reversed']:.0%}",
            "its seconds": round(row["seconds"], 1),
            "TETE's seconds": round(ours[row["reversed"]], 2),
            "TETE is faster by": f"{row['seconds'] / ours[row['reversed']]:.0f} times",
        }
        for row in peers
    ]


def as_markdown(rows: list[dict[str, object]]) -> str:
    header = list(rows[0])
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    for row in rows:
        cells = [f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values()]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def noise_section(
    far: str, names: tuple[str, ...] = tuple(OURS), *, peers: bool = False
) -> dict[str, list[dict[str, object]]]:
    """Tables of quality and speed under noise."""
    rows = measure_noise(far, 5, cblearn_python() if peers else None, PEER_NOISE, names)
    data = f"1,000 points of {rows[0]['data']}, 100 triplets a point, far objects: {far!r}"
    tables = {
        f"Unseen triplets satisfied ({data})": summarize_noise(rows, "triplets"),
        f"Leave-one-out 1-NN accuracy ({data})": summarize_noise(rows, "1-NN"),
        f"Seconds of a fit ({data})": summarize_noise(rows, "seconds"),
    }
    if peers:
        tables["cblearn on the same 100,000 triplets in the same run"] = speed_ratios(rows)
    return tables


def conventions_section() -> dict[str, list[dict[str, object]]]:
    """What `cblearn_checks.py` prints in cblearn's environment."""
    script = Path(__file__).with_name("cblearn_checks.py")
    checks = subprocess.run([cblearn_python(), script], capture_output=True, text=True, check=False)
    told = [line.split(": ", 1) for line in checks.stdout.splitlines() if ": " in line and not line.startswith(" ")]
    rows = [{"estimator": name, "result": result} for name, result in told]
    return {f"Under cblearn's conventions (exit code {checks.returncode})": rows}


SECTIONS: dict[str, Callable[[], dict[str, list[dict[str, object]]]]] = {
    "kernel": lambda: {"Kernel: value and gradient": measure_kernel()},
    "start-up": lambda: {"Start-up": measure_start_up()},
    "size": lambda: {"Size": measure_size()},
    "noise": lambda: noise_section("half", peers=True),
    "noise-chosen": lambda: {
        f"With temperatures chosen: {title}": rows for title, rows in noise_section("half", CHOSEN).items()
    },
    "noise-authors": lambda: noise_section("authors"),
    "conventions": conventions_section,
}


def render(stored: dict[str, dict[str, object]]) -> str:
    """The page from the stored measurements."""
    parts = ["# Triplet embedding, measured by `make bench`"]
    for name in SECTIONS:
        if name in stored:
            for title, rows in stored[name]["tables"].items():
                parts.append(f"## {title}\n\n{as_markdown(rows)}")
            parts.append(f"`{json.dumps(stored[name]['machine'])}`")
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"default: all of {', '.join(SECTIONS)}")
    names = parser.parse_args().sections or list(SECTIONS)
    unknown = set(names) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {', '.join(sorted(unknown))}: choose among {', '.join(SECTIONS)}")
    for method in (TETE(), TSTE(), STE(), CKL(), GNMDS(), SOE()):  # compile before measuring
        method.fit(make_uniform_triplets(np.random.default_rng(0).normal(size=(20, 2)), 500, random_state=0))
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / "triplets.json"
    stored = json.loads(file.read_text()) if file.exists() else {}
    for name in names:
        print(f"measuring {name} ...", flush=True)
        stored[name] = {"machine": machine(), "tables": SECTIONS[name]()}
        file.write_text(json.dumps(stored, indent=1) + "\n")
        (RESULTS / "triplets.md").write_text(render(stored))
    print(render({name: stored[name] for name in names}))
    print(f"wrote {(RESULTS / 'triplets.md').relative_to(ROOT)}")


if __name__ == "__main__":
    main()
