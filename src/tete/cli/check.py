"""The command check: what a file of answers contains."""

import dataclasses

from tete.cli import options
from tete.cli.arguments import read_triplets
from tete.cli.messages import one_sentence, print_result

__all__ = ["check"]


@one_sentence
def check(
    answers: options.Answers,
    columns: options.Columns = "",
    odd_one_out: options.OddOneOut = False,
    weight: options.Weight = None,
    annotator: options.Annotator = None,
    no_header: options.NoHeader = False,
    encoding: options.Encoding = "utf-8",
    skip_invalid: options.SkipInvalid = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say what a file of answers contains.

    Counts repeats, contradictions, gaps and parts, and how far people agree; makes no map.

    Example: tete check answers.csv
    """
    triplets = read_triplets(answers, columns, odd_one_out, weight, annotator, no_header, encoding, skip_invalid)
    from tete.comparisons.agreement import agreement  # noqa: PLC0415

    summary, agreed = triplets.summary(), agreement(triplets)
    result = {**dataclasses.asdict(summary), "agreement": dataclasses.asdict(agreed)}
    print_result(result, f"{summary}\n{agreed}", as_json, quiet)
