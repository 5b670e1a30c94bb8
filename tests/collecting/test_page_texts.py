"""Texts of the page: changed by a study, refused where they cannot be meant, and all there are."""

import re

import pytest

from tete.collecting.assets import FOLDER
from tete.collecting.page_texts import PAGE_TEXTS, texts_of
from tete.exceptions import InvalidParameterError

PEOPLE = [
    path for path in FOLDER.glob("*.js") if path.stem not in {"dashboard", "dashboard_parts", "people_table", "chart"}
]


def test_a_study_changes_what_it_says():
    texts = texts_of({"start": "Los geht's", "progress": "{answered}/{total}"})
    assert texts["start"] == "Los geht's"
    assert texts["progress"] == "{answered}/{total}"
    assert texts.keys() == PAGE_TEXTS.keys()
    assert PAGE_TEXTS["start"] == "Start"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"stat": "x"}, r"`texts` must have names of the page's texts, got 'stat'\."),
        ({"start": 3}, r"`texts` must be texts, got 3 for 'start'\."),
        ({"start": "{n}"}, r"`texts` may have no blanks in 'start', got \{n\}\."),
        ({"progress": "{done}"}, r"`texts` may have \{answered\} and \{total\} in 'progress', got \{done\}\."),
        ({"direction": "up"}, r"`texts` must have the direction 'ltr' or 'rtl', got 'up'\."),
    ],
)
def test_refused(changed, message):
    with pytest.raises(InvalidParameterError, match=message):
        texts_of(changed)


def test_scripts_use_every_text_and_no_other():
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in PEOPLE)
    quoted = set(re.findall(r'"([a-z][a-z_]*)"', scripts))
    in_the_page_itself = {"needs_scripts", "cannot_load"}
    assert PAGE_TEXTS.keys() - quoted == in_the_page_itself
    asked_for = set(re.findall(r'\b(?:text|paragraph)\(\s*"([a-z_]+)"', scripts))
    assert asked_for <= PAGE_TEXTS.keys()


def test_what_is_said_before_any_script_runs_is_the_same():
    page = (FOLDER / "index.html").read_text(encoding="utf-8")
    assert PAGE_TEXTS["needs_scripts"] in page
    assert PAGE_TEXTS["cannot_load"] in page


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.html")), ids=lambda path: path.name)
def test_pages_have_nothing_inline_and_nothing_from_outside(path):
    page = path.read_text(encoding="utf-8")
    assert not re.search(r"\sstyle=|\son[a-z]+=|<style|javascript:", page)
    assert not re.search(r"https?://|//[a-z]", page)
    assert all(" src=" in tag for tag in re.findall(r"<script[^>]*>", page))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.js")), ids=lambda path: path.name)
def test_scripts_never_make_html_of_texts(path):
    script = path.read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", script)
