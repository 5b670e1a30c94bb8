"""Lines of text files: what is wrong is found on the right line, whatever blank lines there are.

Also of `io.encodings`, `io.text_tables`, `io.tables` and `io.number_texts`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tete import read_answers, read_features, read_map
from tete.exceptions import InvalidFileError
from tete.io import encodings
from tete.io.number_texts import is_number, numbers_of
from tete.io.sources import Source
from tete.io.text_files import TextFile

BLANK = ["", " ", "\t", "\u00a0", "\x0c", "\u2028", '" "', "\u2003 \u00a0", '"\u00a0"']
LINE_ENDS = ["\n", "\r\n", "\r"]


@pytest.mark.parametrize("blank", BLANK)
@pytest.mark.parametrize("end", LINE_ENDS)
def test_blank_lines_are_no_answers_and_count_as_lines(file, blank, end):
    lines = [blank, "anchor,near,far", blank, "a,b,c", blank, "b,b,c", blank]
    with pytest.raises(InvalidFileError, match=r"table\.csv, line 6: 'b', 'b', 'c': an object cannot"):
        read_answers(file(end.join(lines)))
    lines[5] = "b,a,c"
    assert len(read_answers(file(end.join(lines)))) == 2
    with pytest.raises(InvalidFileError, match="line 4, column 'x': 'one' is not a number"):
        read_map(file(end.join([blank, "object,x", blank, "a,one"]), "m.csv"))
    with pytest.raises(InvalidFileError, match="line 5, column 'x': 'one' is not a number"):
        read_features(file(end.join(["x,y", blank, "1,2", blank, "one,2"])))


@pytest.mark.parametrize("blank", BLANK)
def test_a_file_of_blank_lines_is_empty(file, blank):
    for read in (read_answers, read_features, read_map):
        with pytest.raises(InvalidFileError, match=r"table\.csv is empty"):
            read(file(f"{blank}\n{blank}\n"))
        with pytest.raises(InvalidFileError, match="no rows"):
            read(file(f"anchor,near,far,x\n{blank}\n\n"))


@given(st.lists(st.sampled_from([*BLANK, "a,b,c", '"a\nb",c,d', "x,y,z"]), max_size=12), st.sampled_from(LINE_ENDS))
def test_both_parsers_count_alike(tmp_path_factory, lines, end):
    text = "\n".join(["anchor,near,far", *lines, "q,q,r", "a,b,c"]).replace("\n", end)
    path = tmp_path_factory.mktemp("lines") / "answers.csv"
    path.write_bytes(text.encode())
    expected = text[: text.index("q,q,r")].replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    with pytest.raises(InvalidFileError, match=rf"answers\.csv, line {expected}: 'q', 'q', 'r'"):
        read_answers(path)


def test_long_records_open_quotes_and_headers_further_down(file):
    with pytest.raises(InvalidFileError, match="line 5: expected 3 columns as in the first line, got 4"):
        read_answers(file("\nanchor,near,far\n\na,b,c\na,b,c,d\n"))
    with pytest.raises(InvalidFileError, match="line 3: a quote is opened and never closed"):
        read_answers(file('anchor,near,far\na,b,c\n"a,b,c\na,b,c\n'))
    with pytest.raises(InvalidFileError, match="line 3: expected columns anchor, near, far"):
        read_answers(file("\n\np,q,r\na,b,c\n"))
    long = "x" * 140_000  # more than csv takes, which finds the lines
    with pytest.raises(InvalidFileError, match=r"row 1: 'b', 'b', 'c': an object"):
        read_answers(file(f"anchor,near,far\na,{long},c\nb,b,c\n"))


class TestEncodings:
    @pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
    def test_marks_are_understood_and_cut_files_named(self, file, encoding):
        content = "anchor,near,far\nété,b,c\nb,c,d\n".encode(encoding)
        assert len(read_answers(file(content))) == 2
        if encoding != "utf-8-sig":
            with pytest.raises(InvalidFileError, match=f"line 3: byte [0-9]+ is not {encoding} text"):
                read_answers(file(content[:-5]))

    @pytest.mark.parametrize("block", [1, 3, 4, 1000])
    def test_the_place_does_not_depend_on_blocks(self, monkeypatch, block):
        monkeypatch.setattr(encodings, "BLOCK", block)
        for content, place in [
            (b"ab\r\nc\r\xff", "line 3: byte 1 "),
            (b"ab\n\ncd\xc3\xa9\xff", "line 3: byte 5 "),
            ("a\u2028b\n".encode() + b"\xe9", "line 2: byte 1 "),
        ]:
            with pytest.raises(InvalidFileError, match=f"^f, {place}is not utf-8 text"):
                encodings.checked_encoding(Source("f", content), "utf-8")

    def test_nul_anywhere(self, file):
        content = "anchor,near,far\n" + "a,b,c\n" * 200_000 + "a,b\x00,c\n"
        with pytest.raises(InvalidFileError, match=r"is not a text file: line 200002 holds '\\x00'"):
            read_answers(file(content))
        with pytest.raises(InvalidFileError, match=r"line 2 holds '\\ud800'"):
            read_answers(file(b"anchor,near,far\n+2AA-,b,c\n"), encoding="utf-7")

    @pytest.mark.parametrize("encoding", ["base64", "rot13", "klingon", "", "a\x00b", "undefined"])
    def test_what_is_no_encoding_of_text(self, file, encoding):
        with pytest.raises(InvalidFileError, match="`encoding` must be one Python knows"):
            read_answers(file("anchor,near,far\na,b,c\n"), encoding=encoding)

    def test_what_is_not_in_the_encoding(self, file):
        with pytest.raises(InvalidFileError, match=r"table\.csv is not utf-16 text"):
            read_answers(file("anchor,near,far\n"), encoding="utf-16")


class TestNumbers:
    @pytest.mark.parametrize("text", ["1", "-1.5", "+.5", "1.", "1e5", "-1E-5", " 2 ", "inf", "-Inf", "NaN"])
    def test_numbers(self, text):
        assert is_number(text)
        np.testing.assert_equal(numbers_of([text])[0], float(text))

    @pytest.mark.parametrize(
        "text", ["1_000", "1,000", "1 000", "0x1F", "\uff11", "", "one", "1e", ".", "1.2.3", "\x1d"]
    )
    def test_others(self, text):
        assert not is_number(text)
        assert np.isnan(numbers_of([text, "1"])[0])

    @given(st.lists(st.floats(allow_nan=False)))
    def test_every_bit(self, values):
        np.testing.assert_array_equal(numbers_of([repr(value) for value in values]), values)

    def test_decimal_commas(self):
        assert numbers_of(["1,5", "2,5e1", ",5"], decimal=",").tolist() == [1.5, 25.0, 0.5]
        assert np.isnan(numbers_of(["1,000,000"], decimal=",")).all()


def test_columns_without_a_header_are_numbered():
    found = TextFile.of(Source("f", b"a;b;c\n"), encoding="utf-8", header=False)
    assert (found.columns, found.header_line, found.n_lines_before) == (("1", "2", "3"), None, 0)
    assert TextFile.of(Source("f", b"\na;b;c\n"), encoding="utf-8", header=True).headless().n_lines_before == 1
