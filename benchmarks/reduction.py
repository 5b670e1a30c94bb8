"""Feature maps side by side with UMAP, PaCMAP, LocalMAP, TriMap and openTSNE, in one run.

    python benchmarks/reduction.py [warm kernel maps growth million] [--datasets mnist usps ...] [--methods umap ...]
    python benchmarks/reduction.py maps --quality-only [--missing] [--datasets ...] [--methods ...]

Every method runs in a fresh process with its default settings on the same machine, one after the other; its time
counts everything from the import to the finished map. Ours, PaCMAP, LocalMAP and the fastest peer run several times in
turns, and the medians count; a million rows once each. The peers conflict with each other, so each gets an environment
of its own, made on first use, and so does tete, without its extras. The measures are those of `tete.metrics`, over all
points. Results are kept in `results/reduction.json`, from which `results/reduction.md` is written after each map; a row
measured anew replaces its old one. First all methods compile what they compile on first use; the section `warm` does
that alone, and `--warm` says that it is done.

With `--quality-only` each method runs once and its times are not kept: a busy machine tells nothing about them. Ours
then have no times, peers those that were measured before. `--missing` leaves out what has all measures already.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from environments import ROOT, machine, peer_python
from reduction_sets import SETS, UNSEEN, grown, load
from tete import datasets, metrics
from tete.embedding.losses import UnitTETELoss
from tete.reduction.weighted.kernel import SeparableWeights, sum_anchored

RESULTS = Path(__file__).parent / "results"

# scikit-learn, which all methods load, loads pandas wherever it is installed (.2 s). So it is beside every method, as
# beside most feature tables. torch is named so that pip does not fetch builds for graphics cards, which trimap does not
# need.
PANDAS = "pandas==3.1.1"
OURS = [PANDAS, "--editable", str(ROOT)]
PEERS: dict[str, list[str]] = {
    "umap": [PANDAS, "umap-learn==0.5.12"],
    "pacmap": [PANDAS, "pacmap==0.9.1"],
    "opentsne": [PANDAS, "openTSNE==1.0.4"],
    "trimap": [PANDAS, "torch==2.13.0", "trimap==1.2.0"],
}

# Environment, import and call of each method; the call finds X.
METHODS: dict[str, tuple[str, str, str]] = {
    "tete-weighted": ("tete", "from tete import WeightedTETE", "WeightedTETE().fit_transform(X)"),
    "tete-fast": ("tete", "from tete import ListwiseTETE", "ListwiseTETE(quality='fast').fit_transform(X)"),
    "tete-listwise": ("tete", "from tete import ListwiseTETE", "ListwiseTETE().fit_transform(X)"),
    "tete-high": ("tete", "from tete import ListwiseTETE", "ListwiseTETE(quality='high').fit_transform(X)"),
    "umap": ("umap", "from umap import UMAP", "UMAP().fit_transform(X)"),
    "pacmap": ("pacmap", "from pacmap import PaCMAP", "PaCMAP().fit_transform(X)"),
    "localmap": ("pacmap", "from pacmap import LocalMAP", "LocalMAP().fit_transform(X)"),
    "trimap": ("trimap", "from trimap import TRIMAP", "TRIMAP(verbose=False).fit_transform(X)"),
    "opentsne": (
        "opentsne",
        "from openTSNE import TSNE; from sklearn.decomposition import PCA",
        "TSNE(n_jobs=-1).fit(PCA(50, random_state=0).fit_transform(X) if X.shape[1] > 50 else X)",
    ),
}

PROGRAM = """
import json, resource, sys, time
from pathlib import Path
import numpy as np
X = np.load(sys.argv[1])
start = time.perf_counter()
{imports}
loaded = time.perf_counter()
Y = {call}
done = time.perf_counter()
np.save(sys.argv[2], np.asarray(Y, dtype=np.float64))
used = resource.getrusage(resource.RUSAGE_SELF)
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
result = {{"wall_s": done - start, "fit_s": done - loaded, "cpu_s": used.ru_utime + used.ru_stime}}
print(json.dumps(result | {{"peak_mb": int(peak.split()[1]) / 1024}}))
"""

COMPILED = {"opentsne"}  # before it is installed
REPEATED = {"pacmap", "localmap"}  # with ours and the fastest peer
GROWTH = (10_000, 30_000, 70_000, 200_000, 500_000, 1_000_000)

SECTIONS = ["warm", "kernel", "maps", "growth", "million"]
MILLION = ("tete-weighted", "tete-listwise", "pacmap")

ROUNDS = 3
SHORT, SHORT_ROUNDS = 5.0, 7  # seconds, whose relative error is larger

TIMES = ("wall_s", "fit_s", "cpu_s")
COLUMNS = {"wall_s": 2, "fit_s": 2, "cpu_s": 1, "peak_mb": 0}  # and the digits that are shown
MEASURES = ("recall_15", "accuracy_10nn", "accuracy_1nn", "random_triplets", "global_score", "strays")


def run(method: str, X: np.ndarray, limit: float = 1800.0) -> tuple[dict[str, Any], np.ndarray | None]:
    """Time and memory of a method in a process of its own, and its map."""
    environment, imports, call = METHODS[method]
    python = str(peer_python(environment, PEERS.get(environment, OURS)))
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "X.npy", Path(folder) / "Y.npy"
        np.save(source, X)
        command = [python, "-W", "ignore", "-c", PROGRAM.format(imports=imports, call=call), source, target]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return {"failed": f"took more than {limit:.0f} s"}, None
        if done.returncode != 0:
            return {"failed": done.stderr.strip().splitlines()[-1]}, None
        return json.loads(done.stdout.splitlines()[-1]), np.load(target)


def measures(X: np.ndarray, y: np.ndarray | None, nearest: np.ndarray, Y: np.ndarray) -> dict[str, float]:
    result = {
        "recall_15": metrics.neighborhood_recall(X, Y, n_samples=None, true_neighbors=nearest),
        "random_triplets": metrics.random_triplet_accuracy(X, Y),
        "global_score": metrics.global_score(X, Y),
        "strays": strays(nearest, Y),
    }
    if y is not None:
        result["accuracy_10nn"] = metrics.neighborhood_accuracy(Y, y, n_neighbors=10)
        result["accuracy_1nn"] = metrics.neighborhood_accuracy(Y, y, n_neighbors=1)
    return result


def strays(nearest: np.ndarray, Y: np.ndarray) -> float:
    """Share of points whose median distance from their own data neighbours is five times that of these neighbours."""
    distances = np.median(np.linalg.norm(Y[nearest] - Y[:, None], axis=2), axis=1)
    return float(np.mean(distances > 5.0 * np.median(distances[nearest], axis=1)))


def warm_up(methods: list[str]) -> None:
    """Run every method once on tables of each kind, which compiles what the methods compile on first use."""
    rng = np.random.default_rng(0)
    few = rng.normal(size=(500, 60)).astype(np.float32)
    many = (few[:200].repeat(100, axis=0) + 0.3 * rng.normal(size=(20_000, 60))).astype(np.float32)
    surface = datasets.make_swiss_roll(600, random_state=0).data.astype(np.float32)
    for method in (method for method in methods if method not in COMPILED):
        for table in (few, many if ours(method) else many[:5000], surface):
            run(method, table)


def run_in_turns(
    methods: list[str], X: np.ndarray, limit: float = 1800.0, rounds: int = ROUNDS
) -> dict[str, tuple[dict[str, Any], np.ndarray | None]]:
    """Each method's times and map; those that matter several times in turns, with the medians of the times."""
    results = {method: run(method, X, limit) for method in methods}
    runs = {method: [result] for method, (result, _) in results.items() if "wall_s" in result}
    walls = {method: first["wall_s"] for method, (first,) in runs.items()}
    first_peer = min((method for method in walls if not ours(method)), key=lambda method: walls[method], default="")
    again = [method for method in walls if ours(method) or method in REPEATED or method == first_peer]
    longest = max((walls[method] for method in again), default=0.0)
    for _ in range((SHORT_ROUNDS if longest < SHORT else rounds) - 1):
        for method in again:
            runs[method].append(run(method, X, limit)[0])
    for method in again:
        medians = {key: float(np.median([each[key] for each in runs[method]])) for key in TIMES}
        results[method][0].update(medians)
    return results


def ours(method: str) -> bool:
    return method.startswith("tete")


def measure_maps(report: dict[str, Any], names: list[str], methods: list[str], options: argparse.Namespace) -> None:
    """Time and quality of every method on every data set, written to the report set by set."""
    for name in names:
        stored = report.setdefault("maps", {}).setdefault(name, {})
        wanted = [method for method in methods if not (options.missing and is_complete(stored, method))]
        if not wanted:
            continue
        X, y = load(name)
        nearest = NearestNeighbors(n_neighbors=15, algorithm="brute").fit(X).kneighbors(return_distance=False)
        results = {} if options.quality_only else run_in_turns(wanted, X)
        stored["shape"] = X.shape
        for method in wanted:
            result, Y = run(method, X) if options.quality_only else results[method]
            if options.quality_only:
                before = {} if ours(method) else stored.get(method, {})  # peers have not changed since they were timed
                result = before | {key: result[key] for key in ("failed", "peak_mb") if key in result}
            if Y is not None:
                result.update(measures(X, y, nearest, Y))
                if options.maps is not None:
                    options.maps.mkdir(parents=True, exist_ok=True)
                    np.save(options.maps / f"{name}-{method}.npy", Y)
            stored[method] = result | {"commit": machine()["commit"]}
            print(name, method, json.dumps(result), flush=True)
            write(report)


def is_complete(stored: dict[str, Any], method: str) -> bool:
    """Whether a row has all measures: of ours those of this commit, of peers any."""
    result = stored.get(method, {})
    current = not ours(method) or result.get("commit") == machine()["commit"]
    return current and ("strays" in result or "failed" in result)


def measure_growth(methods: list[str]) -> dict[str, Any]:
    """Time and memory against the number of rows, on 50 columns."""
    report: dict[str, Any] = {"commit": machine()["commit"]}
    for method in methods:
        report[method] = {}
        for n_rows in GROWTH:
            report[method][str(n_rows)] = run(method, grown(n_rows), limit=3600.0)[0]
            print(method, n_rows, json.dumps(report[method][str(n_rows)]), flush=True)
    return report


def measure_million(methods: list[str]) -> dict[str, Any]:
    """Time and memory on a million rows of 50 columns, beside PaCMAP, each once."""
    found = run_in_turns([method for method in methods if method in MILLION], grown(1_000_000), limit=7200.0, rounds=1)
    report = {method: result | {"commit": machine()["commit"]} for method, (result, _) in found.items()}
    print("million", json.dumps(report), flush=True)
    return report


def measure_kernel(n_points: int = 70_000, m: int = 20) -> dict[str, float]:
    """Million triplets a second on one core, value and gradient: t = t' = 2, 20 neighbours, 20 outliers, 2-D."""
    rng = np.random.default_rng(0)
    places = rng.normal(size=(n_points, 2)).astype(np.float32)
    far = rng.integers(0, n_points, (n_points, m)).astype(np.int32)
    weights = SeparableWeights(
        rng.random((n_points, m), dtype=np.float32),
        rng.random((n_points, m), dtype=np.float32),
        np.full(n_points, 0.01, dtype=np.float32),
    )
    gradient, speeds = np.zeros_like(places), {}
    around = (np.arange(n_points)[:, None] + rng.integers(-200, 200, (n_points, m))) % n_points
    for name, near in {
        "neighbours anywhere": rng.integers(0, n_points, (n_points, m)).astype(np.int32),
        "neighbours nearby": around.astype(np.int32),
    }.items():
        times = []
        for _ in range(60):
            start = time.perf_counter()
            sum_anchored(UnitTETELoss(), weights, places, near, far, 0, n_points, gradient)
            times.append(time.perf_counter() - start)
        speeds[name] = n_points * m * m / min(times) / 1e6
        print("kernel", name, f"{speeds[name]:.0f} M triplets/s", flush=True)
    return speeds


# The tables ----------------------------------------------------------------------------------------------------------


def maps_table(report: dict[str, Any]) -> list[str]:
    lines = []
    for name in (name for name in SETS if name in report):
        results = report[name]
        n_rows, n_columns = results["shape"]
        lines += ["", f"## {name}: {n_rows:,} x {n_columns:,}", ""]
        lines.append(f"| method | wall s | without import | CPU s | peak MB | {' | '.join(MEASURES)} | commit |")
        lines.append("|---" * (6 + len(MEASURES)) + "|")
        for method in METHODS:
            if method not in results:
                continue
            result = results[method]
            if "failed" in result:
                lines.append(f"| {method} | {result['failed']} |")
                continue
            cells = [f"{result[key]:.{digits}f}" if key in result else "-" for key, digits in COLUMNS.items()]
            cells += [f"{result[key]:.4f}" if key in result else "" for key in MEASURES]
            lines.append(f"| {method} | {' | '.join(cells)} | {result.get('commit', results.get('commit', ''))} |")
        lines += ["", ratios(results)]
    return lines


def ratios(results: dict[str, Any]) -> str:
    """Our times as shares of the peers'."""
    walls = {method: results[method]["wall_s"] for method in METHODS if "wall_s" in results.get(method, {})}
    peers = {method: wall for method, wall in walls.items() if not ours(method)}
    if not peers or len(peers) == len(walls):
        return "Times of this version were not measured on this set."
    fastest = min(peers, key=lambda method: peers[method])
    parts = [f"{method} {wall / peers[fastest]:.2f}" for method, wall in walls.items() if method not in peers]
    text = f"Wall time divided by that of the fastest peer ({fastest}): {', '.join(parts)}."
    if "trimap" in walls and "tete-weighted" in walls:
        text += f" tete-weighted / trimap: {walls['tete-weighted'] / walls['trimap']:.2f}."
    return text


def growth_table(report: dict[str, Any]) -> list[str]:
    lines = [
        "",
        f"## Growth: n rows x 50 columns (commit {report['commit']})",
        "",
        "| method | n | wall s | CPU s | peak MB |",
        "|---|---|---|---|---|",
    ]
    found = {method: runs for method, runs in report.items() if method in METHODS}
    for method, runs in found.items():
        for n_rows, result in runs.items():
            if "failed" not in result:
                row = f"{result['wall_s']:.1f} | {result['cpu_s']:.1f} | {result['peak_mb']:.0f}"
                lines.append(f"| {method} | {int(n_rows):,} | {row} |")
    lines.append("")
    for method, runs in found.items():
        done = {int(n_rows): result for n_rows, result in runs.items() if "failed" not in result}
        low, high = min(done), min(max(done), 500_000)
        power = np.log(done[high]["wall_s"] / done[low]["wall_s"]) / np.log(high / low)
        per_row = (done[high]["peak_mb"] - done[low]["peak_mb"]) * 2**20 / (high - low)
        lines.append(
            f"{method}: from {low:,} to {high:,} rows the time grows as n^{power:.2f}, "
            f"memory by {per_row:.0f} bytes a row (200 of them the table itself)."
        )
    return lines


def million_table(report: dict[str, Any]) -> list[str]:
    lines = ["", "## A million rows x 50 columns", ""]
    if len({report[method]["commit"] for method in MILLION if method in report}) > 1:
        lines += [
            "Rows of different commits are of different days and processors: their times are not to be compared.",
            "",
        ]
    lines.append("| method | wall s | CPU s | peak MB | wall / PaCMAP | memory / PaCMAP | commit |")
    lines.append("|---|---|---|---|---|---|---|")
    peer = report.get("pacmap", {})
    for method in MILLION:
        result = report.get(method, {"failed": "not measured"})
        if "failed" in result:
            lines.append(f"| {method} | {result['failed']} |")
            continue
        alike = {"peak_mb"} | ({"wall_s"} if result["commit"] == peer.get("commit") else set())
        shares = [f"{result[key] / peer[key]:.2f}" if key in alike & set(peer) else "" for key in ("wall_s", "peak_mb")]
        row = f"{result['wall_s']:.1f} | {result['cpu_s']:.1f} | {result['peak_mb']:.0f} | {' | '.join(shares)}"
        lines.append(f"| {method} | {row} | {result['commit']} |")
    return lines


def write(report: dict[str, Any]) -> None:
    (RESULTS / "reduction.json").write_text(json.dumps(report, indent=1) + "\n")
    info = report["machine"]
    lines = [
        "# Feature maps",
        "",
        f"{info['processor']}, {info['cores']} cores, Python {info['python']}.",
        f"Versions: {', '.join(f'{name} {number}' for name, number in info['versions'].items())}.",
        f"Peers: {', '.join(package for packages in PEERS.values() for package in packages[1:])}; {PANDAS} beside all.",
        "Wall time from the import to the map in a fresh process; compiled code is on disk already, for the peers too.",
        f"Ours, PaCMAP, LocalMAP and the fastest peer: median of {ROUNDS} runs in turns "
        f"({SHORT_ROUNDS} if all take less than {SHORT:.0f} s).",
        "Where a row has no times (-), it was measured on a busy machine, for its quality alone; peers' times and",
        "measures can then be of different runs.",
        "All measures over all points. Strays: points whose median distance from their own data neighbours exceeds",
        f"five times that of these neighbours. Nothing was tuned on {', '.join(UNSEEN)}, but that .73 instead of .70",
        "of the neighbours decide about components: docstrings lay so near .70 that the seed decided.",
        "Written by `python benchmarks/reduction.py`.",
    ]
    if "kernel" in report:
        speeds = ", ".join(f"{name} {speed:.0f}" for name, speed in report["kernel"].items())
        lines += ["", f"Kernel (t = t' = 2, m = 20, 2-D), million triplets a second on one core, best of 60: {speeds}."]
    lines += maps_table(report.get("maps", {}))
    lines += growth_table(report["growth"]) if "growth" in report else []
    lines += million_table(report["million"]) if "million" in report else []
    (RESULTS / "reduction.md").write_text("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=SECTIONS, default=SECTIONS[1:])
    parser.add_argument("--datasets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--maps", type=Path, default=None, help="folder to keep the maps in")
    parser.add_argument("--quality-only", action="store_true", help="one run each, whose time does not count")
    parser.add_argument("--missing", action="store_true", help="only what lacks measures, or is of another commit")
    parser.add_argument("--warm", action="store_true", help="compiled code is on disk already")
    arguments = parser.parse_args()
    stored = RESULTS / "reduction.json"
    report = json.loads(stored.read_text()) if stored.exists() else {}
    report["machine"] = machine()
    if "kernel" in arguments.sections:
        report["kernel"] = measure_kernel()
    if not (arguments.warm or arguments.quality_only):
        warm_up(arguments.methods)
    if "maps" in arguments.sections:
        measure_maps(report, arguments.datasets, arguments.methods, arguments)
    if "growth" in arguments.sections:
        growing = [method for method in arguments.methods if method in {"tete-weighted", "tete-listwise"}]
        report["growth"] = measure_growth(growing)
    if "million" in arguments.sections:
        report["million"] = report.get("million", {}) | measure_million(arguments.methods)
    write(report)


if __name__ == "__main__":
    main()
