"""The page and the calls of the daily deals."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.games.service import now_ms

HERE = "http://127.0.0.1:8000"


@pytest.fixture
def house(web: FastAPI) -> Iterator[FastAPI]:
    with TestClient(web):
        web.state.daily.settle()
        yield web


def browser(house: FastAPI) -> TestClient:
    return TestClient(house, base_url=HERE, follow_redirects=False)


def test_the_calls_are_described(web: FastAPI) -> None:
    assert {"/api/v1/daily", "/api/v1/daily/{table}", "/api/v1/ratings/{table}"} <= set(
        web.openapi()["paths"]
    )


def test_an_attempt_by_the_page_is_one_game_and_shows_in_the_table(house: FastAPI) -> None:
    one = browser(house)
    assert "Begin my attempt" in one.get("/daily").text
    game = one.post("/daily/spider1").headers["location"]
    assert one.post("/daily/spider1").headers["location"] == game
    assert one.post(f"{game}/act", data={"ply": "0", "move": "deal"}).status_code == 303
    assert "Go on" in one.get("/daily").text
    assert one.get("/api/v1/daily").json()["deals"][0]["guests"][0]["score"] == 499
    assert one.get("/api/v1/daily").json()["deals"][0]["rows"] == []


def test_an_account_is_in_the_table_by_its_name(house: FastAPI) -> None:
    one = browser(house)
    one.post("/account/sign-up", data={"name": "Aino", "password": "correct horse"})
    game = one.post("/daily/spider1").headers["location"]
    one.post(f"{game}/act", data={"ply": "0", "move": "deal"})
    assert [row["player"] for row in one.get("/api/v1/daily").json()["deals"][0]["rows"]] == ["Aino"]


def test_nothing_tells_the_deal_before_midnight_and_everything_after(house: FastAPI) -> None:
    one = browser(house)
    game = one.post("/daily/spider1").headers["location"]
    one.post(f"{game}/act", data={"ply": "0", "move": "deal"})
    one.post(f"{game}/give-up", data={"ply": "1"})
    with house.state.db.read() as conn:
        day = house.state.daily.today
        daily = house.state.daily.of_day(conn, day)[0]
    sent = [
        one.get(path).text for path in ("/daily", game, f"{game}/replay", "/api/v1/daily", "/account/export")
    ]
    assert not [text for text in sent if daily.code in text or daily.sealing in text]
    for part in ("daily", "games", "races"):
        getattr(house.state, part)._clock = lambda: now_ms() + 86_400_000
    house.state.daily.settle()
    found = one.get(f"/api/v1/daily?day={day}").json()["deals"][0]
    assert (found["deal"], found["salt"]) == (daily.code, daily.sealing)
    page = one.get(f"/daily?day={day}")
    assert f"/d/{daily.code}" in page.text
    assert one.get(f"{game}/replay").status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/daily?day=x", 400),
        ("/daily?day=2026-13-01", 400),
        ("/daily?day=0001-01-01", 400),
        ("/daily?day=2999-01-01", 404),
        ("/daily?day=2021-01-01", 404),
        ("/daily?day=20261130", 400),
        ("/daily?day=2026-W49-1", 400),
    ],
)
def test_a_day_that_is_none_is_refused(house: FastAPI, path: str, status: int) -> None:
    assert browser(house).get(path).status_code == status


def test_an_attempt_at_what_is_not_dealt_is_refused(house: FastAPI) -> None:
    one = browser(house)
    answer = one.post("/daily/spider9")
    assert (answer.status_code, "set-cookie" in answer.headers) == (404, False)
    assert one.post("/api/v1/daily/spider1").status_code == 401
