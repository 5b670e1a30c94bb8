"""Files for browsers: only those that are meant, with what keeps them harmless."""

import pytest

from collecting_help import served
from tete.collecting.assets import TYPES, StaticFiles
from tete.collecting.items import Item

PICTURE = b"\x89PNG" + bytes(range(256)) * 4


@pytest.fixture
def server(tmp_path):
    (tmp_path / "picture.png").write_bytes(PICTURE)
    (tmp_path / "drawing.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    items = (
        Item(0, "picture", "image", "", "picture", tmp_path / "picture.png", "image/png"),
        Item(1, "drawing", "image", "", "drawing", tmp_path / "drawing.svg", "image/svg+xml"),
        Item(2, "words", "text", "words", "words", None, ""),
        Item(3, "gone", "image", "", "gone", tmp_path / "gone.png", "image/png"),
    )
    with served(tmp_path, items=items) as server:
        yield server


class TestMedia:
    def test_whole(self, server):
        reply = server.client.get("/media/0")
        assert (reply.status_code, reply.content) == (200, PICTURE)
        assert reply.headers["content-type"] == "image/png"

    def test_large_ones_come_in_parts(self, server, tmp_path):
        (tmp_path / "picture.png").write_bytes(PICTURE * 1_000)
        reply = server.client.get("/media/0")
        assert (reply.status_code, reply.content) == (200, PICTURE * 1_000)
        assert reply.headers["accept-ranges"] == "bytes"
        assert reply.headers["content-security-policy"].endswith("sandbox")

    @pytest.mark.parametrize(
        ("asked", "part"), [("bytes=0-3", PICTURE[:4]), ("bytes=100-", PICTURE[100:]), ("bytes=-10", PICTURE[-10:])]
    )
    def test_ranges(self, server, asked, part):
        reply = server.client.get("/media/0", headers={"Range": asked})
        assert (reply.status_code, reply.content) == (206, part)
        assert reply.headers["content-range"].endswith(f"/{len(PICTURE)}")

    @pytest.mark.parametrize("asked", ["bytes=99999-", "lines=1-2", "bytes=x", "bytes=5-1"])
    def test_strange_ranges(self, server, asked):
        reply = server.client.get("/media/0", headers={"Range": asked})
        assert reply.status_code in {400, 416}
        assert reply.headers["x-content-type-options"] == "nosniff"

    def test_scripts_in_drawings_cannot_run(self, server):
        reply = server.client.get("/media/1")
        assert reply.headers["content-type"].startswith("image/svg+xml")
        policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        assert reply.headers.get_list("content-security-policy") == [policy]
        assert reply.headers["x-content-type-options"] == "nosniff"

    @pytest.mark.parametrize(
        "number",
        ["2", "3", "4", "-1", "x", "0.0", "00000000000", "%30%2e", "..%2fstudy.db", "../study.db", "9" * 30, "\u0663"],
    )
    def test_everything_else_is_not_there(self, server, number):
        reply = server.client.get(f"/media/{number}")
        assert reply.status_code == 404
        assert reply.json()["error"].startswith("There is no")

    def test_browsers_keep_what_is_still_the_same(self, server, tmp_path):
        reply = server.client.get("/media/0")
        assert reply.headers["cache-control"] == "private, no-cache"
        known = {"If-None-Match": reply.headers["etag"]}
        again = server.client.get("/media/0", headers=known)
        assert (again.status_code, again.content) == (304, b"")
        named = server.client.get(f"/media/0?study={server.database.study_id}")
        assert named.headers["cache-control"] == "private, max-age=3600"
        assert server.client.get("/media/0?study=another").headers["cache-control"] == "private, no-cache"
        (tmp_path / "picture.png").write_bytes(PICTURE[:100])
        assert server.client.get("/media/0", headers=known).content == PICTURE[:100]


class TestStatic:
    def test_all_of_the_package_s_pages_are_there(self, server):
        files = StaticFiles()
        assert "index.html" in files.names
        for name in files.names:
            reply = server.client.get(f"/static/{name}")
            assert reply.status_code == 200
            assert (
                reply.headers["content-type"].partition(";")[0]
                == TYPES["." + name.rpartition(".")[2]].partition(";")[0]
            )
            assert reply.headers["cache-control"] == "no-cache"
            assert server.client.get(f"/static/{name}", headers={"If-None-Match": reply.headers["etag"]}).content == b""

    def test_other_files_beside_them_are_not_served(self, tmp_path):
        (tmp_path / "notes.py").write_text("secret")
        (tmp_path / "page.html").write_text("page")
        assert StaticFiles(tmp_path).names == {"page.html"}
