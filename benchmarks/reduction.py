"""Feature maps side by side with UMAP, PaCMAP, LocalMAP, TriMap and openTSNE, in one run.

    python benchmarks/reduction.py --data DIRECTORY [--datasets mnist usps ...] [--methods tete-listwise umap ...]

Every method runs in a fresh process, with its default settings, on the same machine, one after the other. The peers
conflict with each other, so each gets an environment of its own, made here on first use. The measures are computed by
`tete.map_metrics`, over all points unless `--samples` says otherwise. Writes `results/reduction.json` and `.md` beside
this file.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_wine, make_swiss_roll
from sklearn.preprocessing import StandardScaler

from tete import map_metrics

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parent / ".bench" / "peers"

# torch first and alone, or pip fetches builds for graphics cards that trimap does not need.
PEERS: dict[str, list[list[str]]] = {
    "umap": [["umap-learn==0.5.12"]],
    "pacmap": [["pacmap==0.9.1"]],
    "opentsne": [["openTSNE==1.0.4"]],
    "trimap": [["torch==2.13.0"], ["trimap==1.2.0"]],
}

# Environment and program of each method; the program finds X and leaves the map in Y.
METHODS: dict[str, tuple[str, str]] = {
    "tete-weighted": ("tete", "from tete import WeightedTETE as M; Y = M().fit_transform(X)"),
    "tete-listwise": ("tete", "from tete import ListwiseTETE as M; Y = M().fit_transform(X)"),
    "tete-listwise-fast": ("tete", "from tete import ListwiseTETE as M; Y = M(quality='fast').fit_transform(X)"),
    "tete-listwise-high": ("tete", "from tete import ListwiseTETE as M; Y = M(quality='high').fit_transform(X)"),
    "umap": ("umap", "from umap import UMAP as M; Y = M().fit_transform(X)"),
    "pacmap": ("pacmap", "from pacmap import PaCMAP as M; Y = M().fit_transform(X)"),
    "localmap": ("pacmap", "from pacmap import LocalMAP as M; Y = M().fit_transform(X)"),
    "trimap": ("trimap", "from trimap import TRIMAP as M; Y = M(verbose=False).fit_transform(X)"),
    "opentsne": (
        "opentsne",
        "from openTSNE import TSNE as M; from sklearn.decomposition import PCA; "
        "Z = PCA(50, random_state=0).fit_transform(X) if X.shape[1] > 50 else X; Y = M(n_jobs=-1).fit(Z)",
    ),
}

PROGRAM = """
import json, resource, sys, time
import numpy as np
X = np.load(sys.argv[1]).astype(np.float32)
start = time.perf_counter()
{program}
wall = time.perf_counter() - start
np.save(sys.argv[2], np.asarray(Y, dtype=np.float64))
peak = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({{"wall_s": wall, "cpu_s": peak.ru_utime + peak.ru_stime, "peak_mb": peak.ru_maxrss / 1024}}))
"""


def datasets(directory: Path, names: list[str]) -> Iterator[tuple[str, np.ndarray, np.ndarray | None]]:
    files = {
        "mnist": "mnist/mnist.npz",
        "usps": "usps/usps11000.npz",
        "coil20": "coil20/coil20_32x32.npz",
        "letters": "letters/letters.npz",
        "faces": "isomap_faces/faces_32x32.npz",
        "mammoth": "mammoth/mammoth50k.npz",
    }
    for name in names:
        if name in files:
            with np.load(directory / files[name]) as data:
                yield name, data["X"], data.get("y")
        elif name == "wine":
            X, y = load_wine(return_X_y=True)  # its columns have units of very different sizes
            yield name, StandardScaler().fit_transform(X), y
        elif name == "digits":
            yield name, *load_digits(return_X_y=True)
        elif name == "swiss-roll":
            yield name, make_swiss_roll(3000, random_state=0)[0], None
        elif name == "sphere":
            draws = np.random.default_rng(0).normal(size=(1000, 3))
            yield name, draws / np.linalg.norm(draws, axis=1, keepdims=True), None
        elif name.startswith("growth-"):
            yield name, grown(directory, int(name.removeprefix("growth-"))), None
        else:
            raise SystemExit(f"There is no dataset {name!r}.")


def grown(directory: Path, n_rows: int) -> np.ndarray:
    """MNIST on 50 principal components, repeated with a little noise to any number of rows."""
    from sklearn.decomposition import PCA  # noqa: PLC0415

    with np.load(directory / "mnist/mnist.npz") as data:
        points = PCA(50, random_state=0).fit_transform(data["X"].astype(np.float32)).astype(np.float32)
    rng = np.random.default_rng(0)
    rows = np.arange(n_rows) % len(points)
    noise = rng.normal(size=(n_rows, 50)).astype(np.float32) * (0.2 * points.std(axis=0))
    return points[rows] + noise * (np.arange(n_rows) >= len(points))[:, None]


def python_of(environment: str) -> str:
    if environment == "tete":
        return sys.executable
    folder = ENVIRONMENTS / environment
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        for packages in PEERS[environment]:
            subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True)
        (folder / "ready").touch()
    return str(python)


def run(method: str, X: np.ndarray, y: np.ndarray | None, samples: int | None, limit: float) -> dict[str, Any]:
    environment, program = METHODS[method]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "X.npy", Path(folder) / "Y.npy"
        np.save(source, X)
        command = [python_of(environment), "-W", "ignore", "-c", PROGRAM.format(program=program), source, target]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return {"failed": f"took more than {limit:.0f} s"}
        if done.returncode != 0:
            return {"failed": done.stderr.strip().splitlines()[-1]}
        return json.loads(done.stdout.splitlines()[-1]) | measures(X, np.load(target), y, samples)


def measures(X: np.ndarray, Y: np.ndarray, y: np.ndarray | None, samples: int | None) -> dict[str, float]:
    result = {
        "recall_15": map_metrics.neighborhood_recall(X, Y, n_samples=samples),
        "random_triplets": map_metrics.random_triplet_accuracy(X, Y),
        "global_score": map_metrics.global_score(X, Y),
    }
    if y is not None:
        result["accuracy_10nn"] = map_metrics.neighborhood_accuracy(Y, y, n_neighbors=10)
        result["accuracy_1nn"] = map_metrics.neighborhood_accuracy(Y, y, n_neighbors=1)
    return result


COLUMNS = (
    ("wall_s", ".1f"),
    ("cpu_s", ".1f"),
    ("peak_mb", ".0f"),
    ("recall_15", ".3f"),
    ("accuracy_10nn", ".4f"),
    ("accuracy_1nn", ".4f"),
    ("random_triplets", ".3f"),
    ("global_score", ".3f"),
)


def table(report: dict[str, Any]) -> str:
    lines = [f"Commit {report['commit']}, {report['date']}, {report['machine']}.", "", report["note"], ""]
    for name, results in report["results"].items():
        names = " | ".join(column for column, _ in COLUMNS)
        lines += [f"## {name}", "", f"| method | {names} |", "|---" * (len(COLUMNS) + 1) + "|"]
        for method, result in results.items():
            cells = [format(result[column], form) if column in result else "" for column, form in COLUMNS]
            lines.append(f"| {method} | " + " | ".join(cells) + f" | {result.get('failed', '')}".rstrip(" |") + " |")
        lines.append("")
    return "\n".join(lines)


def description() -> dict[str, Any]:
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False, cwd=HERE)  # noqa: S607
    return {
        "commit": commit.stdout.strip() or "unknown",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "note": "Wall time from import to map in a fresh process; compiled code is already on disk (warm).",
        "peers": PEERS,
        "results": {},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="directory of the data sets")
    parser.add_argument("--datasets", nargs="+", default=["wine", "coil20", "digits", "usps", "letters", "mnist"])
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--samples", type=int, default=None, help="rows that recall is measured on; all by default")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds after which a run is given up")
    parser.add_argument("--name", default="reduction", help="name of the result files")
    arguments = parser.parse_args()
    report = description()
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    small = make_swiss_roll(500, random_state=0)[0]
    for method in arguments.methods:  # compiles what the methods compile on first use
        run(method, np.hstack([small] * 20).astype(np.float32), None, 100, arguments.limit)
    for name, X, y in datasets(arguments.data, arguments.datasets):
        report["results"][name] = {}
        for method in arguments.methods:
            result = run(method, X, y, arguments.samples, arguments.limit)
            report["results"][name][method] = result
            print(name, method, json.dumps(result), flush=True)
            (folder / f"{arguments.name}.json").write_text(json.dumps(report, indent=1) + "\n")
            (folder / f"{arguments.name}.md").write_text(table(report))


if __name__ == "__main__":
    main()
