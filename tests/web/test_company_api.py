"""Company over the JSON API: what the calls give, what they refuse, and what nobody may be told."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.company.people import MOST_PLAYERS
from tests.support.programs import still

HERE = "http://127.0.0.1:8000"
V1 = "/api/v1"
MARK = "s3ntinel"


class Player:
    """A program that plays: a guest with a token."""

    def __init__(self, house: FastAPI) -> None:
        self.http = TestClient(house, base_url=HERE, raise_server_exceptions=False)
        found = self.http.post(f"{V1}/guests").json()
        self.id: str = found["player"]
        self.http.headers["authorization"] = f"Bearer {found['token']}"

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self.http.post(V1 + path, json=body) if body is not None else self.http.post(V1 + path)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def get(self, path: str, status: int = 200) -> Any:
        answer = self.http.get(V1 + path)
        assert answer.status_code == status, answer.text
        return answer.json()

    def delete(self, path: str, status: int = 200) -> Any:
        answer = self.http.delete(V1 + path)
        assert answer.status_code == status, answer.text
        return answer.json()

    def game(self) -> str:
        game: str = self.post("/games", {"patience": "spider"}, 201)["id"]
        return game

    def link(self, game: str, role: str = "play") -> str:
        token: str = self.post(f"/games/{game}/links", {"role": role}, 201)["token"]
        return token

    def move(self, game: str, status: int = 200, *, ply: int | None = None, move: str = "") -> Any:
        board = self.get(f"/games/{game}")
        body = {"ply": board["ply"] if ply is None else ply, "move": move or board["legal_moves"][0]}
        return self.post(f"/games/{game}/moves", body, status)


@pytest.fixture
def house(web: FastAPI) -> Iterator[FastAPI]:
    with still(web):
        yield web


@pytest.fixture
def players(house: FastAPI) -> list[Player]:
    return [Player(house) for _ in range(3)]


def test_the_calls_are_described(web: FastAPI) -> None:
    paths = web.openapi()["paths"]
    assert {f"{V1}/games/join", f"{V1}/games/{{game_id}}/company", f"{V1}/watch"} <= set(paths)
    assert "security" not in paths[f"{V1}/watch"]["get"]


def test_two_play_one_board_and_the_log_says_who_moved(players: list[Player]) -> None:
    owner, guest, _ = players
    game = owner.game()
    token = owner.link(game)
    assert owner.link(game) == token
    joined = guest.post("/games/join", {"token": token})
    assert joined["id"] == game
    assert {"restart", "give-up"} & set(joined["actions"]) == set()
    owner.move(game)
    after = guest.move(game)
    assert (after["ply"], after["shared"]) == (2, True)
    assert "give-up" not in after["actions"]
    assert owner.get(f"/games/{game}")["piles"] == after["piles"]
    guest.post(f"/games/{game}/undo", {"ply": 2})
    owner.post(f"/games/{game}/redo", {"ply": 3})
    for player in players[:2]:
        entries = player.get(f"/games/{game}/log")["entries"]
        assert [entry["player"] for entry in entries] == [owner.id, guest.id, guest.id, owner.id]
        assert [entry["name"] for entry in entries] == [None] * 4
    owner.post(f"/games/{game}/give-up", {"ply": 4})
    assert players[2].get(f"/games/{game}/replay")["entries"][1]["player"] == guest.id
    assert owner.get("/statistics")["statistics"] == []


def test_a_game_of_one_has_no_names_in_its_log(players: list[Player]) -> None:
    game = players[0].game()
    players[0].move(game)
    assert set(players[0].get(f"/games/{game}/log")["entries"][0]) == {"ply", "text", "at"}


def test_of_two_at_one_ply_one_plays_and_the_other_gets_the_game_as_it_is(players: list[Player]) -> None:
    owner, guest, _ = players
    game = owner.game()
    guest.post("/games/join", {"token": owner.link(game)})
    first, second = guest.get(f"/games/{game}")["legal_moves"][:2]
    owner.move(game, ply=0, move=first)
    for move in (first, second):
        problem = guest.move(game, 409, ply=0, move=move)
        assert (problem["code"], problem["game"]["ply"]) == ("stale_ply", 1)
    assert owner.move(game, ply=0, move=first)["ply"] == 1  # its own, once more


def test_who_watches_sees_the_same_cards_and_changes_nothing(players: list[Player]) -> None:
    owner, watcher, stranger = players
    game = owner.game()
    seen = watcher.post("/games/join", {"token": owner.link(game, "watch")})
    owner.post(f"/games/{game}/watchable", {"watchable": True})
    for one in (watcher, stranger):
        seen = one.get(f"/games/{game}")
        own = owner.get(f"/games/{game}")
        assert (seen["piles"], seen["facts"], seen["ply"]) == (own["piles"], own["facts"], own["ply"])
        assert (seen["actions"], seen["legal_moves"], seen["can_undo"]) == ([], [], False)
        assert seen["deal"] is None
        for path, body in (
            ("moves", {"ply": 0, "move": "deal"}),
            ("undo", {"ply": 0}),
            ("redo", {"ply": 0}),
            ("restart", {"ply": 0}),
            ("give-up", {"ply": 0}),
            ("finish", {"ply": 0}),
            ("verdict", None),
        ):
            assert one.post(f"/games/{game}/{path}", body, 403)["code"] == "watching_only", path
        assert one.get(f"/games/{game}/hint", 403)["code"] == "watching_only"
        assert one.post(f"/games/{game}/links", {"role": "play"}, 403)["code"] == "not_owner"
    assert owner.get(f"/games/{game}")["ply"] == 0
    assert not owner.get(f"/games/{game}")["assisted"]


def test_what_is_the_owners_alone_is_refused_to_one_who_plays_along(players: list[Player]) -> None:
    owner, guest, _ = players
    game = owner.game()
    guest.post("/games/join", {"token": owner.link(game)})
    guest.move(game)
    for path, body in (
        ("restart", {"ply": 1}),
        ("give-up", {"ply": 1}),
        ("links", {"role": "watch"}),
        ("watchable", {"watchable": True}),
    ):
        assert guest.post(f"/games/{game}/{path}", body, 403)["code"] == "not_owner", path
    assert guest.delete(f"/games/{game}/links/play", 403)["code"] == "not_owner"


def test_a_stranger_is_told_of_no_game(players: list[Player]) -> None:
    owner, _, stranger = players
    game = owner.game()
    owner.link(game)
    for path, body in (
        ("moves", {"ply": 0, "move": "deal"}),
        ("links", {"role": "play"}),
        ("watchable", {"watchable": True}),
        ("leave", None),
    ):
        assert stranger.post(f"/games/{game}/{path}", body, 404)["code"] == "not_found"
        assert stranger.post(f"/games/{'x' * 22}/{path}", body, 404)["code"] == "not_found"
    for path in ("", "/company", "/events", "/log", "/replay"):
        assert stranger.get(f"/games/{game}{path}", 404)["code"] == "not_found"


def test_a_withdrawn_link_lets_nobody_in_and_those_out_who_came_by_it(players: list[Player]) -> None:
    owner, guest, late = players
    game = owner.game()
    token = owner.link(game)
    guest.post("/games/join", {"token": token})
    assert owner.delete(f"/games/{game}/links/play")["links"] == []
    assert guest.get(f"/games/{game}", 404)["code"] == "not_found"
    assert late.post("/games/join", {"token": token}, 404)["code"] == "no_invitation"
    people = owner.get(f"/games/{game}/company")["people"]
    assert [(one["number"], one["role"]) for one in people] == [(1, "owner"), (2, None)]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"token": "A" * 43}, 404, "no_invitation"),
        ({"token": MARK}, 404, "no_invitation"),
        ({"token": ""}, 400, "invalid_request"),
        ({"token": "A" * 101}, 400, "invalid_request"),
        ({"token": 7}, 400, "invalid_request"),
        ({"token": MARK, "more": 1}, 400, "invalid_request"),
        ({}, 400, "invalid_request"),
        ([], 400, "invalid_request"),
    ],
)
def test_forged_and_malformed_tokens_are_refused_and_not_echoed(
    players: list[Player], body: Any, status: int, code: str
) -> None:
    problem = players[1].post("/games/join", body, status)
    assert problem["code"] == code
    assert MARK not in str(problem)


@pytest.mark.parametrize("body", [{"role": "owner"}, {"role": ""}, {}, {"role": "play", "more": 1}, "play"])
def test_a_link_to_become_anything_else_is_none(players: list[Player], body: Any) -> None:
    game = players[0].game()
    assert players[0].post(f"/games/{game}/links", body, 400)["code"] == "invalid_request"
    assert players[0].delete(f"/games/{game}/links/owner", 400)["code"] == "invalid_request"


def test_many_may_come_but_not_more_than_there_are_places(house: FastAPI, players: list[Player]) -> None:
    owner = players[0]
    game = owner.game()
    token = owner.link(game)
    for _ in range(MOST_PLAYERS - 1):
        Player(house).post("/games/join", {"token": token})
    assert Player(house).post("/games/join", {"token": token}, 409)["code"] == "table_full"


def test_race_games_and_attempts_at_the_day_are_not_shared(house: FastAPI, players: list[Player]) -> None:
    owner = players[0]
    house.state.daily.settle()
    game = owner.post("/daily/spider1")["id"]
    for path, body in (("links", {"role": "play"}), ("links", {"role": "watch"})):
        assert owner.post(f"/games/{game}/{path}", body, 422)["code"] == "not_shareable"
    assert owner.post(f"/games/{game}/watchable", {"watchable": True}, 422)["code"] == "not_shareable"


def test_what_anybody_may_watch_is_listed_while_it_is_played(house: FastAPI, players: list[Player]) -> None:
    owner, other, _ = players
    listed, hidden = owner.game(), other.game()
    owner.post(f"/games/{listed}/watchable", {"watchable": True})
    owner.move(listed)
    stranger = TestClient(house, base_url=HERE)
    found = stranger.get(f"{V1}/watch").json()
    assert [(one["game"], one["ply"], one["name"]) for one in found["games"]] == [(listed, 1, None)]
    assert hidden not in str(found)
    owner.post(f"/games/{listed}/give-up", {"ply": 1})
    assert stranger.get(f"{V1}/watch").json()["games"] == []


def test_who_leaves_is_there_no_more_and_comes_back_by_the_link(players: list[Player]) -> None:
    owner, guest, _ = players
    game = owner.game()
    token = owner.link(game)
    guest.post("/games/join", {"token": token})
    guest.post(f"/games/{game}/leave", status=204)
    guest.get(f"/games/{game}", 404)
    guest.post("/games/join", {"token": token})
    assert guest.get(f"/games/{game}/company")["you"] == "play"


def test_a_game_that_nobody_may_come_to_has_no_stream(players: list[Player]) -> None:
    assert players[0].get(f"/games/{players[0].game()}/events", 409)["code"] == "no_company"


@pytest.mark.sqlite
def test_a_solo_move_runs_the_statements_that_it_ran(house: FastAPI, players: list[Player]) -> None:
    owner, guest, _ = players
    game = owner.game()
    for played in (1, 2):
        board = owner.get(f"/games/{game}")
        body = {"ply": board["ply"], "move": board["legal_moves"][0]}
        with house.state.db.statements() as statements:
            owner.post(f"/games/{game}/moves", body)
        verbs = [statement.split()[0] for statement in statements]
        assert verbs == ["BEGIN", "SELECT", "SELECT", "INSERT", "UPDATE", "COMMIT"]
        if played == 1:  # the owner's moves cost no more when others have come
            guest.post("/games/join", {"token": owner.link(game)})


def test_nothing_that_one_who_watches_is_sent_tells_of_a_hidden_card(
    house: FastAPI, players: list[Player]
) -> None:
    owner, watcher, stranger = players
    game = owner.game()
    watcher.post("/games/join", {"token": owner.link(game, "watch")})
    owner.post(f"/games/{game}/watchable", {"watchable": True})
    sent = b""
    browser = TestClient(house, base_url=HERE)
    for _ in range(8):
        owner.move(game)
        for one in (watcher, stranger):
            for path in ("", "/company", "/log", "/replay", "/verdict"):
                sent += one.http.get(f"{V1}/games/{game}{path}").content
        for path in ("", "/now?ply=0", "/company", "/replay", "/replay?ply=1", "/share"):
            answer = browser.get(f"/g/{game}{path}")
            assert answer.status_code == 200, path
            sent += answer.content + str(answer.headers).encode()
        sent += browser.get("/watch").content + browser.get(f"{V1}/watch").content
    told = owner.post(f"/games/{game}/give-up", {"ply": owner.get(f"/games/{game}")["ply"]})
    assert told["deal"]
    seed = told["deal"].partition("-")[2]
    for secret in (told["deal"], seed, told["salt"]):
        assert secret.encode() not in sent
    board = owner.get(f"/games/{game}/replay")
    for column, pile in zip(board["layout"]["columns"], told["piles"], strict=False):
        row = column[: pile["face_down"]]
        for first, second, third in zip(row, row[1:], row[2:], strict=False):
            hidden = re.compile(rf"{first}.{{0,5}}{second}.{{0,5}}{third}".encode())
            assert not hidden.search(sent)
