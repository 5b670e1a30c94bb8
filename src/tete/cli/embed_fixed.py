"""What `tete embed --fixed` does: new objects onto a finished map."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tete.cli.arguments import read_map_file
from tete.cli.messages import print_result
from tete.cli.outputs import Outputs, check_label
from tete.comparisons.alike import alike_names, alike_rows
from tete.core.printing import table_lines
from tete.embedding.new_objects import NewPlaces, beside_map
from tete.io import Map

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets
    from tete.embedding.fitting import TripletEmbedding

__all__ = ["embed_beside"]


def embed_beside(
    fixed: str,
    triplets: "Triplets",
    estimator: "TripletEmbedding",
    outputs: Outputs,
    label: str | None,
    coordinates: str,
    encoding: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Place the objects that the map does not have, and write the map with them."""
    found = read_map_file(fixed, coordinates, encoding)
    check_label(found, label)
    named = replace(triplets, names=tuple(str(triplets.name_of(number)) for number in range(triplets.n_objects)))
    model = estimator.set_params(n_components=found.embedding.shape[1]).on_map(found.embedding, found.name_texts)
    placed = model.place_new(named)
    whole = Map(
        np.concatenate([found.embedding, placed.embedding]),
        (*found.name_texts, *(str(name) for name in placed.names)),
        {name: _extended(values, len(placed)) for name, values in found.columns.items()},
    )
    outputs.write_map(whole)
    answers = beside_map(named, tuple(found.name_texts), len(found))
    outputs.draw(whole, answers, label, Path(fixed).stem)
    alike = alike_names(whole.names)
    result = {"new": placed.to_frame().to_dict(orient="records"), "alike_names": alike, "written": outputs.written}
    text = "\n".join([_table(placed), *table_lines(alike_rows(alike)), *outputs.written_lines])
    print_result(result, text, as_json, quiet)


def _extended(values: Any, n_more: int) -> Any:
    """A column with gaps for the new objects."""
    if values.dtype.kind in "iuf":
        return np.concatenate([values.astype(np.float64), np.full(n_more, np.nan)])
    return np.concatenate([values, np.full(n_more, "", dtype=object)])


def _table(placed: NewPlaces) -> str:
    rows = ["answers    place (and half axes of its 90 % ellipse)    new object"]
    for name, place, radii, count in zip(placed.names, placed.embedding, placed.radii(), placed.n_answers, strict=True):
        where = f"({', '.join(f'{x:z.2f}' for x in place)})"
        size = f"({', '.join(f'{radius:.2f}' for radius in radii)})"
        rows.append(f"{count:7}    {where} ± {size}    {name}")
    return "\n".join(rows)
