"""Races over HTTP: the contract's calls, what is refused, and what nobody may be told before the end."""

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.patience import registry
from app.patience.patience import Patience
from app.patience.template import Template
from app.races.race import GONE, MOST
from app.web.races import columns_of
from tests.support.programs import HERE, V1, Later, Program

MARK = "s3ntinel"


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def house(web: FastAPI, later: Later) -> Iterator[FastAPI]:
    with TestClient(web):
        web.state.races._clock = later
        web.state.games._clock = later
        yield web


class Player(Program):
    def race(self, **wishes: Any) -> dict[str, Any]:
        answer = self.post("/races", {"params": {"suits": 1}, "seconds": 60} | wishes)
        assert answer.status_code == 201, answer.text
        document: dict[str, Any] = answer.json()
        return document


@pytest.fixture
def players(house: FastAPI) -> list[Player]:
    return [Player(house) for _ in range(3)]


def running(players: list[Player], later: Later, **wishes: Any) -> str:
    """The id of a race that runs, with all of them in it."""
    race: str = players[0].race(**wishes)["id"]
    for player in players[1:]:
        assert player.post(f"/races/{race}/join").status_code == 200
    for player in players:
        assert player.post(f"/races/{race}/ready").status_code == 200
    later.by += 5_000
    assert players[0].get(f"/races/{race}").json()["status"] == "running"
    return race


def game_of(player: Player, race: str) -> str:
    game: str = player.get(f"/races/{race}").json()["game"]
    return game


def test_a_race_from_its_making_to_its_result(players: list[Player], later: Later) -> None:
    host, guest, stranger = players
    made = host.race(undo=True)
    race = made["id"]
    assert (made["status"], made["deal"], made["salt"], made["game"]) == ("waiting", None, None, None)
    assert (made["starts_at"], made["ends_at"], made["undo"], made["params"]) == (
        None, None, True, {"suits": 1},
    )  # fmt: skip
    assert [(one["player"], one["ready"], one["place"]) for one in made["players"]] == [
        (host.id, False, None)
    ]
    assert made["players"][0]["progress"] == {
        "status": "waiting", "runs": 0, "face_down": 44, "stock": 50, "rows": 5, "score": 500, "ply": 0,
        "time_ms": 0,
    }  # fmt: skip

    joined = guest.post("/races/join", {"join_code": made["join_code"].lower()}).json()
    assert [one["player"] for one in joined["players"]] == [host.id, guest.id]
    host.post(f"/races/{race}/ready")
    counting = guest.post(f"/races/{race}/ready", {"ready": True}).json()
    assert counting["status"] == "counting_down"
    assert counting["ends_at"] - counting["starts_at"] == 60_000
    assert host.get(f"/races/{race}").json()["game"] is None

    later.by += 5_000
    found = host.get(f"/races/{race}").json()
    assert found["status"] == "running"
    boards = [host.get(f"/games/{found['game']}").json(), guest.get(f"/games/{game_of(guest, race)}").json()]
    assert boards[0]["piles"] == boards[1]["piles"]
    assert {board["commitment"] for board in boards} == {made["commitment"]}
    assert {board["deal"] for board in boards} == {None}
    assert stranger.get(f"/races/{race}").json()["game"] is None
    assert stranger.get(f"/games/{found['game']}").status_code == 404

    game = found["game"]
    assert host.post(f"/games/{game}/moves", {"ply": 0, "move": "deal"}).status_code == 200
    assert host.post(f"/games/{game}/undo", {"ply": 1}).status_code == 200
    assert guest.get(f"/races/{race}").json()["players"][0]["progress"]["score"] == 498
    assert host.post(f"/games/{game}/give-up", {"ply": 2}).json()["deal"] is None
    other = game_of(guest, race)
    ended = guest.post(f"/games/{other}/give-up", {"ply": 0})
    assert ended.status_code == 200

    over = host.get(f"/races/{race}").json()
    assert (over["status"], over["reason"]) == ("over", "finished")
    told = f"{over['deal']}\n{over['salt']}".encode()
    assert hashlib.sha256(told).hexdigest() == made["commitment"]
    assert [(one["place"], one["game"]) for one in over["players"]] == [(1, game), (2, other)]
    replay = stranger.get(f"/games/{game}/replay").json()
    assert [entry["text"] for entry in replay["entries"]] == ["deal", "undo"]
    again = guest.post(f"/races/{race}/rematch").json()
    assert host.post(f"/races/{race}/rematch").json()["id"] == again["id"] != race


def test_a_race_of_piles_from_its_making_to_its_result(players: list[Player], later: Later) -> None:
    """Of two who did not win, the one who left fewer piles comes first."""
    host, guest, _ = players
    race = running([host, guest], later, patience="hypyt", params={"row": 26})
    for player, hops in ((host, 1), (guest, 4)):
        game = game_of(player, race)
        for ply in range(hops):
            move = player.get(f"/games/{game}").json()["legal_moves"][0]
            assert player.post(f"/games/{game}/moves", {"ply": ply, "move": move}).status_code == 200
        found = player.get(f"/races/{race}").json()
        seat = next(one for one in found["players"] if one["player"] == player.id)
        assert (seat["progress"]["runs"], seat["progress"]["score"]) == (hops, 52 - hops)
        assert (seat["progress"]["stock"], seat["progress"]["rows"]) == (26 - hops, 0)
    standings = host.http.get(f"/r/{race}").text
    assert [name in standings for name in (">Piles left<", ">Stock<", ">Runs<", ">Rows<", ">Face down<")] == [
        True, True, False, False, False,
    ]  # fmt: skip
    for player, hops in ((host, 1), (guest, 4)):
        assert player.post(f"/games/{game_of(player, race)}/give-up", {"ply": hops}).status_code == 200
    over = host.get(f"/races/{race}").json()
    assert (over["status"], over["scoring"], over["patience"]) == ("over", "piles", "hypyt")
    assert [(one["place"], one["result"]["score"]) for one in over["players"]] == [(2, 51), (1, 48)]
    assert ">48<" in host.http.get(f"/r/{race}").text


def test_what_cannot_be_done_is_said_and_changes_nothing(players: list[Player], later: Later) -> None:
    host, guest, stranger = players
    race = host.race(max_players=2)["id"]
    assert guest.post(f"/races/{race}/join").status_code == 200
    assert guest.post(f"/races/{race}/join").status_code == 200
    full = stranger.post(f"/races/{race}/join")
    assert (full.status_code, full.json()["code"]) == (409, "race_full")
    foreign = stranger.post(f"/races/{race}/ready")
    assert (foreign.status_code, foreign.json()["code"]) == (403, "not_in_race")
    assert len(host.get(f"/races/{race}").json()["players"]) == 2

    race = running([host, guest], later)
    late = stranger.post(f"/races/{race}/join")
    assert (late.status_code, late.json()["code"]) == (409, "race_started")
    late = host.post(f"/races/{race}/ready", {"ready": False})
    assert (late.status_code, late.json()["code"]) == (409, "race_started")
    early = host.post(f"/races/{race}/go-on")
    assert (early.status_code, early.json()["code"]) == (409, "not_yet")
    game = game_of(host, race)
    for path, code in (("undo", "undo_off"), ("redo", "undo_off"), ("restart", "undo_off")):
        answer = host.post(f"/games/{game}/{path}", {"ply": 0})
        assert (answer.status_code, answer.json()["code"]) == (422, code)
    answer = host.get(f"/games/{game}/hint")
    assert (answer.status_code, answer.json()["code"]) == (422, "help_off")
    assert host.post(f"/games/{game}/verdict").json()["code"] in {"help_off", "engine_off"}

    later.by += 60_000
    answer = host.post(f"/games/{game}/moves", {"ply": 0, "move": "deal"})
    assert (answer.status_code, answer.json()["code"]) == (422, "game_over")
    assert host.get(f"/races/{race}").json()["status"] == "over"
    over = stranger.post(f"/races/{race}/join")
    assert (over.status_code, over.json()["code"]) == (409, "race_over")


@pytest.mark.parametrize(
    "body",
    [
        {"seconds": 9}, {"seconds": 7201}, {"seconds": "60"}, {"seconds": 60.5}, {"seconds": True},
        {"max_players": 1}, {"max_players": 17}, {"undo": 1}, {"undo": "yes"}, {"patience": MARK},
        {"params": {"suits": 3}}, {"params": {MARK: 1}}, {"scoring": MARK}, {"deal": "spider4-H3"},
        {"seed": 17}, {"starts_at": 0}, {"players": [MARK]}, {"patience": None}, [], "x", 5,
    ],
)  # fmt: skip
def test_a_body_that_is_wrong_makes_no_race(players: list[Player], body: Any) -> None:
    answer = players[0].http.post(f"{V1}/races", json=body)
    assert answer.status_code == 400
    assert MARK not in answer.text
    assert players[0].get("/races").json() == {"races": []}


@pytest.mark.parametrize("race", ["A" * 22, "..", "%2e%2e", "0", "x" * 500, "%00", "join"])
@pytest.mark.parametrize("what", ["", "/join", "/ready", "/leave", "/events", "/rematch", "/start"])
def test_a_race_that_is_not_there_is_not_found(players: list[Player], race: str, what: str) -> None:
    ask = players[0].get if what in ("", "/events") else players[0].post
    assert ask(f"/races/{race}{what}").status_code in (404, 405)


@pytest.mark.parametrize("code", ["", "x", "ZZZZZZ", "0" * 40, "\x00", "'; drop", "١٢٣٤٥٦"])
def test_a_wrong_code_leads_nowhere(players: list[Player], code: str) -> None:
    answer = players[0].post("/races/join", {"join_code": code})
    assert answer.status_code == (400 if not code else 404)


def test_strangers_may_look_and_do_nothing(house: FastAPI, players: list[Player]) -> None:
    race = players[0].race()["id"]
    stranger = TestClient(house, base_url=HERE)
    assert stranger.get(f"{V1}/races/{race}").json()["you"] is None
    for path in ("/races", "/races/join", f"/races/{race}/join", f"/races/{race}/ready"):
        assert stranger.post(f"{V1}{path}").status_code in (400, 401), path
    assert stranger.post(f"{V1}/races/{race}/join").status_code == 401


def test_guessing_codes_is_slowed_down(settings: Any) -> None:
    from app.main import create_app
    from app.web.limits import LIMITS

    with TestClient(create_app(settings.model_copy(update={"rate_limits": True}))) as http:
        web = http.app
        player = Player(web)  # type: ignore[arg-type]
        most = LIMITS["join-code"][0].amount
        statuses = [
            player.post("/races/join", {"join_code": f"{n:06}"}).status_code for n in range(2 * most + 1)
        ]
    assert set(statuses) == {404, 429}


def test_sixteen_can_race_and_a_seventeenth_cannot(house: FastAPI, later: Later) -> None:
    players = [Player(house) for _ in range(MOST + 1)]
    race = players[0].race()["id"]
    for player in players[1:MOST]:
        assert player.post(f"/races/{race}/join").status_code == 200
    assert players[MOST].post(f"/races/{race}/join").status_code == 409
    for player in players[:MOST]:
        player.post(f"/races/{race}/ready")
    later.by += 5_000
    found = players[3].get(f"/races/{race}").json()
    assert (found["status"], len(found["players"])) == ("running", MOST)


def test_those_who_are_gone_need_not_be_waited_for(players: list[Player], later: Later, house: Any) -> None:
    host, guest, _ = players
    race = running([host, guest], later, seconds=600)
    with house.state.db.write() as conn:
        house.state.races.present(conn, race, guest.id, here=False)
    later.by += GONE
    host.post(f"/games/{game_of(host, race)}/give-up", {"ply": 0})
    assert host.post(f"/races/{race}/go-on").json()["status"] == "over"


# What must not be told


def test_nothing_that_others_are_sent_before_the_end_holds_a_card_or_the_deal(
    players: list[Player], later: Later, house: FastAPI
) -> None:
    host, guest, stranger = players
    race = running([host, guest], later)
    game = game_of(host, race)
    held = house.state.races.look(race)
    sent: list[str] = []
    for ply in range(12):
        legal = host.get(f"/games/{game}").json()["legal_moves"]
        host.post(f"/games/{game}/moves", {"ply": ply, "move": legal[ply % len(legal)]})
        for one in (guest, stranger):
            sent += [one.get(f"/races/{race}").text, one.get("/races").text]
            sent += [one.http.get(f"/r/{race}{part}").text for part in ("", "/now", "/strip")]
    host.post(f"/games/{game}/give-up", {"ply": 12})
    sent += [host.get(path).text for path in (f"/games/{game}", f"/games/{game}/replay", "/games")]
    sent += [host.http.get(path).text for path in (f"/g/{game}", f"/g/{game}/replay", "/account/export")]
    sent.append(host.get("/statistics").text)
    sent.append(stranger.http.get("/leaderboard?table=spider1").text)
    ids = {race, game, game_of(guest, race), held.commitment, *(player.id for player in players)}
    for text in sent[: 12 * 10]:
        for known in ids:
            text = text.replace(known, "")
        assert not re.search(r"(?<![0-9A-Za-z_=/+-])[A2-9TJQK][SHDC](?![0-9A-Za-z_])", text)
    for text in sent:
        assert held.code not in text
        assert held.code.partition("-")[2] not in text
        assert held.sealing not in text
    for path in (f"/g/{game}", f"/g/{game}/replay", f"/r/{race}/replay"):
        assert guest.http.get(path).status_code == 404
    assert guest.get(f"/games/{game}/replay").status_code == 404
    assert guest.get(f"/games/{game}/log").status_code == 404
    assert host.get(f"/games/{game}/replay").json()["layout"] is None


# Pages


def browser(house: FastAPI) -> TestClient:
    return TestClient(house, base_url=HERE, follow_redirects=False)


def test_a_race_by_forms_alone(house: FastAPI, later: Later) -> None:
    host, guest = browser(house), browser(house)
    made = host.post("/races", data={"table": "spider1", "minutes": "5", "players": "2", "listed": "yes"})
    assert made.status_code == 303
    page = made.headers["location"]
    assert guest.get(page).status_code == 200
    assert page in guest.get("/races").text
    assert guest.post(f"{page}/join").headers["location"] == page
    assert host.post(f"{page}/ready").status_code == 303
    assert guest.post(f"{page}/ready").status_code == 303
    assert "about to start" in host.get(page).text
    later.by += 5_000
    assert "To my table" in host.get(page).text
    board = host.get(f"{page}/play").headers["location"]
    assert "strip" in host.get(board).text
    assert guest.get(board).status_code == 404
    for one in (host, guest):
        game = one.get(f"{page}/play").headers["location"]
        assert one.post(f"{game}/give-up", data={"ply": "0"}).status_code == 303
    assert "Rematch" in host.get(page).text
    assert host.get(f"{page}/replay").status_code == 200
    again = host.post(f"{page}/rematch").headers["location"]
    assert guest.post(f"{page}/rematch").headers["location"] == again


def test_a_race_of_every_patience_with_each_of_its_settings_is_offered(house: FastAPI) -> None:
    page = browser(house).get("/races").text
    offered = re.findall(r'<option value="([^"]+)">', page)
    assert set(offered) >= {patience.prefix for patience in registry.all_patiences()}


@pytest.mark.parametrize(
    ("patience", "scoring", "columns"),
    [
        (registry.get("spider"), "moves500", "Runs, Face down, Rows, Score, Moves"),
        (registry.get("spilzone"), "turns5", "Runs, Face down, Stock, Score, Moves"),
        (registry.get("simple-simon"), "moves500", "Runs, Score, Moves"),
        (registry.get("pyramid", {"upper": "face-down"}), "cards", "Face down, Stock, Cards gone, Moves"),
        (registry.get("hypyt"), "piles", "Piles left, Moves"),
        (Template(), "moves500", "Progress, Score, Moves"),
    ],
)
def test_a_race_shows_the_figures_that_its_patience_has(
    patience: Patience, scoring: str, columns: str
) -> None:
    assert ", ".join(column.name for column in columns_of(patience, scoring)) == columns


@pytest.mark.parametrize("key", registry.keys())
def test_every_patience_is_raced_by_forms_alone(house: FastAPI, later: Later, key: str) -> None:
    prefix = list(registry.settings(registry.kind(key)))[-1].prefix
    host, guest = browser(house), browser(house)
    page = host.post("/races", data={"table": prefix}).headers["location"]
    guest.post(f"{page}/join")
    for one in (host, guest):
        one.post(f"{page}/ready")
    later.by += 5_000
    assert "Standings" in host.get(page).text
    for one in (host, guest):
        game = one.get(f"{page}/play").headers["location"]
        assert one.get(game).status_code == 200
        assert one.post(f"{game}/give-up", data={"ply": "0"}).status_code == 303
    assert f"/d/{prefix}-" in guest.get(page).text
    assert host.get(f"{page}/replay").status_code == 200


def test_a_page_says_why_something_cannot_be_done(house: FastAPI) -> None:
    host, guest, third = browser(house), browser(house), browser(house)
    page = host.post("/races", data={"players": "2"}).headers["location"]
    guest.post(f"{page}/join")
    refused = third.post(f"{page}/join")
    assert (refused.status_code, "The race is full." in refused.text) == (409, True)
    assert "set-cookie" not in refused.headers
    assert third.post(f"{page}/{MARK}").status_code == 404
    assert third.post("/races/join", data={"code": MARK}).status_code == 404
    assert third.post("/races", data={"table": MARK}).status_code == 400
    assert third.post("/races", data={"minutes": "5", "evil": "1"}).status_code == 400


def test_every_view_of_a_race_can_be_asked_for_at_any_time(players: list[Player], later: Later) -> None:
    host, second, stranger = players

    def looked_at(race: str) -> dict[str, int]:
        views = ("", "/now", "/strip", "/replay")
        return {view: stranger.http.get(f"/r/{race}{view}").status_code for view in views}

    before_the_end = {"": 200, "/now": 200, "/strip": 200, "/replay": 404}
    race = host.race()["id"]
    assert looked_at(race) == before_the_end  # waiting
    second.post(f"/races/{race}/join")
    for player in (host, second):
        player.post(f"/races/{race}/ready")
    assert looked_at(race) == before_the_end  # counting down
    later.by += 5_000
    assert looked_at(race) == before_the_end  # running
    later.by += 60_000
    assert looked_at(race) == before_the_end | {"/replay": 200}
    never_run = host.race()["id"]
    host.post(f"/races/{never_run}/leave")
    assert looked_at(never_run) == before_the_end


def test_a_deleted_account_leaves_its_races(house: FastAPI, later: Later) -> None:
    host, guest = browser(house), browser(house)
    guest.post("/account/sign-up", data={"name": "Gone Soon", "password": "correct horse"})
    page = host.post("/races", data={}).headers["location"]
    guest.post(f"{page}/join")
    for one in (host, guest):
        one.post(f"{page}/ready")
    later.by += 5_000
    assert "Gone Soon" in host.get(page).text
    guest.post("/account/delete", data={"sure": "yes", "password": "correct horse"})
    assert "Gone Soon" not in host.get(page).text
    game = host.get(f"{page}/play").headers["location"]
    host.post(f"{game}/give-up", data={"ply": "0"})
    assert "Rematch" in host.get(page).text


def test_watch_shows_listed_races_that_run_and_no_others(house: FastAPI, later: Later) -> None:
    host, guest = browser(house), browser(house)
    races = [
        host.post("/races", data={"listed": "yes"}).headers["location"],
        host.post("/races", data={}).headers["location"],
        host.post("/races", data={"listed": "yes"}).headers["location"],
    ]
    for race in races[:2]:
        guest.post(f"{race}/join")
        for one in (host, guest):
            one.post(f"{race}/ready")
    later.by += 5_000
    for race in races:
        host.get(race)
    page = browser(house).get("/watch").text
    assert [race in page for race in races] == [True, False, False]
    assert "Guest 1 and Guest 2" in page
