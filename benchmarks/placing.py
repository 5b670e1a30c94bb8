"""A map of landmarks on which all other rows are placed: how fast, and how good beside a fit of everything.

    python benchmarks/placing.py [speed mnist million ten-million] [--small] [--limit 900] [--methods tete ...]
        [--quality-only]

speed: `transform` on a map of all of MNIST, many rows and one. mnist: 10,000 of 70,000 rows fitted and the others
placed, beside the full fit, UMAP's and openTSNE's `transform`. million: the same with 100,000 of a million rows.
ten-million: ten million rows x 50 through `tete reduce --landmarks`, killed in the middle and started again.
Every run has a process of its own. Results are kept in `results/placing.json`, from which `results/placing.md` is
written; a section measured anew replaces its old rows. `--small` takes few rows, to try it out, and keeps nothing.
With `--quality-only` times are not kept: a busy machine tells nothing about them.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from environments import machine, peer_python
from reduction import PEERS
from reduction_sets import grown, load
from tete import metrics, plot_map
from tete.distributed.landmarks import landmark_rows

RESULTS = Path(__file__).parent / "results"
SECTIONS = ("speed", "mnist", "million", "ten-million")
TIMES = ("fit_s", "place_s")
MEASURES = ("recall_15", "accuracy_10nn", "accuracy_1nn", "random_triplets", "global_score")
SAMPLED = 4000  # rows whose neighbours are looked for

# Environment (None is this one), import, and calls; they find X, the landmarks' rows and the others'.
METHODS: dict[str, tuple[str | None, str, str, str]] = {
    "tete, all rows fitted": (None, "from tete import ListwiseTETE", "ListwiseTETE(random_state=0).fit(X)", "None"),
    "tete, landmarks": (
        None,
        "from tete import ListwiseTETE",
        "ListwiseTETE(random_state=0).fit(X[landmarks])",
        "model.transform(X[others])",
    ),
    "umap, landmarks": (
        "umap",
        "from umap import UMAP",
        "UMAP().fit(X[landmarks])",
        "model.transform(X[others])",
    ),
    "opentsne, landmarks": (
        "opentsne",
        "from openTSNE import TSNE; from sklearn.decomposition import PCA",
        "TSNE(n_jobs=-1).fit(points[landmarks])",
        "model.transform(points[others])",
    ),
}

PROGRAM = """
import json, sys, time
from pathlib import Path
import numpy as np
{imports}
X, landmarks = np.load(sys.argv[1]), np.load(sys.argv[2])
others = np.setdiff1d(np.arange(len(X)), landmarks)
{points}
start = time.perf_counter()
model = {fit}
fitted = time.perf_counter()
places = {place}
done = time.perf_counter()
own = np.asarray(getattr(model, "embedding_", model), dtype=np.float64)
Y = own
if places is not None:
    Y = np.empty((len(X), 2))
    Y[landmarks], Y[others] = own, np.asarray(places)
np.save(sys.argv[3], Y)
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(json.dumps({{"fit_s": fitted - start, "place_s": done - fitted, "peak_mb": int(peak.split()[1]) / 1024}}))
"""
POINTS = "points = PCA(50, random_state=0).fit(X[landmarks]).transform(X) if X.shape[1] > 50 else X"

SPEED = """
import json, sys, time
import numpy as np
from tete import load_model
rows = np.load(sys.argv[2])
started = time.perf_counter()
model = load_model(sys.argv[1])
loaded = time.perf_counter()
model.transform(rows[:1])
first = time.perf_counter()
single = []
for row in range(1, 201):
    start = time.perf_counter()
    model.transform(rows[row : row + 1])
    single.append(time.perf_counter() - start)
rates = []
for _ in range(3):
    start = time.perf_counter(), time.process_time()
    model.transform(rows)
    rates.append((len(rows) / (time.perf_counter() - start[0]), (time.process_time() - start[1]) / len(rows)))
best = max(rates)
result = {"load_s": loaded - started, "first_ms": 1e3 * (first - loaded), "row_ms": 1e3 * float(np.median(single))}
result |= {"slowest_row_ms": 1e3 * max(single), "rows_a_second": best[0], "cpu_us_a_row": 1e6 * best[1]}
print(json.dumps(result))
"""


def run(command: list[Any], limit: float) -> dict[str, Any]:
    """The last line that a process prints, or why there is none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"took more than {limit:.0f} s"}
    if done.returncode != 0:
        return {"failed": done.stderr.strip().splitlines()[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure_speed(small: bool) -> dict[str, Any]:
    """`transform` of rows that are not of the fitted table: the same pictures, one pixel to the right."""
    X = load("mnist")[0].astype(np.uint8)
    X = X[:: 20 if small else 1]
    new = np.roll(X.reshape(-1, 28, 28), 1, axis=2).reshape(len(X), -1)[: 2000 if small else 40_000]
    program = "import sys, numpy as np; from tete import ListwiseTETE, save_model; "
    program += "save_model(sys.argv[1], ListwiseTETE(random_state=0).fit(np.load(sys.argv[2])))"
    with tempfile.TemporaryDirectory() as folder:
        model, table, rows = (Path(folder) / name for name in ("model.npz", "X.npy", "rows.npy"))
        np.save(table, X)
        np.save(rows, new)
        subprocess.run([sys.executable, "-W", "ignore", "-c", program, model, table], check=True)
        found = run([sys.executable, "-W", "ignore", "-c", SPEED, model, rows], 600.0)
    return {"landmarks": len(X), "rows": len(new), **found}


def placed_maps(X: np.ndarray, count: int, methods: list[str], limit: float) -> dict[str, tuple[Any, Any]]:
    """Times and map of each method, with the same landmarks."""
    landmarks, found = landmark_rows(len(X), count, 0), {}
    with tempfile.TemporaryDirectory() as folder:
        table, chosen, target = (Path(folder) / name for name in ("X.npy", "landmarks.npy", "Y.npy"))
        np.save(table, X)
        np.save(chosen, landmarks)
        for name in methods:
            environment, imports, fit, place = METHODS[name]
            python = sys.executable if environment is None else str(peer_python(environment, PEERS[environment]))
            points = POINTS if environment == "opentsne" else ""
            program = PROGRAM.format(imports=imports, points=points, fit=fit, place=place)
            result = run([python, "-W", "ignore", "-c", program, table, chosen, target], limit)
            found[name] = (result, None if "failed" in result else np.load(target))
            print(name, json.dumps(result), flush=True)
    return found


def measured(X: np.ndarray, y: np.ndarray, Y: np.ndarray) -> dict[str, float]:
    """How good a map is: recall by some rows, the rest by all."""
    return {
        "recall_15": metrics.neighborhood_recall(X, Y, n_samples=SAMPLED, random_state=0),
        "accuracy_10nn": metrics.neighborhood_accuracy(Y, y, n_neighbors=10),
        "accuracy_1nn": metrics.neighborhood_accuracy(Y, y, n_neighbors=1),
        "random_triplets": metrics.random_triplet_accuracy(X, Y),
        "global_score": metrics.global_score(X, Y),
    }


def measure_mnist(methods: list[str], limit: float, small: bool) -> dict[str, Any]:
    X, y = load("mnist")
    X, y = (X[::20], y[::20]) if small else (X, y)
    count = len(X) // 7
    report: dict[str, Any] = {"shape": X.shape, "landmarks": count}
    maps = placed_maps(X, count, methods, limit)
    for name, (result, Y) in maps.items():
        report[name] = result | ({} if Y is None else measured(X, y, Y))
    print(json.dumps(report), flush=True)  # before anything else can go wrong
    draw({name: Y for name, (_, Y) in maps.items() if Y is not None}, y, small)
    return report


def draw(maps: dict[str, np.ndarray], y: np.ndarray, small: bool) -> None:
    """All maps side by side."""
    figure = Figure(figsize=(4.2 * len(maps), 4.6))
    axes = figure.subplots(1, len(maps), squeeze=False)
    for place, (name, Y) in zip(axes[0], maps.items(), strict=True):
        plot_map(Y, labels=y.astype(str), title=name, axes=place)
        if place.get_legend() is not None and place is not axes[0, -1]:
            place.get_legend().remove()
    folder = Path(tempfile.gettempdir()) if small else RESULTS
    figure.savefig(folder / "placing_mnist.png", dpi=90, bbox_inches="tight")


def measure_million(methods: list[str], limit: float, small: bool) -> dict[str, Any]:
    n_rows = 20_000 if small else 1_000_000
    X, classes = grown(n_rows), load("mnist")[1]
    y = classes[np.arange(n_rows) % len(classes)]
    report: dict[str, Any] = {"shape": X.shape, "landmarks": n_rows // 10}
    for name, (result, Y) in placed_maps(X, n_rows // 10, methods, limit).items():
        report[name] = result | ({} if Y is None else measured(X, y, Y))
    return report


# Ten million rows through the command --------------------------------------------------------------------------------


def write_rows(folder: Path, n_rows: int, n_files: int) -> None:
    """MNIST on 50 components, again and again with noise of another seed, in npy files."""
    base = grown(70_000)
    spread = 0.2 * base.std(axis=0)
    for number in range(n_files):
        rng = np.random.default_rng(number)
        chosen = rng.integers(0, len(base), n_rows // n_files)
        noise = rng.normal(size=(len(chosen), base.shape[1])).astype(np.float32)
        np.save(folder / f"rows{number:02d}.npy", base[chosen] + noise * spread)


def measure_ten_million(small: bool) -> dict[str, Any]:
    """The run is killed when half of the parts are there, and started again."""
    n_rows, n_files, count = (200_000, 4, 5_000) if small else (10_000_000, 20, 100_000)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TETE_BENCH_FOLDER")) as name:
        folder = Path(name)
        (folder / "rows").mkdir()
        write_rows(folder / "rows", n_rows, n_files)
        files = sorted(str(path) for path in (folder / "rows").iterdir())
        command = [sys.executable, "-m", "tete", "reduce", *files, "--landmarks", str(count)]
        command += ["-o", str(folder / "placed"), "--model", str(folder / "model.npz"), "--json"]
        first = watched(command, folder / "placed", len(files) * -(-n_rows // n_files // 2**18) // 2)
        before = stamps(folder / "placed")
        again = watched(command, folder / "placed", None)
        after = stamps(folder / "placed")
        kept = sum(after[part] == stamp for part, stamp in before.items())
        rest = n_rows * (len(after) - len(before)) / len(after)
        size = sum(path.stat().st_size for path in (folder / "placed").iterdir())
    done = {"rows": n_rows, "landmarks": count, "parts": len(after), "parts_at_kill": len(before), "parts_kept": kept}
    result = json.loads(again.pop("output"))
    done |= {"place_s": result["seconds"], "rows_a_second": rest / result["seconds"], "bytes_written": size}
    return done | {"killed_after_s": first["wall_s"], "restart_s": again["wall_s"], "peak_mb": again["peak_mb"]}


def watched(command: list[str], folder: Path, kill_at: int | None) -> dict[str, Any]:
    """Run a command and look at its memory; kill it when so many parts are there."""
    peak, start = 0.0, time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            status = Path(f"/proc/{process.pid}/status")
            lines = status.read_text().splitlines() if status.exists() else []
            peak = max([peak, *(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))])
            if kill_at is not None and len(stamps(folder)) >= kill_at:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.02)
        output = process.stdout.read() if process.stdout is not None else ""
    return {"wall_s": time.perf_counter() - start, "peak_mb": peak, "output": output}


def stamps(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*.parquet")}


# The tables ----------------------------------------------------------------------------------------------------------


def speed_lines(found: dict[str, Any]) -> list[str]:
    if "failed" in found:
        return [found["failed"]]
    return [
        f"{found['rows']:,} rows of 784 columns on a map of {found['landmarks']:,}: "
        f"**{found['rows_a_second']:,.0f} rows a second**, {found['cpu_us_a_row']:.0f} microseconds of processor time "
        f"a row (best of 3). One row: {found['row_ms']:.2f} ms in the median, {found['slowest_row_ms']:.2f} at most of "
        "200, "
        f"{found['first_ms']:.1f} the first after loading. Loading takes {found['load_s']:.2f} s.",
    ]


def quality_lines(found: dict[str, Any]) -> list[str]:
    lines = [f"| method | fit s | place s | peak MB | {' | '.join(MEASURES)} |", "|---" * (4 + len(MEASURES)) + "|"]
    for name in METHODS:
        result = found.get(name)
        if result is None:
            continue
        if "failed" in result:
            lines.append(f"| {name} | {result['failed']} |")
            continue
        cells = [f"{result[key]:.1f}" if key in result else "-" for key in TIMES] + [f"{result['peak_mb']:.0f}"]
        lines.append(f"| {name} | {' | '.join([*cells, *(f'{result[key]:.4f}' for key in MEASURES)])} |")
    return lines


def ten_million_lines(found: dict[str, Any]) -> list[str]:
    return [
        f"{found['rows']:,} rows x 50 in {found['parts']} parts, {found['landmarks']:,} landmarks, by `tete reduce "
        f"--landmarks`. Killed after {found['killed_after_s']:.0f} s with {found['parts_at_kill']} parts; the restart "
        f"kept {found['parts_kept']} of them and placed the others in {found['place_s']:.0f} s: "
        f"**{found['rows_a_second']:,.0f} rows a second** with reading and writing, {found['peak_mb']:.0f} MB at most, "
        f"{found['bytes_written'] / found['rows']:.1f} bytes written a row.",
    ]


def _without_times(value: Any) -> Any:
    return {key: each for key, each in value.items() if key not in TIMES} if isinstance(value, dict) else value


def write(report: dict[str, Any]) -> None:
    (RESULTS / "placing.json").write_text(json.dumps(report, indent=1) + "\n")
    info = report["machine"]
    lines = ["# Landmarks and placing", "", f"{info['processor']}, {info['cores']} cores, Python {info['python']}."]
    lines.append(f"Versions: {', '.join(f'{name} {number}' for name, number in info['versions'].items())}.")
    lines.append(f"Peers: {PEERS['umap'][-1]}, {PEERS['opentsne'][-1]}, default settings, openTSNE on 50 components.")
    lines.append(f"Recall of the 15 nearest by {SAMPLED:,} rows, the other measures by all.")
    lines.append("Wall times without imports; where there are none (-), the machine was busy.")
    lines.append("Written by `python benchmarks/placing.py`; pictures: placing_mnist.png.")
    writers = {"speed": speed_lines, "mnist": quality_lines, "million": quality_lines, "ten-million": ten_million_lines}
    for section in SECTIONS:
        if section in report:
            found = report[section]
            title = section
            if "shape" in found:
                rows, columns = found["shape"]
                title += f": {found['landmarks']:,} landmarks of {rows:,} rows x {columns:,}"
            lines += ["", f"## {title} (commit {found['commit']})", "", *writers[section](found)]
    (RESULTS / "placing.md").write_text("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS), help=f"of {', '.join(SECTIONS)}; all by default")
    parser.add_argument("--methods", nargs="*", default=["tete", "umap", "opentsne"], help="whose names begin so")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds for one method")
    parser.add_argument("--quality-only", action="store_true", help="times do not count")
    parser.add_argument("--small", action="store_true", help="few rows; nothing is kept")
    options = parser.parse_args()
    path = RESULTS / "placing.json"
    report: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    report["machine"] = machine()
    methods = [name for name in METHODS if name.startswith(tuple(options.methods))]
    for section in options.sections:
        if section == "speed":
            found = measure_speed(options.small)
        elif section == "mnist":
            found = measure_mnist(methods, options.limit, options.small)
        elif section == "million":
            found = measure_million(methods, options.limit, options.small)
        else:
            found = measure_ten_million(options.small)
        if options.quality_only:
            found = {name: _without_times(value) for name, value in found.items()}
        old = report.get(section, {}) if set(methods) != set(METHODS) else {}
        report[section] = old | found | {"commit": report["machine"]["commit"]}
        print(section, json.dumps(found), flush=True)
        if not options.small:
            write(report)


if __name__ == "__main__":
    main()
