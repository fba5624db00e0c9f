"""The JSON API of the contract: what it answers, what it refuses, with which code and in which order."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.patience import deals, registry
from tests.builders import golden
from tests.support.programs import still

HERE = "http://127.0.0.1:8000"
V1 = "/api/v1"
CODE = deals.seed_deal(registry.get("spider", {"suits": 4}), 17).code
ONE_SUIT = deals.seed_deal(registry.get("spider", {"suits": 1}), 17).code
MARK = "s3ntinel"
NOWHERE = "x" * 22


class Player:
    """A program with a token of its own."""

    def __init__(self, http: TestClient) -> None:
        self.http = http
        self.id, token = http.post(f"{V1}/guests").json().values()
        self.headers = {"Authorization": f"Bearer {token}"}

    def get(self, path: str, status: int = 200) -> Any:
        return self._checked(self.http.get(V1 + path, headers=self.headers), status)

    def post(self, path: str, body: object = None, status: int = 200) -> Any:
        return self._checked(self.http.post(V1 + path, json=body, headers=self.headers), status)

    def new_game(self, **wishes: object) -> dict[str, Any]:
        game: dict[str, Any] = self.post("/games", {"patience": "spider"} | wishes, 201)
        return game

    def move(self, game: dict[str, Any], move: str, status: int = 200, *, ply: object = None) -> Any:
        body = {"ply": game["ply"] if ply is None else ply, "move": move}
        return self.post(f"/games/{game['id']}/moves", body, status)

    @staticmethod
    def _checked(response: Any, status: int) -> Any:
        assert response.status_code == status, response.text
        kind = response.headers["content-type"]
        assert kind == ("application/json" if status < 400 else "application/problem+json")
        assert response.headers["cache-control"] == "no-store"
        document = response.json()
        if status >= 400:
            assert document["status"] == status
            assert {"type", "title", "code", "detail"} <= set(document)
        return document


@pytest.fixture
def http(web: FastAPI) -> Iterator[TestClient]:
    with TestClient(web, base_url=HERE) as client:
        yield client


@pytest.fixture
def me(http: TestClient) -> Player:
    return Player(http)


# What it answers


def test_a_fresh_game_shows_what_the_contract_says(me: Player) -> None:
    game = me.new_game(params={"suits": 2}, scoring="turns5", deal=None, winnable=False)
    assert (game["patience"], game["params"], game["scoring"]) == ("spider", {"suits": 2}, "turns5")
    assert (game["deal"], game["salt"], game["status"], game["ply"], game["score"]) == (
        None,
        None,
        "playing",
        0,
        0,
    )
    assert (game["can_undo"], game["can_redo"]) == (False, False)
    assert len(game["commitment"]) == 64
    assert game["actions"] == ["move", "give-up", "hint"]
    piles = {pile["id"]: pile for pile in game["piles"]}
    assert list(piles) == [*(str(number) for number in range(1, 11)), "stock", "foundation"]
    assert piles["stock"] == {"id": "stock", "role": "stock", "count": 50}
    assert piles["foundation"] == {"id": "foundation", "role": "foundation", "face_down": 0, "cards": []}
    assert [piles[str(n)]["face_down"] for n in range(1, 11)] == [5] * 4 + [4] * 6
    assert all(len(piles[str(n)]["cards"]) == 1 for n in range(1, 11))
    assert counted(game) == 104
    assert "deal" in game["legal_moves"]


def counted(game: dict[str, Any]) -> int:
    return sum(
        pile["count"] if "count" in pile else pile["face_down"] + len(pile["cards"]) for pile in game["piles"]
    )


def test_leaving_out_takes_defaults(me: Player) -> None:
    game = me.new_game()
    assert (game["params"], game["scoring"]) == ({"suits": 4}, "moves500")


def test_the_deal_of_a_code_is_open(me: Player) -> None:
    game = me.new_game(deal=CODE.lower(), params={"suits": 4})
    assert (game["deal"], game["commitment"], game["salt"]) == (CODE, None, None)
    assert me.post("/games", {"deal": ONE_SUIT}, 201)["params"] == {"suits": 1}


def test_entries_are_played_and_logged(me: Player) -> None:
    game = me.new_game(deal=CODE)
    first = game["legal_moves"][0]
    moved = me.move(game, first)
    assert (moved["ply"], moved["score"], moved["can_undo"]) == (1, 499, True)
    undone = me.post(f"/games/{game['id']}/undo", {"ply": 1})
    assert undone["piles"] == game["piles"]
    redone = me.post(f"/games/{game['id']}/redo", {"ply": 2})
    assert redone["piles"] == moved["piles"]
    restarted = me.post(f"/games/{game['id']}/restart", {"ply": 3})
    assert (restarted["piles"], restarted["ply"]) == (game["piles"], 4)
    log = me.get(f"/games/{game['id']}/log")["entries"]
    assert [(entry["ply"], entry["text"]) for entry in log] == [
        (1, first), (2, "undo"), (3, "redo"), (4, "restart"),
    ]  # fmt: skip
    assert all(isinstance(entry["at"], int) for entry in log)
    assert me.get(f"/games/{game['id']}") == restarted


@pytest.mark.parametrize("won", golden("won_games.json"), ids=lambda g: f"{g['suits']}-{len(g['moves'])}")
def test_a_won_game_is_won_and_stands_on_its_leaderboards(me: Player, won: dict[str, Any]) -> None:
    params = {"suits": won["suits"]}
    code = deals.document_deal({"patience": "spider", "params": params, "layout": won["layout"]}).code
    game = me.new_game(deal=code)
    for move in won["moves"]:
        game = me.move(game, move)
        assert counted(game) == 104
    assert (game["status"], game["score"], game["actions"]) == ("won", won["scores"]["moves500"], [])
    assert me.move(game, won["moves"][-1], ply=game["ply"] - 1) == game
    for path in ("undo", "redo", "restart", "give-up"):
        assert me.post(f"/games/{game['id']}/{path}", {"ply": game["ply"]}, 422)["code"] == "game_over"
    assert me.move(game, "1-2x1", 422)["code"] == "game_over"
    for query in (
        "?deals=open",
        f"?deal={code}",
        f"?deal={code}&clean=true&each=player",
        "?deals=open&period=today",
    ):
        row = me.get(f"/leaderboards/spider{won['suits']}{query}")["rows"][0]
        assert (row["game"], row["score"], row["rank"], row["player"]) == (game["id"], game["score"], 1, None)
    assert me.get(f"/leaderboards/spider{won['suits']}")["rows"] == []
    assert me.get("/statistics")["statistics"][0]["won"] == 1


def test_giving_up_opens_the_seal(me: Player) -> None:
    game = me.new_game()
    ended = me.post(f"/games/{game['id']}/give-up", {"ply": 0})
    assert ended["status"] == "given_up"
    sealed = hashlib.sha256(f"{ended['deal']}\n{ended['salt']}".encode()).hexdigest()
    assert sealed == game["commitment"] == ended["commitment"]
    assert len(ended["salt"]) == 32
    again = me.new_game(deal=ended["deal"])
    assert again["piles"] == game["piles"]
    assert me.post(f"/games/{game['id']}/give-up", {"ply": 0}) == ended


def test_a_hint_says_what_it_rests_on_and_is_counted(me: Player) -> None:
    game = me.new_game()
    hint = me.get(f"/games/{game['id']}/hint")
    assert hint["move"] in game["legal_moves"]
    assert (hint["rests_on"], hint["used_hidden"], hint["reason"]) == ("rules", False, None)
    now = me.get(f"/games/{game['id']}")
    assert (now["clean"], now["ply"]) == (False, 0)


def test_unfinished_games_are_listed_for_their_player_alone(me: Player, http: TestClient) -> None:
    game, given_up = me.new_game(), me.new_game()
    me.post(f"/games/{given_up['id']}/give-up", {"ply": 0})
    assert [one["id"] for one in me.get("/games")["games"]] == [game["id"]]
    assert Player(http).get("/games") == {"games": []}


def test_a_replay_is_its_players_until_the_end(me: Player, http: TestClient) -> None:
    game = me.new_game()
    me.move(game, "deal")
    mine = me.get(f"/games/{game['id']}/replay")
    assert (mine["deal"], mine["layout"], mine["start"]) == (None, None, game["piles"])
    assert [entry["text"] for entry in mine["entries"]] == ["deal"]
    other = Player(http)
    assert other.get(f"/games/{game['id']}/replay", 404) == other.get(f"/games/{NOWHERE}/replay", 404)
    assert http.get(f"{V1}/games/{game['id']}/replay").status_code == 404
    ended = me.post(f"/games/{game['id']}/give-up", {"ply": 1})
    theirs = http.get(f"{V1}/games/{game['id']}/replay").json()
    assert theirs["deal"] == ended["deal"]
    assert len(theirs["layout"]["stock"]) == 50


def test_patiences_are_told_with_their_parameters(http: TestClient) -> None:
    spider = http.get(f"{V1}/patiences").json()["patiences"][0]
    assert (spider["key"], spider["cards"], spider["scorings"]) == ("spider", 104, ["moves500", "turns5"])
    assert spider["params"]["suits"] == [4, 2, 1]


# What it refuses


def test_strangers_are_told_nothing(http: TestClient, me: Player) -> None:
    game = me.new_game()
    calls = [
        ("GET", "/games"), ("GET", f"/games/{game['id']}"), ("GET", f"/games/{game['id']}/log"),
        ("GET", f"/games/{game['id']}/hint"), ("GET", "/statistics"), ("POST", "/games"),
    ]  # fmt: skip
    entries = ("moves", "undo", "redo", "restart", "give-up")
    calls += [("POST", f"/games/{game['id']}/{entry}") for entry in entries]
    for method, path in calls:
        for headers in ({}, {"Authorization": "Bearer no-such-token"}):
            bodies = (None, {"ply": 0, "move": "deal"}, {"nonsense": 1}) if method == "POST" else (None,)
            for body in bodies:
                response = http.request(method, V1 + path, json=body, headers=headers)
                assert response.status_code == 401, (method, path, body)
                assert response.headers["www-authenticate"] == "Bearer"
    assert me.get(f"/games/{game['id']}") == game


BAD_PLIES = (-1, 1.0, 0.0, -0.5, True, False, "0", "1", None, [], {}, 100_000, 2**63, 10**30)
BAD_MOVES = (
    None, 7, [], {}, "", " ", "deal ", "DEAL", "4-7", "0-1x1", "11-1x1", "1-2x0", "1-2x" + "9" * 50,
    "1-2x1\n", "\x00", "<script>", "é", "undo", "redo", "restart",
)  # fmt: skip
BAD_ENTRIES: list[object] = [
    None, [], "", 7, {}, {"ply": 0}, {"move": "deal"},
    *({"ply": ply, "move": "deal"} for ply in BAD_PLIES),
    *({"ply": 0, "move": move} for move in BAD_MOVES),
    {"ply": 0, "move": "deal", "score": 9999}, {"ply": 0, "move": "deal", MARK: 1},
]  # fmt: skip


@pytest.mark.parametrize("body", BAD_ENTRIES, ids=lambda body: repr(body)[:40])
def test_what_is_not_well_formed_is_400_and_changes_nothing(me: Player, body: object) -> None:
    game = me.new_game(deal=CODE)
    problem = me.post(f"/games/{game['id']}/moves", body, 400)
    move_is_text = isinstance(body, dict) and isinstance(body.get("move"), str) and body.get("ply") == 0
    odd = isinstance(body, dict) and (set(body) - {"ply", "move"} or type(body.get("ply")) is not int)
    if move_is_text and not odd:
        assert problem["code"] == "malformed_move"
    assert me.get(f"/games/{game['id']}") == game


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"{", b"nonsense", b'{"ply":0,"move":"deal"', b'{"ply":' + b"9" * 5000 + b',"move":"deal"}',
        b"[" * 9000, b'{"ply":0,"move":"\xff"}', b'{"ply":0,"move":"\\ud800"}', b'{"ply":01,"move":"deal"}',
        b'{"ply":NaN,"move":"deal"}', b'{"ply":1e0,"move":"deal"}', b'{"ply":-0,"move":"deal"x}',
        b'\xef\xbb\xbf{"ply":0,"move":"deal"}',
    ],
    ids=lambda raw: repr(raw[:24]),
)  # fmt: skip
def test_what_is_no_json_is_400_in_few_words(me: Player, raw: bytes) -> None:
    game = me.new_game(deal=CODE)
    headers = me.headers | {"Content-Type": "application/json"}
    response = me.http.post(f"{V1}/games/{game['id']}/moves", content=raw, headers=headers)
    assert response.status_code == 400
    assert response.json()["code"] in {"bad_json", "invalid_request", "malformed_move"}
    assert len(response.content) <= 1024
    assert me.get(f"/games/{game['id']}") == game


BAD_GAMES = [
    ({"patience": "bridge"}, 400, "unknown_patience"),
    ({"patience": None}, 400, "unknown_patience"),
    ({"patience": "Spider"}, 400, "invalid_request"),
    ({"patience": 7}, 400, "invalid_request"),
    ({"params": {"suits": 3}}, 400, "bad_params"),
    ({"params": {"suits": 0}}, 400, "bad_params"),
    ({"params": {"suits": "4"}}, 400, "bad_params"),
    ({"params": {"suits": True}}, 400, "invalid_request"),
    ({"params": {"suits": 4.0}}, 400, "invalid_request"),
    ({"params": {MARK: 1}}, 400, "bad_params"),
    ({"params": []}, 400, "invalid_request"),
    ({"params": None}, 400, "invalid_request"),
    ({"scoring": "mine"}, 400, "bad_scoring"),
    ({"scoring": 1}, 400, "invalid_request"),
    ({"winnable": 1}, 400, "invalid_request"),
    ({"winnable": "true"}, 400, "invalid_request"),
    ({"seed": 5}, 400, "invalid_request"),
    ({"score": 5}, 400, "invalid_request"),
    ({"deal": ""}, 400, "invalid_request"),
    ({"deal": "x"}, 400, "bad_deal_code"),
    ({"deal": "spider4-10"}, 400, "bad_deal_code"),
    ({"deal": "spider3-H3"}, 400, "bad_deal_code"),
    ({"deal": "\x00" * 9}, 400, "bad_deal_code"),
    ({"deal": "🂡🂢"}, 400, "bad_deal_code"),
    ({"deal": "\u202espider4"}, 400, "bad_deal_code"),
    ({"deal": "x" * 10_000}, 400, "invalid_request"),
    ({"deal": "<script>alert(1)</script>"}, 400, "bad_deal_code"),
    ({"deal": CODE[:-1] + ("0" if CODE[-1] != "0" else "1")}, 400, "bad_deal_code"),
    ({"deal": ONE_SUIT, "params": {"suits": 2}}, 422, "deal_mismatch"),
]


@pytest.mark.parametrize(("wishes", "status", "code"), BAD_GAMES, ids=lambda part: repr(part)[:40])
def test_a_game_that_cannot_be_is_refused(
    me: Player, wishes: dict[str, object], status: int, code: str
) -> None:
    problem = me.post("/games", {"patience": "spider"} | wishes, status)
    assert problem["code"] == code
    assert MARK not in str(problem)
    assert me.get("/games") == {"games": []}


def test_a_wrong_check_symbol_says_so(me: Player) -> None:
    wrong = CODE[:-1] + ("0" if CODE[-1] != "0" else "1")
    assert me.post("/games", {"deal": wrong}, 400)["reason"] == "check"


def test_illegal_moves_name_the_rule_and_the_columns(me: Player) -> None:
    game = me.new_game(deal=CODE)
    problem = me.move(game, "3-3x1", 422)
    assert (problem["code"], problem["reason"], problem["facts"]) == (
        "illegal_move",
        "same_column",
        {"column": 3},
    )
    assert (me.move(game, "1-2x6", 422)["reason"]) == "not_face_up"
    assert me.get(f"/games/{game['id']}") == game


def test_a_stale_ply_is_answered_with_the_game_as_it_is(me: Player) -> None:
    game = me.new_game(deal=CODE)
    now = me.move(game, "deal")
    for ply in (0, 2, 6, 99_999):
        problem = me.move(game, game["legal_moves"][0], 409, ply=ply)
        assert (problem["code"], problem["game"]) == ("stale_ply", now)
    for path in ("undo", "redo", "restart", "give-up"):
        assert me.post(f"/games/{game['id']}/{path}", {"ply": 5}, 409)["game"] == now


def test_the_same_move_again_is_200_and_plays_once(me: Player) -> None:
    game = me.new_game(deal=CODE)
    first = me.move(game, "deal")
    assert [me.move(game, "deal") for _ in range(3)] == [first] * 3
    undone = me.post(f"/games/{game['id']}/undo", {"ply": 1})
    assert me.post(f"/games/{game['id']}/undo", {"ply": 1}) == undone
    assert me.move(game, "deal") == undone
    assert len(me.get(f"/games/{game['id']}/log")["entries"]) == 2


def test_what_is_not_there_cannot_be_undone(me: Player) -> None:
    game = me.new_game()
    for path in ("undo", "redo", "restart"):
        assert me.post(f"/games/{game['id']}/{path}", {"ply": 0}, 422)["code"] == f"nothing_to_{path}"


@pytest.mark.parametrize("method", ["get", "post"])
def test_anothers_game_is_answered_like_one_that_never_was(me: Player, http: TestClient, method: str) -> None:
    game, other = me.new_game(), Player(http)
    paths = {"get": ("", "/log", "/hint"), "post": ("/moves", "/undo", "/redo", "/restart", "/give-up")}[
        method
    ]
    for path in paths:
        body = {"ply": 0} | ({"move": "deal"} if path == "/moves" else {})
        answers = set()
        for game_id in (game["id"], NOWHERE, "0", "NULL", "%00", "x" * 36, "..%2f..", "%e2%80%ae"):
            address = f"{V1}/games/{game_id}{path}"
            response = http.request(
                method, address, headers=other.headers, json=body if method == "post" else None
            )
            assert response.status_code == 404, address
            answers.add(response.content)
        assert len(answers) == 1
    assert me.get(f"/games/{game['id']}") == game


def test_two_windows_at_the_same_ply_give_one_200_and_one_409(me: Player) -> None:
    for _ in range(5):
        game = me.new_game(deal=CODE)

        def post(move: str) -> int:
            body = {"ply": 0, "move": move}
            return me.http.post(f"{V1}/games/{game['id']}/moves", json=body, headers=me.headers).status_code  # noqa: B023

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(post, game["legal_moves"][:2])) == [200, 409]


@pytest.mark.parametrize(
    "query",
    [
        "limit=1000000000", "limit=0", "limit=-1", "offset=-1", "page=0", "page=-1", "page=1_0", "page=%2B1",
        "page=1.0", "page=%201", "page=١", "sort=(select%201)", "scoring=mine", "scoring=%00", "period=ever",
        "deals=all", "clean=1", "limit=5&limit=6", "scoring_version=0", "deal=", "deal=x", "deal=spider4-10",
        "score=9999", f"{MARK}=1",
    ],
)  # fmt: skip
def test_leaderboards_take_what_they_know_and_nothing_else(http: TestClient, query: str) -> None:
    response = http.get(f"{V1}/leaderboards/spider4?{query}")
    assert response.status_code == 400
    assert MARK not in response.text


def test_leaderboards_of_what_is_not_played_are_not_there(http: TestClient) -> None:
    for table in ("spider3", "bridge", "%00", "spider4x"):
        assert http.get(f"{V1}/leaderboards/{table}").status_code == 404
    assert http.get(f"{V1}/leaderboards/spider4?deal={ONE_SUIT}").status_code == 422


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_writes_to_a_leaderboard(http: TestClient, me: Player, method: str) -> None:
    response = http.request(method, f"{V1}/leaderboards/spider4", json={"score": 9999}, headers=me.headers)
    assert response.status_code == 405
    assert response.json()["code"] == "method_not_allowed"


@pytest.mark.sqlite
def test_a_move_costs_few_statements(web: FastAPI) -> None:
    with still(web) as http:
        me = Player(http)
        game = me.new_game(deal=CODE)
        with web.state.db.statements() as statements:
            me.move(game, game["legal_moves"][0])
        verbs = [statement.split()[0] for statement in statements]
        assert verbs == ["BEGIN", "SELECT", "SELECT", "INSERT", "UPDATE", "COMMIT"]
        with web.state.db.statements() as statements:
            me.post(f"/games/{game['id']}/undo", {"ply": 1})
        assert len(statements) <= 12


def test_a_browsers_cookie_lets_in_as_a_token_does(http: TestClient) -> None:
    address = http.post("/play/spider", data={"suits": "4"}, follow_redirects=False).headers["location"]
    game = http.get(f"{V1}/games/{address.rpartition('/')[2]}").json()
    assert (game["ply"], game["status"]) == (0, "playing")


def test_unforeseen_errors_are_answered_without_what_was_in_them(
    web: FastAPI, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_args: object, **_kwargs: object) -> None:
        raise RuntimeError("the ace of spades")

    with TestClient(web, base_url=HERE, raise_server_exceptions=False) as http:
        me = Player(http)
        game = me.new_game()
        monkeypatch.setattr("app.web.documents.game_document", fail)
        problem = me.get(f"/games/{game['id']}", 500)
    assert problem["code"] == "internal_error"
    assert "spades" not in str(problem)
    assert "unforeseen" in capsys.readouterr().err
