"""Digests of fitted maps on a fixed list of inputs, to show that a change of structure changes no result.

    python benchmarks/bits.py --write before.json        with the old code
    python benchmarks/bits.py --compare before.json      with the new code, on the same machine

Digests hold for one processor and one set of library versions, so they are not stored with the project.
"""

import argparse
import hashlib
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits, load_wine, make_swiss_roll
from sklearn.neighbors import kneighbors_graph

import tete
from tete import CKL, GNMDS, SOE, STE, TETE, TETECV, TSTE, ListwiseTETE, Triplets, WeightedTETE
from tete.datasets import make_uniform_triplets


def digest(*arrays: Any) -> str:
    """Of the bytes of all arrays, with their kinds and shapes."""
    found = hashlib.sha256()
    for array in arrays:
        values = np.ascontiguousarray(array)
        found.update(f"{values.dtype}{values.shape}".encode())
        found.update(values.astype(str).tobytes() if values.dtype.kind == "O" else values.tobytes())
    return found.hexdigest()[:16]


def answers() -> Triplets:
    """Three thousand answers about 60 objects in the plane by 12 people, every eighth of them reversed."""
    truth = np.random.default_rng(0).normal(size=(60, 2))
    triplets = make_uniform_triplets(truth, 3000, random_state=1).flip(0.125, random_state=2)
    rows = triplets.to_array()
    people = np.random.default_rng(3).integers(12, size=len(rows))
    weights = np.random.default_rng(4).uniform(0.5, 2.0, size=len(rows))
    return Triplets.from_array(rows, annotators=people, weights=weights)


def fitted_triplets() -> Iterator[tuple[str, Callable[[], str]]]:
    given = answers()
    plain = Triplets.from_array(given.to_array())
    large = make_uniform_triplets(np.random.default_rng(5).normal(size=(900, 3)), 90_000, random_state=6)
    estimators = {
        "TETE": TETE(),
        "TETE 3-D": TETE(3, t=1.5, t_prime=1.3),
        "TETE paper": TETE(
            t=2, t_prime=2, ridge=0, init="random", optimizer="gradient_descent", max_iter=60, random_state=0
        ),
        "TETE random": TETE(t_prime=2, init="random", n_init=3, random_state=1),
        "STE": STE(),
        "TSTE": TSTE(),
        "CKL": CKL(),
        "GNMDS": GNMDS(),
        "SOE": SOE(),
    }
    for name, estimator in estimators.items():
        for data_name, data in (("weighted", given), ("plain", plain), ("large", large)):
            yield f"{name}, {data_name}", lambda e=estimator, d=data: digest(e.fit(d).embedding_, e.history_)
    fixed = {number: (float(number), 0.5 * number) for number in range(0, 60, 4)}
    yield "TETE fixed", lambda: digest(TETE().fit(plain, fixed=fixed).embedding_)
    few = Triplets.from_array([(60, 1, 2), (60, 4, 3), (60, 7, 8), (1, 60, 5), (61, 60, 3), (61, 2, 9)])
    yield "place_new", lambda: digest(*_places(TETE().fit(plain).place_new(few)))


def _places(found: Any) -> tuple[Any, Any]:
    return found.embedding, found.covariance


def judged_triplets() -> Iterator[tuple[str, Callable[[], str]]]:
    given = answers()
    plain = Triplets.from_array(given.to_array(), annotators=given.annotators)
    suggest = tete.suggest if "suggest" in tete.__all__ else __import__("tete.selection.suggestion").suggestion.suggest

    def choice(data: Triplets, **options: Any) -> str:
        model = TETECV([1, 2, 3], random_state=0, **options).fit(data)
        return digest(model.embedding_, model.cv_results_["mean_test_score"], [str(model.best_params_)])

    def trusted(data: Triplets) -> str:
        found = tete.trust(TETE().fit(data), data)
        people = found.annotators.drop(columns=[c for c in found.annotators if found.annotators[c].dtype == object])
        tables = [found.answers["wrong"], people.to_numpy(dtype=float), found.objects.to_numpy(dtype=float)]
        return digest(found.wrong_share, found.wrong_interval, found.probability_wrong, *tables)

    def sureness() -> str:
        found = tete.position_uncertainty(TETE().fit(plain), plain, n_replicates=12)
        return digest(found.covariances, found.stability or 0.0)

    yield "TETECV", lambda: choice(plain)
    yield "TETECV weighted", lambda: choice(given)
    yield "TETECV by annotators", lambda: choice(plain, by="annotators")
    yield "trust", lambda: trusted(plain)
    yield "trust weighted", lambda: trusted(given)
    yield "learning_curve", lambda: digest(tete.learning_curve(TETE(), plain).points.to_numpy())
    yield "position_uncertainty", sureness
    yield "suggest", lambda: digest(suggest(TETE().fit(plain), plain, n_questions=50).to_numpy(dtype=float))


def reductions() -> Iterator[tuple[str, Callable[[], str]]]:
    digits, wine = load_digits().data, load_wine().data
    roll = make_swiss_roll(3000, random_state=0)[0]
    twice = np.concatenate([digits[:400], digits[:150]])
    wide = np.random.default_rng(7).normal(size=(20_000, 12)).astype(np.float32)
    wide[:, :3] += 8.0 * np.random.default_rng(8).integers(4, size=(20_000, 3))
    text = sparse.random(500, 3000, density=0.01, random_state=0, format="csr")
    graph = kneighbors_graph(digits[:700], 20, mode="distance")
    cases = {
        "digits": (digits, {}),
        "digits 3-D": (digits[:900], {"n_components": 3}),
        "digits 4-D": (digits[:900], {"n_components": 4}),
        "digits cosine": (digits[:900], {"metric": "cosine"}),
        "digits manhattan": (digits[:600], {"metric": "manhattan"}),
        "digits random start": (digits[:600], {"init": "random"}),
        "wine standardized": (wine, {"standardize": True}),
        "roll": (roll, {}),
        "duplicates": (twice, {}),
        "cells": (wide, {"max_iter": 60}),
        "sparse": (text, {"pca_components": 20}),
    }
    for name, (X, options) in cases.items():
        for kind in (ListwiseTETE, WeightedTETE):
            yield f"{kind.__name__}, {name}", lambda k=kind, x=X, o=options: _reduced(k(random_state=0, **o), x)
    for quality in ("fast", "high"):
        model = ListwiseTETE(quality=quality, random_state=3)
        yield f"ListwiseTETE {quality}", lambda m=model: _reduced(m, digits)
    for options in (
        {"weights": "log"},
        {"weights": "uniform"},
        {"triplets": "paired"},
        {"t": 1.5, "t_prime": 1.2},
        {"optimizer": "gradient_descent", "max_iter": 40},
    ):
        yield f"WeightedTETE {options}", lambda o=options: _reduced(WeightedTETE(random_state=3, **o), digits[:900])
    yield "ListwiseTETE graph", lambda: digest(ListwiseTETE(metric="precomputed", random_state=0).fit_transform(graph))
    yield (
        "ListwiseTETE weights",
        lambda: digest(ListwiseTETE(random_state=0).fit_transform(digits[:500], sample_weight=np.arange(1.0, 501.0))),
    )


def _reduced(model: Any, X: Any) -> str:
    found = model.fit(X)
    new = X[:40] * 1.01 + (0.0 if sparse.issparse(X) else 0.02)
    return digest(found.embedding_, found.history_, found.transform(new), found.transform(X[:25]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--only", default="", help="Only inputs whose name has this part.")
    options = parser.parse_args()
    found: dict[str, str] = {}
    for cases in (fitted_triplets, judged_triplets, reductions):
        for name, run in cases():
            if options.only in name:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found[name] = run()
    if options.write is not None:
        options.write.write_text(json.dumps(found, indent=1))
    if options.compare is not None:
        before = json.loads(options.compare.read_text())
        differ = [name for name, value in found.items() if before.get(name) != value]
        print(f"{len(found) - len(differ)} of {len(found)} digests are equal")
        raise SystemExit("\n".join(["different:", *differ]) if differ else 0)
    print(f"{len(found)} digests")


if __name__ == "__main__":
    main()
