"""What a study asks: the kind of question, how many of which role, and the words around them."""

import re
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self

from tete.exceptions import InvalidParameterError, Parameter

__all__ = ["MAP_ROLES", "Asked", "KnownQuestion", "QuestionKind", "Study"]

PICK = re.compile(r"pick:(\d+)of(\d+)(:ranked)?")
MOST_CHOICES = 12  # that fit on a screen and a row of digits keys

MAP_ROLES = ("test", "balanced", "suggested", "repeat", "swapped")  # of questions that tell something about the items

Shown = tuple[int, ...]  # numbers of items: the anchor first where there is one, then the choices in their places


@dataclass(frozen=True)
class QuestionKind:
    """What people are asked about the items they see.

    Attributes
    ----------
    name : "triplet", "odd-one-out" or "pick"
        Which of two is more like the anchor; which of three does not fit; which few of many are most like the anchor.
    n_choices : int
        How many items can be chosen.
    n_picks : int
        How many are chosen.
    ranked : bool
        Whether the order in which they are chosen counts.
    """

    name: Literal["triplet", "odd-one-out", "pick"]
    n_choices: int
    n_picks: int = 1
    ranked: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """From ``triplet``, ``odd-one-out``, ``pick:2of8`` or ``pick:2of8:ranked``."""
        if text == "triplet":
            return cls("triplet", 2)
        if text == "odd-one-out":
            return cls("odd-one-out", 3)
        if found := PICK.fullmatch(text):
            n_picks, n_choices = int(found[1]), int(found[2])
            if 1 <= n_picks < n_choices <= MOST_CHOICES:
                return cls("pick", n_choices, n_picks, found[3] is not None)
        raise InvalidParameterError(
            Parameter("question"),
            " must be triplet, odd-one-out, pick:MofK or pick:MofK:ranked with "
            f"1 <= M < K <= {MOST_CHOICES}, got {text!r}.",
        )

    def __str__(self) -> str:
        if self.name != "pick":
            return self.name
        return f"pick:{self.n_picks}of{self.n_choices}{':ranked' if self.ranked else ''}"

    @property
    def has_anchor(self) -> bool:
        """Whether the first item shown is what the choices are compared with."""
        return self.name != "odd-one-out"

    @property
    def n_shown(self) -> int:
        """How many items are on the screen."""
        return self.n_choices + self.has_anchor

    def key(self, shown: Shown) -> tuple[int, tuple[int, ...]]:
        """Equal for questions that differ only in places: nobody is asked one of them twice."""
        anchor, choices = (shown[0], shown[1:]) if self.has_anchor else (-1, shown)
        return anchor, tuple(sorted(choices))


@dataclass(frozen=True)
class KnownQuestion:
    """A question whose answer everybody knows, given by the study: names of items, and of those that are right."""

    shown: tuple[str, ...]
    right: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """A question as it was put to a person.

    Attributes
    ----------
    number : int
        In the database; 0 before it is stored.
    person, position : int
        Who is asked, and as the how manieth question, practice included, from 0.
    role : str
        practice, catch, repeat, test, balanced, suggested or swapped (the same again with the places reversed, for
        judges that are programs).
    shown : tuple of int
        Items: the anchor first where there is one, then the choices in their places.
    right : tuple of int or None
        Places among the choices, from 0, that everybody knows to be right.
    repeats : int or None
        The number of the question that is asked again.
    """

    number: int
    person: int
    position: int
    role: str
    shown: Shown
    right: tuple[int, ...] | None = None
    repeats: int | None = None


@dataclass(frozen=True)
class Study:
    """Everything about a study but its items and where it is kept. Times and shares have their rules in `check`.

    Attributes
    ----------
    question : QuestionKind
        What is asked.
    title : str
        Shown to people.
    per_person : int
        Questions for each person, all roles but practice.
    practice, catch, repeat : int
        Questions with feedback before the others; questions whose answer everybody knows; questions asked twice.
    test : float
        Share of the questions that stay random and are never used to choose others: an honest measure.
    adaptive : float
        Share of the remaining questions that are chosen by what their answers would teach, once every object has
        `mentions` mentions.
    mentions : int
        How often an object is mentioned before questions are chosen.
    break_every : int
        Questions between two breaks; 0 for none.
    dims : int
        Dimensions of the map that chooses questions.
    consent, instructions : str
        Markdown; no page where it is empty.
    completion_code, completion_link : str
        Shown at the end.
    texts : dict
        The page's own words, where they differ from `page_texts`.
    known_catch, known_practice : tuples of KnownQuestion
        Given by the study; made by showing the anchor among the choices where there are none.
    seed : int
        Of the plans of all people.
    """

    question: QuestionKind = field(default_factory=lambda: QuestionKind.parse("triplet"))
    title: str = ""
    per_person: int = 60
    practice: int = 3
    catch: int = 4
    repeat: int = 4
    test: float = 0.15
    adaptive: float = 0.5
    mentions: int = 10
    break_every: int = 30
    dims: int = 2
    consent: str = ""
    instructions: str = ""
    completion_code: str = ""
    completion_link: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    known_catch: tuple[KnownQuestion, ...] = ()
    known_practice: tuple[KnownQuestion, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("per_person", 1), ("mentions", 1), ("dims", 1), ("break_every", 0), ("practice", 0)):
            self._check_whole(name, least)
        self._check_whole("catch", 0)
        self._check_whole("repeat", 0)
        for name in ("test", "adaptive"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
                raise InvalidParameterError(Parameter(name), f" must be in [0, 1], got {value!r}.")
        if self.catch + 2 * self.repeat > self.per_person:
            raise InvalidParameterError(
                Parameter("per_person"),
                " must hold the catch questions and each repeated one twice, "
                f"{self.catch + 2 * self.repeat}, got {self.per_person}.",
            )

    def _check_whole(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InvalidParameterError(Parameter(name), f" must be a whole number >= {least}, got {value!r}.")

    def to_json(self) -> dict[str, Any]:
        """Plain values, for the database."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        known = {
            name: [{"shown": list(each.shown), "right": list(each.right)} for each in plain[name]]
            for name in ("known_catch", "known_practice")
        }
        return plain | known | {"question": str(self.question)}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Self:
        """The inverse of `to_json`."""
        known = {
            name: tuple(KnownQuestion(tuple(each["shown"]), tuple(each["right"])) for each in plain.get(name, ()))
            for name in ("known_catch", "known_practice")
        }
        return cls(**plain | known | {"question": QuestionKind.parse(plain["question"])})
