"""Memory of a fit from disk does not grow with the answers."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
import numpy as np
from tete import TETE, Triplets
from tete.distributed import TripletShards
from tete.distributed.shard_writer import ShardWriter

folder = sys.argv[1]
rng = np.random.default_rng(0)
small = Triplets.from_array([(0, 1, 2), (1, 0, 2), (2, 1, 0)] * 9000)
model = TETE(t=2, t_prime=2, max_iter=12, n_jobs=1)

def fitted(shards):
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(shards)

fitted(TripletShards.write(f"{folder}/small.tete", small))  # everything is compiled and loaded

import pathlib
path = pathlib.Path(f"{folder}/large.tete")
path.mkdir()
writer = ShardWriter(path, 2**16)
places = rng.normal(size=(500, 2))
for _ in range(160):
    rows = rng.integers(0, 500, size=(2**16, 3))
    rows = rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 0] != rows[:, 2]) & (rows[:, 1] != rows[:, 2])]
    to_near, to_far = (((places[rows[:, 0]] - places[rows[:, other]]) ** 2).sum(1) for other in (1, 2))
    rows = np.where((to_near < to_far)[:, None], rows, rows[:, [0, 2, 1]])
    writer.append(dict(zip(("anchor", "near", "far"), rows.T.astype(np.int32))))
writer.finish(500, None, None)
n_bytes = sum(each.stat().st_size for each in path.iterdir())

used = 4096 * int(pathlib.Path("/proc/self/statm").read_text().split()[0])
limit = n_bytes // 20
resource.setrlimit(resource.RLIMIT_AS, (used + limit, used + limit))
try:
    np.ones(2 * limit, dtype=np.uint8)
    print("no limit")
except MemoryError:
    pass
score = fitted(TripletShards(path)).score(small.from_array(rows[:1000]))
print(f"{n_bytes / limit:.0f} {score:.3f}")
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's limits of memory")
def test_twenty_times_more_answers_than_memory(tmp_path):
    script = tmp_path / "fit.py"
    script.write_text(PROGRAM)
    result = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    ratio, score = result.stdout.split()
    assert int(ratio) >= 20
    assert float(score) > 0.95
