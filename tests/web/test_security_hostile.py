"""Hostile requests against the whole program: one table of what must be turned away, wherever it comes in.

Every row is sent by a player with a game, and must leave that game, and the number of players, as they were.
"""

import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.players import store
from app.web.limits import LIMITS
from tests.support.server import Server

pytestmark = pytest.mark.slow

HERE = "http://127.0.0.1:8000"
MARK = "s3ntinel"  # in every hostile input that has room for it; must never come back
MOVE = "ply=0&move=deal"
ACT = "/g/{game}/act"


@dataclass(frozen=True)
class Row:
    what: str
    status: int
    method: str = "POST"
    path: str = ACT
    body: str | bytes = MOVE
    headers: dict[str, str] = field(default_factory=dict)
    kind: str | None = "application/x-www-form-urlencoded"

    def __str__(self) -> str:
        return self.what


MULTIPART = "multipart/form-data; boundary=b"
PART = f'--b\r\nContent-Disposition: form-data; name="ply"\r\n\r\n{MARK}\r\n'

ROWS = [
    # where a request comes from
    Row("cross-site form post", 403, headers={"sec-fetch-site": "cross-site"}),
    Row("same-site form post", 403, headers={"sec-fetch-site": "same-site"}),
    Row("an origin that is null", 403, headers={"origin": "null"}),
    Row("another origin", 403, headers={"origin": f"https://{MARK}.example"}),
    Row("another port", 403, headers={"origin": "http://127.0.0.1:8001"}),
    Row("cross-site, begins a game", 403, path="/play/spider", headers={"sec-fetch-site": "cross-site"}),
    Row("cross-site, signs in", 403, path="/account/sign-in", headers={"sec-fetch-site": "cross-site"}),
    Row("cross-site, deletes", 403, path="/account/delete", body="sure=yes", headers={"origin": "null"}),
    Row("cross-site, sets preferences", 403, path="/preferences", headers={"sec-fetch-site": "cross-site"}),
    Row(
        "cross-site to the API with a cookie",
        403,
        path="/api/v1/games/{game}/moves",
        body='{"ply":0,"move":"deal"}',
        kind="application/json",
        headers={"sec-fetch-site": "cross-site"},
    ),
    Row("another host", 400, headers={"host": f"{MARK}.example"}),
    Row("another host, reading", 400, "GET", "/", "", {"host": f"{MARK}.example"}, None),
    Row("a host that hides another", 400, headers={"host": f"127.0.0.1@{MARK}.example"}),
    # methods
    Row("GET for a move", 405, "GET", body="", kind=None),
    Row("HEAD for a move", 405, "HEAD", body="", kind=None),
    Row("PUT for a move", 405, "PUT"),
    Row("DELETE for a move", 405, "DELETE", body="", kind=None),
    Row("an overridden method", 405, "GET", body="", kind=None, headers={"x-http-method-override": "POST"}),
    Row("an invented method", 405, "SPLIT", body="", kind=None),
    Row("a score posted to the leaderboard", 405, path="/leaderboard", body=f"score={MARK}"),
    # content types and bodies
    Row("a move as text", 415, kind="text/plain"),
    Row("a move as JSON", 415, body='{"ply":0,"move":"deal"}', kind="application/json"),
    Row("a move in parts", 415, body=PART + "--b--", kind=MULTIPART),
    Row("a move in 1,001 parts", 415, body=PART * 1001 + "--b--", kind=MULTIPART),
    Row("a move without a type", 415, kind=None),
    Row("an upload", 415, path="/account/sign-up", body=PART, kind=MULTIPART),
    Row("a form to the API", 415, path="/api/v1/games/{game}/moves"),
    Row("a large form", 413, body="ply=0&move=" + MARK * 10_000),
    Row("a large document", 413, path="/api/v1/games", body=MARK * 10_000, kind="application/json"),
    Row("much in a header", 431, headers={"x-much": MARK * 5000}),
    Row("a long address", 414, "GET", "/g/" + MARK * 3000, "", {}, None),
    Row("a field twice", 400, path="/account/sign-up", body=f"name=a&name={MARK}&password={MARK}"),
    Row("a thousand fields", 400, path="/account/sign-up", body="&".join(f"x{n}=1" for n in range(1000))),
    Row("bytes that are no text", 400, body=b"ply=\xff\xfe&move=%ff%00"),
    # who asks
    Row("a forged cookie", 404, headers={"cookie": f"spindel={MARK}.{MARK}"}),
    Row("no cookie", 404, headers={"cookie": ""}),
    Row("an unknown token", 401, path="/api/v1/games", body="{}", kind="application/json",
        headers={"authorization": f"Bearer {MARK}"}),
    Row("an unknown token beside the cookie", 401, "GET", "/api/v1/games/{game}", "",
        {"authorization": f"Bearer {MARK}"}, None),
    Row("no token", 401, path="/api/v1/games", body="{}", kind="application/json", headers={"cookie": ""}),
    Row("wrong credentials", 401, path="/account/sign-in", body=f"name=Maija&password={MARK}"),
    Row("a session id as name", 401, path="/account/sign-in", body="name=%00&password=%ed%a0%80"),
    Row("another's session to end", 404, path="/account/sessions/end", body="session=" + "0" * 64),
    Row("a wrong code", 404, path="/account/code", body=f"code={MARK}"),
    Row("a code of nobody", 401, path="/account/recover", body=f"name={MARK}&code=x&password=long+enough"),
    # names
    *(
        Row(f"the name {name}", 422, path="/account/sign-up", body=f"name={name}&password=correct+horse")
        for name in ("'+OR+1%3D1--", "%00", f"{MARK}%00", "%F0%9F%98%80+grin", "%E2%80%AEtxt", "x" * 25,
                     "%20", "%3Cscript%3Ealert(1)", "%7B%7B7*7%7D%7D", "a%2Fb", "p%D0%B0ypal", "admin")
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    from app.main import create_app
    from app.settings import Settings

    web = create_app(Settings(data_dir=tmp_path_factory.mktemp("house"), rate_limits=False))
    with TestClient(web):
        yield web


@pytest.fixture(scope="module")
def player(house: FastAPI) -> tuple[TestClient, str]:
    """A guest's browser, and the guest's game."""
    client = TestClient(house, base_url=HERE, follow_redirects=False, raise_server_exceptions=False)
    answer = client.post("/play/spider")
    assert answer.status_code == 303
    return client, answer.headers["location"].removeprefix("/g/")


def standing(house: FastAPI, client: TestClient, game: str) -> tuple[Any, int]:
    """What must not change."""
    with house.state.db.read() as conn:
        players = conn.execute(select(func.count()).select_from(store.players)).scalar_one()
    return client.get(f"/api/v1/games/{game}").json(), players


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_it_is_turned_away_and_changes_nothing(
    house: FastAPI, player: tuple[TestClient, str], row: Row
) -> None:
    client, game = player
    before = standing(house, client, game)
    assert before[0]["ply"] == 0
    headers = dict(row.headers)
    if row.kind is not None:
        headers["content-type"] = row.kind
    stranger = TestClient(house, base_url=HERE, follow_redirects=False, raise_server_exceptions=False)
    sender = stranger if "cookie" in row.headers else client
    body = row.body.encode() if isinstance(row.body, str) else row.body
    answer = sender.request(row.method, row.path.format(game=game), content=body, headers=headers)
    assert answer.status_code == row.status
    assert MARK not in answer.text
    assert MARK not in str(answer.headers)
    assert "alert(1)" not in answer.text
    assert "49" not in re.sub(r"\?v=\w+", "", answer.text)
    assert "set-cookie" not in answer.headers
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    if row.path.startswith("/api/") and row.method != "HEAD":
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == row.status
    assert standing(house, client, game) == before


@pytest.mark.parametrize(
    "body", ["scoring=x", "suits=3", "deal=x", "deal=spider4-H5", "evil=1", "suits=1&suits=2"]
)
def test_a_stranger_whose_first_action_fails_is_no_player(house: FastAPI, body: str) -> None:
    stranger = TestClient(house, base_url=HERE, follow_redirects=False)
    before = standing(house, stranger, "none")
    answer = stranger.post("/play/spider", content=body, headers={"content-type": ROWS[0].kind or ""})
    assert answer.status_code == 400
    assert "set-cookie" not in answer.headers
    assert standing(house, stranger, "none") == before


def test_another_players_game_is_as_unknown_as_none(house: FastAPI, player: tuple[TestClient, str]) -> None:
    _, game = player
    thief = TestClient(house, base_url=HERE, follow_redirects=False)
    thief.post("/play/spider")
    for path in ("/g/{}", "/api/v1/games/{}", "/api/v1/games/{}/log", "/api/v1/games/{}/hint"):
        answers = [thief.get(path.format(game_id)) for game_id in (game, "A" * 22)]
        assert [a.status_code for a in answers] == [404, 404]
        assert answers[0].text.replace(game, "A" * 22) == answers[1].text
    answers = [
        thief.post(f"/g/{game_id}/act", data={"ply": "0", "move": "deal"}) for game_id in (game, "A" * 22)
    ]
    assert [a.status_code for a in answers] == [404, 404]
    assert answers[0].text.replace(game, "A" * 22) == answers[1].text


class TestGamesComeAlong:
    """With the listeners of the real program: what a guest played is the account's after sign-in."""

    @pytest.fixture
    def browsers(self, house: FastAPI) -> Callable[[], TestClient]:
        return lambda: TestClient(house, base_url=HERE, follow_redirects=False)

    def begin(self, client: TestClient) -> str:
        return client.post("/play/spider").headers["location"]

    def test_two_guests_games_meet_in_one_account(self, browsers: Callable[[], TestClient]) -> None:
        laptop, phone = browsers(), browsers()
        first, second = self.begin(laptop), self.begin(phone)
        phone.post(f"{second}/act", data={"ply": "0", "move": "deal"})
        credentials = {"name": "Two Guests", "password": "correct horse"}
        assert laptop.post("/account/sign-up", data=credentials).status_code == 200
        assert phone.get(first).status_code == 404
        assert phone.post("/account/sign-in", data=credentials).status_code == 303
        for client in (laptop, phone):
            assert [client.get(game).status_code for game in (first, second)] == [200, 200]
        # The moved game goes on where it stood.
        answer = phone.post(f"{second}/act", data={"ply": "1", "move": "undo"})
        assert answer.status_code == 303

    def test_a_guests_games_go_over_by_a_code(self, browsers: Callable[[], TestClient]) -> None:
        laptop, phone = browsers(), browsers()
        first, second = self.begin(laptop), self.begin(phone)
        found = re.search(r"<code>([0-9A-Z-]{11})</code>", laptop.post("/account/move").text)
        assert found
        assert phone.post("/account/code", data={"code": found[1]}).status_code == 303
        for client in (laptop, phone):
            assert [client.get(game).status_code for game in (first, second)] == [200, 200]


def test_the_export_has_the_games_and_no_sealed_deal_before_its_end(house: FastAPI) -> None:
    client = TestClient(house, base_url=HERE, follow_redirects=False)
    game = client.post("/play/spider").headers["location"]
    client.post(f"{game}/act", data={"ply": "0", "move": "deal"})
    (exported,) = client.get("/account/export").json()["games"]
    assert (exported["deal"], exported["salt"]) == (None, None)
    assert [entry["text"] for entry in exported["log"]] == ["deal"]
    client.post(f"{game}/give-up", data={"ply": "1"})
    (exported,) = client.get("/account/export").json()["games"]
    assert exported["deal"].startswith("spider4-")
    assert exported["status"] == "given_up"


class TestOnTheWire:
    """What only a real server shows."""

    HOST = b"Host: 127.0.0.1\r\n"
    FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"

    def send(self, server: Server, data: bytes, answers: int = 1) -> list[int]:
        """The statuses of the first so many answers."""
        received = b""
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as wire:
            wire.sendall(data)
            while len(found := re.findall(rb"HTTP/1\.1 (\d{3}) ", received)) < answers:
                chunk = wire.recv(65536)
                assert chunk, f"closed after {found}"
                received += chunk
        return [int(status) for status in found]

    @pytest.mark.parametrize(
        "head",
        [
            b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n",
            b"Content-Length: 3\r\nContent-Length: 4\r\n\r\na=b=",
            b"X-Folded: a\r\n b\r\n\r\n",
            b"Host: 127.0.0.1\r\n\r\n",
            b"Content-Length: -1\r\n\r\n",
        ],
        ids=["both lengths", "two lengths", "a folded line", "two hosts", "a negative length"],
    )
    def test_an_ambiguous_request_is_refused(self, shared_server: Server, head: bytes) -> None:
        request = b"POST /account/sign-in HTTP/1.1\r\n" + self.HOST + self.FORM + head
        assert self.send(shared_server, request) == [400]

    def test_lines_end_as_they_must(self, shared_server: Server) -> None:
        assert self.send(shared_server, b"GET / HTTP/1.1\nHost: 127.0.0.1\n\n") == [400]

    def test_megabytes_of_header_are_refused(self, shared_server: Server) -> None:
        request = b"GET / HTTP/1.1\r\n" + self.HOST + b"X-Much: " + b"x" * 8_000_000 + b"\r\n\r\n"
        assert self.send(shared_server, request) == [431]

    def test_a_large_body_without_a_length_is_refused_when_it_grows(self, shared_server: Server) -> None:
        head = b"POST /account/sign-in HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + self.HOST + self.FORM
        body = (b"8000\r\n" + b"x" * 0x8000 + b"\r\n") * 3 + b"0\r\n\r\n"
        assert self.send(shared_server, head + b"\r\n" + body) == [413]

    def test_a_hundred_requests_in_one_go_are_answered_in_order(self, shared_server: Server) -> None:
        request = b"".join(
            b"GET /" + (b"healthz" if n % 2 else b"account/none") + b" HTTP/1.1\r\n" + self.HOST + b"\r\n"
            for n in range(100)
        )
        assert self.send(shared_server, request, answers=100) == [404, 200] * 50

    def test_a_login_loop_is_stopped_whatever_address_it_claims(
        self, start_server: Callable[..., Server]
    ) -> None:
        server = start_server(rate_limits="true")
        body = b"name=Maija&password=guess-guess"
        statuses = []
        for n in range(2 * LIMITS["sign-in"][0].amount + 1):
            head = b"POST /account/sign-in HTTP/1.1\r\nConnection: close\r\n" + self.HOST + self.FORM
            head += b"X-Forwarded-For: 10.0.0.%d\r\nContent-Length: %d\r\n\r\n" % (n, len(body))
            statuses += self.send(server, head + body)
        assert set(statuses) == {401, 429}
