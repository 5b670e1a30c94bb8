"""Does anything surprise? Mutated files, random fits, kills and interrupts; writes `results/fuzz.md`.

    python benchmarks/fuzz.py files --seconds 60 --seed 0
    python benchmarks/fuzz.py files --cases 100000
    python benchmarks/fuzz.py kills --number 300

A section is a module of its own, `fuzz_<section>.py`, with `add_options(parser)` and `run(options)`, which returns rows
for the table and a sentence about them. What fails is kept in `.bench/fuzz/<section>/`. The table of a section that is
not run again stays as it is. Kills and interrupts have options and tables of their own: `fuzz_faults.py`.
"""

import argparse
import importlib
import json
import sys

from environments import ROOT, machine
from triplets import RESULTS, as_markdown

SECTIONS = {
    "files": "files of every kind, mutated, are read",
    "fits": "random answers and tables are fitted",
}
FAULTS = ("kills", "interrupts")
KEPT = ROOT / ".bench" / "fuzz"


def main() -> int:
    """Run one section; the exit code is 1 if anything failed."""
    asked = sys.argv[1] if len(sys.argv) > 1 else ""
    if asked in FAULTS:
        importlib.import_module("fuzz_faults").main(sys.argv[1:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("section", choices=[*SECTIONS, *FAULTS])
    module = importlib.import_module(f"fuzz_{asked}") if asked in SECTIONS else None
    parser.add_argument("--seconds", type=float, default=60.0, help="stop after this time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-results", action="store_true", help="print the table, write nothing")
    if module is not None:
        module.add_options(parser)
    options = parser.parse_args()
    options.kept = KEPT / options.section
    rows, sentence, n_failed = module.run(options)
    record = {"sentence": sentence, "seed": options.seed, "rows": rows, "machine": machine()}
    print(f"{sentence}\n\n{as_markdown(rows)}")
    if not options.no_results:
        write(options.section, record)
    return int(n_failed > 0)


def write(section: str, record: dict[str, object]) -> None:
    """Put the section into the results, beside the others."""
    path = RESULTS / "fuzz.json"
    sections = json.loads(path.read_text()) if path.exists() else {}
    sections[section] = record
    path.write_text(json.dumps({name: sections[name] for name in SECTIONS if name in sections}, indent=1) + "\n")
    parts = [
        "# Files, faults and hostile input",
        "Written by `benchmarks/fuzz.py`. What is neither a result nor an error of our own is a failure.",
    ]
    for name, title in SECTIONS.items():
        if name in sections:
            found = sections[name]
            parts += [f"## {name}: {title}", found["sentence"], as_markdown(found["rows"]), f"`{found['machine']}`"]
    (RESULTS / "fuzz.md").write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    sys.exit(main())
