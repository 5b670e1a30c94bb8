"""The paper's figures and numbers again, and what goes beyond them: one file for each experiment.

>>> from tete.experiments import load_experiment
>>> from tete.experiments.runner import experiment_table
>>> figure = load_experiment("figure2")
>>> list(experiment_table(figure, quick=True).columns)
['function', 't', 'x', 'value']

An `experiment` lists settings, runs one of them, draws, and judges claims by rules that the report shows (those of two
figures are long: `claims_figure3`, `claims_figure6`). The figures share their data (`inputs`), methods and measures
(`methods`, `tearing`), means (`means`) and look (`style`). `runner` runs settings, if wanted in several `processes`,
and keeps their results (`cache`); `reproduction` runs all experiments, which is `tete reproduce`, and `html_report`
writes what they found.
"""

from importlib import import_module

from tete.exceptions import InvalidParameterError
from tete.experiments.experiment import Check, Claim, Experiment, Outcome

__all__ = ["EXPERIMENT_NAMES", "Check", "Claim", "Experiment", "Outcome", "load_experiment"]

EXPERIMENT_NAMES = (
    "figure1",
    "figure2",
    "figure3",
    "figure4",
    "figure5",
    "figure6",
    "starts",
    "other_noise",
    "alien_eggs",
)


def load_experiment(name: str) -> Experiment:
    """An experiment by its name, one of `EXPERIMENT_NAMES`."""
    if name not in EXPERIMENT_NAMES:
        raise InvalidParameterError(f"`name` must be one of {', '.join(EXPERIMENT_NAMES)}, got {name!r}.")
    experiment: Experiment = import_module(f"tete.experiments.{name}").EXPERIMENT
    return experiment
