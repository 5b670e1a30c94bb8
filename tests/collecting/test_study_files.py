"""Files study.toml: what they can say, and what is refused in one sentence.

These run `collecting.setting_rules` and `collecting.known_questions` too.
"""

import pytest

from tete.collecting.study import KnownQuestion, Study
from tete.collecting.study_files import read_setup
from tete.exceptions import InvalidFileError, InvalidParameterError, TeteError

WHOLE = """
items = "words.csv"
database = "kept/answers.db"
question = "pick:2of3:ranked"
title = "Wörter"
per-person = 30
break_every = 0
test = 0
adaptive = 0.25
consent = "consent.md"
instructions = "intro.md"
completion_code = "C1"
completion_link = "https://example.org/done?cc=C1"
seed = 7
host = "0.0.0.0"
port = 80
public_url = "https://study.example.org"

[texts]
start = "Los"

[[catch]]
anchor = "a"
choices = ["a", "b", "c"]
right = "a"

[[catch]]
anchor = "a"
choices = ["b", "c", "d"]
right = ["c", "b"]

[[practice]]
anchor = "b"
choices = ["b", "a", "c"]
right = ["b"]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "words.csv").write_text("name\na\nb\nc\nd\n")
    (tmp_path / "consent.md").write_text("\ufeff# Ja?\r\nText\r\n", encoding="utf-8")
    (tmp_path / "intro.md").write_text("Wähle!", encoding="utf-8")
    return tmp_path


@pytest.fixture
def setup_of(folder, tmp_path_factory):
    """The setup of a study.toml with this content."""

    def read(content, **options):
        (folder / "study.toml").write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_setup(str(folder / "study.toml"), options, tmp_path_factory.mktemp("scratch"))

    return read


def test_a_file_says_everything(setup_of, folder):
    setup = setup_of(WHOLE)
    study = setup.study
    assert [item.name for item in setup.items] == ["a", "b", "c", "d"]
    assert (setup.host, setup.port, setup.public_url) == ("0.0.0.0", 80, "https://study.example.org")
    assert setup.database == str(folder / "kept/answers.db")
    assert (str(study.question), study.title, study.per_person) == ("pick:2of3:ranked", "Wörter", 30)
    assert (study.test, study.adaptive, study.break_every, study.seed) == (0.0, 0.25, 0, 7)
    assert (study.consent, study.instructions) == ("# Ja?\nText", "Wähle!")
    assert (study.completion_code, study.completion_link) == ("C1", "https://example.org/done?cc=C1")
    assert study.texts == {"start": "Los"}
    assert (study.catch, study.practice) == (2, 1)
    assert study.known_catch == (
        KnownQuestion(("a", "a", "b", "c"), ("a",)),
        KnownQuestion(("a", "b", "c", "d"), ("c", "b")),
    )
    assert study.known_practice == (KnownQuestion(("b", "b", "a", "c"), ("b",)),)


def test_what_is_not_said_has_its_default(setup_of):
    setup = setup_of('items = "words.csv"')
    assert setup.study == Study()
    assert (setup.host, setup.port) == ("127.0.0.1", 8421)


def test_options_win_over_the_file(setup_of, folder):
    setup = setup_of(WHOLE, per_person=12, catch=1, database="other.db", title=None, port=9000)
    assert (setup.study.per_person, setup.study.title, setup.port) == (12, "Wörter", 9000)
    assert setup.database == "other.db"
    assert setup.study.catch == 1
    assert len(setup.study.known_catch) == 2


def test_an_option_repairs_what_the_file_says(setup_of):
    assert setup_of('items = "words.csv"\nper_person = 8', catch=0, repeat=2).study.per_person == 8


def test_a_folder_needs_no_file(folder, tmp_path):
    setup = read_setup(str(folder / "words.csv"), {"question": "odd-one-out", "consent": None}, tmp_path)
    assert str(setup.study.question) == "odd-one-out"


def test_the_demonstration_needs_nothing(tmp_path):
    setup = read_setup("demo", {"per_person": 20}, tmp_path)
    assert len(setup.items) == 24
    assert setup.study.per_person == 20
    assert setup.study.title == "Colours"


def test_texts_may_be_in_a_file_of_their_own(setup_of, folder):
    (folder / "german.toml").write_text('start = "Los"')
    assert setup_of('items = "words.csv"\ntexts = "german.toml"').study.texts == {"start": "Los"}
    (folder / "german.toml").write_text('[texts]\nstart = "Los!"')
    assert setup_of('items = "words.csv"', texts=str(folder / "german.toml")).study.texts == {"start": "Los!"}
    (folder / "german.toml").write_text('begin = "Los"')
    with pytest.raises(
        InvalidFileError, match=r"german.toml: `texts` must have names of the page's texts, got 'begin'"
    ):
        setup_of('items = "words.csv"\ntexts = "german.toml"')


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"study.toml: `items` must name a folder or a table of items, got None"),
        ("items = 3", "study.toml: `items` must be a line of 1 to 1,000 letters, got 3"),
        ('items = "words.csv"\nper_persons = 3', "`per_persons` must be the name of a setting, perhaps `per_person`"),
        ('items = "words.csv"\nxyzzy = 3', "`xyzzy` must be the name of a setting, perhaps one of items, database"),
        ('items = "words.csv"\nsimulate = 3', "`simulate` must be the name of a setting"),
        ('items = "words.csv"\nper_person = 0', r"study.toml: `per_person` must be a whole number >= 1, got 0"),
        ('items = "words.csv"\nper_person = 1.5', "`per_person` must be a whole number, got 1.5"),
        ('items = "words.csv"\nper_person = true', "`per_person` must be a whole number, got True"),
        ('items = "words.csv"\nper_person = 2\nper-person = 2', "`per_person` must be there once, with - or with _"),
        (
            'items = "words.csv"\nper_person = 5',
            r"study.toml: `per_person` must hold the catch questions .*, 12, got 5",
        ),
        ('items = "words.csv"\ntest = nan', r"study.toml: `test` must be in \[0, 1\], got nan"),
        ('items = "words.csv"\ntest = "a"', "`test` must be a number, got 'a'"),
        ('items = "words.csv"\nquestion = "best"', "study.toml: `question` must be triplet, odd-one-out.*got 'best'"),
        ('items = "words.csv"\nport = 70000', r"`port` must be in \[0, 65535\], got 70000"),
        ('items = "words.csv"\ntitle = "a\\nb"', "`title` must be a line of 1 to 1,000 letters"),
        ('items = "words.csv"\ntitle = 1979-05-27', "`title` must be a line of 1 to 1,000 letters"),
        ('items = "words.csv"\ncompletion_link = "javascript:alert(1)"', "`completion_link` must be an address that"),
        ('items = "words.csv"\ncompletion_link = "https://[x"', "`completion_link` must be an address that"),
        ('items = "words.csv"\npublic_url = "study.example.org"', "`public_url` must be an address that"),
        ('items = "words.csv"\ntexts = 3', "`texts` must be a table of texts, or name a file with one, got 3"),
        ('items = "words.csv"\n[texts]\nbegin = "x"', "study.toml: `texts` must have names .*got 'begin'"),
        ('items = "words.csv"\n[texts]\nstart = 3', "study.toml: `texts` must be texts, got 3 for 'start'"),
        (
            'items = "words.csv"\ncatch = "few"',
            r"`catch` must be a whole number, or questions in sections \[\[catch\]\]",
        ),
        ('items = "words.csv"\n[catch]\nright = "a"', "`catch` must be a whole number, or questions"),
        ('items = "words.csv"\n[[catch]]\nright = "a"', "`catch 1` must have anchor, choices, right for the question"),
        (
            'items = "words.csv"\n[[practice]]\nanchor = "a"\nchoices = ["b", "x"]\nright = "b"',
            "study.toml: `practice 1, choices` must name items, got 'x'",
        ),
        (
            'items = "words.csv"\n[[catch]]\nanchor = "a"\nchoices = "bc"\nright = "b"',
            "`catch 1, choices` must be a list of names of items, got 'bc'",
        ),
        (
            'items = "words.csv"\n[[catch]]\nanchor = ["a"]\nchoices = ["b", "c"]\nright = "b"',
            r"`catch 1, anchor` must name items, got \['a'\]",
        ),
        (
            'items = "words.csv"\n[[catch]]\nanchor = "a"\nchoices = ["b", "c", "d"]\nright = "b"',
            "`catch 1, choices` must be 2 for the question triplet",
        ),
        (
            'items = "words.csv"\n[[catch]]\nanchor = "a"\nchoices = ["b", "c"]\nright = "a"',
            r"`catch 1, right` must be one of the choices, each there once, got \['a'\]",
        ),
        (
            'items = "words.csv"\nquestion = "odd-one-out"\n[[catch]]\nchoices = ["b", "b", "c"]\nright = "b"',
            "`catch 1, right` must be one of the choices, each there once",
        ),
        ('items = "words.csv"\nconsent = "intro.md/x"', "Not a directory"),
        ("a = 1\na = 2\n\n", r"study.toml must be TOML: .*line 2"),
        (b"items = \xff", "study.toml must be text in UTF-8"),
        ("a = " + "[" * 100_000, "must have settings of ordinary depth and size|must be TOML"),
        ("a = " + "9" * 10_000, "must have settings of ordinary depth and size"),
        ("a" * 200_001, "study.toml must have at most 200,000 bytes"),
        ("a.b.c.d = 1\n" + 'items = "words.csv"', "`a` must be the name of a setting"),
        ('"\\u0000" = 1\n', "must be the name of a setting"),
        (f'items = "{"x" * 3000}"', r"`items` must be a line of 1 to 1,000 letters, got 'xxx.*\.\.\.x*'"),
    ],
)
def test_mistakes_are_one_sentence(setup_of, content, message):
    with pytest.raises((TeteError, OSError), match=message) as caught:
        setup_of(content)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("consent.md", b"\xff", "consent.md must be text in UTF-8"),
        ("consent.md", b" \n", "`consent` must name a text that says something, got 'consent.md'"),
        ("consent.md", b"x" * 200_001, "consent.md must have at most 200,000 bytes"),
    ],
)
def test_texts_have_rules(setup_of, folder, name, content, message):
    (folder / name).write_bytes(content)
    with pytest.raises(InvalidFileError, match=message):
        setup_of('items = "words.csv"\nconsent = "consent.md"')


def test_missing_files_are_named(setup_of, folder):
    with pytest.raises(FileNotFoundError) as caught:
        setup_of('items = "words.csv"\nconsent = "gone.md"')
    assert caught.value.filename == str(folder / "gone.md")
    with pytest.raises(FileNotFoundError, match="No such folder or table of items"):
        setup_of('items = "gone"')


def test_mistakes_beside_the_file_are_not_its_own(setup_of):
    with pytest.raises(InvalidParameterError, match=r"^`per_person` must be a whole number >= 1, got 0"):
        setup_of('items = "words.csv"\nper_person = 50', per_person=0)
    with pytest.raises(InvalidParameterError, match=r"^`completion_link` must be an address"):
        setup_of('items = "words.csv"', completion_link="file:///etc/passwd")


def test_addresses_of_databases_are_no_paths(setup_of):
    address = "postgresql://ann@localhost/study"
    assert setup_of(f'items = "words.csv"\ndatabase = "{address}"').database == address


@pytest.fixture
def database_of(tmp_path_factory):
    """The name of the database that a source has by itself."""

    def read(source, **how):
        return read_setup(source, {}, tmp_path_factory.mktemp("scratch"), **how).database

    return read


def test_databases_are_named_after_what_they_are_about(folder, monkeypatch, database_of):
    (folder / "birds.of.prey").mkdir()
    for name in ("a.png", "b.png", "c.png"):
        (folder / "birds.of.prey" / name).write_bytes(b"x")
    (folder / "study.toml").write_text('items = "words.csv"')
    monkeypatch.chdir(folder)
    assert database_of("birds.of.prey/") == "birds.of.prey.db"
    assert database_of("words.csv") == "words.db"
    assert database_of("demo") == "demo.db"
    assert database_of("study.toml") == "study.db"
    monkeypatch.chdir(folder / "birds.of.prey")
    assert database_of(".") == "birds.of.prey.db"
    assert database_of("../words.csv") == "words.db"
    assert database_of("../study.toml") == "../study.db"


def test_rehearsals_have_a_new_database(folder, monkeypatch, database_of):
    monkeypatch.chdir(folder)
    assert database_of("demo", rehearsal=True) == "demo-rehearsal.db"
    (folder / "demo-rehearsal.db").touch()
    assert database_of("demo", rehearsal=True) == "demo-rehearsal-2.db"
    (folder / "study.toml").write_text('items = "words.csv"\ndatabase = "postgresql://ann@localhost/study"')
    assert database_of("study.toml", rehearsal=True) == "study-rehearsal.db"
    (folder / "study.toml").write_text('items = "words.csv"\ndatabase = "kept/a.db"')
    assert database_of("study.toml", rehearsal=True) == "kept/a-rehearsal.db"
