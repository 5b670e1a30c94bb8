"""The command check: what a file of answers contains."""

import dataclasses

from tete.cli import options
from tete.cli.answer_options import AnswerOptions, reads_answers
from tete.cli.messages import one_sentence, print_result

__all__ = ["check"]


@one_sentence
@reads_answers
def check(
    answers: options.Answers,
    reading: AnswerOptions,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say what a file of answers contains.

    Counts repeats, contradictions, gaps and parts, how far people agree, and how fast they answer; makes no map.

    Example: tete check answers.csv
    """
    triplets = reading.read(answers)
    from tete.comparisons.agreement import agreement  # noqa: PLC0415
    from tete.comparisons.response_times import response_times  # noqa: PLC0415

    summary, agreed, times = triplets.summary(), agreement(triplets), response_times(triplets)
    result = {
        **dataclasses.asdict(summary),
        "agreement": dataclasses.asdict(agreed),
        "response_times": None if times is None else dataclasses.asdict(times),
    }
    text = "\n".join(str(each) for each in (summary, agreed, times) if each is not None)
    print_result(result, text, as_json, quiet)
