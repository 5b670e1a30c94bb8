"""Answers and rows beyond memory and beyond one machine: on disk, in pieces, or on a cluster (extra ``dask``).

`packing` turns files of answers into a folder, in pieces; `shard_writer` fills it with `shard_files` and a `manifest`.
`TripletShards` is such a folder. A fit asks it for a sum: `streaming` takes it from the disk on this machine, `cluster`
on the workers of a Dask cluster (`worker` is what they do), with the same bits.

Rows come in `row_parts`. A map is fitted to `landmarks` among them; `placing` then places part by part
(`part_placing`), on threads or workers, and writes each to a file of its own (`placed_files`). Nothing here loads Dask
before it is needed.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from tete.core.lazy import lazy_names as _lazy_names

if _TYPE_CHECKING:
    from tete.distributed.cluster import on
    from tete.distributed.landmarks import draw_landmarks
    from tete.distributed.packing import pack_answers
    from tete.distributed.placing import PlacedRows, place_dataset
    from tete.distributed.triplet_shards import TripletShards

__all__ = ["PlacedRows", "TripletShards", "draw_landmarks", "on", "pack_answers", "place_dataset"]

_HOMES = {
    "PlacedRows": "tete.distributed.placing",
    "TripletShards": "tete.distributed.triplet_shards",
    "draw_landmarks": "tete.distributed.landmarks",
    "on": "tete.distributed.cluster",
    "pack_answers": "tete.distributed.packing",
    "place_dataset": "tete.distributed.placing",
}

__getattr__, __dir__ = _lazy_names(__name__, _HOMES)
