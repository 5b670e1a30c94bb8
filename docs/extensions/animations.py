"""Animations of gallery examples, kept as pictures that move: no script, and nothing from elsewhere, plays them."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.animation import Animation, PillowWriter
from sphinx_gallery.scrapers import figure_rst


def scrape_animations(_block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save animations that a block of an example has made, once each, and close their figures."""
    saved = []
    made = block_vars["example_globals"]
    for name, found in list(made.items()):
        if isinstance(found, Animation):
            path = Path(next(block_vars["image_path_iterator"])).with_suffix(".gif")
            found.save(path, writer=PillowWriter(fps=12))
            plt.close(found._fig)
            del made[name]
            saved.append(str(path))
    return figure_rst(saved, gallery_conf["src_dir"])
