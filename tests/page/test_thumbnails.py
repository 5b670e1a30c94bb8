import base64
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from tete.exceptions import InvalidFileError
from tete.page.thumbnails import file_thumbnails, make_thumbnails, read_thumbnails


def opened(address):
    return Image.open(BytesIO(base64.b64decode(address.split(",")[1])))


def test_pictures_are_found_by_name_and_made_small(tmp_path):
    Image.new("RGB", (400, 200), "red").save(tmp_path / "apple.JPG", format="jpeg")
    Image.new("RGBA", (10, 20), (0, 0, 255, 0)).save(tmp_path / "pear.png")
    apple, pear, plum, again = read_thumbnails(tmp_path, ["apple", "pear", "plum", "pear.png"])
    assert opened(apple).size == (72, 36)
    assert opened(pear).size == (10, 20)
    assert opened(pear).mode == "RGBA"
    assert plum == ""
    assert again == pear


def test_thumbnails_of_arrays():
    images = np.zeros((2, 3, 5))
    images[1, 0, 4] = 7.0
    first, second = (opened(address) for address in make_thumbnails(images, scale=2))
    assert first.size == second.size == (10, 6)
    assert np.asarray(first).max() == 0
    assert np.argwhere(np.asarray(second)).tolist() == [[0, 8], [0, 9], [1, 8], [1, 9]]


def test_mistakes(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_thumbnails(tmp_path / "none", ["apple"])
    with pytest.raises(
        InvalidFileError, match=r"no picture is named after an object, expected files such as 'apple\.png'"
    ):
        read_thumbnails(tmp_path, ["apple"])
    (tmp_path / "apple.png").write_text("text")
    with pytest.raises(InvalidFileError, match=r"apple\.png is not a picture"):
        read_thumbnails(tmp_path, ["apple"])
    whole = BytesIO()
    Image.fromarray(np.arange(300, dtype=np.uint8).reshape(10, 30)).save(whole, format="png")
    (tmp_path / "apple.png").write_bytes(whole.getvalue()[:-40])
    with pytest.raises(InvalidFileError, match=r"apple\.png is not a picture: it is damaged"):
        read_thumbnails(tmp_path, ["apple"])


def test_files_have_thumbnails_where_they_are_pictures(tmp_path):
    Image.new("RGB", (200, 100), "red").save(tmp_path / "red.png")
    (tmp_path / "broken.png").write_bytes((tmp_path / "red.png").read_bytes()[:40])
    (tmp_path / "drawing.svg").write_text("<svg/>")
    files = [tmp_path / "red.png", None, tmp_path / "broken.png", tmp_path / "drawing.svg", tmp_path / "missing.png"]
    found = file_thumbnails(files)
    assert found[0].startswith("data:image/jpeg;base64,")
    assert found[1:] == [""] * 4
