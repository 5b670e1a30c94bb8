import base64
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from tete.exceptions import InvalidFileError, MissingPicturesWarning
from tete.page.thumbnails import file_thumbnails, folder_or_pixels, make_thumbnails, read_thumbnails


def opened(address):
    return Image.open(BytesIO(base64.b64decode(address.split(",")[1])))


def test_pictures_are_found_by_name_and_made_small(tmp_path):
    Image.new("RGB", (400, 200), "red").save(tmp_path / "apple.JPG", format="jpeg")
    Image.new("RGBA", (10, 20), (0, 0, 255, 0)).save(tmp_path / "pear.png")
    with pytest.warns(MissingPicturesWarning, match=r"1 of the 4 objects have no picture in .*, the first is 'plum'\."):
        apple, pear, plum, again = read_thumbnails(tmp_path, ["apple", "pear", "plum", "pear.png"])
    assert opened(apple).size == (72, 36)
    assert opened(pear).size == (10, 20)
    assert opened(pear).mode == "RGBA"
    assert plum == ""
    assert again == pear


def test_thumbnails_of_arrays():
    images = np.zeros((2, 3, 5))
    images[1, 0, 4] = 7.0
    first, second = (opened(address) for address in make_thumbnails(images, size=10))
    assert first.size == second.size == (10, 6)
    assert np.asarray(first).max() == 0
    assert np.argwhere(np.asarray(second)).tolist() == [[0, 8], [0, 9], [1, 8], [1, 9]]


def test_colours_gaps_and_numbers_below_zero_in_arrays():
    images = np.zeros((1, 2, 2, 3))
    images[0, 0, 0] = (-1.0, 1.0, 3.0)
    images[0, 1, 1] = np.nan
    (found,) = (np.asarray(opened(address)) for address in make_thumbnails(images, size=2))
    assert found[0, 0].tolist() == [0, 127, 255]
    assert found[0, 1].tolist() == [63] * 3
    assert found[1, 1].tolist() == [0] * 3
    (grey,) = make_thumbnails(np.ones((1, 2, 2, 1)), size=2)
    assert opened(grey).mode == "L"
    (large,) = make_thumbnails(np.ones((1, 100, 50)), size=20)
    assert opened(large).size == (10, 20)
    assert make_thumbnails(np.zeros((0, 3, 3))) == []


def test_pixels_of_a_file(tmp_path):
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    np.save(tmp_path / "pixels.npy", pixels)
    np.testing.assert_array_equal(folder_or_pixels(tmp_path / "pixels.npy", 2), pixels)
    assert folder_or_pixels(tmp_path, 2) == tmp_path
    with pytest.raises(InvalidFileError, match=r"shape \(3, height, width\) or .*, got \(2, 3, 4\), uint8"):
        folder_or_pixels(tmp_path / "pixels.npy", 3)
    np.save(tmp_path / "rows.npy", pixels.reshape(2, 12))
    with pytest.raises(InvalidFileError, match=r"got \(2, 12\), uint8"):
        folder_or_pixels(tmp_path / "rows.npy", 2)
    np.save(tmp_path / "five.npy", np.zeros((2, 3, 3, 5)))
    with pytest.raises(InvalidFileError, match=r"got \(2, 3, 3, 5\)"):
        folder_or_pixels(tmp_path / "five.npy", 2)
    with pytest.raises(InvalidFileError, match=r"expected a folder of pictures, or pixels in a file \.npy"):
        folder_or_pixels(tmp_path / "pixels.csv", 2)
    with pytest.raises(FileNotFoundError):
        folder_or_pixels(tmp_path / "none.npy", 2)


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
