"""A patience that nobody has seen before: written here, registered, and played by its pages and by the API.

Nothing but its rules is told: its board, moves, links, replay and tables come from the protocol alone.
"""

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.cards.card import CARDS, Card
from app.patience import registry
from app.patience.errors import BadLayout, IllegalMove, MalformedMove
from app.patience.patience import PLAYING, WON, Outcome, Params, PileSpec, Played, Removed, Usual
from app.patience.position import Pile, Position

HERE = "http://127.0.0.1:8000"
GONE = 3
"""The index of the pile to which cards go; the columns are 0 to 2."""


class Countdown(Usual):
    """Six hearts in three columns; the ends of the columns go, six first and ace last, or onto each other."""

    key: ClassVar[str] = "countdown"
    cards = 6
    piles = (*(PileSpec(name, "tableau") for name in "123"), PileSpec("gone", "foundation"))
    table = (("gone",), ("1", "2", "3"))
    scorings = ("cards",)
    prefix = "countdown"

    def __init__(self) -> None:
        self.params: Params = {}

    def deck(self) -> tuple[Card, ...]:
        return tuple(CARDS[rank + "H"] for rank in "A23456")

    def start(self, deck: Sequence[Card], _seed: int = 0, /) -> Position:
        return Position((*(Pile(tuple(deck[at : at + 2])) for at in (0, 2, 4)), Pile()))

    def parse(self, move: str) -> str:
        if not re.fullmatch(r"[123]-([123]|gone)", move):
            raise MalformedMove("malformed_move")
        return move

    def play(self, position: Position, move: str) -> Played:
        source, target = (self._index(name) for name in self.parse(move).split("-"))
        pile, onto = position.piles[source], position.piles[target]
        if source == target:
            raise IllegalMove("same_column", column=source + 1)
        if not pile.cards:
            raise IllegalMove("empty_column", column=source + 1)
        card = pile.cards[-1]
        if target == GONE and card.rank != 6 - len(onto):
            raise IllegalMove("not_next")
        after = position.with_piles({source: Pile(pile.cards[:-1]), target: Pile((*onto.cards, card))})
        return Played(after, (Removed((card,)),) if target == GONE else ())

    def legal_moves(self, position: Position) -> tuple[str, ...]:
        tried = (f"{source}-{target}" for source in "123" for target in ("1", "2", "3", "gone"))
        return tuple(move for move in tried if self._may(position, move))

    def outcome(self, position: Position) -> Outcome:
        return WON if self.progress(position) == self.cards else PLAYING

    def progress(self, position: Position) -> int:
        return len(position.piles[GONE])

    def to_layout(self, position: Position) -> dict[str, Any]:
        return {"columns": [[card.text for card in pile.cards] for pile in position.piles]}

    def from_layout(self, document: object) -> Position:
        raise BadLayout("layout_keys")

    def _may(self, position: Position, move: str) -> bool:
        try:
            self.play(position, move)
        except IllegalMove:
            return False
        return True

    @staticmethod
    def _index(name: str) -> int:
        return GONE if name == "gone" else int(name) - 1


@pytest.fixture
def http(web: FastAPI) -> Iterator[TestClient]:
    registry.register(Countdown)
    with TestClient(web, base_url=HERE) as client:
        yield client
    registry.unregister(Countdown.key)


def winning(piles: list[list[str]], done: int = 0) -> list[str]:
    """Moves that win: what lies on the next card goes to another column first."""
    moves: list[str] = []
    columns = [list(column) for column in piles]
    for rank in "65432A"[done:]:
        at = next(number for number, column in enumerate(columns) if rank + "H" in column)
        while columns[at][-1] != rank + "H":
            other = (at + 1) % 3
            columns[other].append(columns[at].pop())
            moves.append(f"{at + 1}-{other + 1}")
        columns[at].pop()
        moves.append(f"{at + 1}-gone")
    return moves


def test_it_is_played_through_its_pages(web: FastAPI, http: TestClient) -> None:
    assert "countdown" in http.get("/").text
    assert http.get("/play/countdown").status_code == 200
    page = http.post("/play/countdown", data={})
    path = page.url.path
    assert page.status_code == 200
    with web.state.db.read() as conn:
        position = web.state.games.replay(conn, path.rsplit("/", 1)[1], _player(web)).game.position
    moves = winning([[card.text for card in pile.cards] for pile in position.piles[:GONE]])
    first = moves[0].split("-")
    picked = html.unescape(http.get(f"{path}?pick={first[0]}x1").text)
    assert f'value="{moves[0]}"' in picked
    refused = http.post(f"{path}/act", data={"ply": "0", "move": "1-1"}, headers={"HX-Request": "true"})
    assert refused.status_code == 422
    for ply, move in enumerate(moves):
        answer = http.post(
            f"{path}/act", data={"ply": str(ply), "move": move}, headers={"HX-Request": "true"}
        )
        assert answer.status_code == 200, (move, answer.text)
    assert "Won!" in answer.text
    assert " points, " not in answer.text  # cards that are gone are counted, and are no points
    assert f'href="{path}/replay"' in http.get("/leaderboard?table=countdown").text
    assert http.get(f"{path}/replay?ply=2").status_code == 200
    deal = re.search(r'href="(/d/countdown-[0-9A-Z]+)"', http.get(path).text)
    assert deal
    assert http.get(deal[1]).status_code == 200
    assert http.get(f"{deal[1]}.png").status_code == 200


def _player(web: FastAPI) -> str:
    with web.state.db.read() as conn:
        found: str = conn.exec_driver_sql("select player_id from games").scalar_one()
        return found


def test_it_is_played_through_the_api(http: TestClient) -> None:
    listed = {one["key"]: one for one in http.get("/api/v1/patiences").json()["patiences"]}
    assert listed["countdown"] == {"key": "countdown", "params": {}, "scorings": ["cards"], "cards": 6}
    token = http.post("/api/v1/guests").json()["token"]
    bearer = {"Authorization": f"Bearer {token}"}
    game = http.post("/api/v1/games", json={"patience": "countdown"}, headers=bearer).json()
    hint = http.get(f"/api/v1/games/{game['id']}/hint", headers=bearer).json()
    assert hint["move"] in (None, *game["legal_moves"])
    for move in winning([pile["cards"] for pile in game["piles"][:GONE]]):
        assert move in game["legal_moves"]
        answer = http.post(
            f"/api/v1/games/{game['id']}/moves", json={"ply": game["ply"], "move": move}, headers=bearer
        )
        assert answer.status_code == 200
        game = answer.json()
    assert (game["status"], game["score"]) == ("won", 6)
    log = http.get(f"/api/v1/games/{game['id']}/log", headers=bearer).json()["entries"]
    assert len(log) == game["ply"]


def test_every_patience_is_listed(http: TestClient) -> None:
    listed = [one["key"] for one in http.get("/api/v1/patiences").json()["patiences"]]
    assert listed == list(registry.keys())
    assert {"spider", "spilzone", "hypyt", "holy-seven", "pyramid", "scorpion"} <= set(listed)
