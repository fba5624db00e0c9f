"""The board's forms and fragments: what a move is answered with, what is refused, and what is never sent."""

import gzip
import re
import statistics
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import text

from app.cards.card import RANKS
from app.cards.deck import pack
from app.games.service import Games
from app.i18n.cards import card_name
from app.main import create_app
from app.patience import deals, registry
from app.settings import Settings
from tests.builders import golden
from tests.support.databases import migrated

HERE = "http://127.0.0.1:8000"
HTMX = {"HX-Request": "true"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
MOVE_LIMIT = 4096
GAME = next(game for game in golden("won_games.json") if game["suits"] == 4)
CODE = deals.document_deal(GAME["layout"]).code


class Board:
    """A browser with a game, without the browser."""

    def __init__(self, web: FastAPI, http: TestClient, deal: str | None = CODE) -> None:
        self.web, self.http = web, http
        form = {"deal": deal} if deal else {"suits": "4"}
        page = http.post("/play/spider", data=form)
        assert page.status_code == 200
        self.path = page.url.path

    def act(self, ply: object, move: str, **headers: str) -> Response:
        return self.http.post(
            f"{self.path}/act", data={"ply": str(ply), "move": move}, headers=HTMX | headers
        )

    def raw(self, body: str, **headers: str) -> Response:
        return self.http.post(f"{self.path}/act", content=body, headers=HTMX | FORM | headers)

    def game(self) -> Any:
        games: Games = self.web.state.games
        with self.web.state.db.read() as conn:
            return games.replay(conn, self.path.removeprefix("/g/"), self.player()).game

    def player(self) -> str:
        with self.web.state.db.read() as conn:
            query = text("select player_id from games where id = :id")
            return str(conn.execute(query, {"id": self.path.removeprefix("/g/")}).scalar_one())


@pytest.fixture
def http(web: FastAPI) -> Iterator[TestClient]:
    with TestClient(web, base_url=HERE) as client:
        yield client


@pytest.fixture
def board(web: FastAPI, http: TestClient) -> Board:
    return Board(web, http)


def piles_in(answer: str) -> list[str]:
    return re.findall(r'id="pile-(\w+)"', answer)


def ply_in(answer: str) -> int:
    found = re.search(r'data-ply="(\d+)"', answer)
    assert found
    return int(found[1])


def test_a_move_is_answered_with_the_status_and_the_piles_that_changed(board: Board) -> None:
    move = GAME["moves"][0]
    answer = board.act(0, move)
    assert answer.status_code == 200
    source, target = re.findall(r"\d+", move)[:2]
    assert sorted(piles_in(answer.text)) == sorted([source, target])
    assert ply_in(answer.text) == 1
    assert answer.text.count('hx-swap-oob="outerMorph"') == 3
    assert answer.headers["cache-control"] == "no-store"


def test_a_whole_game_is_answered_in_small_fragments_that_show_what_the_page_shows(board: Board) -> None:
    weights = []
    for ply, move in enumerate(GAME["moves"]):
        answer = board.act(ply, move)
        assert answer.status_code == 200
        weights.append(len(gzip.compress(answer.content, 6)))
        if ply % 20 == 0:
            page = board.http.get(board.path).text
            for pile in piles_in(answer.text):
                assert fragment(answer.text, pile) == fragment(page, pile)
    assert statistics.median(weights) <= MOVE_LIMIT
    assert "Won!" in answer.text
    assert re.search(r'role="status">[^<]*Won!', answer.text)  # those who hear the board are told too
    assert board.game().status == "won"


def fragment(text: str, pile: str) -> str:
    """A pile's markup without what only an answer has."""
    found = re.search(rf'<div class="pile[^>]*id="pile-{pile}".*?</div>', text, re.DOTALL)
    assert found
    return found[0].replace(' hx-swap-oob="outerMorph"', "")


def test_the_same_entry_twice_is_played_once(board: Board) -> None:
    first, second = board.act(0, GAME["moves"][0]), board.act(0, GAME["moves"][0])
    assert first.status_code == second.status_code == 200
    assert ply_in(second.text) == 1
    assert board.game().ply == 1


def test_without_htmx_a_move_leads_back_to_the_page(board: Board) -> None:
    data = {"ply": "0", "move": GAME["moves"][0]}
    answer = board.http.post(f"{board.path}/act", data=data, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == board.path
    assert answer.content == b""


def test_an_entry_for_another_ply_gets_the_whole_board_and_a_word(board: Board) -> None:
    board.act(0, GAME["moves"][0])
    for ply in (0, 5, 99999):
        answer = board.act(ply, GAME["moves"][1])
        assert answer.status_code == 409
        assert len(piles_in(answer.text)) == 12
        assert ply_in(answer.text) == 1
        assert "moved on" in answer.text
    assert board.game().ply == 1


def test_an_illegal_move_says_which_rule_and_changes_nothing(board: Board) -> None:
    answer = board.act(0, "1-1x1")
    assert answer.status_code == 422
    assert piles_in(answer.text) == []
    assert 'class="say bad"' in answer.text
    assert "column 1" in answer.text
    assert board.game().ply == 0
    plain = board.http.post(f"{board.path}/act", data={"ply": "0", "move": "1-1x1"})
    assert plain.status_code == 422
    assert "column 1" in plain.text


def test_a_refused_deal_names_the_empty_columns(web: FastAPI, http: TestClient) -> None:
    game = next(game for game in golden("won_games.json") if game["suits"] == 1)
    board = Board(web, http, deals.document_deal(game["layout"]).code)
    for ply, move in enumerate(game["moves"]):
        answer = board.act(ply, move)
        spaces = [pile for pile in piles_in(answer.text) if ": empty" in fragment(answer.text, pile)]
        if spaces:
            break
    refused = board.act(ply + 1, "deal")
    assert refused.status_code == 422
    assert f'data-lit="{spaces[0]}"' in refused.text
    assert f"Column {spaces[0]} is empty" in refused.text


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("move=4-7x2", 400),
        ("ply=0", 400),
        ("", 400),
        ("ply=&move=deal", 400),
        ("ply=-1&move=deal", 400),
        ("ply=%2B1&move=deal", 400),
        ("ply=+1&move=deal", 400),
        ("ply=1_0&move=deal", 400),
        ("ply=1.0&move=deal", 400),
        ("ply=-0&move=deal", 400),
        ("ply=true&move=deal", 400),
        ("ply=%D9%A1&move=deal", 400),
        ("ply=000000&move=deal", 400),
        ("ply=" + "9" * 5000 + "&move=deal", 400),
        ("ply=0&ply=0&move=deal", 400),
        ("ply=0&move=deal&move=deal", 400),
        ("ply=0&move=deal&score=9999", 400),
        ("ply=0;move=deal", 400),
        ("ply=0&move=deal\x00", 400),
        ("ply=0&move=%00", 400),
        ("ply=0&move=%FF", 400),
        ("ply=0&move=0-1x1", 400),
        ("ply=0&move=11-1x1", 400),
        ("ply=0&move=-1-1x1", 400),
        ("ply=0&move=1-9223372036854775808x1", 400),
        ("ply=0&move=1-2x0", 400),
        ("ply=0&move=<script>alert(1)</script>", 400),
        ("ply=0&move=" + "9" * 10_000, 400),
        ("ply=0&move=1-2x99", 422),
        ("ply=0&move=redo", 422),
        ("ply=0&move=undo", 422),
        ("ply=0&move=restart", 422),
    ],
)
def test_bad_input_gets_a_clear_answer_and_changes_nothing(board: Board, body: str, status: int) -> None:
    answer = board.raw(body)
    assert answer.status_code == status
    assert "<script>" not in answer.text
    assert "99999" not in answer.text
    assert "9223372036854775808" not in answer.text
    assert board.game().ply == 0


@pytest.mark.parametrize("kind", ["text/plain", "application/json", "multipart/form-data; boundary=x"])
def test_other_content_types_are_not_taken(board: Board, kind: str) -> None:
    answer = board.http.post(
        f"{board.path}/act", content="ply=0&move=deal", headers=HTMX | {"Content-Type": kind}
    )
    assert answer.status_code == 415
    assert board.game().ply == 0


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
def test_only_posts_play(board: Board, method: str) -> None:
    answer = board.http.request(method, f"{board.path}/act", headers={"X-HTTP-Method-Override": "POST"})
    assert answer.status_code == 405
    assert board.game().ply == 0


@pytest.mark.parametrize("what", ["", "/act", "/give-up", "/hint", "/now", "/replay"])
def test_anothers_game_looks_like_none(web: FastAPI, board: Board, what: str) -> None:
    stranger, guest = TestClient(web, base_url=HERE), TestClient(web, base_url=HERE)
    Board(web, guest, None)
    for http in (stranger, guest):
        answers = [ask(http, path + what, what) for path in (board.path, "/g/" + "x" * 22)]
        assert {answer.status_code for answer in answers} == {404}
        assert answers[0].content == answers[1].content
    assert board.game().ply == 0


def ask(http: TestClient, path: str, what: str) -> Response:
    if what in {"", "/now", "/replay"}:
        return http.get(path)
    fields = {"ply": "0"} | ({"move": "deal"} if what == "/act" else {})
    return http.post(path, data=fields, headers=HTMX)


def test_a_board_that_was_away_asks_whether_anything_has_changed(board: Board) -> None:
    assert board.http.get(f"{board.path}/now?ply=0").status_code == 204
    board.act(0, GAME["moves"][0])
    answer = board.http.get(f"{board.path}/now?ply=0")
    assert answer.status_code == 200
    assert len(piles_in(answer.text)) == 12


def test_giving_up_ends_the_game_and_shows_the_deal(web: FastAPI, http: TestClient) -> None:
    board = Board(web, http, None)
    code = board.game().code
    assert code not in http.get(board.path).text
    board.act(0, "deal")
    answer = http.post(f"{board.path}/give-up", data={"ply": "1"}, headers=HTMX)
    assert answer.status_code == 200
    assert code in answer.text
    assert board.act(1, "undo").status_code == 422
    assert http.get(f"{board.path}/replay").status_code == 200


def test_no_hidden_card_and_no_sealed_code_is_ever_sent(web: FastAPI, http: TestClient) -> None:
    """A game on a sealed deal: each pile that is sent shows its face-up cards and nothing else."""
    board = Board(web, http, None)
    sealed = board.game()
    answers = [http.get(board.path)]
    for number in range(60):
        now = board.game()
        legal = now.legal_moves()
        if not legal:  # a fresh deal may be stuck by then
            break
        for answer in (board.act(now.ply, "1-1x1"), board.act(now.ply, legal[number % len(legal)])):
            answers.append(answer)
            check_piles(board.game(), answer.text)
        answers.append(http.get(board.path))
        check_piles(board.game(), answers[-1].text)
    for answer in answers:
        everything = answer.text + repr(answer.headers)
        for secret in (sealed.code, sealed.code.split("-")[1], sealed.sealing):
            assert secret not in everything


def check_piles(game: Any, text: str) -> None:
    """That the piles in an answer name the face-up cards of the position, and no others."""
    names = {f"{card_name(c.text)}": c.text for c in pack(4)}
    position = dict(zip([spec.id for spec in game.patience.piles], game.position.piles, strict=True))
    for pile in piles_in(text):
        part, cards = fragment(text, pile), position[pile].face_up
        shown = [RANKS[int(rank) - 1] + suit for suit, rank in re.findall(r'class="c ([SHDC]) r(\d+)', part)]
        wanted = cards[::13] if pile == "foundation" else cards
        assert shown == [c.text for c in wanted]
        spoken = re.findall("|".join(names), part)
        assert {names[name] for name in spoken} <= {c.text for c in cards}


@pytest.mark.parametrize(
    ("key", "said", "not_said"),
    [
        ("holy-seven", "Undo to go on, or end the game.", "give up"),
        ("spilzone", "or give up", "end the game"),
    ],
)
def test_a_game_that_is_stuck_is_spoken_of_in_the_words_of_its_buttons(
    http: TestClient, key: str, said: str, not_said: str
) -> None:
    games = [g for g in golden("patience_games.json") if g["patience"] == key and g["status"] == "lost"]
    game = min(games, key=lambda one: len(one["moves"]))
    path = http.post(f"/play/{key}", data={"deal": game["code"]}).url.path
    for ply, move in enumerate(game["moves"]):
        assert http.post(f"{path}/act", data={"ply": str(ply), "move": move}, headers=HTMX).status_code == 200
    panel = http.get(path).text.partition('<details class="over')[2].partition("</details>")[0]
    assert said in panel
    assert not_said not in panel
    assert ("End the game" in panel) == (key == "holy-seven")


def test_the_menu_tells_the_keys(board: Board) -> None:
    keys = set(re.findall(r"<kbd>(.*?)</kbd>", board.http.get(board.path).text))
    assert keys == {*"←→↑↓190DUZRYH", "Enter", "Esc"}


def test_a_card_can_be_picked_without_scripts(board: Board) -> None:
    legal = board.game().legal_moves()
    move = next(move for move in legal if "x" in move)
    source, _, count = re.findall(r"\d+", move)
    page = board.http.get(f"{board.path}?pick={source}x{count}").text
    assert f'name="move" value="{move}"' in page
    assert 'aria-pressed="true"' in page
    nowhere = board.http.get(f"{board.path}?pick=99x99").text
    assert "Move here" not in nowhere
    assert "No column takes that now." in nowhere
    assert "No column takes that now." not in page


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("spilzone", "No column takes that now."),
        ("pyramid", "That goes with nothing now."),
        ("holy-seven", "That goes with nothing now."),
        ("hypyt", "That goes nowhere now."),
    ],
)
def test_a_card_that_has_no_move_is_spoken_of_in_the_words_of_its_patience(
    http: TestClient, key: str, said: str
) -> None:
    path = http.post(f"/play/{key}", data={}).url.path
    answer = http.get(f"{path}?pick=99x1")
    assert answer.status_code == 200
    assert said in answer.text
    assert said not in http.get(path).text


def test_a_one_suit_game_is_dressed_as_the_player_prefers(web: FastAPI, http: TestClient) -> None:
    http.post("/preferences", data={"dress": "H"})
    page = http.post("/play/spider", data={"suits": "1"}).text
    assert set(re.findall(r'class="c ([SHDC]) r', page)) == {"H"}
    assert "spades" not in "".join(re.findall(r'aria-label="([^"]+)"', page))


def test_indices_follow_the_language(board: Board) -> None:
    assert re.search(r">J</", board.http.get(board.path).text) or True
    page = board.http.get(f"{board.path}?lang=pl").text
    letters = set(re.findall(r'class="c [SHDC] r1[123]"[^>]*>(\w+)<', page))
    assert letters <= {"W", "D", "K"}


# ---- the engine


@pytest.fixture
def engine(settings: Settings) -> Iterator[TestClient]:
    """A program with the engine, of which no process comes up before it is asked something that it knows."""
    migrated(settings)
    made = create_app(settings.model_copy(update={"solver_processes": 1, "bank_size": 0}))
    with TestClient(made, base_url=HERE) as client:
        yield client


def test_the_engine_is_offered_for_what_it_plays(engine: TestClient) -> None:
    assert "/verdict" in engine.post("/play/spider", data={"suits": "1"}).text
    assert "/verdict" not in engine.post("/play/scorpion").text


def test_of_a_patience_that_the_engine_does_not_play_everything_says_so(engine: TestClient) -> None:
    board = engine.post("/play/scorpion").url.path
    said = "The engine does not play this patience."
    assert said in engine.post(f"{board}/verdict", data={"ply": "0"}, headers=HTMX).text
    won = engine.post("/play/scorpion", data={"winnable": "1"})
    assert (won.status_code, said in won.text) == (422, True)

    token = engine.post("/api/v1/guests").json()["token"]
    program = {"Authorization": f"Bearer {token}"}
    game = engine.post("/api/v1/games", json={"patience": "scorpion"}, headers=program).json()
    asked = engine.post(f"/api/v1/games/{game['id']}/verdict", headers=program)
    assert (asked.status_code, asked.json()["code"], asked.json()["detail"]) == (422, "not_supported", said)
    assert not engine.get(f"/api/v1/games/{game['id']}", headers=program).json()["assisted"]
    sure = engine.post("/api/v1/games", json={"patience": "scorpion", "winnable": True}, headers=program)
    assert (sure.status_code, sure.json()["code"], sure.json()["detail"]) == (422, "not_known_yet", said)

    deal = deals.seed_deal(registry.get("scorpion"), 3).code
    assert said in engine.get(f"/d/{deal}").text


def test_without_scripts_what_the_engine_says_can_be_seen_and_looked_at_again(engine: TestClient) -> None:
    path = engine.post("/play/spider", data={"suits": "4"}).url.path
    page = engine.post(f"{path}/verdict", data={"ply": "0"}).text
    assert re.search(rf'<p class="say" role="status">[^<]+<a href="{path}/verdict"', page)
    assert 'class="say" role="status">' in engine.get(f"{path}/verdict").text


# ---- hints


def test_without_scripts_a_hint_lights_up_its_cards(http: TestClient) -> None:
    path = http.post("/play/spider", data={"deal": CODE}).url.path
    page = http.post(f"{path}/hint", data={"ply": "0"}).text
    told = re.search(r"Hint: move the end of column (\d+) to column (\d+)\.", page)
    assert told
    source, target = (
        re.search(rf'<div class="[^"]*"[^>]*id="pile-{one}".*?</div>', page, re.S) for one in told.groups()
    )
    assert source
    assert target
    assert [" hinted" in one for one in re.findall(r'<button class="c [^"]*"', source[0])][-1]
    assert target[0].startswith('<div class="pile hinted"')
    assert page.count(" hinted") == 2
    assert " hinted" not in http.get(path).text


@pytest.mark.parametrize(("patience", "joins"), [("hypyt", "-"), ("holy-seven", "+"), ("pyramid", "+")])
def test_a_hint_for_a_table_without_columns_names_the_cards_that_it_lights_up(
    http: TestClient, patience: str, joins: str
) -> None:
    for seed in range(1, 9):
        deal = deals.seed_deal(registry.get(patience), seed).code
        path = http.post(f"/play/{patience}", data={"deal": deal}).url.path
        page = http.post(f"{path}/hint", data={"ply": "0"}).text
        move = re.search(rf'data-hint="[a-z0-9]+\{joins}[a-z0-9]+"', page)
        if move:
            break
    assert move
    said = re.search(r"Hint: ([^<]*)\.", page)
    lit = re.findall(r' hinted"[^>]* aria-label="[^":]*: ([^"]*?)(?: on a pile of \d+ cards)?"', page)
    assert said
    assert len(lit) == 2
    assert all(f"the {card}" in said[1] for card in lit), (said[1], lit)
