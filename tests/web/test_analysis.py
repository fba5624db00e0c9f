"""The engine's ways out, with a stand-in for the solver: what is told, to whom, and that it is marked."""

import functools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

import app.main
from app.analysis import results, service, store
from app.analysis.canonical import canonical
from app.analysis.process import Command
from app.analysis.verdict import Verdict
from app.games.game import Terms
from app.games.service import Sealed
from app.patience import registry
from app.patience.deals import layout_deal, seed_deal
from app.patience.patience import Patience
from app.patience.position import Position
from app.settings import Settings
from tests.analysis.tables import BURIED, SPIDER1, STUCK, TWO_MOVES
from tests.builders import golden
from tests.support.databases import migrated

pytestmark = pytest.mark.slow

HERE = "http://127.0.0.1:8000"
V1 = "/api/v1"
SAME_SITE = {"Sec-Fetch-Site": "same-origin", "HX-Request": "true"}
Answer = dict[str, Any]


@pytest.fixture
def mood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    path = tmp_path / "mood"
    monkeypatch.setenv("STAND_IN", str(path))
    return lambda word: path.write_text(word) and None


@pytest.fixture
def engine_settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"solver_processes": 1, "bank_size": 0})


@pytest.fixture
def house(
    engine_settings: Settings, mood: object, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[FastAPI, TestClient]]:
    monkeypatch.setattr(service, "HINT_WAIT", 30.0)  # however busy the machine is
    stand_in = functools.partial(Command, module="tests.analysis.stand_in")
    monkeypatch.setattr(app.main, "Command", stand_in)
    migrated(engine_settings)
    web = app.main.create_app(engine_settings)
    with TestClient(web, base_url=HERE) as client:
        yield web, client


@pytest.fixture
def http(house: tuple[FastAPI, TestClient]) -> TestClient:
    return house[1]


class Someone:
    """A program's player."""

    def __init__(self, http: TestClient) -> None:
        self.http = http
        self.id, token = http.post(f"{V1}/guests").json().values()
        self.headers = {"Authorization": f"Bearer {token}"}

    def call(self, method: str, path: str, body: object = None, status: int = 200) -> Answer:
        answer = self.http.request(method, V1 + path, json=body, headers=self.headers)
        assert answer.status_code == status, answer.text
        told: Answer = answer.json()
        return told

    def play(self, position: Position) -> Answer:
        return self.call("POST", "/games", {"deal": layout_deal(SPIDER1, position).code}, 201)

    def verdict(self, game: Answer) -> Answer:
        self.call("POST", f"/games/{game['id']}/verdict")
        return known(lambda: self.call("GET", f"/games/{game['id']}/verdict"))

    def move(self, game: Answer, ply: int, move: str) -> Answer:
        return self.call("POST", f"/games/{game['id']}/moves", {"ply": ply, "move": move})

    def game(self, game: Answer) -> Answer:
        return self.call("GET", f"/games/{game['id']}")

    def ended(self, position: Position, *moves: str, give_up: bool = False) -> Answer:
        game = self.play(position)
        for ply, move in enumerate(moves):
            game = self.move(game, ply, move)
        if give_up:
            game = self.call("POST", f"/games/{game['id']}/give-up", {"ply": len(moves)})
        return game


def known(ask: Callable[[], Answer], wanted: str = "known") -> Answer:
    """What is answered once the engine is done."""
    end = time.monotonic() + 30
    while (answer := ask())["state"] != wanted:
        assert time.monotonic() < end, answer
        time.sleep(0.05)
    return answer


@pytest.fixture
def ann(http: TestClient) -> Someone:
    return Someone(http)


@pytest.fixture
def bob(http: TestClient) -> Someone:
    return Someone(http)


# ---- verdicts of games


def test_asking_whether_a_game_can_be_won_is_answered_and_marks_the_game(ann: Someone) -> None:
    game = ann.play(BURIED)
    assert ann.call("GET", f"/games/{game['id']}/verdict")["reason"] == "not_known_yet"
    answer = ann.verdict(game)
    assert answer == {
        "ply": 0,
        "state": "known",
        "verdict": "solved",
        "reason": None,
        "used_hidden": True,
        "ahead": 0,
    }
    now = ann.game(game)
    assert (now["assisted"], now["clean"]) == (True, False)


def test_a_game_that_cannot_be_won_any_more_is_said_to_be_so(ann: Someone) -> None:
    answer = ann.verdict(ann.play(STUCK))
    assert (answer["verdict"], answer["reason"]) == ("unsolvable", "exhausted")


def test_what_another_asked_is_not_told_to_one_who_did_not(ann: Someone, bob: Someone) -> None:
    ann.verdict(ann.play(BURIED))
    game = bob.play(BURIED)
    assert bob.call("GET", f"/games/{game['id']}/verdict")["state"] == "not_asked"
    assert not bob.game(game)["assisted"]
    # Once asked for, it is there at once.
    assert bob.call("POST", f"/games/{game['id']}/verdict")["state"] == "known"
    assert bob.game(game)["assisted"]


def test_a_verdict_asked_for_at_one_ply_is_not_told_at_another(ann: Someone) -> None:
    game = ann.play(BURIED)
    ann.verdict(game)
    ann.move(game, 0, "2-1x5")
    assert ann.call("GET", f"/games/{game['id']}/verdict")["state"] == "not_asked"


def test_where_nothing_is_hidden_a_verdict_assists_nobody(ann: Someone) -> None:
    game = ann.play(TWO_MOVES)
    assert ann.verdict(game)["used_hidden"] is False
    assert ann.game(game)["assisted"] is False


def test_another_players_game_has_no_verdict(ann: Someone, bob: Someone) -> None:
    game = ann.play(BURIED)
    for method in ("POST", "GET", "DELETE"):
        assert bob.call(method, f"/games/{game['id']}/verdict", status=404)["code"] == "not_found"


def test_no_answer_tells_a_hidden_card_or_a_move_that_was_not_asked_for(ann: Someone) -> None:
    game = ann.play(BURIED)
    ann.verdict(game)
    answers = [
        ann.call("POST", f"/games/{game['id']}/verdict"),
        ann.call("GET", f"/games/{game['id']}/verdict"),
        ann.call("DELETE", f"/games/{game['id']}/verdict"),
        ann.call("GET", f"/games/{game['id']}/hint"),
        ann.call("GET", f"/games/{game['id']}/analysis", status=422),
    ]
    for answer in answers:
        text = str(answer)
        assert "AS" not in text
        assert "2-1x1" not in text


def test_a_question_can_be_taken_back(ann: Someone, mood: Callable[[str], None]) -> None:
    mood("sleep")
    game = ann.play(BURIED)
    assert ann.call("POST", f"/games/{game['id']}/verdict")["state"] == "waiting"
    ann.call("DELETE", f"/games/{game['id']}/verdict")
    assert ann.call("GET", f"/games/{game['id']}/verdict")["state"] == "not_asked"


def test_one_who_asks_too_much_is_told_that_the_engine_is_busy(
    ann: Someone, bob: Someone, mood: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("sleep")
    monkeypatch.setattr(service, "MOST_JOBS_EACH", 1)
    monkeypatch.setattr(service, "MOST_JOBS", 2)
    games = [ann.play(BURIED), ann.play(STUCK), bob.play(STUCK), bob.play(TWO_MOVES)]
    ann.call("POST", f"/games/{games[0]['id']}/verdict")
    assert ann.call("POST", f"/games/{games[1]['id']}/verdict", status=429)["code"] == "engine_busy_own"
    bob.call("POST", f"/games/{games[2]['id']}/verdict")
    carl = Someone(ann.http)
    game = carl.play(TWO_MOVES)
    assert carl.call("POST", f"/games/{game['id']}/verdict", status=503)["code"] == "engine_busy"
    assert not carl.game(game)["assisted"]


def test_a_killed_process_is_an_unknown_and_the_web_goes_on(
    ann: Someone, mood: Callable[[str], None]
) -> None:
    mood("die")
    game = ann.play(BURIED)
    answer = ann.verdict(game)
    assert (answer["verdict"], answer["reason"]) == ("unknown", "crashed")
    mood("")
    assert ann.verdict(game)["verdict"] == "solved"


def test_an_analysis_whose_process_was_killed_can_be_asked_for_again(
    ann: Someone, mood: Callable[[str], None]
) -> None:
    game = ann.ended(BURIED, "2-1x5", give_up=True)
    path = f"/games/{game['id']}/analysis"
    page = f"/g/{game['id']}/analysis"
    mood("die")
    ann.call("POST", path)
    broken = known(lambda: ann.call("GET", path), "not_asked")
    assert [one["verdict"] for one in broken["plies"]] == ["unknown"] * 2
    assert "You can ask again." in ann.http.get(page).text
    mood("")
    ann.call("POST", path)
    whole = known(lambda: ann.call("GET", path), "done")
    assert [one["verdict"] for one in whole["plies"]] == ["solved"] * 2
    assert "You can ask again." not in ann.http.get(page).text


# ---- hints


def test_hints_follow_one_line_to_the_win_and_say_that_they_used_hidden_cards(ann: Someone) -> None:
    game = ann.play(BURIED)
    first = ann.call("GET", f"/games/{game['id']}/hint")
    assert first == {"move": "2-1x5", "reason": None, "rests_on": "line", "used_hidden": True}
    assert ann.game(game)["assisted"]
    ann.move(game, 0, first["move"])
    second = ann.call("GET", f"/games/{game['id']}/hint")
    assert (second["move"], second["used_hidden"]) == ("2-1x1", False)
    assert ann.move(game, 1, second["move"])["status"] == "won"


def test_a_hint_says_when_the_game_can_no_longer_be_won(ann: Someone) -> None:
    game = ann.play(STUCK)
    answer = ann.call("GET", f"/games/{game['id']}/hint")
    assert (answer["move"], answer["reason"], answer["rests_on"]) == (None, "unsolvable", "proof")


def test_a_hint_rests_on_the_rules_where_the_engine_knows_no_line(
    ann: Someone, mood: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("sleep")
    monkeypatch.setattr(service, "HINT_WAIT", 0.3)
    game = ann.play(BURIED)
    answer = ann.call("GET", f"/games/{game['id']}/hint")
    assert (answer["rests_on"], answer["used_hidden"]) == ("rules", False)
    assert not ann.game(game)["assisted"]


# ---- finishing


def test_a_game_whose_cards_all_lie_face_up_is_finished_at_a_word(ann: Someone) -> None:
    game = ann.play(TWO_MOVES)
    won = ann.call("POST", f"/games/{game['id']}/finish", {"ply": 0})
    assert (won["status"], won["ply"], won["clean"], won["assisted"]) == ("won", 2, False, False)
    assert len(ann.call("GET", f"/games/{game['id']}/log")["entries"]) == 2


def test_a_game_with_hidden_cards_is_not_finished_by_the_engine(ann: Someone) -> None:
    game = ann.play(BURIED)
    path = f"/games/{game['id']}/finish"
    assert ann.call("POST", path, {"ply": 0}, 422)["code"] == "not_all_face_up"
    assert ann.call("POST", path, {"ply": 4}, 409)["code"] == "stale_ply"
    assert ann.call("POST", path, {"ply": "0"}, 400)["code"] == "invalid_request"
    assert ann.game(game)["ply"] == 0


def test_where_help_is_off_the_engine_is_not_asked_to_finish(
    ann: Someone, house: tuple[FastAPI, TestClient]
) -> None:
    state = house[0].state
    with state.db.write() as conn:
        sealed = Sealed(layout_deal(SPIDER1, TWO_MOVES), "00")
        game = state.games.create_sealed(conn, ann.id, sealed, "moves500", Terms(help_off=True))
    assert ann.call("POST", f"/games/{game.id}/finish", {"ply": 0}, 422)["code"] == "help_off"
    with state.db.read() as conn:
        assert store.verdict(conn, canonical(SPIDER1, TWO_MOVES)) is None


# ---- deals, and games on winnable ones


def test_a_deals_verdict_is_not_known_until_somebody_asks(ann: Someone) -> None:
    code = layout_deal(SPIDER1, BURIED).code
    path = f"/deals/{code}/verdict"
    assert ann.call("GET", path)["reason"] == "not_known_yet"
    ann.call("POST", path)
    answer = known(lambda: ann.call("GET", path))
    assert (answer["verdict"], answer["par"], answer["used_hidden"]) == ("solved", 2, True)
    assert "2-1x5" not in str(answer)


def test_a_deals_page_shows_its_verdict_and_asks_for_it(http: TestClient) -> None:
    code = layout_deal(SPIDER1, BURIED).code
    assert "Not known yet." in http.get(f"/d/{code}").text
    asked = http.post(f"/d/{code}/verdict", headers=SAME_SITE)
    assert "hx-get" in asked.text
    end = time.monotonic() + 30
    while "This deal can be won." not in (now := http.get(f"/d/{code}/verdict").text):
        assert time.monotonic() < end, now
        time.sleep(0.05)
    assert "The best line known has 2 moves." in http.get(f"/d/{code}").text


def test_a_winnable_deal_is_sealed_and_given_out_once(
    house: tuple[FastAPI, TestClient], ann: Someone
) -> None:
    web, _ = house
    deal = seed_deal(SPIDER1, 3)
    with web.state.db.write() as conn:
        web.state.daily.prepare(conn)  # which takes winnable deals too, and began as the house was opened
        results.keep_banked(conn, deal, Verdict("solved", line=("deal",)), 12.0, 1)
    wish = {"patience": "spider", "params": {"suits": 1}, "winnable": True}
    game = ann.call("POST", "/games", wish, 201)
    assert game["deal"] is None
    assert game["commitment"]
    ended = ann.call("POST", f"/games/{game['id']}/give-up", {"ply": 0})
    assert ended["deal"] == deal.code


@pytest.mark.parametrize("by", ["program", "page"])
def test_who_was_beaten_to_the_last_winnable_deal_gets_another(
    house: tuple[FastAPI, TestClient], ann: Someone, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    web, http = house
    engine: service.Analysis = web.state.analysis
    seen_to = engine.restock
    beaten: list[str | None] = []

    def restock(patience: Patience, *, asker: str, seconds: float) -> bool:
        with web.state.db.write() as conn:
            deal = seed_deal(SPIDER1, len(beaten))
            results.keep_banked(conn, deal, Verdict("solved", line=("deal",)), 12.0, 1)
        there = seen_to(patience, asker=asker, seconds=seconds)
        if len(beaten) < 5:
            with web.state.db.write() as conn:
                beaten.append(engine.take(conn, patience))
        return there

    monkeypatch.setattr(engine, "restock", restock)
    with web.state.db.write() as conn:
        web.state.daily.prepare(conn)
    if by == "program":
        ann.call("POST", "/games", {"patience": "spider", "params": {"suits": 1}, "winnable": True}, 201)
    else:
        answer = http.post("/play/spider", data={"suits": "1", "winnable": "1"}, follow_redirects=False)
        assert answer.status_code == 303, answer.text
    with web.state.db.write() as conn:
        assert engine.take(conn, SPIDER1) is None
    assert beaten == [seed_deal(SPIDER1, seed).code for seed in range(5)]


def test_an_empty_bank_is_a_clear_answer(
    ann: Someone, mood: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("sleep")
    monkeypatch.setattr(service, "RESTOCK_WAIT", 0.5)
    wish = {"patience": "spider", "params": {"suits": 1}, "winnable": True}
    assert ann.call("POST", "/games", wish, 503)["code"] == "no_winnable_deal"
    assert ann.call("POST", "/games", wish | {"deal": "spider4-H3"}, 400)["code"] == "invalid_request"


def test_an_assisted_game_ranks_apart(ann: Someone) -> None:
    plain = ann.ended(BURIED, "2-1x5", "2-1x1")
    game = ann.play(BURIED)
    ann.verdict(game)
    ann.move(game, 0, "2-1x5")
    ann.move(game, 1, "2-1x1")
    code = game["deal"]

    def rows(deals: str) -> list[str]:
        answer = ann.call("GET", f"/leaderboards/spider1?deal={code}&deals={deals}")
        return [row["game"] for row in answer["rows"]]

    assert rows("open") == [plain["id"]]
    assert rows("assisted") == [game["id"]]


# ---- ended games


def test_an_ended_game_is_analysed_ply_by_ply(ann: Someone) -> None:
    game = ann.ended(BURIED, "2-1x5", give_up=True)
    ann.call("POST", f"/games/{game['id']}/analysis")
    answer = known(lambda: ann.call("GET", f"/games/{game['id']}/analysis"), "done")
    assert [(one["verdict"], one["moves_to_go"]) for one in answer["plies"]] == [("solved", 2), ("solved", 1)]
    assert (answer["last_winnable"], answer["par"], answer["moves"]) == (1, 2, 1)
    assert answer["best_line"] == ["2-1x5", "2-1x1"]
    assert answer["play_on"].startswith("spider1")


def test_the_analysis_pages_show_the_graph_the_way_on_and_the_best_line(ann: Someone) -> None:
    game = ann.ended(BURIED, "2-3x1", give_up=True)
    ann.call("POST", f"/games/{game['id']}/analysis")
    answer = known(lambda: ann.call("GET", f"/games/{game['id']}/analysis"), "done")
    text = ann.http.get(f"/g/{game['id']}/analysis").text
    assert "<svg" in text
    assert " style=" not in text
    assert f"/d/{answer['play_on']}" in text
    assert "Play on from here" in text
    strip = ann.http.get(f"/g/{game['id']}/analysis?strip=1", headers=SAME_SITE).text
    assert "<section" in strip
    assert "<html" not in strip
    best = ann.http.get(f"/g/{game['id']}/best?step=1")
    assert best.status_code == 200
    assert answer["best_line"][0] in best.text
    assert ann.http.get(f"/d/{answer['play_on']}").status_code == 200
    assert f"/g/{game['id']}/analysis?strip=1" in ann.http.get(f"/g/{game['id']}/replay").text


def test_the_analysis_says_how_hard_a_deal_of_the_bank_is(
    house: tuple[FastAPI, TestClient], ann: Someone
) -> None:
    spider4 = registry.get("spider", {"suits": 4})
    seed, line = next(iter(golden("resisting_deals.json")["seeds"].items()))
    hard = seed_deal(spider4, int(seed))
    with house[0].state.db.write() as conn:
        for other in range(10):
            results.keep_banked(conn, seed_deal(spider4, other), Verdict("solved", line=("deal",)), other, 1)
        results.keep_banked(conn, hard, Verdict("solved", line=tuple(line.split())), 4.5, 1)
    game = ann.call("POST", "/games", {"deal": hard.code}, 201)
    ann.call("POST", f"/games/{game['id']}/give-up", {"ply": 0})
    ann.call("POST", f"/games/{game['id']}/analysis")
    known(lambda: ann.call("GET", f"/games/{game['id']}/analysis"), "done")
    text = ann.http.get(f"/g/{game['id']}/analysis").text
    assert "A winnable deal, harder for the engine than 50% of those made here." in text


def test_a_game_under_way_is_not_analysed(ann: Someone, bob: Someone) -> None:
    game = ann.play(BURIED)
    for method in ("GET", "POST"):
        assert ann.call(method, f"/games/{game['id']}/analysis", status=422)["code"] == "not_ended"
        assert bob.call(method, f"/games/{game['id']}/analysis", status=404)["code"] == "not_found"
    assert ann.http.get(f"/g/{game['id']}/best").status_code == 404


# ---- on the board


@pytest.fixture
def board(http: TestClient) -> str:
    """A browser's game."""
    code = layout_deal(SPIDER1, BURIED).code
    went = http.post("/play/spider", data={"deal": code}, headers=SAME_SITE, follow_redirects=False)
    return went.headers["location"]


def test_the_board_asks_and_the_answer_comes_into_its_status(http: TestClient, board: str) -> None:
    assert f"{board}/verdict" in http.get(board).text
    asked = http.post(f"{board}/verdict", data={"ply": "0"}, headers=SAME_SITE)
    assert asked.status_code == 200
    assert 'id="status"' in asked.text
    assert f'hx-get="{board}/verdict"' in asked.text
    end = time.monotonic() + 30
    while "It can still be won." not in (now := http.get(f"{board}/verdict", headers=SAME_SITE).text):
        assert time.monotonic() < end, now
        time.sleep(0.05)
    assert "hx-trigger" not in now
    assert "<html" in http.get(f"{board}/verdict").text


def test_the_board_offers_to_finish_when_all_cards_lie_face_up(http: TestClient, board: str) -> None:
    finish = f"{board}/finish"
    assert finish not in http.get(board).text
    assert "Some cards are still hidden." in http.post(finish, data={"ply": "0"}, headers=SAME_SITE).text
    moved = http.post(f"{board}/act", data={"ply": "0", "move": "2-1x5"}, headers=SAME_SITE)
    assert finish in moved.text
    won = http.post(finish, data={"ply": "1"}, headers=SAME_SITE)
    assert won.status_code == 200
    assert "Won!" in won.text


def test_a_refused_question_is_said_on_the_board_and_never_sent_again(
    http: TestClient, board: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_JOBS_EACH", 0)
    answer = http.post(f"{board}/verdict", data={"ply": "0"}, headers=SAME_SITE)
    assert answer.status_code == 422
    assert "still at your other questions" in answer.text


# ---- without an engine


def test_without_an_engine_everything_says_so(settings: Settings) -> None:
    migrated(settings)
    with TestClient(app.main.create_app(settings), base_url=HERE) as http:
        ann = Someone(http)
        game = ann.play(BURIED)
        assert ann.call("POST", f"/games/{game['id']}/verdict", status=503)["code"] == "engine_off"
        assert ann.call("GET", f"/games/{game['id']}/verdict")["state"] == "off"
        assert ann.call("GET", f"/games/{game['id']}/hint")["rests_on"] == "rules"
        assert "The engine is not running here" in http.get(f"/d/{game['deal']}").text
        assert not ann.game(game)["assisted"]
