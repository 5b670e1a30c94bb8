"""Check what users would install: what is in wheel and sdist, and that the wheel works where the repository is not.

`python .ci/check_distribution.py dist` looks into the two files of a folder, installs the wheel with its pictures in a
new environment outside the repository, and runs `tete demo` there.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

LARGEST_WHEEL, LARGEST_SDIST = 1_500_000, 6_000_000  # bytes
NEEDED = {"tete/py.typed", "tete/page/page.js", "tete/page/page.html", "tete/__main__.py"}
ANSWERS = "from tete import TETE, Triplets; print(TETE().fit([(0, 1, 2), (1, 0, 2), (2, 1, 0)]).embedding_.shape)"


def check_contents(folder: Path) -> Path:
    """Nothing but the package in the wheel, nothing but the project in the sdist; the wheel."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    names = set(zipfile.ZipFile(wheel).namelist())
    foreign = {name for name in names if name.split("/")[0] != "tete" and ".dist-info/" not in name}
    assert not foreign, f"the wheel has files beside the package: {sorted(foreign)[:5]}"
    assert names >= NEEDED, f"the wheel lacks {sorted(NEEDED - names)}"
    heavy = {name for name in names if name.endswith((".npy", ".npz", ".csv", ".parquet", ".h5ad", ".nbi", ".nbc"))}
    assert not heavy, f"the wheel has data: {sorted(heavy)[:5]}"
    assert wheel.stat().st_size <= LARGEST_WHEEL, f"the wheel has {wheel.stat().st_size:,} bytes"
    with tarfile.open(sdist) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert {"src", "tests", "LICENSE", "pyproject.toml"} <= tops, f"the sdist has only {sorted(tops)}"
    assert not tops & {".venv", "dist", "demo", ".git"}, f"the sdist has {sorted(tops)}"
    assert sdist.stat().st_size <= LARGEST_SDIST, f"the sdist has {sdist.stat().st_size:,} bytes"
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes; {sdist.name}: {sdist.stat().st_size:,} bytes")
    return wheel


def check_installed(wheel: Path) -> None:
    """The wheel alone makes a map, and with what pictures need, the demo."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(f"{folder}/env", with_pip=True)
        python = f"{folder}/env/bin/python"
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}

        def run(*command: str) -> None:
            subprocess.run(command, cwd=folder, env=clean, check=True)

        install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*install, str(wheel))
        run(python, "-c", ANSWERS)
        run(*install, f"{wheel}[plot]")
        run(f"{folder}/env/bin/tete", "demo", "demo")
        run(python, "-m", "tete", "--version")
        made = {path.name for path in Path(folder, "demo").iterdir()}
        assert any(name.endswith(".html") for name in made), f"the demo made {sorted(made)}"


if __name__ == "__main__":
    check_installed(check_contents(Path(sys.argv[1]).resolve()))
