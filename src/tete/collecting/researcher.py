"""What the researcher's dashboard talks to."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hmac import compare_digest
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from tete.collecting.asking import Asker
from tete.collecting.assets import StaticFiles
from tete.collecting.database import Database
from tete.collecting.downloads import make_csv
from tete.collecting.forgetting import erase_traces, forget_person
from tete.collecting.interviews import Interviews
from tete.collecting.json_text import dump, read_object, take_text, take_whole
from tete.collecting.live_counts import LiveCounts
from tete.collecting.people import add_event, load_person
from tete.collecting.planner_watch import PlannerWatch
from tete.collecting.refusals import Bucket, RefusedError
from tete.collecting.writer import Writer
from tete.exceptions import StorageError

__all__ = ["ResearcherRoutes"]

LOGINS = (5.0, 10)  # a second, and at once
PART = 2**18  # bytes of a download at a time
MAP_POLICY = (  # what the page of a map needs, which has all of it inside; it can reach nothing of the dashboard
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; frame-ancestors 'self'"
)
STATES = {"pause": "paused", "open": "open", "close": "closed"}
JUDGEMENTS = {"exclude": "excluded", "include": "included"}


class ResearcherRoutes:
    """The dashboard, behind the token that is printed when the server starts."""

    def __init__(
        self,
        interviews: Interviews,
        database: Database,
        writer: Writer,
        asker: Asker,
        watch: PlannerWatch,
        *,
        address: str,
        people_url: str,
        secure: bool,
    ) -> None:
        self._interviews, self._database, self._writer = interviews, database, writer
        self._asker, self._watch = asker, watch
        self._address, self._people_url, self._secure = address, people_url, secure
        self._counts = LiveCounts(database, asker.study)
        self._files = StaticFiles()
        self._downloading = asyncio.Lock()
        self._verified = ""  # the token that was right last
        self._logins = Bucket("attempts to log in", *LOGINS)
        # Cookies are shared by all ports of a host: another study there must not replace this one's.
        self._cookie = f"tete_researcher_{database.study_id}"

    def routes(self) -> list[BaseRoute]:
        """All below /dashboard."""
        return [
            Route("/dashboard", self.page),
            Route("/dashboard/login", self.login, methods=["POST"]),
            Route("/dashboard/state", self.state),
            Route("/dashboard/control", self.control, methods=["POST"]),
            Route("/dashboard/answers.csv", self.answers),
            Route("/dashboard/everything.csv", self.everything),
            Route("/dashboard/map", self.map),
        ]

    async def page(self, request: Request) -> Response:
        """The page, which shows nothing before its script has logged in."""
        return self._files.response(request, "dashboard.html")

    async def login(self, request: Request) -> Response:
        """Exchange the token for a cookie that scripts cannot read."""
        self._logins.take()
        token = take_text(read_object(await request.body(), ("token",)), "token")
        if not await asyncio.to_thread(self._database.token_matches, token):
            raise RefusedError(
                401, "This is not the token of this study: take the address printed at the latest start."
            )
        response = _json({"done": True})
        response.set_cookie(
            self._cookie, token, path="/dashboard", httponly=True, samesite="strict", secure=self._secure
        )
        return response

    async def state(self, request: Request) -> Response:
        """All numbers."""
        await self._check(request)
        study, asker = self._asker.study, self._asker
        about = {
            "title": study.title,
            "state": self._interviews.state,
            "question": str(study.question),
            "n_items": len(self._database.items),
            "mentions": {"least": asker.least_mentions, "median": asker.median_mentions},
            "planner": self._watch.about(),
            "findings": self._watch.findings,
            "storage": self._writer.trouble,
            "has_map": self._watch.page is not None,
            "addresses": {"people": self._people_url},
        }
        per_minute = self._interviews.answers.last_minute()
        text = await asyncio.to_thread(self._with_counts, about, per_minute)
        return Response(text, media_type="application/json")

    def _with_counts(self, about: dict[str, Any], per_minute: int) -> str:
        """Written in a thread of its own: with thousands of people it is a megabyte."""
        try:
            self._counts.refresh()
        except StorageError as error:
            about["storage"] = str(error)
        about |= self._counts.about(self._interviews.seconds_since_seen, self._watch.people)
        about["answers"]["per_minute"] = per_minute
        return dump(about)

    async def control(self, request: Request) -> Response:
        """Pause, open or close the study; exclude, include or forget a person."""
        await self._check(request)
        body = read_object(await request.body(), ("action", "person"))
        action = take_text(body, "action")
        with _told():
            await self._do(action, body)
        return _json({"done": True})

    async def _do(self, action: str, body: dict[str, Any]) -> None:
        if action in STATES:
            await self._writer.do(partial(self._database.set_state, state=STATES[action]))
            self._interviews.state = STATES[action]
        elif action in JUDGEMENTS:
            await self._writer.do(partial(_judge, person=take_whole(body, "person"), kind=JUDGEMENTS[action]))
        elif action == "forget":
            await self._forget(take_whole(body, "person"))
        else:
            actions = ", ".join([*STATES, *JUDGEMENTS, "forget"])
            raise RefusedError(400, f"`action` must be {actions}, got {action[:100]!r}.")

    async def answers(self, request: Request) -> Response:
        """The effective answers as CSV."""
        return await self._download(request, "answers")

    async def everything(self, request: Request) -> Response:
        """Every revision of every answer as CSV."""
        return await self._download(request, "everything")

    async def map(self, request: Request) -> Response:
        """The latest map, in a frame of its own that can do nothing here."""
        await self._check(request)
        try:
            page = await asyncio.to_thread((self._watch.page or Path()).read_bytes)
        except OSError:
            raise RefusedError(404, "There is no map yet.") from None
        headers = {"content-security-policy": MAP_POLICY}
        return Response(page, headers=headers, media_type="text/html; charset=utf-8")

    async def _check(self, request: Request) -> None:
        """Refuse whoever has not logged in. While nothing can be read, who was let in last is believed."""
        token = request.cookies.get(self._cookie, "")
        try:
            matches = bool(token) and await asyncio.to_thread(self._database.token_matches, token)
        except StorageError:
            matches = bool(self._verified) and compare_digest(self._verified.encode(), token.encode())
        if not matches:
            raise RefusedError(401, "Open the dashboard by the address that was printed at the latest start.")
        self._verified = token

    async def _forget(self, person: int) -> None:
        await self._writer.do(partial(_forget, person=person))
        self._interviews.forget(person)
        await asyncio.to_thread(self._counts.forget_all)
        await asyncio.to_thread(erase_traces, self._database)

    async def _download(self, request: Request, which: str) -> Response:
        await self._check(request)
        async with self._downloading:  # one at a time: each needs a process with as much memory as the server
            with _told():
                file = await make_csv(self._address, which)
        headers = {
            "content-length": str(os.fstat(file.fileno()).st_size),
            "content-disposition": f'attachment; filename="{which}.csv"',
        }
        return StreamingResponse(_parts(file), headers=headers, media_type="text/csv")


def _parts(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while part := file.read(PART):
            yield part


@contextmanager
def _told() -> Iterator[None]:
    """The researcher hears what is wrong with the storage; people only hear that something is."""
    try:
        yield
    except StorageError as error:
        raise RefusedError(503, str(error), wait=1.0) from error


def _judge(connection: Connection, person: int, kind: str) -> None:
    _check_person(connection, person)
    add_event(connection, kind, person)


def _forget(connection: Connection, person: int) -> None:
    _check_person(connection, person)
    forget_person(connection, person)


def _check_person(connection: Connection, person: int) -> None:
    if load_person(connection, person) is None:
        raise RefusedError(404, f"There is no person {person}.")


def _json(value: object) -> Response:
    return Response(dump(value), media_type="application/json")
