"""The paper's figures and numbers again, and what goes beyond them: one file for each experiment.

>>> from tete.experiments import load_experiment
>>> from tete.experiments.runner import experiment_table
>>> figure = load_experiment("figure2")
>>> list(experiment_table(figure, quick=True).columns)
['function', 't', 'x', 'value']

`tete reproduce` runs them all and writes a report. A run is cut into settings whose results are cached (`cache`,
`runner`); each experiment's `claims` judge the paper's statements by rules that the report shows.
"""

from importlib import import_module

from tete.exceptions import InvalidParameterError
from tete.experiments.experiment import Check, Claim, Experiment, Outcome

__all__ = ["NAMES", "Check", "Claim", "Experiment", "Outcome", "load_experiment"]

NAMES = (
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
    """An experiment by its name, one of `NAMES`."""
    if name not in NAMES:
        raise InvalidParameterError(f"`name` must be one of {', '.join(NAMES)}, got {name!r}.")
    experiment: Experiment = import_module(f"tete.experiments.{name}").EXPERIMENT
    return experiment
