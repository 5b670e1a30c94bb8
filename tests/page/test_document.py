"""The interactive page: what is in the file, and what it does in a real browser where there is one."""

import shutil
import sys
import time
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

from tete import Triplets, Uncertainty
from tete.drawing.themes import DARK, LIGHT, class_color
from tete.exceptions import InvalidParameterError, OutputExistsError
from tete.page.document import make_page, write_page
from tete.page.notebook import MapPage

EVIL = "</script><script>document.title = 'broken'</script>"
NAMES = ["origin", 'Café, "north"', "south", EVIL, "<b>west</b>", "far & away"]
PLACES = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, -1.2], [1.4, 0.0], [-1.6, 0.0], [3.0, 3.0]])
COLUMNS = {"kind": ["a", "b", "a", EVIL, "b", ""], "size": [0.5, 1.5, 2.5, np.nan, 4.5, 5.5]}
TRIPLETS = Triplets.from_array([(0, 1, 5), (0, 5, 1), (1, 0, 5), (2, 0, 1), (3, 1, 5)], n_objects=6)


def page(**details):
    return make_page(PLACES, **({"names": NAMES, "columns": COLUMNS, "triplets": TRIPLETS} | details))


class TestFile:
    def test_everything_is_inside(self):
        content = page(title="A & B")
        assert "<title>A &amp; B</title>" in content
        assert "default-src 'none'" in content  # the browser itself refuses anything from outside
        assert "<script src" not in content
        assert '<link rel="stylesheet"' not in content

    def test_names_are_never_html(self):
        content = page(title=EVIL)
        assert EVIL not in content
        assert "<b>west</b>" not in content

    def test_markers_of_the_template_in_names_do_nothing(self):
        assert "@@STYLE@@" in page(names=["@@STYLE@@", *"bcdef"])

    def test_the_same_input_gives_a_page_without_answers_or_columns(self, tmp_path):
        write_page(tmp_path / "map.html", PLACES)
        assert "<!DOCTYPE html>" in (tmp_path / "map.html").read_text(encoding="utf-8")
        with pytest.raises(OutputExistsError):
            write_page(tmp_path / "map.html", PLACES)

    @pytest.mark.parametrize(
        ("details", "message"),
        [
            ({"names": ["a"]}, r"`names` must have one name for each of 6 objects, got 1"),
            (
                {"columns": {"kind": [1]}},
                r"`columns` must have one entry for each of 6 objects, got shape \(1,\) in 'kind'",
            ),
            ({"others": {"b": [[0.0, 1.0]]}}, r"`others` must have a place for each of 6 objects, got 1 in 'b'"),
            ({"wrong": [0.5]}, r"`wrong` must have one entry for each of 5 triplets, got shape \(1,\)"),
            ({"label": "taste"}, r"`label` must be one of the columns \['kind', 'size'\], got 'taste'"),
        ],
    )
    def test_bad_input(self, details, message):
        with pytest.raises(InvalidParameterError, match=message):
            page(**details)

    def test_without_bokeh(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "bokeh.models", None)
        with pytest.raises(ImportError, match=r"the interactive page needs bokeh: pip install 'tete\[plot\]'"):
            page()

    def test_the_map_that_objects_were_placed_on_is_behind_them(self, monkeypatch):
        monkeypatch.setattr("tete.page.linked_maps.MOST_BEHIND", 2)
        content = page(background=PLACES + 0.25)
        assert '"n_behind": 6' in content
        assert '"n_behind": 0' in page()
        assert content.count('"shape": [2]') - page().count('"shape": [2]') == 2  # x and y of a sample
        with pytest.raises(InvalidParameterError, match="`background` must have 2 columns like `embedding`, got 3"):
            page(background=np.zeros((4, 3)))

    def test_of_very_many_answers_a_sample_is_kept(self, monkeypatch):
        monkeypatch.setattr("tete.page.document.MOST_ANSWERS", 2)
        assert '"total": 5' in page()


WAIT = 20.0
PIXEL = """
const view = [...Bokeh.index.roots ?? Object.values(Bokeh.index)].find((each) => each.model.name === "map");
const box = view.el.getBoundingClientRect(), frame = view.frame;
return [box.left + frame.x_scale.compute(arguments[0]), box.top + frame.y_scale.compute(arguments[1])];
"""
TOOLTIP = """
const found = [];
const walk = (node) => {
  if (node.classList && node.classList.contains("bk-Tooltip")) found.push(node.shadowRoot.textContent);
  for (const child of [...(node.shadowRoot ? node.shadowRoot.children : []), ...node.children]) walk(child);
};
walk(document.body);
return found.join("|");
"""
POINTS = """
const view = [...Bokeh.index.roots ?? Object.values(Bokeh.index)].find((each) => each.model.name === "map");
const [points] = [...view.renderer_views.values()].filter((each) => each.model.data_source?.name === "points");
"""
WEBGL = f"{POINTS} return points.glyph.glglyph != null && !points.glyph.glglyph.regl_wrapper?.has_error;"
MOVING = f"{POINTS} return [points.decimated.count, points.decimated_glyph.model.fill_color.field];"
FRAME = f"{POINTS} return [view.frame.x_range.start, view.frame.x_range.end, view.frame.y_range.start];"
CARD = """
const getParameter = WebGLRenderingContext.prototype.getParameter;
WebGLRenderingContext.prototype.getParameter = function (name) {
  return name === 0x9246 ? "A graphics card" : getParameter.call(this, name);
};
"""
NAME_BOXES = """
const number = arguments[0] ?? "";
const plot = Bokeh.documents[0].get_model_by_name(`map${number}`);
const { data } = Bokeh.documents[0].get_model_by_name("points");
const columns = ["x", "y", "written", "align", "aside", "below"].map((column) => data[`${column}${number}`]);
const [x, y, written, align, aside, below] = columns;
const pen = document.createElement("canvas").getContext("2d");
pen.font = "11px helvetica";
return written.map((name, index) => {
  const width = pen.measureText(name).width;
  const [across, up] = [plot.x_range, plot.y_range];
  const left = ((x[index] - across.start) / (across.end - across.start)) * plot.inner_width + aside[index];
  const top = ((up.end - y[index]) / (up.end - up.start)) * plot.inner_height + below[index];
  return [left - { left: 0, center: width / 2, right: width }[align[index]], top - 5.5, width, 11];
}).filter((_, index) => written[index]);
"""
BESIDE = """
const [root] = [...Bokeh.index.roots ?? Object.values(Bokeh.index)];
const view = root.child_views[1], box = view.el.getBoundingClientRect();
const { x1, y1 } = Bokeh.documents[0].get_model_by_name("points").data;
const { x_scale, y_scale } = view.frame;
return [box.left + x_scale.compute(x1[arguments[0]]), box.top + y_scale.compute(y1[arguments[0]])];
"""
SECOND_MAP = """
const [root] = [...Bokeh.index.roots ?? Object.values(Bokeh.index)];
const box = root.child_views[1].el.getBoundingClientRect();
return [box.left, box.top, box.height];
"""
FOCUSED = "return document.activeElement.shadowRoot?.activeElement?.ariaLabel"
LASSO = """
const plot = Bokeh.documents[0].get_model_by_name("map");
plot.toolbar.tools.find((tool) => tool.type === "LassoSelectTool").active = true;
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("needs Debian's chromium and chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    folder = tmp_path_factory.mktemp("browser")
    for option in (
        "--headless",
        "--no-sandbox",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--enable-unsafe-swiftshader",
        "--window-size=1200,800",
        f"--user-data-dir={folder / 'profile'}",
    ):
        options.add_argument(option)
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    opened.downloads = folder
    yield opened
    opened.quit()


def pixels_of(content):
    """A PNG as an array of (height, width, 3) shares of red, green and blue."""
    from matplotlib.image import imread

    return imread(BytesIO(content), format="png")[:, :, :3]


def overlapping(boxes):
    """Pairs of (left, top, width, height) that share some ground."""
    return [
        (one, other)
        for number, one in enumerate(boxes)
        for other in boxes[:number]
        if abs(one[0] + one[2] / 2 - other[0] - other[2] / 2) < (one[2] + other[2]) / 2
        and abs(one[1] - other[1]) < one[3]
    ]


def eventually(condition):
    """The condition's value as soon as it is true."""
    end = time.monotonic() + WAIT
    while not (value := condition()):
        assert time.monotonic() < end, "the page did not get there in time"
        time.sleep(0.05)
    return value


class Page:
    """What a person does with the page."""

    def __init__(self, browser, path):
        self.browser = browser
        browser.get_log("browser")
        browser.get(path.as_uri())
        eventually(lambda: browser.execute_script("return document.body.dataset.ready"))

    def texts(self, selector):
        script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)"
        return self.browser.execute_script(script, selector)

    def text(self, selector):
        return "".join(self.texts(selector))

    def elements(self, selector):
        return self.browser.find_elements("css selector", selector)

    def mouse(self, *steps):
        """Move to places on the map: ("move" | "press" | "release", x, y)."""
        from selenium.webdriver import ActionChains

        chain = ActionChains(self.browser, duration=30)
        for step, x, y in steps:
            left, top = self.browser.execute_script(PIXEL, x, y)
            chain.w3c_actions.pointer_action.move_to_location(round(left), round(top))
            if step == "press":
                chain.w3c_actions.pointer_action.pointer_down()
            elif step == "release":
                chain.w3c_actions.pointer_action.pointer_up()
        chain.perform()

    def click(self, x, y, seconds=0.0):
        from selenium.webdriver import ActionChains

        self.mouse(("move", x, y))
        ActionChains(self.browser, duration=0).click_and_hold().pause(seconds).release().perform()

    def errors(self):
        return [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.fixture
def shown(browser, tmp_path):
    write_page(tmp_path / "map.html", PLACES, names=NAMES, columns=COLUMNS, triplets=TRIPLETS, label="kind")
    opened = Page(browser, tmp_path / "map.html")
    yield opened
    assert opened.errors() == []
    assert browser.title == "Map"  # else a name ran as a script


class TestInTheBrowser:
    def test_what_is_there(self, shown):
        assert shown.text("#summary") == "6 objects, 5 answers"
        assert shown.text("#in-hidden") == ""
        assert shown.texts("#column option") == ["nothing", "kind", "size"]
        assert sorted(shown.texts("#legend button")) == sorted(["●(none) (1)", "●a (2)", "●b (2)", f"●{EVIL} (1)"])

    @pytest.mark.slow
    def test_a_graphics_card_draws_the_points(self, browser, tmp_path):
        if not browser.execute_script("return !!document.createElement('canvas').getContext('webgl')"):
            pytest.skip("this browser has no WebGL")
        write_page(tmp_path / "map.html", PLACES)
        feigned = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": CARD})
        try:
            shown = Page(browser, tmp_path / "map.html")
            assert eventually(lambda: browser.execute_script(WEBGL))
            assert shown.errors() == []
        finally:
            browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", feigned)

    @pytest.mark.slow
    def test_without_one_some_of_many_points_are_drawn_while_the_map_moves(self, browser, tmp_path, rng):
        write_page(tmp_path / "map.html", rng.normal(size=(20_001, 2)))
        shown = Page(browser, tmp_path / "map.html")
        assert not browser.execute_script(WEBGL)
        assert browser.execute_script(MOVING) == [5001, "color"]
        assert shown.errors() == []

    @pytest.mark.slow
    def test_nothing_stays_behind_when_the_window_grows(self, shown):
        size = shown.browser.get_window_size()
        try:
            shown.browser.set_window_size(size["width"], size["height"] + 200)
            eventually(lambda: shown.browser.execute_script(PIXEL, 0.0, -1.2)[1] > 0.5 * size["height"])
            time.sleep(0.5)  # until it is painted
            picture = pixels_of(shown.browser.get_screenshot_as_png())
        finally:
            shown.browser.set_window_size(size["width"], size["height"])
        inside = picture[50:-20, 20:800]  # below the tools
        crossed = (inside < 0.95).any(axis=2).mean(axis=1)
        assert crossed.max() < 0.5  # no line runs across the map

    @pytest.mark.slow
    def test_the_hint_speaks_of_answers_where_there_are_some(self, shown, browser, tmp_path):
        assert "neighbours and answers." in shown.text("#details .hint")
        write_page(tmp_path / "plain.html", PLACES)
        plain = Page(browser, tmp_path / "plain.html")
        assert "neighbours." in plain.text("#details .hint")
        assert not plain.elements("#color-by")[0].is_displayed()  # there is nothing to colour by

    @pytest.mark.slow
    def test_maps_side_by_side_are_linked(self, browser, tmp_path):
        from selenium.webdriver import ActionChains

        write_page(tmp_path / "views.html", PLACES, names=NAMES, others={EVIL: PLACES[::-1]}, map_name="view 0")
        shown = Page(browser, tmp_path / "views.html")
        chain = ActionChains(browser, duration=30)
        left, top = browser.execute_script(BESIDE, 2)
        chain.w3c_actions.pointer_action.move_to_location(round(left), round(top))
        chain.perform()
        points = "return Bokeh.documents[0].get_model_by_name('points')"
        assert eventually(lambda: browser.execute_script(f"{points}.inspected.indices")) == [2]
        ActionChains(browser, duration=0).click().perform()
        assert eventually(lambda: shown.text("#object")) == "south"
        assert len(shown.elements(".neighbours li")) == len(shown.elements("#neighbours li")) == 5
        for key, name in (("\ue012", NAMES[5]), ("\ue013", NAMES[4])):  # left and up, on the map that was clicked
            ActionChains(browser, duration=0).send_keys(key).perform()
            assert eventually(lambda name=name: shown.text("#object") == name)
        browser.execute_script("document.querySelector('[data-tool=LassoSelectTool]').click()")
        active = "tools.find((tool) => tool.type === 'LassoSelectTool').active"
        for name in ("map", "map1"):
            found = f"Bokeh.documents[0].get_model_by_name('{name}').toolbar.{active}"
            assert browser.execute_script(f"return {found}")
        assert shown.errors() == []

    @pytest.mark.slow
    def test_maps_side_by_side_have_a_line_between_and_names_apart(self, browser, tmp_path, rng):
        from selenium.webdriver import ActionChains

        names = [f"object with a long name {number}" for number in range(40)]
        first, second = rng.normal(size=(2, 40, 2))
        write_page(tmp_path / "views.html", first, names=names, others={"view 1": second}, map_name="view 0")
        shown = Page(browser, tmp_path / "views.html")
        left, top, height = browser.execute_script(SECOND_MAP)
        picture = pixels_of(browser.get_screenshot_as_png())
        between = picture[round(top) : round(top + height), round(left) - 2 : round(left) + 1]  # `left` may be a half
        assert np.isclose(between, 0xDD / 255).all(axis=(0, 2)).any()
        for number in ("", "1"):
            width = browser.execute_script(f"return Bokeh.documents[0].get_model_by_name('map{number}').inner_width")
            boxes = browser.execute_script(NAME_BOXES, number)
            assert 5 < len(boxes) < 40
            assert not overlapping(boxes)
            assert all(left >= 0 and left + wide <= width for left, _, wide, _ in boxes)
        browser.execute_script("document.querySelector('#save').focus()")
        reached = []
        for _ in range(3):  # the Tab key
            ActionChains(browser, duration=0).send_keys("\ue004").perform()
            reached.append(browser.execute_script(FOCUSED))
        label = "Map of 40 objects, view {}. Arrow keys go from object to object."
        assert reached == [label.format(0), label.format(1), None]
        assert shown.errors() == []

    def test_ellipses_are_within_the_frame(self, browser, tmp_path):
        wide = Uncertainty(np.tile(np.diag([4.0, 0.01]), (6, 1, 1)), 1.0, 40)
        write_page(tmp_path / "map.html", PLACES, uncertainty=wide)
        Page(browser, tmp_path / "map.html")
        reach = 2.0 * wide.radius(0.9)
        left, right, bottom = browser.execute_script(FRAME)
        assert left < PLACES[:, 0].min() - reach
        assert right > PLACES[:, 0].max() + reach
        assert bottom < PLACES[:, 1].min()

    def test_the_frame_holds_the_map_behind_new_objects(self, browser, tmp_path):
        write_page(tmp_path / "map.html", PLACES, unlike=np.arange(6) == 2, background=4.0 * PLACES)
        opened = Page(browser, tmp_path / "map.html")
        assert "6 of the map, pale behind" in opened.text("#legend")
        assert "1 hardly belong to the map" in opened.text("#legend")
        left, right, bottom = browser.execute_script(FRAME)
        assert left < 4.0 * PLACES[:, 0].min() < 4.0 * PLACES[:, 0].max() < right
        assert bottom < 4.0 * PLACES[:, 1].min()
        assert opened.errors() == []

    def test_hover_shows_the_name_as_text(self, shown):
        shown.mouse(("move", 1.4, 0.0))
        assert EVIL in eventually(lambda: shown.browser.execute_script(TOOLTIP))

    @pytest.mark.slow
    def test_pictures_are_shown(self, browser, tmp_path):
        dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
        write_page(tmp_path / "map.html", PLACES, names=NAMES, images=[dot, "", "", dot, "", ""])
        shown = Page(browser, tmp_path / "map.html")
        shown.mouse(("move", 1.4, 0.0))
        assert EVIL in eventually(lambda: browser.execute_script(TOOLTIP))
        shown.click(0.0, 0.0)
        picture = eventually(lambda: shown.elements("#details img"))[0]
        assert picture.get_attribute("src") == dot
        assert picture.size["width"] >= 72
        assert shown.errors() == []
        assert browser.title == "Map"

    def test_a_click_shows_neighbours_and_answers(self, shown):
        shown.click(0.0, 0.0)
        eventually(lambda: shown.text("#object") == "origin")
        assert shown.texts("#neighbours li") == [NAMES[1], NAMES[2], NAMES[3], NAMES[4], NAMES[5]]
        assert shown.text("#agreement") == "The map agrees with 3 answers about it and contradicts 1."
        assert shown.texts("li.contradicted") == [f"✗origin: more like far & away than like {NAMES[1]}"]
        assert len(shown.texts("li.agrees")) == 3
        assert shown.texts("#known dd") == ["a", "0.5"]
        links = "return Bokeh.documents[0].get_model_by_name('links').data.x.length"
        assert shown.browser.execute_script(links) == 5

    @pytest.mark.slow
    def test_a_slow_click_is_a_click(self, shown):
        shown.click(0.0, 0.0, seconds=0.8)
        assert eventually(lambda: shown.text("#object") == "origin")

    @pytest.mark.slow
    def test_few_objects_have_their_names_beside_them(self, shown, browser, tmp_path, rng):
        name = "return Bokeh.documents[0].get_model_by_name('names')"
        points = "return Bokeh.documents[0].get_model_by_name('points').data"
        assert browser.execute_script(f"{points}.written") == [
            each if len(each) <= 28 else f"{each[:27]}…" for each in NAMES
        ]
        assert set(browser.execute_script(f"{points}.ink")) == {LIGHT.ink}
        width = browser.execute_script("return Bokeh.documents[0].get_model_by_name('map').inner_width")
        assert all(left >= 0 and left + wide <= width for left, _, wide, _ in browser.execute_script(NAME_BOXES))
        write_page(tmp_path / "many.html", rng.normal(size=(61, 2)))
        Page(browser, tmp_path / "many.html")
        assert browser.execute_script(name) is None

    @pytest.mark.slow
    def test_wrong_answers_are_marked_and_ellipses_drawn(self, browser, tmp_path):
        sure = Uncertainty(np.tile(np.diag([0.04, 0.01]), (6, 1, 1)), 1.0, 40)
        details = {"triplets": TRIPLETS, "wrong": [0.01, 0.974, 0.5, 0.0, 0.0], "uncertainty": sure}
        write_page(tmp_path / "map.html", PLACES, names=NAMES, **details)
        shown = Page(browser, tmp_path / "map.html")
        shown.click(0.0, 0.0)
        assert eventually(lambda: shown.texts("li .wrong")) == ["wrong at 97 %"]
        widths = browser.execute_script("return [...Bokeh.documents[0].get_model_by_name('points').data.width]")
        np.testing.assert_allclose(widths, 2.0 * 0.2 * sure.radius(0.9))
        assert shown.errors() == []

    @pytest.mark.slow
    def test_a_click_in_a_crowd_means_the_nearest(self, browser, tmp_path):
        crowd = np.array([[0.0, 0.0], [0.001, 0.0], [-0.001, 0.0], [1.0, 1.0], [-1.0, -1.0]])
        write_page(tmp_path / "map.html", crowd, names=list("abcde"))
        shown = Page(browser, tmp_path / "map.html")
        shown.click(0.0, 0.0)
        assert eventually(lambda: shown.text("#object")) in {"a", "b", "c"}
        assert (
            browser.execute_script("return Bokeh.documents[0].get_model_by_name('points').selected.indices.length") == 1
        )

    def test_a_neighbour_can_be_clicked(self, shown):
        shown.click(0.0, 0.0)
        eventually(lambda: shown.elements("#neighbours button"))[0].click()
        assert eventually(lambda: shown.text("#object") == NAMES[1])

    def test_search(self, shown):
        box = shown.elements("#search")[0]
        box.send_keys("CAFÉ")
        assert eventually(lambda: shown.text("#object") == NAMES[1])
        box.clear()
        box.send_keys("a")
        assert eventually(lambda: shown.texts("#selection li")) == [NAMES[1], NAMES[5]]
        box.send_keys("zzz")
        assert eventually(lambda: shown.text("#details") == "No name has this part.")
        box.send_keys(*["\ue003"] * 4)  # the key that deletes a letter
        assert eventually(lambda: shown.text("#details").startswith("Click an object"))

    def test_what_is_found_in_hidden_groups_is_said(self, shown):
        next(each for each in shown.elements("#legend button") if each.text.endswith("b (2)")).click()
        box = shown.elements("#search")[0]
        box.send_keys("CAFÉ")
        assert eventually(lambda: shown.text("#in-hidden")) == "1 selected object is in a hidden group."
        assert shown.texts("#object") == []
        box.clear()
        box.send_keys("a")
        assert eventually(lambda: shown.text("#object")) == NAMES[5]
        assert shown.text("#in-hidden") == "1 selected object is in a hidden group."
        shown.elements("#show-all")[0].click()
        assert eventually(lambda: shown.texts("#selection li")) == [NAMES[1], NAMES[5]]
        assert shown.texts("#in-hidden") == []
        assert {each.get_attribute("aria-pressed") for each in shown.elements("#legend button")} == {"true"}

    def test_arrow_keys_go_from_object_to_object(self, shown):
        plot = shown.elements("#plot > *")[0]
        assert plot.get_attribute("role") == "application"
        assert plot.get_attribute("aria-label") == "Map of 6 objects. Arrow keys go from object to object."
        right, left, up, down, escape = "\ue014", "\ue012", "\ue013", "\ue015", "\ue00c"
        plot.send_keys(up)  # the first one goes to the middle
        start = eventually(lambda: shown.text("#object"))
        assert start in {NAMES[0], NAMES[1]}
        shown.browser.execute_script("Bokeh.documents[0].get_model_by_name('points').selected.indices = [0]")
        for key, name in ((up, NAMES[1]), (down, NAMES[0]), (down, NAMES[2]), (up, NAMES[0]), (right, NAMES[3])):
            plot.send_keys(key)
            assert eventually(lambda name=name: shown.text("#object") == name)
        plot.send_keys(left, left)
        assert eventually(lambda: shown.text("#object") == NAMES[4])
        assert shown.text("#said") == f"{NAMES[4]}, b"
        plot.send_keys(left)  # there is nothing farther
        assert shown.text("#object") == NAMES[4]
        plot.send_keys(escape)
        assert eventually(lambda: shown.text("#details").startswith("Nothing is selected."))

    def test_tools_are_buttons(self, shown):
        pressed = {each.text: each.get_attribute("aria-pressed") for each in shown.elements("#tools button")}
        tools = {"Move": "true", "Lasso": "false", "Zoom to box": "false"}
        assert pressed == tools | {"+": None, "\N{MINUS SIGN}": None, "Whole map": None, "Save picture": None}
        lasso = next(each for each in shown.elements("#tools button") if each.text == "Lasso")
        lasso.send_keys("\ue007")  # Enter
        assert eventually(lambda: lasso.get_attribute("aria-pressed") == "true")
        assert shown.elements("#tools button")[0].get_attribute("aria-pressed") == "false"
        whole = shown.browser.execute_script(FRAME)
        shown.elements("#zoom-in")[0].click()
        assert eventually(lambda: shown.browser.execute_script(FRAME)[0] > whole[0])
        shown.elements("#reset")[0].click()
        assert eventually(lambda: np.allclose(shown.browser.execute_script(FRAME), whole))

    def test_the_legend_hides_groups(self, shown):
        visible = "return Bokeh.documents[0].get_model_by_name('visible').booleans"
        button = next(each for each in shown.elements("#legend button") if each.text.endswith("a (2)"))
        before = shown.browser.execute_script(PIXEL, 0.0, 1.0)
        button.click()
        assert shown.browser.execute_script(visible) == [False, True, False, True, True, True]
        assert button.get_attribute("aria-pressed") == "false"
        assert shown.browser.execute_script(PIXEL, 0.0, 1.0) == before
        button.click()
        assert shown.browser.execute_script(visible) == [True] * 6

    def test_another_colour_shows_all_groups_again(self, shown):
        count = f"{POINTS} return points.model.view.indices.count"
        next(each for each in shown.elements("#legend button") if each.text.endswith("a (2)")).click()
        assert eventually(lambda: shown.browser.execute_script(count) == 4)
        shown.browser.execute_script(
            "const column = document.getElementById('column'); column.value = 'size';"
            "column.dispatchEvent(new Event('change'))"
        )
        assert eventually(lambda: shown.browser.execute_script(count) == 6)

    def test_colour_by_a_number(self, shown):
        shown.browser.execute_script(
            "const column = document.getElementById('column'); column.value = 'size';"
            "column.dispatchEvent(new Event('change'))"
        )
        assert shown.texts(".ends span") == ["0.5", "5.5"]
        colors = shown.browser.execute_script("return Bokeh.documents[0].get_model_by_name('points').data.color")
        assert colors[3] == LIGHT.unknown.lower()
        assert len(set(colors)) == 6

    @pytest.mark.slow
    def test_it_is_dark_where_the_reader_wants_it(self, shown):
        paper = "return getComputedStyle(document.body).backgroundColor"
        colors = "return [...new Set(Bokeh.documents[0].get_model_by_name('points').data.color)]"
        emulate = "Emulation.setEmulatedMedia"
        assert shown.browser.execute_script(paper) == "rgb(255, 255, 255)"
        light = shown.browser.execute_script(colors)
        shown.browser.execute_cdp_cmd(emulate, {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        try:
            assert shown.browser.execute_script(paper) == "rgb(22, 24, 29)"
            dark = eventually(lambda: (now := shown.browser.execute_script(colors)) != light and now)
            assert DARK.colors[0].lower() in [color.lower() for color in dark]
            ink = "return Bokeh.documents[0].get_model_by_name('points').data.ink[0]"
            assert shown.browser.execute_script(ink) == DARK.ink
        finally:
            shown.browser.execute_cdp_cmd(emulate, {"features": []})

    @pytest.mark.slow
    def test_names_never_overlap(self, browser, tmp_path, rng):
        names = [f"object with a long name {number}" for number in range(60)]
        write_page(tmp_path / "map.html", rng.normal(size=(60, 2)), names=names)
        shown = Page(browser, tmp_path / "map.html")
        before = shown.browser.execute_script(NAME_BOXES)
        assert 5 < len(before) < 60
        assert not overlapping(before)
        shown.elements("#zoom-in")[0].click()
        shown.elements("#zoom-in")[0].click()
        after = eventually(lambda: (now := shown.browser.execute_script(NAME_BOXES)) != before and now)
        assert not overlapping(after)

    @pytest.mark.slow
    def test_on_a_phone_what_is_tapped_is_within_sight(self, browser, tmp_path, rng):
        columns = {"kind": [f"kind {number % 20}" for number in range(40)], "size": rng.random(40)}
        write_page(tmp_path / "map.html", rng.normal(size=(40, 2)), columns=columns, label="kind")
        phone = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
        try:
            shown = Page(browser, tmp_path / "map.html")
            place = browser.execute_script(
                "const {x, y} = Bokeh.documents[0].get_model_by_name('points').data; return [x[0], y[0]]"
            )
            shown.click(*place)
            eventually(lambda: shown.text("#object"))
            seen = (
                "return arguments[0].map((each) => document.querySelector(each).getBoundingClientRect())"
                ".every((box) => box.top >= 0.5 * innerHeight && box.bottom <= innerHeight)"
            )
            assert eventually(lambda: browser.execute_script(seen, ["#object", "#neighbours"]))
            assert browser.execute_script("return document.scrollingElement.scrollTop") == 0
        finally:
            browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    @pytest.mark.slow
    def test_several_comparisons_of_an_answer_are_one_answer(self, browser, tmp_path):
        odd = Triplets.from_odd_one_out([(0, 1, 5), (1, 2, 3)], [2, 0])
        write_page(tmp_path / "map.html", PLACES, names=NAMES, triplets=odd)
        shown = Page(browser, tmp_path / "map.html")
        assert shown.text("#summary") == "6 objects, 2 answers (4 comparisons)"
        shown.click(*PLACES[1])
        assert eventually(lambda: shown.text("#agreement")).startswith("The map agrees with")
        assert "comparisons about it, from 2 answers, and contradicts" in shown.text("#agreement")

    @pytest.mark.slow
    def test_given_classes_decide_the_colours(self, browser, tmp_path):
        colors = {}
        for kinds in (["a", "b", "c", "a", "b", "c"], ["c", "c", "c", "b", "b", "new"]):
            details = {"columns": {"kind": kinds}, "label": "kind", "classes": {"kind": ["a", "b", "c"]}}
            write_page(tmp_path / "map.html", PLACES, force=True, **details)
            Page(browser, tmp_path / "map.html")
            found = browser.execute_script("return Bokeh.documents[0].get_model_by_name('points').data.color")
            for kind, color in zip(kinds, found, strict=True):
                assert colors.setdefault(kind, color) == color
        assert list(colors.values()) == [class_color(LIGHT, rank).lower() for rank in range(4)]

    @pytest.mark.slow
    def test_the_lasso_lists_and_saves(self, shown):
        shown.browser.execute_script(LASSO)
        around = [(-0.4, -1.3), (0.4, -1.3), (0.4, 1.4), (-0.4, 1.4), (-0.4, -1.3)]
        shown.mouse(("press", *around[0]), *(("move", *place) for place in around[1:]), ("release", *around[-1]))
        assert sorted(eventually(lambda: shown.texts("#selection li"))) == sorted(NAMES[:3])
        shown.elements("#export")[0].click()
        saved = shown.browser.downloads / "selection.csv"
        eventually(saved.exists)
        table = pd.read_csv(saved)
        assert table["object"].tolist() == NAMES[:3]
        assert table.columns.tolist() == ["object", "x", "y", "kind", "size"]
        np.testing.assert_allclose(table[["x", "y"]], PLACES[:3])
        saved.unlink()


@pytest.mark.slow
def test_a_notebook_shows_the_page_in_a_frame(browser, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8>{MapPage(page())._repr_html_()}", encoding="utf-8")
    browser.get_log("browser")
    browser.get(path.as_uri())
    browser.switch_to.frame(browser.find_element("css selector", "iframe"))
    try:
        eventually(lambda: browser.execute_script("return document.body.dataset.ready"))
        assert "6 objects" in browser.find_element("css selector", "body").text
        origin = browser.execute_script("return window.origin")
    finally:
        browser.switch_to.default_content()
    assert origin == "null"  # it reaches nothing of the notebook
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
