"""No byte that leaves the server tells of a hidden card, or of a sealed deal.

Two ways of looking: a whole game is played through pages, fragments and the API, and every answer (body,
headers, errors, log lines) is searched for what is secret at that ply; and two games that differ in nothing
but their hidden cards must be answered with the same bytes.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import update

from app.cards.dealcode import SeedCode, parse
from app.games import store
from app.games.dealing import commitment
from app.games.game import Game
from app.patience import deals, registry
from app.patience.deals import Deal
from app.patience.position import Pile, Position
from app.patience.view import view
from tests.builders import golden, random_line

pytestmark = pytest.mark.slow

HERE = "http://127.0.0.1:8000"
V1 = "/api/v1"
FORM = {"HX-Request": "true"}
SALT = "5eed5a17" * 4
ELSEWHERE = ("/", "/play/spider", "/leaderboard", "/watch", "/account", "/account/export", "/metrics")
NOT_COMPARED = ("/metrics", "/account/export")  # they speak of both games
WINDOW = 4
"""So many hidden cards in a row are never also shown in a row by chance."""


@dataclass
class Visitor:
    """A browser that keeps everything that it was ever sent since it was last emptied."""

    http: TestClient
    sent: list[tuple[str, bytes]] = field(default_factory=list)

    def ask(self, method: str, path: str, **how: Any) -> Any:
        response = self.http.request(method, path, follow_redirects=False, **how)
        head = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
        self.sent.append((f"{method} {path}", head.encode() + b"\n\n" + response.content))
        return response


@pytest.fixture
def visitor(web: FastAPI) -> Iterator[Visitor]:
    with TestClient(web, base_url=HERE) as http:
        web.state.games._clock = lambda: 1_796_000_000_000
        http.post("/preferences", data={})
        yield Visitor(http)


def begin(web: FastAPI, visitor: Visitor, deal: Deal) -> str:
    """A game on this deal that is sealed as a fresh one is. (A fresh one's deal is not ours to choose.)"""
    address = visitor.ask("POST", f"/play/{deal.patience.key}", data={"deal": deal.code}).headers["location"]
    game_id: str = address.rpartition("/")[2]
    sealed = {"sealed": True, "salt": SALT, "commitment": commitment(deal.code, SALT)}
    with web.state.db.write() as conn:
        conn.execute(update(store.games).where(store.games.c.id == game_id).values(sealed))
    visitor.sent.clear()
    return game_id


REFUSED = ("1-1x1", "1-2x6", "10-9x5", "nonsense", "9-3x104")


def look_everywhere(visitor: Visitor, game_id: str, ply: int, refused: Sequence[str] = REFUSED) -> None:
    """Every way out that does not change the game, refusals too."""
    g, api = f"/g/{game_id}", f"{V1}/games/{game_id}"
    own = (
        "",
        "?pick=1x1",
        "?pick=1x6",
        "?pick=x",
        "/now?ply=0",
        "/replay",
        f"/replay?ply={ply}",
        "/analysis",
        "/share",
        "/company",
        "/none",
    )
    told = ("", "/log", "/replay", "/verdict", "/analysis", "/company", "/events")
    around = (*ELSEWHERE, f"{V1}/games", f"{V1}/statistics", f"{V1}/leaderboards/spider4")
    for path in (*(g + way for way in own), *(api + way for way in told), *around):
        visitor.ask("GET", path)
    for move in refused:
        visitor.ask("POST", f"{g}/act", data={"ply": str(ply), "move": move}, headers=FORM)
        visitor.ask("POST", f"{g}/act", data={"ply": str(ply), "move": move})
        visitor.ask("POST", f"{api}/moves", json={"ply": ply, "move": move})
    visitor.ask("POST", f"{g}/act", data={"ply": str(ply + 3), "move": "deal"}, headers=FORM)
    visitor.ask("POST", f"{api}/moves", json={"ply": ply + 3, "move": "deal"})
    visitor.ask("POST", f"{api}/moves", json={"ply": str(ply), "move": 7})


def secrets_of(deal: Deal, position: Position) -> list[str]:
    """Texts that must not be found while the game is sealed and stands like this."""
    code = parse(deal.code)
    texts = [deal.code, deal.code.partition("-")[2], SALT]
    if isinstance(code, SeedCode):
        texts += [str(code.seed), f"{code.seed:x}", deal.code[len(code.prefix) + 1 : -1]]
    hidden = [pile.cards[: pile.face_down] for pile in position.piles]
    for cards in hidden:
        for at in range(len(cards) - WINDOW + 1):
            row = [card.text for card in cards[at : at + WINDOW]]
            texts += [
                glue.join(order) for order in (row, row[::-1]) for glue in ("", " ", ",", '","', '", "', "|")
            ]
    return texts


def check(visitor: Visitor, secrets: list[str]) -> None:
    for request, answer in visitor.sent:
        text = answer.decode("utf-8", "replace").casefold()
        for secret in secrets:
            assert secret.casefold() not in text, f"{request} tells {secret}"
    visitor.sent.clear()


def check_cards(game: dict[str, Any], position: Position, deal: Deal) -> None:
    """A JSON game names the cards that are shown, each as often as it is shown, and no other."""
    shown = Counter(card.text for pile in view(deal.patience, position).piles for card in pile.cards)
    named = Counter(re.findall(r'"([A2-9TJQK][SHDC])"', json.dumps(game)))
    assert named == shown


WON = [game for game in golden("won_games.json") if game["suits"] in (1, 4)][::2]


@pytest.mark.parametrize("won", WON, ids=lambda game: f"{game['suits']}-{len(game['moves'])}")
def test_a_whole_game_tells_nothing_that_is_hidden(
    web: FastAPI, visitor: Visitor, won: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    params = {"suits": won["suits"]}
    deal = deals.document_deal({"patience": "spider", "params": params, "layout": won["layout"]})
    game_id = begin(web, visitor, deal)
    position, logged = deal.start, ""
    for ply, move in enumerate(won["moves"]):
        if ply % 20 == 0:
            look_everywhere(visitor, game_id, ply)
        if ply % 2:
            visitor.ask("POST", f"/g/{game_id}/act", data={"ply": str(ply), "move": move}, headers=FORM)
        else:
            answer = visitor.ask("POST", f"{V1}/games/{game_id}/moves", json={"ply": ply, "move": move})
            after = deal.patience.play(position, move).position
            check_cards(answer.json(), after, deal)
        last = ply == len(won["moves"]) - 1
        position = deal.patience.play(position, move).position
        # Secret at the answer is what is hidden after the move; before that, more is.
        check(visitor, [] if last else secrets_of(deal, position))
        logged += "".join(capfd.readouterr())
    ended = visitor.ask("GET", f"{V1}/games/{game_id}").json()
    assert (ended["status"], ended["deal"], ended["salt"]) == ("won", deal.code, SALT)
    for secret in secrets_of(deal, deal.start):
        assert secret.casefold() not in logged.casefold()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_undone_and_given_up_games_tell_nothing_before_their_end(
    web: FastAPI, visitor: Visitor, seed: int
) -> None:
    """Turned cards that are undone lie face down again, and are hidden again."""
    deal = deals.seed_deal(deals.document_deal(_layout(golden("won_games.json")[-1])).patience, 2**63 + seed)
    game_id = begin(web, visitor, deal)
    line = random_line(deal.patience, deal.start, random.Random(seed), 25)
    for ply, move in enumerate(line):
        visitor.ask("POST", f"{V1}/games/{game_id}/moves", json={"ply": ply, "move": move})
    visitor.sent.clear()
    for back in range(len(line)):
        path, body = (f"{V1}/games/{game_id}/undo", {"ply": len(line) + back})
        answer = visitor.ask("POST", path, json=body)
        position = _after(deal, line[: len(line) - back - 1])
        check_cards(answer.json(), position, deal)
    look_everywhere(visitor, game_id, 2 * len(line))
    visitor.ask("GET", f"{V1}/games/{game_id}/hint")
    check(visitor, secrets_of(deal, deal.start))
    told = visitor.ask("POST", f"{V1}/games/{game_id}/give-up", json={"ply": 2 * len(line)}).json()
    assert (told["deal"], told["salt"]) == (deal.code, SALT)
    assert told["commitment"] == commitment(told["deal"], told["salt"])


@pytest.mark.parametrize("plies", [0, 7, 30])
def test_hidden_cards_change_no_byte_of_any_answer(web: FastAPI, visitor: Visitor, plies: int) -> None:
    rng = random.Random(plies)
    deal = deals.document_deal(_layout(golden("won_games.json")[-1]))
    line = golden("won_games.json")[-1]["moves"][:plies]
    check_same(web, visitor, deal, line, rng)


OTHERS = ("pyramid3d", "spilzone4", "holy-seven", "hypyt13", "spiderette4", "scorpion")
TRIED = (
    "1",
    "7",
    "w",
    "1+2",
    "21+28",
    "9+w",
    "3-2",
    "2-5",
    "4-7x2",
    "draw",
    "turn",
    "redeal",
    "stock-4",
    "deal",
)


@pytest.mark.parametrize("prefix", OTHERS)
def test_hidden_cards_change_no_byte_in_other_patiences_either(
    web: FastAPI, visitor: Visitor, prefix: str
) -> None:
    rng, rules = random.Random(5), registry.by_prefix(prefix)
    deal = deals.layout_deal(rules, deals.seed_deal(rules, 11).start)
    line = random_line(rules, deal.start, rng, 12)
    legal = rules.legal_moves(_after(deal, line))
    assert legal
    check_same(web, visitor, deal, line, rng, [move for move in TRIED if move not in legal])


def check_same(
    web: FastAPI,
    visitor: Visitor,
    deal: Deal,
    line: list[str],
    rng: random.Random,
    refused: Sequence[str] = REFUSED,
) -> None:
    """That a game at another deal, whose cards differ only where they are hidden, is answered alike."""
    other = deals.layout_deal(deal.patience, with_hidden_shuffled(deal, _after(deal, line), rng))
    assert other.code != deal.code
    first, second = (everything_told(web, visitor, one, line, refused) for one in (deal, other))
    assert [request for request, _ in first] == [request for request, _ in second]
    for (request, one), (_, two) in zip(first, second, strict=True):
        assert one == two, request


def everything_told(
    web: FastAPI, visitor: Visitor, deal: Deal, line: list[str], refused: Sequence[str]
) -> list[tuple[str, bytes]]:
    """All answers to a game, but for what names the game itself."""
    game_id = begin(web, visitor, deal)
    for ply, move in enumerate(line):
        if ply % 2:
            visitor.ask("POST", f"/g/{game_id}/act", data={"ply": str(ply), "move": move}, headers=FORM)
        else:
            visitor.ask("POST", f"{V1}/games/{game_id}/moves", json={"ply": ply, "move": move})
    look_everywhere(visitor, game_id, len(line), refused)
    visitor.ask("GET", f"{V1}/games/{game_id}/hint")
    visitor.ask("POST", f"/g/{game_id}/hint", data={"ply": str(len(line))}, headers=FORM)
    game: Game
    with web.state.db.write() as conn:
        game = store.find_any(conn, game_id)  # type: ignore[assignment]
        conn.execute(update(store.games).values(ended_at=1))  # so that it is listed no more
    assert game.commitment is not None
    told = [
        (request.replace(game_id, "GAME"), body)
        for request, body in visitor.sent
        if not request.endswith(NOT_COMPARED)
    ]
    visitor.sent.clear()
    names = {game_id: b"GAME", game.commitment: b"COMMITMENT"}
    return [(request, _renamed(body, names)) for request, body in told]


def _renamed(body: bytes, names: dict[str, bytes]) -> bytes:
    for name, put in names.items():
        body = body.replace(name.encode(), put)
    return re.sub(rb"(?im)^(set-cookie|date|content-length):.*\n", b"", body)


def with_hidden_shuffled(deal: Deal, now: Position, rng: random.Random) -> Position:
    """The opening with those cards shuffled that are still hidden now. (They have not been moved since.)"""
    places = list[tuple[int, int]]()
    for at, (spec, old, pile) in enumerate(
        zip(deal.patience.piles, deal.start.piles, now.piles, strict=True)
    ):
        gone = len(old) - len(pile) if spec.role == "stock" else 0
        places += [(at, row) for row in range(gone, gone + pile.face_down)]
    cards = [deal.start.piles[pile].cards[row] for pile, row in places]
    rng.shuffle(cards)
    piles = [list(pile.cards) for pile in deal.start.piles]
    for (pile, row), card in zip(places, cards, strict=True):
        piles[pile][row] = card
    made = (Pile(tuple(cards), old.face_down) for cards, old in zip(piles, deal.start.piles, strict=True))
    return replace(deal.start, piles=tuple(made))


def _layout(game: dict[str, Any]) -> dict[str, Any]:
    return {"patience": "spider", "params": {"suits": game["suits"]}, "layout": game["layout"]}


def _after(deal: Deal, line: list[str]) -> Position:
    position = deal.start
    for move in line:
        position = deal.patience.play(position, move).position
    return position
