"""Folders and tables of items (with `collecting.item_tables`): what is read, and what is refused in one sentence."""

import os

import pytest

from tete.collecting.items import in_order_of, read_items
from tete.collecting.study import QuestionKind
from tete.exceptions import InvalidFileError, LeftOutFilesWarning

TRIPLET = QuestionKind.parse("triplet")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "items").mkdir()
    return tmp_path / "items"


def fill(folder, *names, content=b"x"):
    for name in names:
        (folder / name).write_bytes(content)


def table(folder, content):
    (folder / "items.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / "items.csv"


class TestFolders:
    def test_pictures_are_sorted_by_name_and_know_their_files(self, folder):
        fill(folder, "b.PNG", "a.jpeg", "c.svg", ".hidden.png", ".DS_Store", "study.toml", "study.db", "consent.md")
        found = read_items(folder, TRIPLET)
        assert [(item.number, item.name, item.label) for item in found] == [(0, "a", "a"), (1, "b", "b"), (2, "c", "c")]
        assert [item.media_type for item in found] == ["image/jpeg", "image/png", "image/svg+xml"]
        assert all(item.kind == "image" and item.text == "" for item in found)
        assert found[1].file == (folder / "b.PNG").resolve()

    @pytest.mark.parametrize(("extension", "kind"), [("mp3", "sound"), ("webm", "film"), ("gif", "image")])
    def test_sounds_and_films(self, folder, extension, kind):
        fill(folder, *(f"{number}.{extension}" for number in range(3)))
        assert {item.kind for item in read_items(folder, TRIPLET)} == {kind}

    def test_texts_are_read(self, folder):
        for name, text in {"a": "\ufeffeins\n", "b": " zwei", "c": "drei\nZeilen"}.items():
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        found = read_items(folder, TRIPLET)
        assert [item.text for item in found] == ["eins", "zwei", "drei\nZeilen"]
        assert [(item.file, item.media_type) for item in found] == [(None, "")] * 3

    def test_names_are_kept_as_people_write_them(self, folder):
        names = ["a, \"b\" & 'c'", "<img src=x onerror=alert(1)>", "👩‍🔬 🧪", "ünï"]
        fill(folder, *(f"{name}.png" for name in names))
        assert {item.name for item in read_items(folder, TRIPLET)} == set(names)

    def test_accents_are_composed_whatever_the_system_writes(self, folder):
        fill(folder, "cafe\u0301.png", "b.png", "c.png")
        assert "caf\u00e9" in {item.name for item in read_items(folder, TRIPLET)}

    def test_what_is_nothing_to_show_is_named_in_one_warning(self, folder):
        fill(folder, "a.png", "b.png", "c.png", "notes.pdf", *(f"{n}.xyz" for n in range(9)))
        (folder / "more").mkdir()
        with pytest.warns(LeftOutFilesWarning) as caught:
            assert len(read_items(folder, TRIPLET)) == 3
        assert [str(each.message) for each in caught] == [
            f"{folder}: left out '0.xyz', '1.xyz', '2.xyz', '3.xyz', '4.xyz' and 6 more: "
            "no picture, sound, film or .txt file."
        ]

    def test_links_inside_are_followed(self, folder):
        fill(folder, "a.png", "b.png")
        (folder / "c.png").symlink_to("a.png")
        assert read_items(folder, TRIPLET)[2].file == (folder / "a.png").resolve()

    def test_the_folder_itself_may_be_a_link(self, folder, tmp_path):
        fill(folder, "a.png", "b.png", "c.png")
        (tmp_path / "link").symlink_to(folder)
        assert len(read_items(tmp_path / "link", TRIPLET)) == 3

    @pytest.mark.parametrize("target", ["../secret.png", "/etc/passwd", "../items-of-others/x.png"])
    def test_links_out_are_refused(self, folder, tmp_path, target):
        fill(tmp_path, "secret.png")
        (tmp_path / "items-of-others").mkdir()
        fill(tmp_path / "items-of-others", "x.png")
        fill(folder, "a.png", "b.png", "d.png")
        (folder / "c.png").symlink_to(target)
        with pytest.raises(InvalidFileError, match=r"files must lie inside .*items, got 'c.png', which leads out"):
            read_items(folder, TRIPLET)

    def test_links_to_nothing_are_refused(self, folder):
        (folder / "c.png").symlink_to("gone.png")
        with pytest.raises(InvalidFileError, match=r"there must be a file 'c.png', got none"):
            read_items(folder, TRIPLET)

    def test_pipes_and_empty_files_are_refused(self, folder):
        os.mkfifo(folder / "a.png")
        with pytest.raises(InvalidFileError, match=r"'a.png' must be a file with something in it"):
            read_items(folder, TRIPLET)
        (folder / "a.png").unlink()
        fill(folder, "a.png", content=b"")
        with pytest.raises(InvalidFileError, match=r"'a.png' must be a file with something in it"):
            read_items(folder, TRIPLET)

    def test_equal_names_are_refused(self, folder):
        fill(folder, "a.png", "a.jpg", "b.png")
        with pytest.raises(InvalidFileError, match="names of items must differ, got two files called 'a'"):
            read_items(folder, TRIPLET)

    def test_a_note_among_pictures_is_refused(self, folder):
        fill(folder, "a.png", "b.png", "readme.txt")
        with pytest.raises(InvalidFileError, match=r"of one kind, got 2 images and 1 text \(such as 'readme'\)"):
            read_items(folder, TRIPLET)

    @pytest.mark.parametrize("content", [b"\xff\xfe", b"  \n", b"x" * 4001, b"a\0b"])
    def test_texts_have_rules(self, folder, content):
        fill(folder, "a.txt", content=content)
        with pytest.raises(InvalidFileError, match=r"must be text in UTF-8|a text must have 1 to 4,000 characters"):
            read_items(folder, TRIPLET)

    @pytest.mark.parametrize("name", [b"caf\xe9.png", b"two\nlines.png"])
    def test_broken_names_are_refused(self, folder, name):
        with open(os.path.join(os.fsencode(folder), name), "wb") as stream:
            stream.write(b"x")
        with pytest.raises(InvalidFileError, match="a name must not have control characters or broken letters"):
            read_items(folder, TRIPLET)

    @pytest.mark.parametrize(("question", "least"), [("triplet", 3), ("odd-one-out", 3), ("pick:2of8", 9)])
    def test_there_must_be_enough_for_the_question(self, folder, question, least):
        kind = QuestionKind.parse(question)
        with pytest.raises(InvalidFileError, match=f"at least {least} items for the question {question}, got 0"):
            read_items(folder, kind)
        fill(folder, *(f"{number}.png" for number in range(least - 1)))
        with pytest.raises(InvalidFileError, match=f"got {least - 1}"):
            read_items(folder, kind)
        fill(folder, "last.png")
        assert len(read_items(folder, kind)) == least

    def test_what_is_neither_folder_nor_table_is_refused(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="No such folder or table of items"):
            read_items(tmp_path / "gone", TRIPLET)
        fill(tmp_path, "a.docx")
        with pytest.raises(InvalidFileError, match=r"items must be a folder or a table .*got a file '.docx'"):
            read_items(tmp_path / "a.docx", TRIPLET)


class TestTables:
    def test_texts_files_and_labels_in_the_order_of_the_table(self, folder):
        fill(folder, "b.png", "s.mp3")
        found = read_items(
            table(
                folder, 'name,text,file,label,price\nz,"say, ""hi""",,a greeting,3\n,,b.png,,\nsong,,s.mp3,a song,9\n'
            ),
            TRIPLET,
        )
        assert [(item.name, item.kind, item.text, item.label) for item in found] == [
            ("z", "text", 'say, "hi"', "a greeting"),
            ("b", "image", "", "b"),
            ("song", "sound", "", "a song"),
        ]

    @pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
    def test_separators_and_byte_order_marks(self, folder, separator):
        rows = [["Name", "Text"], ["a", "x"], ["b", "y"], ["c", "z"]]
        content = "\ufeff" + "\r\n".join(separator.join(row) for row in rows)
        assert [item.text for item in read_items(table(folder, content), TRIPLET)] == ["x", "y", "z"]

    def test_names_alone_and_texts_alone(self, folder):
        for column in ("name", "text"):
            found = read_items(table(folder, f"{column}\nBach\n\nMozart\nBerg\n"), TRIPLET)
            assert [(item.name, item.text) for item in found] == [(name, name) for name in ("Bach", "Mozart", "Berg")]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("", "first line must name the columns"),
            ("a,b\n1,2\n", r"first line must name the columns .* got \['a', 'b'\]"),
            ("name,name\n1,2\n", "each once"),
            ("name,text\na,b,c\n", "line 2: must have at most 2 cells, got 3"),
            ("name,text,file\na,b,c.png\n", "line 2: an item must be a text or a file, got both"),
            ("name,label\n,x\n", "line 2: an item must have a name, a text or a file"),
            ("name\na\nb\na\n", "line 4: names of items must differ, got 'a' as in line 2"),
            ("file\nx.png\n", r"line 2: there must be a file 'x.png', got none"),
            ("file\nx.docx\n", r"line 2: a file must end in one of .png, .*got 'x.docx'"),
            ("file\nx\0.png\n", "there must be a file|contains NUL"),
            ("file\n../out.png\n", r"line 2: files must lie inside .*got '../out.png', which leads out"),
            ("file\n/etc/../OUT/out.png\n", r"line 2: files must lie inside .*which leads out"),
            ("name,text\na," + "x" * 4001 + "\n", "a text must have 1 to 4,000 characters and no zero byte, got 4,001"),
            ("text\n" + "x" * 300 + "\n", "line 2: a name must have 1 to 200 characters, got 300"),
            ('name,text\na,"open\n', "line 2: unexpected end of data"),
            (b"name\ncaf\xe9\n", "must be text in UTF-8"),
            ("name\na\nb\n", "at least 3 items for the question triplet, got 2"),
        ],
    )
    def test_mistakes_have_their_line(self, folder, tmp_path, content, message):
        fill(tmp_path, "out.png")
        if isinstance(content, str):
            content = content.replace("/etc/../OUT", str(tmp_path))
        with pytest.raises(InvalidFileError, match=message):
            read_items(table(folder, content), TRIPLET)


def test_known_items_keep_their_order_and_new_ones_follow(folder):
    fill(folder, "a.png", "b.png", "c.png", "d.png")
    found = in_order_of(["d", "b"], read_items(folder, TRIPLET))
    assert [(item.number, item.name) for item in found] == [(0, "d"), (1, "b"), (2, "a"), (3, "c")]
