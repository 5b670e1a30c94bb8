"""Pages of the stored tables of benchmarks: each result that a script has written is a page of the site."""

import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from command_pages import write_changed

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
FOLDER = "benchmarks"


def write_pages(app: Sphinx) -> None:
    """Copy the tables and their pictures beside the other sources, under the names of their files."""
    folder = Path(app.srcdir, FOLDER)
    folder.mkdir(exist_ok=True)
    tables = {path.name: path.read_text(encoding="utf-8") for path in sorted(RESULTS.glob("*.md"))}
    for name, text in tables.items():
        write_changed(folder / name, text)
    for path in RESULTS.glob("*.png"):
        shutil.copyfile(path, folder / path.name)
    for path in folder.glob("*.md"):
        if path.name not in tables and path.name != "index.md":
            path.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    """Copy before sources are looked for."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
