"""The built-in items: a circle of colours."""

from itertools import combinations

from PIL import Image

from tete.collecting.demo_items import write_demo_items
from tete.collecting.study import QuestionKind


def colors_of(folder):
    for item in write_demo_items(folder, QuestionKind.parse("pick:2of8")):
        with Image.open(item.file) as picture:
            assert picture.size == (240, 240)
            (_, color), *others = picture.getcolors()
        assert not others
        yield item.name, color


def test_there_are_24_pictures_of_different_colors(tmp_path):
    colors = dict(colors_of(tmp_path))
    assert len(colors) == 24
    assert all(max(abs(a - b) for a, b in zip(*pair, strict=True)) > 5 for pair in combinations(colors.values(), 2))


def test_colors_look_as_they_are_called(tmp_path):
    colors = dict(colors_of(tmp_path))
    for name, strongest in {"strong coral": 0, "strong green": 1, "strong blue": 2}.items():
        assert max(colors[name]) == colors[name][strongest]
    assert sum(colors["pale teal"]) > sum(colors["strong teal"])
