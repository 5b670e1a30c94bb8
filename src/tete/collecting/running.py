"""Start a server and everything around it, and end it all in order."""

import asyncio
import contextlib
import json
import signal
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any

import uvicorn

from tete.collecting.asking import Asker
from tete.collecting.database import Database
from tete.collecting.guards import origin_of
from tete.collecting.interviews import Interviews
from tete.collecting.items import Item
from tete.collecting.listening import allow_many_connections, is_loopback, listen, local_address
from tete.collecting.page_texts import texts_of
from tete.collecting.people import mention_counts
from tete.collecting.planner_watch import PlannerWatch
from tete.collecting.researcher import ResearcherRoutes
from tete.collecting.study import Study
from tete.collecting.web_app import PeopleRoutes, make_app
from tete.collecting.writer import Writer
from tete.exceptions import InvalidParameterError, Parameter, StorageError

__all__ = ["Setup", "run"]

KEEP_ALIVE = 75  # seconds: people think longer than the 5 that are usual between machines
FAREWELL = 5  # seconds for answers that are on their way when the server ends
SAY_EVERY = 5.0  # seconds between two reports of a simulation
LONGEST_LINE = 2**20
STATE_SECONDS = 2.0  # between two looks at the state of the study, which another server may have changed


@dataclass(frozen=True)
class Setup:
    """All that a server needs to know.

    Attributes
    ----------
    study : Study
        What is asked.
    items : tuple of Item
        What is shown.
    database : str
        A file of SQLite or an address of PostgreSQL.
    host, port : str, int
        Where to listen; port 0 is any free one.
    public_url : str or None
        Where people reach the server, if that is not this computer alone.
    simulate : int
        How many simulated people answer; 0 to serve real ones.
    think : float
        Seconds that each simulated person thinks before an answer.
    """

    study: Study
    items: tuple[Item, ...]
    database: str
    host: str = "127.0.0.1"
    port: int = 8421
    public_url: str | None = None
    simulate: int = 0
    think: float = 0.0

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and self.public_url is None:
            message = f" must be given where `host` is not this computer alone, got host {self.host!r}."
            raise InvalidParameterError(Parameter("public_url"), message)
        if self.public_url is not None:
            try:
                origin_of(self.public_url)
            except ValueError:
                message = f" must be an address such as https://study.example.org, got {self.public_url!r}."
                raise InvalidParameterError(Parameter("public_url"), message) from None
        if not 0 <= self.port <= 65_535:
            raise InvalidParameterError(Parameter("port"), f" must be from 0 to 65535, got {self.port}.")


def run(setup: Setup, say: Callable[[str], None]) -> dict[str, Any]:
    """Serve until Ctrl-C or SIGTERM, or until simulated people have finished.

    Parameters
    ----------
    setup : Setup
        What to serve, and where.
    say : callable
        Gets the lines to print: the address for people, the one for the researcher, and what else there is to know.

    Returns
    -------
    dict
        What the simulation reports; empty without one.
    """
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(listen(setup.host, setup.port))
        database = Database.create_or_open(setup.database, setup.study, setup.items)
        stack.callback(database.close)
        writer = Writer(database)
        stack.callback(writer.close)
        allow_many_connections()
        return asyncio.run(_serve(setup, database, writer, listener, say))


async def _serve(
    setup: Setup, database: Database, writer: Writer, listener: socket.socket, say: Callable[[str], None]
) -> dict[str, Any]:
    with database.engine.connect() as connection:
        mentions = mention_counts(connection, len(database.items))
    asker = Asker(database.study, database.items, mentions)
    interviews = Interviews(database, writer, asker)
    watch = PlannerWatch(setup.database, asker, writer)
    local = local_address(listener)
    url = (setup.public_url or local).rstrip("/")
    researcher = ResearcherRoutes(
        interviews,
        database,
        writer,
        asker,
        watch,
        address=setup.database,
        people_url=f"{url}/",
        secure=url.startswith("https:"),
    )
    routes = PeopleRoutes(interviews, database, texts_of(database.study.texts)).routes() + researcher.routes()
    token = database.renew_token()
    server = _Server(_config(make_app(routes, [url, local])))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.005)
    say(f"For people:         {url}/")
    say(f"For the researcher: {url}/dashboard#token={token}")
    beside = [asyncio.create_task(watch.run()), asyncio.create_task(follow_state(interviews, database))]
    try:
        simulation = asyncio.create_task(_simulate(setup, local, say)) if setup.simulate else None
        return await _until_done(server, serving, simulation)
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)


async def _until_done(
    server: uvicorn.Server, serving: asyncio.Task[None], simulation: asyncio.Task[dict[str, Any]] | None
) -> dict[str, Any]:
    """Wait for the server's end, which the end of a simulation brings about."""
    if simulation is None:
        await serving
        return {}
    await asyncio.wait([serving, simulation], return_when=asyncio.FIRST_COMPLETED)
    server.should_exit = True
    await serving
    if not simulation.done():
        simulation.cancel()
        await asyncio.wait([simulation])
    return {} if simulation.cancelled() else simulation.result()


async def _simulate(setup: Setup, local: str, say: Callable[[str], None]) -> dict[str, Any]:
    """Let simulated people answer, in a process of their own: what they report in the end."""
    settings = [f"people={setup.simulate}", f"think={setup.think}", f"seed={setup.study.seed}"]
    command = [sys.executable, "-m", "tete.collecting.simulation", local, *settings]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=DEVNULL, stdout=PIPE, limit=LONGEST_LINE, start_new_session=True
    )
    assert process.stdout is not None
    said: dict[str, Any] = {}
    try:
        said_at = monotonic()
        async for line in process.stdout:
            said = json.loads(line)
            if monotonic() - said_at > SAY_EVERY:
                said_at = monotonic()
                said_by = f"{said['finished']:,} of {setup.simulate:,} people have finished"
                say(f"Simulation: {said['answers']:,} answers; {said_by}.")
        if await process.wait():
            raise RuntimeError(f"the simulation ended with exit code {process.returncode}")
        return said
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def follow_state(interviews: Interviews, database: Database) -> None:
    """Another server of the same PostgreSQL database may pause, open or close the study."""
    while database.engine.dialect.name == "postgresql":
        with contextlib.suppress(StorageError):
            interviews.state = await asyncio.to_thread(database.state)
        await asyncio.sleep(STATE_SECONDS)


class _Server(uvicorn.Server):
    """Ends at Ctrl-C and SIGTERM as at the end of its work; uvicorn's own would raise the signal once more."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, self.handle_exit, each, None)
        try:
            yield
        finally:
            for each in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(each)


def _config(app: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="error",
        access_log=False,  # it would keep addresses of people
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=FAREWELL,
    )
