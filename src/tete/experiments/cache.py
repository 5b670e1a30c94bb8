"""Results on disk, one small file for each setting, so that a run goes on where it stopped.

A file's name is a hash of the experiment, its version, the library's version and the setting. The file is an npz
archive: the record (what the hash was made of, and the rows) as JSON, and the arrays. Files appear whole or not at all;
one that cannot be read all the same counts as absent and is written anew.
"""

import hashlib
import json
import zipfile
import zlib
from pathlib import Path

import numpy as np

import tete
from tete.experiments.experiment import Experiment, Outcome, Setting
from tete.io.writing import atomic_write

__all__ = ["identity_of", "outcome_path", "read_outcome", "write_outcome"]

BROKEN = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)


def identity_of(experiment: Experiment, setting: Setting) -> str:
    """All that a result depends on."""
    parts = [tete.__version__, experiment.name, experiment.version, dict(setting)]
    return json.dumps(parts, sort_keys=True, ensure_ascii=True)


def outcome_path(folder: Path, experiment: Experiment, setting: Setting) -> Path:
    """Where the outcome of a setting is kept."""
    digest = hashlib.sha256(identity_of(experiment, setting).encode()).hexdigest()
    return folder / f"{experiment.name}-{digest[:24]}.npz"


def write_outcome(path: Path, identity: str, outcome: Outcome) -> None:
    """Keep an outcome."""
    record = {"identity": identity, "rows": [dict(row) for row in outcome.rows]}
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path, force=True) as stream:
        np.savez_compressed(stream, record=np.array(json.dumps(record)), **outcome.arrays)  # type: ignore[arg-type]


def read_outcome(path: Path, identity: str) -> Outcome | None:
    """A kept outcome, or None if there is none that can be used."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        record = json.loads(arrays.pop("record").item())
        return Outcome([dict(row) for row in record["rows"]], arrays) if record["identity"] == identity else None
    except BROKEN:
        return None
