"""Tables on phones: none loses its sense because it is wider than the screen.

Where cells are sentences, they are written below each other, each with its head; wide tables of figures scroll, and
their first column stays in sight. The style sheet does it, by the classes that are given here.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

SENTENCE = 60  # letters that make a cell a sentence: no phone has room for it and two more columns
MOST_STACKED = 4  # columns: more of them, below each other, are no table any longer


def mark(app: Sphinx, tree: nodes.document, _page: str) -> None:
    """Give the tables of a page their classes."""
    if app.builder.format != "html":
        return
    for table in tree.findall(nodes.table):
        rows = [list(row.findall(nodes.entry)) for row in table.findall(nodes.row)]
        columns = max(map(len, rows))
        longest = max(len(cell.astext()) for row in rows for cell in row)
        if 3 <= columns <= MOST_STACKED and longest > SENTENCE:
            table["classes"].append("stacked-on-phones")
            write_heads(table)
        elif columns > 3:
            table["classes"].append("first-column-stays")


def write_heads(table: nodes.table) -> None:
    """Write the head of its column in front of each cell that says something; it is seen on phones alone."""
    head = next(table.findall(nodes.thead), None)
    titles = [cell.astext() for cell in head.findall(nodes.entry)] if head else []
    for row in next(table.findall(nodes.tbody)).findall(nodes.row):
        for cell, title in zip(row.findall(nodes.entry), titles, strict=False):
            if title and cell.astext():
                cell.insert(0, nodes.paragraph("", title, classes=["head-on-phones"]))


def setup(app: Sphinx) -> dict[str, Any]:
    """Mark tables when the references in their cells are resolved."""
    app.connect("doctree-resolved", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
