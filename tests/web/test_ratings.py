"""Ratings on pages and in JSON."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.games.service import now_ms
from app.patience import registry
from app.ranking.ratings import Change
from app.web.ratings import HEIGHT, MARGIN, WIDTH, plot

HERE = "http://127.0.0.1:8000"


@pytest.fixture
def house(web: FastAPI) -> Iterator[FastAPI]:
    with TestClient(web):
        yield web


def test_a_race_of_accounts_is_in_the_result_the_table_and_the_history(house: FastAPI) -> None:
    players = []
    for name in ("Aino", "Bo"):
        one = TestClient(house, base_url=HERE, follow_redirects=False)
        one.post("/account/sign-up", data={"name": name, "password": "correct horse"})
        players.append(one)
    race = players[0].post("/races", data={"table": "spider1"}).headers["location"]
    players[1].post(f"{race}/join")
    for one in players:
        one.post(f"{race}/ready")
    for part in ("races", "games"):
        getattr(house.state, part)._clock = lambda: now_ms() + 5_000
    for moves, one in zip((1, 0), players, strict=True):  # who does nothing is last
        game = one.get(f"{race}/play").headers["location"]
        if moves:
            one.post(f"{game}/act", data={"ply": "0", "move": "deal"})
        one.post(f"{game}/give-up", data={"ply": str(moves)})
    stranger = TestClient(house, base_url=HERE)
    assert "1662 (+162)" in stranger.get(race).text
    rows = stranger.get("/api/v1/ratings/spider1").json()["rows"]
    assert [(row["player"], row["rating"], row["provisional"]) for row in rows] == [
        ("Aino", 1662, True),
        ("Bo", 1338, True),
    ]
    assert stranger.get("/ratings?table=spider1").text.index("Aino") > 0
    history = stranger.get("/ratings/aino?table=spider1")
    assert "+162" in history.text
    assert "polyline" in history.text
    assert "No rating here yet." in stranger.get("/ratings/Aino?table=spider2").text


def test_tables_of_ratings_lead_to_every_patience(house: FastAPI) -> None:
    stranger = TestClient(house, base_url=HERE)
    assert stranger.get("/ratings").text == stranger.get("/ratings?table=spider4").text
    page = stranger.get("/ratings?table=hypyt26").text
    for key in registry.keys():  # noqa: SIM118 - a function, no mapping
        assert f'?table={registry.get(key).prefix}"' in page
    assert "?table=hypyt13" in page


@pytest.mark.parametrize("path", ["/ratings?table=x", "/ratings/nobody", "/ratings/%00", "/api/v1/ratings/x"])
def test_what_is_not_there_is_not_found(house: FastAPI, path: str) -> None:
    assert TestClient(house, base_url=HERE).get(path).status_code == 404


def test_a_plot_goes_from_edge_to_edge() -> None:
    def change(before: float, after: float) -> Change:
        return Change("p", "e", 0, 1, before, after, 80)

    assert plot([]) == ""
    assert (
        plot([change(1500, 1600)]) == f"{MARGIN:.1f},{HEIGHT - MARGIN:.1f} {WIDTH - MARGIN:.1f},{MARGIN:.1f}"
    )
    assert len(plot([change(1500, 1500)] * 3).split()) == 4
