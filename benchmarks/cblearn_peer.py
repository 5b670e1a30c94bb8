"""Fit one set of triplets with cblearn; runs in cblearn's environment.

Usage: python cblearn_peer.py METHOD TRIPLETS.npy EMBEDDING.npy DIMS [LIMIT], METHOD being TSTE or SOE. Prints the fit's
seconds and its processor seconds. After LIMIT processor seconds the process is killed.
"""

import resource
import sys
import time
import warnings

import numpy as np
from cblearn import embedding

METHODS = {
    "TSTE": lambda dims: embedding.TSTE(n_components=dims, random_state=0),
    "SOE": lambda dims: embedding.SOE(n_components=dims, random_state=0),  # 10 starts, its default
    "SOE, one start": lambda dims: embedding.SOE(n_components=dims, n_init=1, random_state=0),
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    method, source, target, dims, *limit = sys.argv[1:]
    if limit:
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit[0]), int(limit[0])))
    triplets = np.load(source).astype(np.uint32)
    started = np.array([time.perf_counter(), time.process_time()])
    fitted = METHODS[method](int(dims)).fit(triplets)
    print(*(np.array([time.perf_counter(), time.process_time()]) - started))
    np.save(target, fitted.embedding_)
