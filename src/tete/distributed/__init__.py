"""Answers beyond memory and beyond one machine: shards on disk, streamed or summed on a cluster (extra ``dask``).

`packing` turns files of answers into a folder, in pieces; `shard_writer` fills it with `shard_files` and a `manifest`.
`TripletShards` is such a folder. A fit asks it for a sum: `streaming` takes it from the disk on this machine, `cluster`
on the workers of a Dask cluster (`worker` is what they do), with the same bits. Nothing here loads Dask before it is
needed.
"""

from tete.distributed.cluster import on
from tete.distributed.packing import pack_answers
from tete.distributed.triplet_shards import TripletShards

__all__ = ["TripletShards", "on", "pack_answers"]
