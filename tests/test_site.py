"""The documentation site: nothing public is left out of it, and a real browser opens it without network.

What is built is tested as `make docs` left it, and is skipped where nothing was built.
"""

import ast
import doctest
import importlib
import importlib.util
import inspect
import json
import re
import shutil
import sys
import time
from pathlib import Path

import pytest
import typer

from test_docstrings import CALLABLES, METHODS, load
from tete.cli import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BUILT = DOCS / "_build" / "html"
EXAMPLES = sorted((DOCS / "examples").rglob("plot_*.py"))


def public_names():
    """Everything that users import: functions, classes, errors and warnings."""
    named = {name.rsplit(".", 1)[1] for name in CALLABLES}
    for package in ("exceptions", "distributed"):
        named |= set(importlib.import_module(f"tete.{package}").__all__)
    return named


def examples_of(text):
    return [example.source for example in doctest.DocTestParser().get_examples(text or "")]


class TestReference:
    def test_every_public_name_has_a_page_and_every_page_a_name(self):
        text = (DOCS / "reference/api.rst").read_text() + (DOCS / "reference/errors.md").read_text()
        listed = [line.strip() for line in text.splitlines() if re.fullmatch(r"   [A-Za-z]\w+", line)]
        assert len(listed) == len(set(listed))
        assert set(listed) == public_names()

    def test_no_public_name_is_without_an_example(self):
        kinds = importlib.import_module("tete.exceptions")
        cluster = importlib.import_module("tete.distributed")
        found = [load(name) for name in CALLABLES]
        found += [getattr(home, name) for home in (kinds, cluster) for name in home.__all__]
        assert [each.__name__ for each in found if not examples_of(inspect.getdoc(each))] == []

    def test_no_public_method_is_without_an_example(self):
        """In its own docstring or in that of another public name; `restored` is what `load_model` calls."""
        shown = "\n".join(source for name in CALLABLES + METHODS for source in examples_of(inspect.getdoc(load(name))))
        names = [name for name in METHODS if not name.endswith(".restored")]
        assert [name for name in names if not re.search(rf"\.{name.rsplit('.', 1)[1]}\b", shown)] == []

    def test_every_option_of_every_command_is_on_its_page(self, monkeypatch):
        monkeypatch.syspath_prepend(str(DOCS / "extensions"))
        pages = importlib.import_module("command_pages")
        group = typer.main.get_command(app)
        assert all(f"tete {name}" in pages.index_page(group) for name in group.commands)
        for name, command in group.commands.items():
            page = pages.command_page(group, name)
            written = [flag for parameter in command.params for flag in parameter.opts if flag.startswith("--")]
            assert all(re.search(rf"option::.*{flag}\b", page) for flag in written)


class TestGallery:
    def test_there_are_enough_examples(self):
        assert len([path for path in EXAMPLES if "gallery" in path.parts]) >= 14
        assert len([path for path in EXAMPLES if "tutorials" in path.parts]) == 2

    @pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
    def test_an_example_begins_with_its_title_and_says_what_it_shows(self, path):
        title, rule, *rest = ast.get_docstring(ast.parse(path.read_text())).splitlines()
        assert rule == "=" * len(title)
        assert len(" ".join(rest)) > 60
        assert max(map(len, path.read_text().splitlines())) <= 120

    def test_data_of_the_tutorial_is_what_its_script_makes(self, tmp_path, monkeypatch):
        folder = DOCS / "examples/tutorials"
        spec = importlib.util.spec_from_file_location("make_drinks_data", folder / "make_drinks_data.py")
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
        monkeypatch.chdir(tmp_path)
        script.main()
        assert (tmp_path / "drinks.csv").read_text() == (folder / "drinks.csv").read_text()


def test_no_page_loads_anything_from_elsewhere():
    """Whether or not a page is among those that the browser opens below."""
    pages = [path for path in BUILT.rglob("*.html") if "_static" not in path.parts]
    if not pages:
        pytest.skip("the site was not built: make docs")
    loads = re.compile(r"""<(?:script|img|iframe|source|link)\b[^>]*\b(?:src|href)=["'](?:https?:)?//[^>]*>""")
    assert {path.name: loads.findall(text) for path in pages if loads.search(text := path.read_text())} == {}


@pytest.fixture(scope="module")
def browser():
    webdriver = pytest.importorskip("selenium.webdriver", reason="the site's tests drive a browser with selenium")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None or sys.platform != "linux":
        pytest.skip("needs Debian's chromium and chromium-driver")
    if not (BUILT / "index.html").exists():
        pytest.skip("the site was not built: make docs")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


def requests(browser):
    """Addresses that the browser asked for since the last call."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
    return [params["request"]["url"] for params in sent]


def screen(browser, width, height, *, phone):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


SEEN = [
    "index",
    "tutorials/plot_1_answers",
    "gallery/index",
    "gallery/features/plot_08_animation",
    "explanation/loss",
    "reference/generated/tete.TETE",
    "reference/commands/embed",
    "benchmarks/reduction",
    "howto/report",
    "faq",
]


@pytest.mark.slow
class TestBuiltSite:
    @pytest.mark.parametrize("page", SEEN)
    def test_a_page_opens_from_disk_alone_on_a_desktop_and_on_a_phone(self, browser, page):
        requests(browser)
        for width, height, phone in ((1280, 900, False), (390, 844, True)):
            screen(browser, width, height, phone=phone)
            browser.get((BUILT / f"{page}.html").as_uri())
            time.sleep(0.3)
            assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth + 1")
            assert browser.execute_script("return [...document.images].every(image => image.naturalWidth > 0)")
        outside = [url for url in requests(browser) if not url.startswith(("file:", "data:", "blob:"))]
        assert outside == []

    def test_tables_keep_their_sense_on_a_phone(self, browser):
        """Sentences are written below each other; of wide tables of figures the first column stays in sight."""
        screen(browser, 390, 844, phone=True)
        browser.get((BUILT / "coming_from/umap.html").as_uri())
        right = "return Math.max(...[...document.querySelectorAll('.bd-article td')].map(each =>"
        assert browser.execute_script(f"{right} each.getBoundingClientRect().right))") <= 390
        shown = "return getComputedStyle(document.querySelector('p.head-on-phones')).display"
        assert browser.execute_script(shown) == "block"
        browser.get((BUILT / "benchmarks/reduction.html").as_uri())
        seen = browser.execute_script(
            "const table = document.querySelector('table.first-column-stays'), around = table.parentElement;"
            "around.scrollLeft = 200;"
            "const lefts = [...table.querySelectorAll('tr > :first-child')].map(e => e.getBoundingClientRect().left);"
            "return [around.scrollLeft, Math.min(...lefts), around.getBoundingClientRect().left]"
        )
        assert seen[0] == 200
        assert abs(seen[1] - seen[2]) <= 2
        screen(browser, 1280, 900, phone=False)
        browser.get((BUILT / "coming_from/umap.html").as_uri())
        assert browser.execute_script(shown) == "none"

    def test_formulas_are_drawn_by_the_browser_itself(self, browser):
        screen(browser, 1280, 900, phone=False)
        browser.get((BUILT / "explanation/loss.html").as_uri())
        heights = browser.execute_script(
            "return [...document.querySelectorAll('math')].map(e => e.getBoundingClientRect().height)"
        )
        assert len(heights) > 5
        assert min(heights) > 5

    def test_search_finds_pages(self, browser):
        browser.get((BUILT / "search.html").as_uri() + "?q=TETECV")
        for _ in range(50):
            found = browser.execute_script(
                "return [...document.querySelectorAll('#search-results li a')].map(e => e.href)"
            )
            if any("tete.TETECV" in link for link in found):
                break
            time.sleep(0.1)
        assert any("tete.TETECV" in link for link in found)

    def test_dark_is_dark(self, browser):
        browser.get((BUILT / "index.html").as_uri())
        lightness = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
        seen = {}
        for mode in ("light", "dark"):
            browser.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": mode}]}
            )
            browser.refresh()
            time.sleep(0.3)
            seen[mode] = sum(browser.execute_script(lightness))
        assert seen["light"] > 600
        assert seen["dark"] < 200
