"""Fit one set of triplets with cblearn; runs in cblearn's environment.

Usage: python cblearn_peer.py METHOD TRIPLETS.npy EMBEDDING.npy DIMS, METHOD being TSTE or SOE. Prints the fit's
seconds.
"""

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
    method, source, target, dims = sys.argv[1:]
    triplets = np.load(source).astype(np.uint32)
    started = time.perf_counter()
    fitted = METHODS[method](int(dims)).fit(triplets)
    print(time.perf_counter() - started)
    np.save(target, fitted.embedding_)
