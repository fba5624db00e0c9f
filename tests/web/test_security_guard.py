"""The guard and the limits on the smallest application: what passes, what does not, what answers bear."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse, Response

from app.settings import Settings
from app.web import errors
from app.web.deps import install
from app.web.limits import LIMITS, limit, peer_of
from app.web.templating import environment

HERE = "http://127.0.0.1:8000"
FORM = {"content-type": "application/x-www-form-urlencoded"}
JSON = {"content-type": "application/json"}
COOKIE = {"cookie": "spindel=x"}


def application(tmp_path: Path, **settings: object) -> FastAPI:
    app = FastAPI()

    @app.api_route("/echo", methods=["GET", "POST", "PUT"])
    @app.api_route("/api/echo", methods=["GET", "POST"])
    async def echo(request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    @app.get("/broken")
    @app.get("/api/broken")
    def broken() -> Response:
        raise RuntimeError("the password is swordfish")

    @app.get("/api/v1/games/{game_id}/hint")
    @app.get("/two")
    def hint() -> Response:
        return PlainTextResponse("hint")

    @app.post("/two")
    def other() -> Response:
        return PlainTextResponse("other")

    @app.get("/static/file")
    @app.get("/healthz")
    def file() -> Response:
        return PlainTextResponse("file")

    @app.post("/sign-in")
    def sign_in(request: Request) -> Response:
        limit(request, "sign-in")
        return PlainTextResponse("in")

    app.state.templates = environment()
    errors.install(app)
    install(app, Settings(data_dir=tmp_path, **settings))  # type: ignore[arg-type]
    return app


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(application(tmp_path), base_url=HERE) as client:
        yield client


@pytest.mark.parametrize(
    "headers",
    [
        {},
        COOKIE,
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"} | COOKIE,
        {"origin": HERE},
        {"origin": HERE.upper()} | COOKIE,
        {"sec-fetch-site": "same-origin", "origin": "null"},
        {"sec-fetch-site": "cross-site", "authorization": "Bearer x"} | COOKIE,
        {"origin": "https://evil.example", "authorization": "bearer x"},
    ],
)
def test_a_post_from_here_or_from_a_program_passes(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/echo", content="a=b", headers=FORM | headers).text == "3"
    assert client.post("/api/echo", content="{}", headers=JSON | headers).text == "2"


CROSS_SITE = [
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "SAME-ORIGIN"},
    {"sec-fetch-site": ""},
    {"sec-fetch-site": "cross-site", "origin": HERE},
    {"origin": "null"},
    {"origin": ""},
    {"origin": "https://evil.example"},
    {"origin": "http://127.0.0.1:8001"},
    {"origin": "https://127.0.0.1:8000"},
    {"origin": "http://127.0.0.1:8000.evil.example"},
    {"origin": "null", "authorization": "Basic eDp5"},
]


@pytest.mark.parametrize("headers", CROSS_SITE)
def test_what_another_site_sends_is_forbidden_with_and_without_a_cookie(
    client: TestClient, headers: dict[str, str]
) -> None:
    for cookie in ({}, COOKIE):
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            response = client.request(method, "/echo", content="a=b", headers=FORM | headers | cookie)
            assert response.status_code == 403
    assert client.post("/api/echo", content="{}", headers=JSON | headers | COOKIE).status_code == 403


def test_the_api_without_a_cookie_is_left_alone(client: TestClient) -> None:
    assert (
        client.post("/api/echo", content="{}", headers=JSON | {"sec-fetch-site": "cross-site"}).status_code
        == 200
    )


def test_reading_is_free_for_all(client: TestClient) -> None:
    assert (
        client.get("/echo", headers={"sec-fetch-site": "cross-site", "origin": "null"} | COOKIE).status_code
        == 200
    )


def test_a_read_that_leaves_a_mark_is_checked_like_a_write(client: TestClient) -> None:
    path = "/api/v1/games/x/hint"
    assert client.get(path, headers={"sec-fetch-site": "cross-site"} | COOKIE).status_code == 403
    assert client.get(path, headers={"sec-fetch-site": "same-origin"} | COOKIE).status_code == 200
    assert client.get(path, headers={"sec-fetch-site": "cross-site", "authorization": "Bearer x"}).is_success
    assert client.head(path).status_code == 405


def test_a_405_names_the_methods_of_every_route_there(client: TestClient) -> None:
    assert client.delete("/two").headers["allow"] == "GET, HEAD, POST"
    assert client.get("/sign-in").headers["allow"] == "POST"
    assert client.head("/api/v1/games/x/hint").headers["allow"] == "GET"


@pytest.mark.parametrize("path", ["/echo", "/api/echo", "/healthz", "/nowhere", "/sign-in"])
def test_head_is_answered_like_get_without_the_body(client: TestClient, path: str) -> None:
    got, head = client.get(path), client.head(path)
    assert head.status_code == got.status_code
    assert head.headers == got.headers
    assert got.content
    assert head.content == b""


def test_behind_a_proxy_the_public_origin_counts(tmp_path: Path) -> None:
    app = application(tmp_path, public_url="https://spindel.example")
    with TestClient(app, base_url="http://spindel.example") as client:
        for origin, status in (("https://spindel.example", 200), ("https://evil.example", 403)):
            assert client.post("/echo", headers=FORM | {"origin": origin}).status_code == status


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "",
        "127.0.0.1@evil.example",
        "[::2]",
        "[::1",
        "[::1]x",
        "127.0.0.1:x",
        "x:127.0.0.1",
    ],
)
def test_an_unknown_host_is_refused(client: TestClient, host: str) -> None:
    response = client.get("/echo", headers={"host": host})
    assert response.status_code == 400
    assert "evil" not in response.text
    assert client.get("/healthz", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:99", "LOCALHOST:8000", "[::1]:8000", "[::1]"])
def test_a_known_host_passes_on_any_port(client: TestClient, host: str) -> None:
    assert client.get("/echo", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    ("path", "kind", "body", "status"),
    [
        ("/echo", "application/x-www-form-urlencoded; charset=UTF-8", "a=b", 200),
        ("/echo", "APPLICATION/X-WWW-FORM-URLENCODED", "a=b", 200),
        ("/echo", "text/plain", "a=b", 415),
        ("/echo", "application/json", "{}", 415),
        ("/echo", "multipart/form-data; boundary=x", "--x--", 415),
        ("/echo", "multipart/form-data; boundary=x", "--x\r\n\r\n\r\n" * 1001, 415),
        ("/echo", "", "a=b", 415),
        ("/echo", None, "a=b", 415),
        ("/echo", None, "", 200),
        ("/echo", "text/plain", "", 415),
        ("/api/echo", "application/json; charset=utf-8", "{}", 200),
        ("/api/echo", "application/x-www-form-urlencoded", "a=b", 415),
        ("/api/echo", "text/plain", "{}", 415),
        ("/api/echo", "application/jsonx", "{}", 415),
        ("/api/echo", None, "{}", 415),
        ("/api/echo", None, "", 200),
    ],
)
def test_only_the_content_type_of_the_place_passes(
    client: TestClient, path: str, kind: str | None, body: str, status: int
) -> None:
    headers = {} if kind is None else {"content-type": kind}
    response = client.request("POST", path, content=body.encode(), headers=headers)
    assert response.status_code == status


class TestSizes:
    LIMIT = 64 * 1024

    def test_a_body_up_to_the_limit_passes(self, client: TestClient) -> None:
        assert client.post("/echo", content=b"x" * self.LIMIT, headers=FORM).text == str(self.LIMIT)

    @pytest.mark.parametrize("path", ["/echo", "/api/echo"])
    def test_a_larger_one_is_refused_before_it_is_read(self, client: TestClient, path: str) -> None:
        kind = JSON if path.startswith("/api") else FORM
        response = client.post(path, content=b"x" * (self.LIMIT + 1), headers=kind)
        assert response.status_code == 413
        assert "xxxx" not in response.text

    @pytest.mark.parametrize(("chunks", "status"), [(4, 200), (65, 413)])
    def test_one_without_a_length_is_measured_as_it_comes(
        self, client: TestClient, chunks: int, status: int
    ) -> None:
        # A generator is sent in chunks, without Content-Length.
        body = (b"x" * 1024 for _ in range(chunks))
        assert client.post("/echo", content=body, headers=FORM).status_code == status

    @pytest.mark.parametrize(
        ("length", "status"), [("-1", 400), ("1_0", 400), ("+1", 400), ("9" * 5000, 413), ("٣", 400)]
    )
    def test_a_length_that_is_none_is_refused(self, client: TestClient, length: str, status: int) -> None:
        headers = FORM | {"content-length": length.encode()}
        assert client.post("/echo", content=b"a=b", headers=headers).status_code == status  # type: ignore[arg-type]

    def test_headers_and_addresses_have_their_limits(self, client: TestClient) -> None:
        assert client.get("/echo", headers={"x-much": "x" * 40_000}).status_code == 431
        assert client.get("/echo?" + "x" * 20_000).status_code == 414

    @pytest.mark.parametrize("name", ["host", "origin", "authorization", "content-type", "sec-fetch-site"])
    def test_what_decides_something_cannot_be_said_twice(self, client: TestClient, name: str) -> None:
        twice = [(name, "127.0.0.1"), (name, "x")]
        assert client.get("/echo", headers=twice).status_code == 400


class TestAnswers:
    @pytest.mark.parametrize("path", ["/echo", "/none", "/echo?" + "x" * 20_000, "/static/file"])
    def test_every_answer_has_the_security_headers(self, client: TestClient, path: str) -> None:
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-frame-options"] == "DENY"
        assert "strict-transport-security" not in headers

    def test_a_refused_one_has_them_too(self, client: TestClient) -> None:
        headers = client.get("/echo", headers={"host": "evil.example"}).headers
        assert "script-src 'self'" in headers["content-security-policy"]

    @pytest.mark.parametrize("path", ["/broken", "/api/broken"])
    def test_what_nobody_foresaw_tells_nothing_and_has_them_too(self, client: TestClient, path: str) -> None:
        response = client.get(path)
        assert response.status_code == 500
        assert "swordfish" not in response.text
        assert "script-src 'self'" in response.headers["content-security-policy"]

    def test_pages_are_not_kept_and_files_may_be(self, client: TestClient) -> None:
        assert client.get("/echo").headers["cache-control"] == "no-store"
        assert "cache-control" not in client.get("/static/file").headers

    def test_https_is_remembered_when_it_is_the_public_address(self, tmp_path: Path) -> None:
        app = application(tmp_path, public_url="https://spindel.example")
        with TestClient(app, base_url="https://spindel.example") as client:
            assert "max-age" in client.get("/echo").headers["strict-transport-security"]


class TestLimits:
    def test_a_loop_gets_429_on_the_real_peer_whatever_it_says_of_itself(self, client: TestClient) -> None:
        statuses = [
            client.post(
                "/sign-in", headers={"x-forwarded-for": f"10.0.0.{n}", "forwarded": f"for=10.1.1.{n}"}
            )
            for n in range(30)
        ]
        allowed = LIMITS["sign-in"][0].amount
        # The window is a minute of the clock, which may turn once on the way.
        assert allowed <= sum(r.status_code == 200 for r in statuses) <= 2 * allowed
        refused = next(r for r in statuses if r.status_code == 429)
        assert 1 <= int(refused.headers["retry-after"]) <= 60

    def test_they_can_be_switched_off_for_measurements(self, tmp_path: Path) -> None:
        with TestClient(application(tmp_path, rate_limits=False), base_url=HERE) as client:
            assert all(client.post("/sign-in").status_code == 200 for _ in range(30))

    @pytest.mark.parametrize(
        ("host", "peer"),
        [
            ("192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("fe80::1%eth0", "fe80::/64"),
            ("testclient", "testclient"),
        ],
    )
    def test_a_household_is_one_peer(self, host: str, peer: str) -> None:
        assert peer_of(Request({"type": "http", "client": (host, 1), "headers": []})) == peer
