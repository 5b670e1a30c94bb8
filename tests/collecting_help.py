"""Studies, servers and people for the tests of collecting."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import httpx

from tete.collecting.asking import Asker
from tete.collecting.database import Database
from tete.collecting.interviews import Interviews
from tete.collecting.items import Item
from tete.collecting.page_texts import texts_of
from tete.collecting.people import mention_counts
from tete.collecting.planner_watch import PlannerWatch
from tete.collecting.researcher import ResearcherRoutes
from tete.collecting.study import Study
from tete.collecting.web_app import PeopleRoutes, make_app
from tete.collecting.writer import Writer

ORIGIN = "http://127.0.0.1:8421"
SOURCE = Path(__file__).parents[1] / "src"
QUIET = ["-c", "import sys; sys.stdin.read()"]  # a planner that says nothing


def text_items(count):
    return tuple(
        Item(number, f"item{number}", "text", f"Text {number}", f"item{number}", None, "") for number in range(count)
    )


class Client:
    """Sends requests to an application that runs in a loop of its own."""

    def __init__(self, app, origin):
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url=origin)
        self.cookies = self._client.cookies

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.wait_for(self._client.aclose())
        self.wait_for(self.loop.shutdown_default_executor())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def wait_for(self, coroutine):
        """Do something in the loop of the application."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    def request(self, method, path, **details):
        return self.wait_for(self._client.request(method, path, **details))

    def get(self, path, **details):
        return self.request("GET", path, **details)

    def post(self, path, **details):
        return self.request("POST", path, **details)


@dataclass
class Served:
    """One server in this process, with its parts."""

    client: "Client"
    database: Database
    writer: Writer
    asker: Asker
    interviews: Interviews
    watch: PlannerWatch
    token: str

    def log_in(self):
        reply = self.client.post("/dashboard/login", json={"token": self.token})
        assert reply.status_code == 200
        return reply

    def state(self):
        reply = self.client.get("/dashboard/state")
        assert reply.status_code == 200, reply.text
        return reply.json()

    def control(self, action, **details):
        return self.client.post("/dashboard/control", json={"action": action, **details})

    def start(self, ahead=2, **details):
        reply = self.client.post("/start", json={"consent": True, "ahead": ahead, **details})
        assert reply.status_code == 200, reply.text
        return Visitor(self.client, reply.json())


class Visitor:
    """A person with a browser: holds questions, answers the first, takes in those that come."""

    def __init__(self, client, started):
        self.client, self.key = client, started["person"]
        self.take(started)
        self.previous = None

    @property
    def headers(self):
        return {"Authorization": f"Bearer {self.key}"}

    def take(self, reply):
        self.latest = reply
        self.held = [*getattr(self, "held", []), *reply["questions"]]

    def next(self, ahead=2):
        return self.client.get(f"/next?ahead={ahead}", headers=self.headers)

    def send(self, path="/answer", **body):
        return self.client.post(path, json=body, headers=self.headers)

    def answer(self, choice=(0,), ahead=2, **details):
        """Answer the first question that is held, as the page does."""
        question = self.held[0]
        after = max(each["position"] for each in self.held)
        body = {"question": question["question"], "revision": question["revision"], "ms": 800.5}
        body |= {"choice": None if choice is None else list(choice), "ahead": ahead, "after": after} | details
        reply = self.send(**body)
        if reply.status_code == 200:
            self.previous = self.held.pop(0)
            self.take(reply.json())
        return reply

    def answer_all(self):
        while self.held:
            assert self.answer().status_code == 200
        return self.latest


@contextlib.contextmanager
def served(folder, items=12, study=None, public_url=None, planner=QUIET, origin=ORIGIN, address=None):
    """A whole server but for its port. `items` are so many texts, or given."""
    items = text_items(items) if isinstance(items, int) else items
    study = study or Study(per_person=8, practice=1, catch=1, repeat=1)
    address = address or str(folder / "study.db")
    with contextlib.ExitStack() as stack:
        database = Database.create_or_open(address, study, items)
        stack.callback(database.close)
        writer = Writer(database)
        stack.callback(writer.close)
        with database.engine.connect() as connection:
            asker = Asker(database.study, database.items, mention_counts(connection, len(items)))
        interviews = Interviews(database, writer, asker)
        watch = PlannerWatch(address, asker, writer, [sys.executable, *planner])
        researcher = ResearcherRoutes(
            interviews,
            database,
            writer,
            asker,
            watch,
            address=address,
            people_url=f"{origin}/",
            secure=origin.startswith("https"),
        )
        routes = PeopleRoutes(interviews, database, texts_of(study.texts)).routes() + researcher.routes()
        app = make_app(routes, [public_url or origin])
        client = stack.enter_context(Client(app, origin))
        yield Served(client, database, writer, asker, interviews, watch, database.renew_token())


SCRIPT = f"""
import functools, sys
from tete.collecting import running
from tete.collecting.items import Item
from tete.collecting.planner_watch import PlannerWatch
from tete.collecting.study import Study
running.PlannerWatch = functools.partial(PlannerWatch, command=[sys.executable, *{QUIET}])
items = tuple(Item(number, f"item{{number}}", "text", "Text", "label", None, "") for number in range(30))
setup = running.Setup(Study(per_person=20, practice=1), items, sys.argv[1], port=int(sys.argv[2]))
running.run(setup, lambda line: sys.stdout.write(line + "\\n") and sys.stdout.flush())
"""


class Process:
    """A server in a process of its own, which can be killed and started again at the same port."""

    def __init__(self, folder, port=0, script=SCRIPT):
        self.database, self.port, self._script = folder / "study.db", port, script
        self.process = None

    def start(self):
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        command = [sys.executable, "-c", self._script, str(self.database), str(self.port)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
        )
        people = self.process.stdout.readline()
        if not people:
            raise RuntimeError(self.process.communicate()[1])
        self.people, self.researcher = people.split()[-1], self.process.stdout.readline().split()[-1]
        self.port = int(self.people.rstrip("/").rpartition(":")[2])
        return self

    def end(self, with_signal=signal.SIGTERM):
        """Send a signal; what the process had to say, and its exit code."""
        self.process.send_signal(with_signal)
        said, complaints = self.process.communicate(timeout=20)
        return said, complaints, self.process.returncode

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def until(condition, seconds=20.0):
    """Wait for something that must happen."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
