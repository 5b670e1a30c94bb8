"""What an experiment is: settings, a function that runs one of them, pictures, and claims with rules."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from tete.core.types import NamedArrays

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["HOLDS", "PARTLY", "UNKNOWN", "WRONG", "Check", "Claim", "Experiment", "Maps", "Outcome", "Row", "Setting"]

Scalar: TypeAlias = str | int | float | bool
Setting: TypeAlias = Mapping[str, Scalar]
Row: TypeAlias = dict[str, Scalar]
Maps: TypeAlias = Sequence[tuple[Setting, NamedArrays]]

HOLDS, PARTLY, WRONG, UNKNOWN = "holds", "holds partly", "does not hold", "not tested"


@dataclass(frozen=True)
class Outcome:
    """What one setting gave: rows of the table (its own settings are added), and arrays that pictures need."""

    rows: Sequence[Mapping[str, Scalar]]
    arrays: NamedArrays = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: what was found, with its numbers, and whether it is as claimed."""

    text: str
    passed: bool


@dataclass(frozen=True)
class Claim:
    """A statement of the paper (or of ours), the rule by which it is judged, and what was found."""

    statement: str
    rule: str
    checks: Sequence[Check]

    @property
    def verdict(self) -> str:
        """All checks pass: holds; some: holds partly; none: does not hold; there are none: not tested."""
        passed = [check.passed for check in self.checks]
        if not passed:
            return UNKNOWN
        return HOLDS if all(passed) else PARTLY if any(passed) else WRONG


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One figure or table.

    `settings(quick)` lists what to run; `run(setting, n_jobs)` runs one of them; `draw(table, maps)` draws; the
    `summary` of the table stands in the report beside `paper`, what the paper shows; `claims(table)` judges.
    Settings that need a data set name it under "data"; it must be one of `inputs.SOURCES`.
    Where results differ from the paper's, `tried` says what was tried to get the paper's.
    A change of `run` needs a new `version`, so that older results are not taken for new ones. `timed` experiments
    report seconds and run one setting at a time on all cores.
    """

    name: str
    title: str
    version: str
    paper: str
    protocol: Sequence[str]
    settings: Callable[[bool], list[Setting]]
    run: Callable[[Setting, int], Outcome]
    draw: Callable[["pd.DataFrame", Maps], "Figure"]
    summary: Callable[["pd.DataFrame"], "pd.DataFrame"]
    claims: Callable[["pd.DataFrame"], list[Claim]]
    tried: str = ""
    timed: bool = False
