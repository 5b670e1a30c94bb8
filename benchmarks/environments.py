"""Environments of their own for peers, and facts about this machine for the record."""

import json
import os
import platform
import subprocess
import sys
import venv
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]


def peer_python(name: str, requirements: list[str]) -> Path:
    """The Python of a virtual environment with these requirements, made on first use."""
    folder = ROOT / ".bench" / name
    python = folder / "bin" / "python"
    stamp = folder / "requirements.json"
    if not stamp.exists() or json.loads(stamp.read_text()) != requirements:
        print(f"making the environment {folder.relative_to(ROOT)} ...", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)
        stamp.write_text(json.dumps(requirements))
    return python


def cblearn_python() -> Path:
    """Environment of cblearn 0.4, which needs numpy < 2, with this checkout installed beside it."""
    return peer_python("cblearn", ["cblearn==0.4.0", "numpy<2", "--editable", str(ROOT)])


def machine() -> dict[str, object]:
    """Processor, cores, versions and commit."""
    info = Path("/proc/cpuinfo")
    models = [line.split(":")[1].strip() for line in info.read_text().splitlines() if "model name" in line]
    return {
        "processor": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "python": sys.version.split()[0],
        "versions": {name: version(name) for name in ("tete", "numpy", "scipy", "numba", "scikit-learn")},
        "commit": _commit(),
    }


def _commit() -> str:
    """The commit, "-dirty" if files other than results differ from it."""

    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!benchmarks/results")
    return git("rev-parse", "--short", "HEAD") + ("-dirty" if changed else "")


def data_folder() -> Path:
    """Where real data sets are, if they are anywhere."""
    return Path(os.environ.get("TETE_DATA", ROOT.parent / "shared" / "data"))
