"""What a database has already, before a study goes on in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import distinct, func, select

from tete.collecting import schema
from tete.collecting.connections import reading_engine
from tete.collecting.database_address import Address, is_postgres, spoken
from tete.collecting.items import Item, in_order_of
from tete.collecting.storage_trouble import explained
from tete.collecting.study_rows import has_study
from tete.core.printing import counted
from tete.exceptions import InvalidParameterError, MixedAnswersWarning, Parameter, warn

__all__ = ["SoFar", "continued", "so_far"]

SIMULATED = "simulated-"  # begins the ids of people who do not exist


@dataclass(frozen=True)
class SoFar:
    """What is stored of a study; nothing of one that is not there yet.

    Attributes
    ----------
    people, answers : int
        How many are stored: of the answers every question that has one.
    simulated : int
        How many of the people do not exist.
    names : tuple of str
        Of the items, in their order.
    """

    people: int = 0
    answers: int = 0
    simulated: int = 0
    names: tuple[str, ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether there is no study yet."""
        return not self.names

    def __str__(self) -> str:
        simulated = f" ({self.simulated:,} simulated)" if self.simulated else ""
        return f"{counted(self.people, 'person', 'people')}{simulated} and {counted(self.answers, 'answer')}"


def so_far(address: Address) -> SoFar:
    """What is stored there."""
    if not is_postgres(address) and not (Path(address).is_file() and Path(address).stat().st_size):
        return SoFar()
    with explained(spoken(address)):
        engine = reading_engine(address)
        try:
            with engine.connect() as connection:
                if not has_study(connection, spoken(address)):
                    return SoFar()
                invented = select(func.count(distinct(schema.identities.c.person))).where(
                    schema.identities.c.value.startswith(SIMULATED)
                )
                answered = select(func.count(distinct(schema.answers.c.question)))
                return SoFar(
                    people=connection.scalar(select(func.count()).select_from(schema.people)) or 0,
                    answers=connection.scalar(answered) or 0,
                    simulated=connection.scalar(invented) or 0,
                    names=tuple(connection.scalars(select(schema.items.c.name).order_by(schema.items.c.number))),
                )
        finally:
            engine.dispose()


def continued(before: SoFar, items: Sequence[Item], database: Address, *, rehearsal: bool) -> tuple[Item, ...]:
    """The items in the order that the database has them in; invented answers and real ones are kept apart."""
    if rehearsal and before.people:
        raise InvalidParameterError(
            Parameter("database"), f" must be new for a rehearsal, got {spoken(database)} with {before}."
        )
    if before.simulated and not rehearsal:
        warn(f"{spoken(database)} has {before}: real answers need another database.", MixedAnswersWarning)
    return in_order_of(before.names, items)
