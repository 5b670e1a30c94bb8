"""What people's browsers and programs that judge talk to."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from tete.collecting.assets import StaticFiles, media_response
from tete.collecting.database import Database
from tete.collecting.guards import Guard, refusal
from tete.collecting.interview_state import Interview, Reply
from tete.collecting.interviews import NOBODY, Interviews
from tete.collecting.json_text import (
    dump,
    read_object,
    take_flag,
    take_number,
    take_object,
    take_places,
    take_text,
    take_whole,
)
from tete.collecting.person_keys import key_of, number_of
from tete.collecting.question_text import QuestionWriter
from tete.collecting.refusals import Bucket, RefusedError
from tete.collecting.study import Asked
from tete.exceptions import StorageError

__all__ = ["PeopleRoutes", "make_app"]

IDENTITY = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID", "workerId", "id")
EVENTS = ("break", "continued", "focus lost", "focus back", "resumed", "withdrew")
MOST_AHEAD = 20
STARTS = (100.0, 500)  # a second, and at once
WAIT = 2.0  # seconds until a browser tries again what could not be stored


class PeopleRoutes:
    """The page, its files, and the interface of questions and answers."""

    def __init__(self, interviews: Interviews, database: Database, texts: Mapping[str, str]) -> None:
        self._interviews, self._database, self._study = interviews, database, interviews.study
        self._texts = dict(texts)
        self._writer = QuestionWriter(database.study.question, database.items)
        self._files = StaticFiles()
        self._starts = Bucket("people start at once", *STARTS)

    def routes(self) -> list[BaseRoute]:
        """The most frequent ones first."""
        return [
            Route("/answer", self.answer, methods=["POST"]),
            Route("/media/{number}", self.media),
            Route("/next", self.next),
            Route("/event", self.event, methods=["POST"]),
            Route("/start", self.start, methods=["POST"]),
            Route("/study", self.study),
            Route("/", self.page),
            Route("/static/{name}", self.static),
        ]

    async def page(self, request: Request) -> Response:
        """The page itself; what its address says of the visit is read by the browser alone."""
        return self._files.response(request, "index.html")

    async def static(self, request: Request) -> Response:
        """A script or style."""
        return self._files.response(request, request.path_params["name"])

    async def media(self, request: Request) -> Response:
        """A picture, sound or film."""
        database = self._database
        return media_response(request, database.items, request.path_params["number"], database.study_id)

    async def study(self, request: Request) -> Response:
        """What the page must know before anybody starts."""
        study, kind = self._study, self._study.question
        about: dict[str, Any] = {
            "study": self._database.study_id,
            "title": study.title,
            "question": {
                "kind": kind.name,
                "choices": kind.n_choices,
                "picks": kind.n_picks,
                "ranked": kind.ranked,
                "anchor": kind.has_anchor,
            },
            "consent": study.consent,
            "instructions": study.instructions,
            "practice": study.practice,
            "questions": study.per_person,
            "break_every": study.break_every,
            "texts": self._texts,
            "state": self._interviews.state,
        }
        return _json(dump(about))

    async def start(self, request: Request) -> Response:
        """A new person, or one who comes back."""
        body = read_object(await request.body(), ("consent", "identity", "source", "ahead"))
        consent = take_flag(body, "consent")
        identity = _take_identity(body)
        source = _take_source(body)
        ahead = _take_ahead(body)
        if self._study.consent and not consent:
            raise RefusedError(409, "This study needs your consent.")
        self._starts.take()
        interview = await self._interviews.start(identity, source)
        questions = await self._interviews.upcoming(interview, ahead)
        key = key_of(self._database.secret, interview.person.number)
        return _json(f'{{"person":"{key}",{self._previous(interview)},{self._standing(interview, questions)}}}')

    async def next(self, request: Request) -> Response:
        """Where a person is, and the questions that come next."""
        interview = await self._interview(request)
        ahead = request.query_params.get("ahead", "1")
        if not (ahead.isascii() and ahead.isdecimal() and 1 <= int(ahead[:9]) <= MOST_AHEAD):
            raise RefusedError(400, f"`ahead` must be a whole number from 1 to {MOST_AHEAD}, got {ahead[:20]!r}.")
        questions = await self._interviews.upcoming(interview, int(ahead))
        return _json(f"{{{self._previous(interview)},{self._standing(interview, questions)}}}")

    async def answer(self, request: Request) -> Response:
        """Store an answer, or that one is undone; say so after the commit, with the questions that come next."""
        interview = await self._interview(request)
        fields = ("question", "revision", "choice", "undo", "ms", "ahead", "after")
        body = read_object(await request.body(), fields)
        undo, choice = take_flag(body, "undo"), take_places(body, "choice")
        if "choice" not in body and not undo:
            raise RefusedError(400, "`choice` must be given: a list of places, or null for one who cannot say.")
        reply = Reply(
            take_whole(body, "question"),
            take_whole(body, "revision"),
            None if undo else choice,
            undo,
            take_number(body, "ms"),
        )
        ahead, after = _take_ahead(body), take_whole(body, "after", default=-1, least=-1)
        duplicate, questions = await self._interviews.answer(interview, reply, ahead)
        unseen = [asked for asked in questions if asked.position > after]
        said = "true" if duplicate else "false"
        return _json(f'{{"acknowledged":true,"duplicate":{said},{self._standing(interview, unseen)}}}')

    async def event(self, request: Request) -> Response:
        """Store what happened on the page."""
        interview = await self._interview(request)
        body = read_object(await request.body(), ("kind", "detail"))
        kind = take_text(body, "kind")
        if kind not in EVENTS:
            raise RefusedError(400, f"`kind` must be {', '.join(EVENTS)}, got {kind[:100]!r}.")
        await self._interviews.event(interview, kind, take_object(body, "detail"))
        return _json('{"acknowledged":true}')

    async def _interview(self, request: Request) -> Interview:
        """Of the person whose key came with the request."""
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        number = number_of(self._database.secret, key.strip()) if scheme.lower() == "bearer" else None
        if number is None:
            raise RefusedError(401, NOBODY)
        interview = await self._interviews.find(number)
        interview.requests.take()
        return interview

    def _standing(self, interview: Interview, questions: Sequence[Asked]) -> str:
        """The fields that every response to a person has."""
        state = self._interviews.state_of(interview)
        completion = "null"
        if state == "finished":
            completion = dump({"code": self._study.completion_code, "link": self._study.completion_link})
        written = ",".join(self._writer.write(asked, interview.revision(asked.number)) for asked in questions)
        return (
            f'"state":"{state}","answered":{interview.answered},"total":{interview.total},'
            f'"practice_left":{interview.practice_left},"questions":[{written}],"completion":{completion}'
        )

    def _previous(self, interview: Interview) -> str:
        previous = interview.previous
        written = "null" if previous is None else self._writer.write(previous, interview.revision(previous.number))
        return f'"previous":{written}'


def make_app(routes: Sequence[BaseRoute], addresses: Sequence[str]) -> ASGIApp:
    """All of it, at these addresses: routes behind the guard, with a sentence for everything that goes wrong."""
    app = Starlette(
        routes=routes,
        exception_handlers={
            RefusedError: _refused,
            StorageError: _not_stored,
            HTTPException: _no_route,
            Exception: _mistake,
        },
    )
    return Guard(app, addresses)


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return refusal(error)


async def _not_stored(_: Request, __: Exception) -> Response:
    """What is wrong is for the dashboard; people need to know only that nothing is lost."""
    sentence = "This cannot be stored at the moment. It is kept where it is and sent again."
    return refusal(RefusedError(503, sentence, wait=WAIT))


async def _no_route(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentences = {404: "There is nothing at this address.", 405: "This address does not take this method."}
    return refusal(RefusedError(error.status_code, sentences.get(error.status_code, f"{error.detail}.")))


async def _mistake(_: Request, __: Exception) -> Response:
    return refusal(RefusedError(500, "Something went wrong in the server; it was not your mistake."))


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")


def _take_ahead(body: Mapping[str, Any]) -> int:
    ahead = take_whole(body, "ahead", default=1, least=1)
    if ahead > MOST_AHEAD:
        raise RefusedError(400, f"`ahead` must be a whole number from 1 to {MOST_AHEAD}, got {ahead}.")
    return ahead


def _take_source(body: Mapping[str, Any]) -> str:
    source = take_text(body, "source", default="page", most=100)
    if source != "page" and not (source.startswith("model:") and len(source) > len("model:")):
        raise RefusedError(400, f"`source` must be page or model:NAME, got {source!r}.")
    return source


def _take_identity(body: Mapping[str, Any]) -> dict[str, str]:
    identity = take_object(body, "identity", most=2_000)
    for name in identity:
        if name not in IDENTITY:
            raise RefusedError(400, f"`identity` has the fields {', '.join(IDENTITY)}; got {name[:100]!r}.")
    return {name: text for name in identity if (text := take_text(identity, name))}
