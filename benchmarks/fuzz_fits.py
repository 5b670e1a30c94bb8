"""Random answers and tables are fitted: each fit ends in finite numbers or in an error of our own.

    python benchmarks/fuzz_fits.py --cases 10000 --seed 0
    python benchmarks/fuzz_fits.py --first 417 --cases 1       case 417 again, with its traceback

Case n of a seed is always the same, so that what failed can be made again. Errors that scikit-learn's own checks of
input raise are counted by themselves. A warning that is neither ours nor scikit-learn's about convergence is a failure,
and so is a number that is not finite. Writes `results/fuzz_fits.md`.
"""

import argparse
import json
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import tete
from environments import ROOT, machine
from fuzz_inputs import answers, chance, distances, embedding, frame, numbers, pick, reduction, table, weights
from tete.exceptions import TeteError, TeteWarning
from triplets import RESULTS, as_markdown

OUTCOMES = ("result", "our own error", "scikit-learn's error", "anything else")
Found = Iterator[tuple[str, Any]]


class NotFiniteError(Exception):
    """A result has numbers that are not finite."""


# What is done ---------------------------------------------------------------------------------------------------------


def fit_table(rng: np.random.Generator) -> Found:
    """Fit a table, and place its own rows and rows of other sizes."""
    X = table(rng)
    model = reduction(rng, X)
    if model.metric == "precomputed":
        X = distances(rng)
    sample_weight = weights(rng, np.shape(X)[0]) if chance(rng, 0.2) else None
    model.fit(X, sample_weight=sample_weight)
    yield "embedding_", model.embedding_
    yield "loss_", model.loss_
    yield "own places", model.transform(X)
    for factor in (1.0 + 1e-3, pick(rng, (1e20, 1e-20, 1e300, -1e5))):
        with suppress(TypeError, ValueError):  # lists and data frames of text
            with np.errstate(over="ignore", invalid="ignore"):
                new = X * factor
            with suppress(TeteError):  # rows too far away are refused, and the others still of interest
                yield f"rows times {factor:g}", model.transform(new)


def fit_mixed(rng: np.random.Generator) -> Found:
    """Encode a table of many kinds of columns with gaps, reduce it, and place rows that lack cells."""
    values = numbers(rng)
    values[rng.random(values.shape) < pick(rng, (0.0, 0.1, 0.5))] = np.nan
    rows = frame(rng, values, share=0.3)
    encoder = tete.TableEncoder()
    encoded = encoder.fit_transform(rows)
    yield "codes", encoded
    model = tete.ListwiseTETE(max_iter=5, random_state=0, n_jobs=1).fit(encoded)
    yield "embedding_", model.embedding_
    places, novelty = model.transform(encoder.transform(rows.mask(rng.random(rows.shape) < 0.3)), return_novelty=True)
    yield "new places", places
    yield "novelty", novelty


def fit_answers(rng: np.random.Generator) -> Found:
    """Fit answers, and ask the map all that it answers quickly."""
    given = answers(rng)
    model = embedding(rng, given).fit(given)
    yield from asked(model, given)


def asked(model: Any, given: tete.Triplets) -> Found:
    """What any fitted map says about its answers."""
    yield "embedding_", model.embedding_
    yield "loss_", model.loss_
    yield "score", model.score(given)
    yield "margins", model.margins(given)
    if hasattr(model, "predict_proba"):
        yield "predict_proba", model.predict_proba(given)
    if hasattr(model, "triplet_trust_"):
        yield "triplet_trust_", model.triplet_trust_
    plain = given.to_array()
    beside = np.concatenate([plain, np.column_stack([np.full(len(plain), given.n_objects), plain[:, 1:]])])
    if given.names is None:
        places = model.place_new(beside)
        yield "new places", places.embedding
        yield "new covariances", places.covariance


def judge_answers(rng: np.random.Generator) -> Found:
    """Trust, suggestions, uncertainty or the choice of a dimension."""
    given = answers(rng)
    task = pick(rng, ("trust", "suggest", "position_uncertainty", "learning_curve", "MultiViewTETE", "TETECV"))
    if task == "MultiViewTETE":
        by = "annotators" if chance(rng, 0.7) else "answers"
        views = tete.MultiViewTETE(n_views=pick(rng, ("auto", 2)), by=by, random_state=0, n_jobs=1).fit(given)
        yield from (("a view", places) for places in views.embeddings_)
        return
    if task == "TETECV":
        model = tete.TETECV((1, 2), temperatures=[(2.0, 1.75), (1.0, 1.0)], cv=2, max_iter=50, random_state=0, n_jobs=1)
        yield "TETECV", model.fit(given).embedding_
        return
    model = embedding(rng, given).set_params(max_iter=20).fit(given)
    if task == "trust":
        report = tete.trust(model, given, n_folds=2)
        yield "probability_wrong", report.probability_wrong
        yield "wrong_share", report.wrong_share
        yield "report", [float(len(str(report)))]
    elif task == "learning_curve":
        yield "accuracy", tete.learning_curve(model, given, n_repeats=1).points["error"]
    elif task == "suggest":
        yield "suggest", tete.suggest(model, given, n_questions=5)["bits"].to_numpy(dtype=float)
    else:
        found = tete.position_uncertainty(model, given, n_replicates=12)
        mentioned = np.unique(given.to_array() if given.weights is None else given.to_array()[given.weights > 0])
        known = ~np.isnan(found.covariances[mentioned]).all(
            axis=(1, 2)
        )  # the others are hardly ever drawn, as documented
        yield "covariances", found.covariances[mentioned][known]
        if found.no_stability is None:
            yield "stability", found.stability


TASKS: dict[str, Callable[[np.random.Generator], Found]] = {
    "tables": fit_table,
    "mixed tables": fit_mixed,
    "answers": fit_answers,
    "judgements": judge_answers,
}
SHARES = (0.4, 0.1, 0.35, 0.15)


# What comes of it -----------------------------------------------------------------------------------------------------


def attempt(seed: int, case: int) -> tuple[str, str, str]:
    """The task, the outcome and, of a failure, the traceback."""
    rng = np.random.default_rng([seed, case])
    name = str(rng.choice(list(TASKS), p=SHARES))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", TeteWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            for what, values in TASKS[name](rng):
                if not np.isfinite(np.asarray(values, dtype=float)).all():
                    raise NotFiniteError(f"{what} is not finite")
        except TeteError:
            return name, "our own error", ""
        except Exception as error:
            known = isinstance(error, NotFittedError) or _checked_by_sklearn(error)
            return name, OUTCOMES[2 if known else 3], "" if known else traceback.format_exc()
    return name, "result", ""


def _checked_by_sklearn(error: Exception) -> bool:
    """Whether scikit-learn's checks of input raised it, as they do for all its estimators."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = max(number for number, frame in enumerate(frames) if "/tete/" in frame.filename or "fuzz" in frame.filename)
    checks = "sklearn/utils/validation.py" in frames[min(ours + 1, len(frames) - 1)].filename
    return checks and isinstance(error, (TypeError, ValueError)) and not isinstance(error, ArithmeticError)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cases", type=int, default=None, help="stop after this many fits instead")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")


def run(options: argparse.Namespace) -> tuple[list[dict[str, object]], str, int]:
    """Rows of counts by what is fitted, a sentence, and how many cases failed."""
    options.kept.mkdir(parents=True, exist_ok=True)
    counts: Counter[tuple[str, str]] = Counter()
    started, case = time.monotonic(), options.first
    while case < options.first + options.cases if options.cases else time.monotonic() - started < options.seconds:
        name, outcome, reason = attempt(options.seed, case)
        counts[name, outcome] += 1
        if reason:
            (options.kept / f"{options.seed}_{case}.txt").write_text(reason)
            print(f"case {case}: {reason.splitlines()[-1]}", flush=True)
            if options.cases == 1:
                print(reason)
        case += 1
    rows: list[dict[str, object]] = []
    for name in (*TASKS, "all"):
        found = [
            sum(n for (of, what), n in counts.items() if what == each and name in (of, "all")) for each in OUTCOMES
        ]
        rows.append({"fitted": name, "fits": sum(found)} | dict(zip(OUTCOMES, found, strict=True)))
    minutes = (time.monotonic() - started) / 60
    n_failed = sum(n for (_, what), n in counts.items() if what == OUTCOMES[-1])
    sentence = f"{case - options.first:,} fits of seed {options.seed} in {minutes:.1f} minutes, {n_failed} failures."
    return rows, sentence, n_failed


def main() -> int:
    """Run alone and write the table; the exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="stop after this time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-results", action="store_true", help="print the table, write nothing")
    add_options(parser)
    options = parser.parse_args()
    options.kept = Path(ROOT, ".bench", "fuzz", "fits")
    rows, sentence, n_failed = run(options)
    print(f"{sentence}\n\n{as_markdown(rows)}")
    if not options.no_results:
        record = {"sentence": sentence, "seed": options.seed, "rows": rows, "machine": machine()}
        (RESULTS / "fuzz_fits.json").write_text(json.dumps(record, indent=1) + "\n")
        text = [f"# Fits\n\n{__doc__}", sentence, as_markdown(rows), f"`{json.dumps(record['machine'])}`"]
        (RESULTS / "fuzz_fits.md").write_text("\n\n".join(text) + "\n")
    return int(n_failed > 0)


if __name__ == "__main__":
    sys.exit(main())
