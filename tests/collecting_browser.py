"""A study served by a process of its own and a person with a real browser, for the tests of the pages."""

import json
import shutil
import sqlite3
import struct
import time
import zlib
from contextlib import closing, contextmanager

import pytest

from collecting_help import QUIET, Process

WAIT = 120.0  # seconds: a map is made at the lowest priority, beside whatever else the machine does
SEEN = 0.2  # seconds: presses sooner after a question was shown are taken for those of the one before

SCRIPT = """
import functools, json, sys
from pathlib import Path
from tete.collecting import running
from tete.collecting.items import Item
from tete.collecting.planner_watch import PlannerWatch
from tete.collecting.study import Study
given = json.loads(Path(sys.argv[1]).with_name("given.json").read_text(encoding="utf-8"))
if not given["planner"]:
    running.PlannerWatch = functools.partial(PlannerWatch, command=[sys.executable, *given["quiet"]])
items = tuple(Item(**item | {"file": item["file"] and Path(item["file"])}) for item in given["items"])
setup = running.Setup(Study.from_json(given["study"]), items, sys.argv[1], port=int(sys.argv[2]))
running.run(setup, lambda line: sys.stdout.write(line + "\\n") and sys.stdout.flush())
"""


class StudyServer(Process):
    """A server of this study with these items; its database is read as it is."""

    def __init__(self, folder, study, items, *, planner=False):
        folder.mkdir(exist_ok=True)
        plain = [vars(item) | {"file": item.file and str(item.file)} for item in items]
        given = {"study": study.to_json(), "items": plain, "planner": planner, "quiet": QUIET}
        (folder / "given.json").write_text(json.dumps(given), encoding="utf-8")
        super().__init__(folder, script=SCRIPT)

    def rows(self, query):
        with closing(sqlite3.connect(f"{self.database.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchall()

    def number_of(self, table):
        return self.rows(f"select count(*) from {table}")[0][0]

    def events(self):
        return [kind for (kind,) in self.rows("select kind from events where person is not null order by number")]


def png(width, height, color):
    """A picture of one colour, as the bytes of a file."""

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    rows = (b"\0" + bytes(color) * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@contextmanager
def browsing(folder, *, phone=None):
    """A browser; `phone` is the width and height of one that is touched."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("needs Debian's chromium and chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for option in (
        "--headless",
        "--no-sandbox",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--mute-audio",
        "--window-size=1200,800",
        f"--user-data-dir={folder / 'profile'}",
    ):
        options.add_argument(option)
    if phone is not None:
        screen = {"width": phone[0], "height": phone[1], "pixelRatio": 2.0, "touch": True, "mobile": True}
        options.add_experimental_option("mobileEmulation", {"deviceMetrics": screen})
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    opened.downloads = folder
    try:
        yield opened
    finally:
        opened.quit()


def eventually(condition):
    """The condition's value as soon as it is true."""
    end = time.monotonic() + WAIT
    while not (value := condition()):
        assert time.monotonic() < end, "the page did not get there in time"
        time.sleep(0.02)
    return value


class Page:
    """What anybody does with a page."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address
        browser.get("about:blank")  # so that the page before says nothing more
        browser.get_log("browser")
        browser.get_log("performance")
        browser.get(address)

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def has(self, selector):
        return self.run("return document.querySelector(arguments[0]) !== null", selector)

    def texts(self, selector):
        script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)"
        return self.run(script, selector)

    def text(self, selector):
        return "".join(self.texts(selector))

    def visible(self, selector):
        found = self.browser.find_elements("css selector", selector)
        return bool(found) and found[0].is_displayed()

    def press(self, *keys):
        from selenium.webdriver import ActionChains

        chain = ActionChains(self.browser, duration=0)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def click(self, selector):
        eventually(lambda: self.visible(selector))
        self.browser.find_element("css selector", selector).click()

    def tap(self, selector):
        """With a finger."""
        from selenium.webdriver.common.actions.action_builder import ActionBuilder
        from selenium.webdriver.common.actions.pointer_input import PointerInput

        eventually(lambda: self.visible(selector))
        finger = ActionBuilder(self.browser, mouse=PointerInput("touch", "finger"), duration=0)
        finger.pointer_action.move_to(self.browser.find_element("css selector", selector))
        finger.pointer_action.pointer_down().pointer_up()
        finger.perform()

    def errors(self):
        """What the console says, but for connections to a server that is not there."""
        logged = self.browser.get_log("browser")
        return [
            entry["message"]
            for entry in logged
            if entry["level"] in {"SEVERE", "WARNING"} and "net::ERR_" not in entry["message"]
        ]

    def requests(self):
        """Addresses of everything that was asked for."""
        messages = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def check_is_clean(self):
        """No complaint of the browser, and nothing from elsewhere."""
        assert self.errors() == []
        origin = "/".join(self.address.split("/")[:3]) + "/"
        assert [url for url in self.requests() if not url.startswith((origin, "data:"))] == []


class Visit(Page):
    """What a person does with a study."""

    def screen(self):
        """The name of the page that is shown, or "question"."""
        script = """
            const sheet = document.querySelector("[data-screen]");
            return sheet ? sheet.dataset.screen : document.querySelector(".stage") ? "question" : "";
        """
        return self.run(script)

    def until(self, screen):
        eventually(lambda: self.screen() == screen)

    def question(self):
        return self.run("return document.querySelector('.stage')?.dataset.question ?? null")

    def begin(self, act=None):
        """From the first page to the first question."""
        act = act or self.click
        eventually(self.screen)
        if self.screen() == "consent":
            act(".consent .main")
        act(".instructions .main")
        eventually(self.question)

    def answer(self, act):
        """Answer the question that is shown; returns its number when something else is shown."""
        number = eventually(self.question)
        time.sleep(SEEN)
        act()
        eventually(lambda: self.question() != number or self.has(".judged"))
        if self.has(".judged"):
            self.press("\ue007")
            eventually(lambda: not self.has(".judged"))
        return number

    def go_on(self, act):
        """Answer or continue, whatever is shown."""
        screen = eventually(self.screen)
        if screen in {"break", "practice-over"}:
            self.press("\ue007")
            eventually(lambda: self.screen() != screen)
        elif screen == "question":
            self.answer(act)
        else:
            time.sleep(0.02)
        return screen

    def finish(self, act):
        """Answer everything that is left."""
        end = time.monotonic() + 2 * WAIT
        while self.screen() != "end":
            assert time.monotonic() < end, "the end did not come"
            self.go_on(act)

    def progress(self):
        return self.text("#progress")
