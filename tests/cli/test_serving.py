from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tete.cli.serving import serve_page


def test_the_page_is_there_for_this_computer_only_while_it_is_served():
    with serve_page("<p>é</p>") as address:
        assert address.startswith("http://127.0.0.1:")
        with urlopen(address) as answer:
            assert answer.read().decode() == "<p>é</p>"
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    with pytest.raises(URLError):
        urlopen(address)
