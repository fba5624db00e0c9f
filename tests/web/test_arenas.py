"""Arenas over HTTP: the calls, the pages, what is refused, and what nobody may be told."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.arenas.arena import Arena
from app.arenas.service import MOST_OPEN
from tests.support.programs import HERE, V1, Later, Program

MARK = "s3ntinel"


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def house(web: FastAPI, later: Later) -> Iterator[FastAPI]:
    with TestClient(web):
        web.state.arenas._clock = later
        web.state.races._clock = later
        web.state.games._clock = later
        yield web


class Player(Program):
    def arena(self, **wishes: Any) -> dict[str, Any]:
        answer = self.post("/arenas", {"params": {"suits": 1}, "seconds": 60, "starts_in": 0} | wishes)
        assert answer.status_code == 201, answer.text
        document: dict[str, Any] = answer.json()
        return document


@pytest.fixture
def players(house: FastAPI) -> list[Player]:
    return [Player(house) for _ in range(3)]


def paired(house: FastAPI, later: Later, arena: str, player: Player) -> str:
    """The race that a round of pairing has made for a player; it runs."""
    later.by += 10_000
    house.state.arenas.settle(arena)
    later.by += 6_000
    race: str = player.get(f"/arenas/{arena}").json()["you"]["race"]
    assert player.get(f"/races/{race}").json()["status"] == "running"
    return race


def test_an_arena_from_its_making_to_points(house: FastAPI, players: list[Player], later: Later) -> None:
    host, guest, looker = players
    made = host.arena(size=2)
    arena = made["id"]
    assert (made["house"], made["seconds"], made["size"], made["you"], made["table"]) == (
        False, 60, 2, None, [],
    )  # fmt: skip
    assert made["ends_at"] - made["starts_at"] == 3_600_000
    assert made["scoring"] == "turns5"
    assert host.post(f"/arenas/{arena}/join").json()["you"]["waits"]
    for player in (host, guest, guest):
        answer = player.post(f"/arenas/{arena}/join")
        assert answer.status_code == 200, answer.text
    assert answer.json()["players"] == 2
    assert answer.json()["you"]["number"] == 2

    race = paired(house, later, arena, host)
    seen = looker.get(f"/races/{race}").json()
    assert (seen["arena"], seen["deal"], seen["salt"], len(seen["players"])) == (arena, None, None, 2)
    assert [one["race"] for one in looker.get(f"/arenas/{arena}").json()["racing"]] == [race, race]
    game = host.get(f"/races/{race}").json()["game"]
    assert host.post(f"/games/{game}/moves", {"ply": 0, "move": "deal"}).status_code == 200
    assert host.post(f"/games/{game}/give-up", {"ply": 1}).status_code == 200
    other = guest.get(f"/races/{race}").json()["game"]
    assert guest.post(f"/games/{other}/give-up", {"ply": 0}).status_code == 200
    assert guest.get(f"/races/{race}").json()["status"] == "over"

    found = looker.get(f"/arenas/{arena}").json()
    figures = [
        [row[name] for name in ("rank", "number", "points", "wins", "paused")] for row in found["table"]
    ]
    assert figures == [[1, 1, 2, 1, False], [2, 2, 0, 0, True]]
    assert found["racing"] == []
    assert guest.post(f"/arenas/{arena}/leave").json()["you"]["paused"]
    listed = looker.get("/arenas").json()
    assert [one["players"] for one in listed["open"] if one["id"] == arena] == [2]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"minutes": 10}, "invalid_request"),
        ({"minutes": 1e9}, "invalid_request"),
        ({"seconds": 59}, "invalid_request"),
        ({"size": 16}, "invalid_request"),
        ({"size": True}, "invalid_request"),
        ({"starts_in": -1}, "invalid_request"),
        ({"name": MARK}, "invalid_request"),
        ({"patience": MARK}, "unknown_patience"),
        ({"params": {"suits": 3}}, "bad_params"),
        ({"scoring": MARK}, "bad_scoring"),
    ],
)
def test_what_cannot_be_is_refused_and_not_echoed(
    players: list[Player], body: dict[str, Any], code: str
) -> None:
    answer = players[0].post("/arenas", body)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert MARK not in answer.text


def test_refusals_are_clear(house: FastAPI, players: list[Player], later: Later) -> None:
    host, guest, _ = players
    arena = host.arena()["id"]
    stranger = TestClient(house, base_url=HERE)
    for what in ("join", "leave"):
        assert stranger.post(f"{V1}/arenas/{arena}/{what}").status_code == 401
        assert guest.post(f"/arenas/{MARK}/{what}").status_code == 404
        assert guest.post(f"/arenas/{arena}/{what}", {"x": 1}).status_code == 400
    assert guest.get(f"/arenas/{MARK}").status_code == 404
    refused = guest.post(f"/arenas/{arena}/leave")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_in_arena")
    for _ in range(MOST_OPEN - 1):
        host.arena()
    refused = host.post("/arenas", {})
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_arenas")
    later.by += 3_600_000
    refused = guest.post(f"/arenas/{arena}/join")
    assert (refused.status_code, refused.json()["code"]) == (409, "arena_over")


def test_the_calls_are_described(web: FastAPI) -> None:
    paths = web.openapi()["paths"]
    assert {f"{V1}/arenas", f"{V1}/arenas/{{arena_id}}", f"{V1}/arenas/{{arena_id}}/join"} <= set(paths)


# Pages


def browser(house: FastAPI) -> TestClient:
    return TestClient(house, base_url=HERE, follow_redirects=False)


def test_there_is_always_a_next_arena_on_the_page(house: FastAPI) -> None:
    house.state.arenas.prepare()
    text = browser(house).get("/arenas").text
    with house.state.db.read() as conn:
        coming: list[tuple[Arena, int]] = house.state.arenas.open_ones(conn)
    assert len(coming) == 3
    for arena, _ in coming:
        assert f'href="/arenas/{arena.id}"' in text


def test_an_arena_by_its_pages(house: FastAPI) -> None:
    one = browser(house)
    made = one.post("/arenas", data={"table": "spider1", "length": "20", "delay": "0"})
    assert made.status_code == 303
    address = made.headers["location"]
    assert "Join the arena" in one.get(address).text
    assert one.post(f"{address}/join").status_code == 303
    house.state.arenas.settle(address.removeprefix("/arenas/"))
    shown = one.get(f"{address}/now").text
    assert "Guest 1" in shown
    assert "You are waiting for opponents" in shown
    assert one.post(f"{address}/leave").status_code == 303
    assert "Come back" in one.get(address).text


@pytest.mark.parametrize(
    "form",
    [{"table": MARK}, {"length": "21"}, {"minutes": "x"}, {"players": "5"}, {"delay": "-1"}, {"name": MARK}],
)
def test_a_form_that_was_tampered_with_is_refused(house: FastAPI, form: dict[str, str]) -> None:
    answer = browser(house).post("/arenas", data=form)
    assert answer.status_code == 400
    assert MARK not in answer.text


def test_pages_of_what_is_not_there(house: FastAPI) -> None:
    one = browser(house)
    for path in (f"/arenas/{MARK}", f"/arenas/{MARK}/now"):
        assert one.get(path).status_code == 404
    assert one.post(f"/arenas/{MARK}/join").status_code == 404
    assert one.post(f"/arenas/{MARK}/dance").status_code == 404


def test_a_race_of_an_arena_leads_back_to_it(house: FastAPI, players: list[Player], later: Later) -> None:
    host, guest, _ = players
    arena = host.arena()["id"]
    for player in (host, guest):
        player.post(f"/arenas/{arena}/join")
    race = paired(house, later, arena, host)
    for player in (host, guest):
        game = player.get(f"/races/{race}").json()["game"]
        player.post(f"/games/{game}/give-up", {"ply": 0})
    text = host.http.get(f"/r/{race}").text
    assert f'href="/arenas/{arena}"' in text
    assert "Rematch" not in text
