"""Links that work in the repository and on the site: places of files there become places of pages here."""

import re
from typing import Any

from sphinx.application import Sphinx

# What begins where in the repository, seen from a page of docs or from a page above it, is where on the site.
PLACES = (
    (r"\]\((?:\.\./)*benchmarks/results/(\w+\.md)", r"](/benchmarks/\1"),
    (r"\]\((?:\.\./)*docs/(\w+\.(?:md|png))", r"](/\1"),
    (r"\]\((?:\.\./)*CONTRIBUTING\.md", "](/contributing.md"),
    (r"\]\((?:\.\./)*CHANGELOG\.md", "](/changelog.md"),
)


def rewrite(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Change the links of a page that is being read."""
    for here, there in PLACES:
        source[0] = re.sub(here, there, source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Change links as pages and what they include are read."""
    app.connect("source-read", rewrite)
    app.connect("include-read", lambda app, _path, page, source: rewrite(app, page, source))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
