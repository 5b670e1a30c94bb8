"""The researcher's dashboard in a real browser, against a real server."""

import csv
import json
import signal

import httpx
import pytest

from collecting_browser import Page, StudyServer, browsing, eventually
from collecting_help import Visitor, text_items
from tete.collecting.simulation import simulate
from tete.collecting.study import Study

EVIL = "<script>document.title = 'broken'</script>"
# Puts other values into what the server says, to see what is hard to bring about.
PRETENDED = """
const real = window.fetch;
window.fetch = async (...given) => {
  const response = await real(...given);
  if (!String(given[0]).endsWith("dashboard/state") || !response.ok) return response;
  const said = { ...(await response.json()), ...PRETENCE };
  return new Response(JSON.stringify(said), { headers: { "Content-Type": "application/json" } });
};
"""
MODULE = """
const done = arguments[arguments.length - 1];
import(new URL(`static/${arguments[0]}`, location)).then((module) => done(EXPRESSION));
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with browsing(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def serve(tmp_path):
    started = []

    def start(items=12, *, planner=False, **study):
        settings = {"per_person": 8, "practice": 0, "catch": 2, "repeat": 1, "title": f"Alike? {EVIL}"} | study
        server = StudyServer(tmp_path / str(len(started)), Study(**settings), text_items(items), planner=planner)
        started.append(server)
        return server.start()

    yield start
    for server in started:
        server.__exit__()


class Dashboard(Page):
    """What a researcher does."""

    def __init__(self, browser, server):
        super().__init__(browser, server.researcher)
        eventually(lambda: self.visible("#board"))

    def eventually_says(self, selector, words):
        eventually(lambda: words in self.text(selector))

    def tiles(self):
        labels, values = self.texts(".tile > span"), self.texts(".tile > strong")
        return dict(zip(labels, values, strict=True))

    def column(self, title):
        at = [heading.rstrip() for heading in self.texts("#people thead th")].index(title) + 1
        return self.texts(f"#people tbody tr > :nth-child({at})")

    def confirm(self, press="dialog .main"):
        self.click(press)
        eventually(lambda: not self.has("dialog"))


@pytest.fixture
def visitors():
    """People without a browser."""
    clients = []

    def start(server, **details):
        origin = server.people.rstrip("/")
        client = httpx.Client(base_url=origin, headers={"Origin": origin})
        clients.append(client)
        return Visitor(client, client.post("/start", json={"consent": True, "ahead": 2, **details}).json())

    yield start
    for client in clients:
        client.close()


def pretend(browser, **values):
    script = PRETENDED.replace("PRETENCE", json.dumps(values))
    return browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})


def test_one_person_is_seen_and_the_study_paused(browser, serve, visitors):
    server = serve()
    dashboard = Dashboard(browser, server)
    assert browser.current_url == f"{server.people}dashboard"  # the token has left the address bar
    assert browser.execute_script("return document.cookie") == ""
    assert dashboard.text("#title") == f"Alike? {EVIL}"
    assert dashboard.text("#people-more") == "Nobody has started yet."
    visitor = visitors(server)
    visitor.answer()
    visitor.answer(None)
    eventually(lambda: dashboard.tiles()["answers"] == "2")
    assert dashboard.tiles()["active now"] == "1"
    assert dashboard.column("Person") == ["p0001"]
    assert dashboard.column("Answers") == ["2 of 8"]
    assert dashboard.column("Flags") == ["none"]
    assert "nobody is rejected by a flag" in dashboard.text("main")
    dashboard.click("#pause")
    dashboard.eventually_says("#state", "Paused")
    assert visitor.next().json()["state"] == "paused"
    dashboard.click("#open")
    dashboard.eventually_says("#state", "Open")
    visitor.answer_all()
    eventually(lambda: dashboard.tiles()["finished"] == "1")
    dashboard.check_is_clean()


@pytest.mark.slow
class TestLoggingIn:
    def test_without_and_with_a_wrong_token(self, browser, serve):
        server = serve()
        page = Page(browser, f"{server.people}dashboard#token=wrong")
        eventually(lambda: page.visible("#login"))
        assert browser.current_url.endswith("/dashboard")
        assert "not the token" in page.text("#login-said")
        assert not page.visible("#board")
        page.click("#token")
        page.press(server.researcher.partition("token=")[2], "\ue007")
        eventually(lambda: page.visible("#board"))
        browser.refresh()
        eventually(lambda: page.visible("#board"))

    def test_a_server_that_was_started_again_asks_again(self, browser, serve):
        server = serve()
        page = Dashboard(browser, server)
        server.end(signal.SIGKILL)
        page.eventually_says("#notices", "No connection to the server")
        assert page.visible("#tiles")  # the last numbers stay
        server.start()
        eventually(lambda: page.visible("#login"))  # each start has a token of its own
        browser.get(server.researcher)
        eventually(lambda: page.visible("#board"))


@pytest.mark.slow
class TestPeople:
    def test_exclude_include_and_forget(self, browser, serve, visitors):
        server = serve()
        for _ in range(2):
            visitors(server).answer()
        dashboard = Dashboard(browser, server)
        first = "#people tbody tr:last-child"
        dashboard.click(f"{first} [data-action='exclude']")
        dashboard.confirm("dialog button:first-child")  # no
        assert server.events() == []
        dashboard.click(f"{first} [data-action='exclude']")
        dashboard.confirm()
        eventually(lambda: dashboard.column("Status")[1] == "active, excluded")
        dashboard.click(f"{first} [data-action='include']")
        eventually(lambda: dashboard.column("Status")[1] == "active")
        assert server.events() == ["excluded", "included"]
        dashboard.click(f"{first} [aria-label='Forget p0001']")
        dashboard.confirm()
        eventually(lambda: dashboard.column("Person") == ["p0002"])
        assert server.number_of("people") == 1
        dashboard.check_is_clean()

    def test_sorted_found_and_flagged(self, browser, serve, visitors):
        server = serve()
        answers = {1: 3, 2: 8, 3: 1}
        for count in answers.values():
            visitor = visitors(server, source=f"model:{EVIL}" if count == 1 else "page")
            for _ in range(count):
                right = visitor.held[0]["right"] if visitor.held[0].get("practice") else [0]
                visitor.answer(right, ms=90.0 if count == 8 else 900.0)
        dashboard = Dashboard(browser, server)
        eventually(lambda: dashboard.column("Person") == ["p0003", "p0002", "p0001"])
        dashboard.click("#people thead th:nth-child(3) button")
        eventually(lambda: dashboard.column("Person") == ["p0003", "p0001", "p0002"])
        assert dashboard.run("return document.querySelector('[aria-sort=ascending]').textContent") == "Answers"
        dashboard.click("#people thead th:nth-child(3) button")
        eventually(lambda: dashboard.column("Person") == ["p0002", "p0001", "p0003"])
        assert "very fast" in dashboard.column("Flags")[0]
        dashboard.click("#flagged")
        eventually(lambda: dashboard.column("Person") == ["p0002"])
        dashboard.click("#flagged")
        dashboard.click("#find")
        dashboard.press("model:<")
        eventually(lambda: dashboard.column("Person") == ["p0003"])
        assert browser.title.startswith("Alike?")
        dashboard.check_is_clean()

    @pytest.mark.parametrize(
        ("person", "flags"),
        [
            ({}, []),
            ({"catch": {"right": 1, "asked": 2}}, ["misses catch questions"]),
            ({"catch": {"right": 0, "asked": 1}}, []),
            ({"repeat": {"same": 1, "asked": 4}}, ["changes answers"]),
            ({"repeat": {"same": 2, "asked": 4}}, []),
            ({"fast_share": 0.31}, ["very fast"]),
            ({"verdict": "at chance"}, ["at chance"]),
            ({"verdict": "reversed", "fast_share": 1.0}, ["very fast", "reversed"]),
            ({"verdict": "unclear", "fast_share": None}, []),
        ],
    )
    def test_flags(self, page, person, flags):
        ordinary = {"catch": {"right": 2, "asked": 2}, "repeat": {"same": 4, "asked": 4}, "fast_share": 0.0}
        script = MODULE.replace("EXPRESSION", "module.flagsOf(arguments[1])")
        given = ordinary | {"verdict": "ordinary"} | person
        assert page.browser.execute_async_script(script, "people_table.js", given) == flags


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    with StudyServer(tmp_path_factory.mktemp("study"), Study(), text_items(12)) as server:
        yield Dashboard(browser, server)


FINDINGS = {
    "answers": 1234,
    "held_out": {"accuracy": 0.8, "low": 0.75, "high": 0.84, "n": 185},
    "wrong_share": {"share": 0.1, "low": 0.05, "high": 0.15},
    "curve": {
        "points": [{"answers": 100 * 2**k, "error": 0.4 / 2**k, "standard_error": 0.01} for k in range(4)],
        "sentence": "1,000 more answers: about +0.1 points",
        "enough": True,
    },
    "warnings": ["Two items were never compared."],
}


@pytest.mark.slow
class TestFindings:
    @pytest.mark.parametrize(
        ("low", "high", "ticks"),
        [(0, 1000, [0, 200, 400, 600, 800, 1000]), (0.22, 0.41, [0.25, 0.3, 0.35, 0.4]), (0.5, 0.5, [])],
    )
    def test_ticks_are_round(self, page, low, high, ticks):
        script = MODULE.replace("EXPRESSION", "module.ticks(arguments[1], arguments[2])")
        assert page.browser.execute_async_script(script, "chart.js", low, high) == pytest.approx(ticks)

    def test_accuracy_curve_hint_and_trouble_are_said(self, browser, serve):
        died = {"state": "died", "sentence": "", "proposals": 0, "seconds_since_heard": 9}
        script = pretend(browser, findings=FINDINGS, planner=died, storage="The disk is full.")
        try:
            dashboard = Dashboard(browser, serve())
        finally:
            browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        quality = dashboard.text("#quality").replace("\u00a0", " ")
        assert "80.0 %" in quality
        assert "185 test answers" in quality
        assert "75.0 % to 84.0 %" in quality
        assert len(dashboard.run("return [...document.querySelectorAll('#curve circle')]")) == 4
        assert dashboard.texts("#curve .label") == ["answers", "held-out error"]
        assert "1,000 more answers: about +0.1 points" in dashboard.text("#curve")
        notices = dashboard.text("#notices")
        for said in ("The disk is full.", "balanced random", "Two items were never compared.", "hardly pay any more"):
            assert said in notices
        dashboard.check_is_clean()

    def test_a_map_from_simulated_people(self, browser, serve):
        server = serve(planner=True, per_person=30)
        dashboard = Dashboard(browser, server)
        assert dashboard.text("#map-said") == "There is no map yet: it is made from the first answers."
        simulate(server.people, people=12)
        eventually(lambda: dashboard.tiles()["finished"] == "12")
        eventually(lambda: dashboard.visible("#map"))
        dashboard.eventually_says("#quality", "held-out accuracy")
        dashboard.run("document.getElementById('map').scrollIntoView()")  # what is out of sight is not painted
        browser.switch_to.frame("map")
        try:
            eventually(lambda: browser.execute_script("return document.body?.dataset.ready"))
            assert "12 objects" in dashboard.text("#summary")
        finally:
            browser.switch_to.default_content()
        assert dashboard.errors() == []

    def test_answers_are_downloaded_while_the_study_runs(self, browser, serve, visitors):
        server = serve()
        visitors(server).answer_all()
        dashboard = Dashboard(browser, server)
        for name, columns in (("answers", "anchor,near,far,annotator"), ("everything", "question,revision,annotator")):
            dashboard.click(f".downloads [href$='{name}.csv']")
            path = browser.downloads / f"{name}.csv"
            eventually(path.exists)
            with path.open(newline="") as rows:
                assert ",".join(next(csv.reader(rows))).startswith(columns)
