"""What comes in and what goes out, whatever the application behind it does."""

import asyncio

import pytest

from collecting_help import ORIGIN, Client, served
from tete.collecting import guards
from tete.collecting.guards import Guard, origin_of


async def echo(scope, receive, send):
    """An application that says how many bytes it got."""
    body = (await receive())["body"] if scope["method"] == "POST" else b""
    assert (await receive())["type"] == "http.disconnect" or scope["method"] != "POST"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(len(body)).encode()})


@pytest.fixture
def client():
    with Client(Guard(echo), ORIGIN) as client:
        yield client


JSON = {"Content-Type": "application/json"}


class TestHost:
    @pytest.mark.parametrize("host", ["127.0.0.1:8421", "localhost", "LOCALHOST:1", "[::1]:8421", "localhost:9999"])
    def test_this_computer_has_several_names(self, client, host):
        assert client.get("/", headers={"Host": host}).status_code == 200

    @pytest.mark.parametrize(
        "host", ["evil.example", "evil.example:8421", "127.0.0.1.evil.example", "localhost.evil.example", "", "[::2]"]
    )
    def test_others_are_refused(self, client, host):
        reply = client.get("/", headers={"Host": host})
        assert reply.status_code == 403
        assert reply.json()["error"] == f"This server does not answer for the host {host!r}."

    def test_the_public_name_is_known(self):
        with Client(
            Guard(echo, ["https://Study.Example.org", "http://192.0.2.7:8421"]), "https://study.example.org"
        ) as client:
            assert client.get("/").status_code == 200
            assert client.get("/", headers={"Host": "192.0.2.7:8421"}).status_code == 200
            assert client.get("/", headers={"Host": "example.org"}).status_code == 403
            assert client.get("/", headers={"Host": "127.0.0.1:8421"}).status_code == 200  # a proxy's own name for it


class TestOrigin:
    @pytest.mark.parametrize("origin", [ORIGIN, ORIGIN.upper()])
    def test_ours_is_welcome(self, client, origin):
        assert client.post("/", content=b"{}", headers={**JSON, "Origin": origin}).status_code == 200

    def test_programs_have_none(self, client):
        assert client.post("/", content=b"{}", headers=JSON).status_code == 200

    @pytest.mark.parametrize(
        "origin",
        ["https://evil.example", "null", "http://127.0.0.1:3000", "https://127.0.0.1:8421", "http://localhost"],
    )
    def test_others_are_refused(self, client, origin):
        reply = client.post("/", content=b"{}", headers={**JSON, "Origin": origin})
        assert reply.status_code == 403
        assert reply.json()["error"] == f"This server accepts nothing from the origin {origin!r}."

    def test_behind_a_proxy_it_is_the_public_one(self):
        with Client(Guard(echo, ["https://study.example.org/"]), "http://127.0.0.1:8421") as client:
            headers = {**JSON, "Origin": "https://study.example.org"}
            assert client.post("/", content=b"{}", headers=headers).status_code == 200
            headers["Origin"] = "http://study.example.org"
            assert client.post("/", content=b"{}", headers=headers).status_code == 403
            headers["Host"] = "study.example.org"
            assert client.post("/", content=b"{}", headers=headers).status_code == 403


class TestBodies:
    @pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
    def test_json_is_taken(self, client, kind):
        assert client.post("/", content=b"{}", headers={"Content-Type": kind}).text == "2"

    @pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
    def test_other_types_are_refused(self, client, kind):
        reply = client.post("/", content=b"{}", headers={"Content-Type": kind})
        assert (reply.status_code, reply.json()["error"]) == (
            415,
            f"The content type must be application/json, got {kind!r}.",
        )

    @pytest.mark.parametrize(("size", "status"), [(16 * 1024, 200), (16 * 1024 + 1, 413), (10**6, 413)])
    def test_sizes_are_limited(self, client, size, status):
        assert client.post("/", content=b"x" * size, headers=JSON).status_code == status

    @pytest.mark.parametrize(("count", "status"), [(16, 200), (17, 413), (1_000, 413)])
    def test_sizes_are_limited_where_nobody_said_how_long_it_is(self, client, count, status):
        taken = []

        async def chunks():
            for _ in range(count):
                taken.append(1)
                yield b"x" * 1024

        reply = client.post("/", content=chunks(), headers=JSON)
        assert reply.status_code == status
        assert len(taken) <= 18  # the rest is not even read
        assert ("connection" in reply.headers) == (status == 413)

    @pytest.mark.parametrize("length", ["abc", "-5", "9" * 100, "1e3"])
    def test_strange_lengths_are_refused(self, client, length):
        assert client.post("/", content=b"{}", headers={**JSON, "Content-Length": length}).status_code == 413

    def test_a_body_must_arrive_in_time(self, client, monkeypatch):
        monkeypatch.setattr(guards, "BODY_SECONDS", 0.01)

        async def slow():
            yield b"{"
            await asyncio.sleep(60)
            yield b"}"

        reply = client.post("/", content=slow(), headers=JSON)
        assert reply.status_code == 408


class TestHeaders:
    def test_every_response_carries_them(self, tmp_path):
        with served(tmp_path) as server:
            for reply in (
                server.client.get("/"),
                server.client.get("/study"),
                server.client.get("/nothing"),
                server.client.get("/next"),
                server.client.get("/", headers={"Host": "evil.example"}),
                server.client.post("/answer", content=b"x" * 20_000, headers=JSON),
            ):
                assert reply.headers["x-content-type-options"] == "nosniff"
                assert reply.headers["referrer-policy"] == "no-referrer"
                policy = reply.headers["content-security-policy"]
                assert policy.startswith("default-src 'none'; script-src 'self';")
                assert "unsafe" not in policy
                assert "frame-ancestors 'none'" in policy
                assert "server" not in reply.headers
            assert server.client.get("/study").headers["cache-control"] == "no-store"

    def test_a_response_may_have_its_own(self):
        async def app(_scope, _receive, send):
            headers = [(b"content-security-policy", b"sandbox"), (b"cache-control", b"private")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body"})

        with Client(Guard(app), ORIGIN) as client:
            reply = client.get("/")
            assert reply.headers.get_list("content-security-policy") == ["sandbox"]
            assert reply.headers.get_list("cache-control") == ["private"]


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://Study.Example.org/", "https://study.example.org"),
        ("https://study.example.org:443", "https://study.example.org"),
        ("http://study.example.org:443", "http://study.example.org:443"),
        ("http://[::1]:8421", "http://[::1]:8421"),
        ("https://b\u00fccher.example", "https://xn--bcher-kva.example"),
    ],
)
def test_origins_are_as_browsers_send_them(address, origin):
    assert origin_of(address) == origin
