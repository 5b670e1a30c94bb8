"""The interactive page of the map so far, from all answers, for the dashboard."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tete.collecting.items import Item
from tete.collecting.proposals import fitted_map, sample_of
from tete.collecting.study import Study
from tete.comparisons.triplets import Triplets
from tete.embedding.estimators import TETE
from tete.page.document import write_page
from tete.page.thumbnails import file_thumbnails
from tete.reliability.uncertainty import Uncertainty, position_uncertainty

__all__ = ["write_map_page"]

MOST_TRIPLETS = 200_000
MOST_WITH_ELLIPSES = 100_000  # triplets; of more, ellipses are smaller than points
MOST_WITH_PICTURES = 1_000  # items
REPLICATES = 20


def write_map_page(path: Path, everything: Triplets, study: Study, items: Sequence[Item]) -> Path:
    """Write the page, in place of an older one."""
    used = replace(sample_of(everything, MOST_TRIPLETS), names=tuple(item.name for item in items))
    model = fitted_map(used, study.dims)
    pictures = [item.file if item.kind == "image" else None for item in items]
    images = file_thumbnails(pictures) if any(pictures) and len(items) <= MOST_WITH_PICTURES else None
    write_page(
        path,
        model.embedding_,
        names=[item.label or item.name for item in items],
        triplets=used,
        uncertainty=_uncertainty(model, used),
        images=images,
        title=study.title or "Map",
        force=True,
    )
    return path


def _uncertainty(model: TETE, used: Triplets) -> Uncertainty | None:
    if len(used) > MOST_WITH_ELLIPSES:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return position_uncertainty(model, used, n_replicates=max(REPLICATES, 2 * model.embedding_.shape[1]))
