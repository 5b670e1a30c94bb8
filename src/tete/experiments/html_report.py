"""The report: one page without scripts, with every picture inside, and the same verdicts as CSV and Markdown."""

import base64
import html
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tete.experiments.experiment import HOLDS, PARTLY, UNKNOWN, WRONG
from tete.experiments.reproduction import Chapter, machine
from tete.io.writing import atomic_write, write_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cell", "write_report"]

MARKS = {HOLDS: "good", PARTLY: "fair", WRONG: "bad", UNKNOWN: "none"}
QUICK_NOTE = (
    "This is a quick run on small data. It shows that everything works; its verdicts must not be held against the "
    "paper."
)
LONG = 14  # rows of a table that are shown unasked

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --line: #ccc; --soft: #f3f3f3;
  --good: #1a7f37; --fair: #9a6700; --bad: #b3261e; --none: #6e6e6e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #151515; --line: #444; --soft: #222;
  --good: #5fd07f; --fair: #e2b340; --bad: #ff8a80; --none: #a0a0a0; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
img { width: 100%; background: #fff; border-radius: 6px; }
table { border-collapse: collapse; font-size: .85rem; margin: .5rem 0; }
.scroll { overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .6rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.good { color: var(--good); } .fair { color: var(--fair); } .bad { color: var(--bad); } .none { color: var(--none); }
.verdict { font-weight: 600; white-space: nowrap; }
.claim { background: var(--soft); border-radius: 6px; padding: .6rem 1rem; margin: .6rem 0; }
.note { border-left: 4px solid var(--fair); padding: .2rem 1rem; }
a { color: inherit; }
"""


def write_report(folder: Path, chapters: Sequence[Chapter], *, quick: bool) -> None:
    """Write index.html, verdicts.csv and verdicts.md."""
    import pandas as pd  # noqa: PLC0415

    verdicts = pd.DataFrame(_verdict_rows(chapters))
    write_frame(folder / "verdicts.csv", verdicts, force=True)
    for name, text in (
        ("index.html", _page(chapters, quick=quick)),
        ("verdicts.md", _markdown(chapters, quick=quick)),
    ):
        with atomic_write(folder / name, force=True) as stream:
            stream.write(text.encode())


def cell(name: str, value: Any) -> str:
    """A number as the report shows it: whole ones plain, seconds with one decimal, others with three."""
    if isinstance(value, (float, np.floating)):
        if np.isnan(value):
            return ""
        if float(value).is_integer() and not name.endswith(("_sd", "error", "accuracy", "seconds")):
            return f"{value:.0f}"
        return f"{value:.1f}" if name.endswith("seconds") else f"{value:.3f}"
    return str(value)


def _verdict_rows(chapters: Sequence[Chapter]) -> list[dict[str, str]]:
    return [
        {
            "experiment": chapter.experiment.name,
            "statement": claim.statement,
            "verdict": claim.verdict,
            "passed": f"{sum(check.passed for check in claim.checks)} of {len(claim.checks)}",
            "rule": claim.rule,
            "found": "; ".join(f"{'yes' if check.passed else 'no'}: {check.text}" for check in claim.checks),
        }
        for chapter in chapters
        for claim in chapter.claims
    ]


# The page ------------------------------------------------------------------------------------------------------------


def _page(chapters: Sequence[Chapter], *, quick: bool) -> str:
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>t-ETE: the paper's experiments again</title><style>{STYLE}</style>",
        "<h1>The paper's experiments again</h1>",
        "<p><cite>Low-dimensional Data Embedding via Robust Ranking</cite> (Amid, Vlassis, Warmuth), run with tete. "
        "Every number below comes from the tables beside this page. A claim <b>holds</b> if all its checks pass, "
        "<b>holds partly</b> if some do, and <b>does not hold</b> if none does; the rules stand with the claims.</p>",
        f"<p>{_escape(machine())}.</p>",
    ]
    if quick:
        parts.append(f'<p class="note">{QUICK_NOTE}</p>')
    parts += ["<h2>Verdicts</h2>", _overview(chapters)]
    return "\n".join([*parts, *(_section(chapter, quick=quick) for chapter in chapters), "</html>\n"])


def _overview(chapters: Sequence[Chapter]) -> str:
    rows = []
    for chapter in chapters:
        link = f'<a href="#{chapter.experiment.name}">{_escape(chapter.experiment.title)}</a>'
        title = f'<td rowspan="{len(chapter.claims)}">{link}</td>'
        for number, claim in enumerate(chapter.claims):
            first = title if number == 0 else ""
            rows.append(f"<tr>{first}<td>{_escape(claim.statement)}</td><td>{_mark(claim.verdict)}</td></tr>")
    head = "<tr><th>experiment</th><th>claim</th><th>verdict</th></tr>"
    return f'<div class="scroll"><table>{head}{"".join(rows)}</table></div>'


def _section(chapter: Chapter, *, quick: bool) -> str:
    experiment = chapter.experiment
    parts = [f'<h2 id="{experiment.name}">{_escape(experiment.title)}</h2>']
    parts += [
        f'<p class="note">{_escape(name)} is missing, so its part is left out: {_escape(text)}</p>'
        for name, text in chapter.missing.items()
    ]
    if chapter.picture is not None:
        picture = base64.b64encode(chapter.picture).decode()
        parts.append(f'<img alt="{_escape(experiment.title)}" src="data:image/png;base64,{picture}">')
    parts.append(f"<p><b>The paper:</b> {_escape(experiment.paper)}</p>")
    parts.append(f"<p><b>Here:</b></p><ul>{''.join(f'<li>{_escape(line)}</li>' for line in experiment.protocol)}</ul>")
    for claim in chapter.claims:
        checks = "".join(f"<li>{'yes' if check.passed else 'no'}: {_escape(check.text)}</li>" for check in claim.checks)
        passed = sum(check.passed for check in claim.checks)
        parts.append(
            f'<div class="claim">{_mark(claim.verdict)} &mdash; {_escape(claim.statement)}<br><i>Rule:</i> '
            f"{_escape(claim.rule)}<details><summary>{passed} of {len(claim.checks)} checks pass</summary>"
            f"<ul>{checks}</ul></details></div>"
        )
    if experiment.tried and not quick:
        parts.append(f"<p><b>What was tried:</b> {_escape(experiment.tried)}</p>")
    if chapter.summary is not None:
        parts.append(_table(chapter.summary))
        parts.append(
            f'<p>Tables: <a href="{experiment.name}.csv">every fit</a>, '
            f'<a href="{experiment.name}_summary.csv">summary</a>.</p>'
        )
    return "\n".join(parts)


def _table(table: "pd.DataFrame") -> str:
    head = "".join(f"<th>{_escape(str(name))}</th>" for name in table.columns)
    lines = []
    for row in table.itertuples(index=False):
        cells = [(cell(str(name), value), value) for name, value in zip(table.columns, row, strict=True)]
        lines.append("".join(f"<td{_kind(value)}>{_escape(text)}</td>" for text, value in cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    found = f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'
    return found if len(lines) <= LONG else f"<details><summary>Table of {len(lines)} rows</summary>{found}</details>"


def _kind(value: Any) -> str:
    return "" if isinstance(value, str) else ' class="number"'


def _mark(verdict: str) -> str:
    return f'<span class="verdict {MARKS[verdict]}">{verdict}</span>'


def _escape(text: str) -> str:
    return html.escape(text, quote=True)


# Markdown ------------------------------------------------------------------------------------------------------------


def _markdown(chapters: Sequence[Chapter], *, quick: bool) -> str:
    lines = ["# The paper's experiments again", "", "Written by `tete reproduce`; the rules are in its report.", ""]
    lines += [QUICK_NOTE, ""] if quick else []
    lines += [f"{machine()}.", "", "| experiment | claim | verdict | checks passed |", "|---|---|---|---|"]
    rows = _verdict_rows(chapters)
    for row in rows:
        cells = (row["experiment"], row["statement"], row["verdict"], row["passed"])
        lines.append(f"| {' | '.join(text.replace('|', '/') for text in cells)} |")
    for chapter in chapters:
        lines += ["", f"## {chapter.experiment.title}", "", chapter.experiment.paper, ""]
        lines += [f"- {line}" for line in chapter.experiment.protocol]
        for claim in chapter.claims:
            lines += ["", f"**{claim.verdict}**: {claim.statement} Rule: {claim.rule}", ""]
            lines += [f"- {'yes' if check.passed else 'no'}: {check.text}" for check in claim.checks]
        if chapter.experiment.tried and not quick:
            lines += ["", f"**What was tried:** {chapter.experiment.tried}"]
        lines += [f"- missing: {name}" for name in chapter.missing]
    return "\n".join(lines) + "\n"
