"""The pages of rules: which template tells them, and the examples, shown by the board's own templates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.cards.card import cards
from app.patience import registry
from app.patience.deals import seed_deal
from app.patience.patience import Patience
from app.patience.position import Position
from app.patience.view import PileView, view
from app.web import gestures, render
from app.web.presentation import Look, look_of
from app.web.render import PileShown, shown

SEED = 17
"""Of the deals that are drawn."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A small table; ``lay`` says how it lies, if not in columns."""

    piles: Sequence[PileShown]
    lay: Look | None = None


Drawings = Mapping[str, Drawing]


@dataclass(frozen=True, slots=True)
class Rules:
    """The page of a patience."""

    template: str
    examples: Callable[[], Drawings]


def column(number: int, up: str, down: int = 0, *, picked: int = 0, lit: bool = False) -> PileShown:
    """A column of cards on ``down`` hidden ones; the last ``picked`` are picked up, ``lit`` is a target."""
    drawn = shown(PileView(str(number), "tableau", down, cards(up)))
    first = len(drawn.picks) - picked
    picks = tuple(replace(pick, picked=at >= first) for at, pick in enumerate(drawn.picks))
    return replace(drawn, picks=picks, lit=lit)


def _spider() -> Drawings:
    return _drawn(
        {
            "opening": [
                *(column(number, up, 5) for number, up in enumerate(["8S", "QH", "3D", "KC"], 1)),
                *(column(number, up, 4) for number, up in enumerate(["7H", "JS", "AC", "9D", "5S", "TH"], 5)),
            ],
            "one_higher": [
                column(1, "9H", 2, picked=1),
                column(2, "TS", 3, lit=True),
                column(3, "TD", 1, lit=True),
                column(4, "6C", 3),
            ],
            "run": [
                column(1, "9S 8S 7S", 2, picked=3),
                column(2, "9S 8H 7S", 2, picked=1),
                column(3, "TH", 3, lit=True),
            ],
            "space": [column(1, "QD JD", 1, picked=2), column(2, "", lit=True), column(3, "5C", 3)],
            "row": [
                column(1, "4S", 2),
                column(2, "", lit=True),
                column(3, "JH TH", 1),
                shown(PileView("stock", "stock", 30, ())),
            ],
            "complete": [
                column(1, "KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H AH", 1, picked=13),
                column(2, "8C", 2),
                shown(
                    PileView("foundation", "foundation", 0, cards("KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS"))
                ),
            ],
        }
    )


def _drawn(tables: Mapping[str, list[PileShown]]) -> Drawings:
    return {name: Drawing(piles) for name, piles in tables.items()}


def _table(patience: Patience, position: Position, move: str = "", lit: Sequence[str] = ()) -> Drawing:
    """A whole table; the cards of a move are picked up, and where they go is lit."""
    look = look_of(patience)
    one = gestures.read(move)
    picked = {one.source: one.count} | ({one.target: 1} if one.join == "+" else {})
    targets = (one.target,) if one.join == "-" else tuple(lit)
    piles = []
    for pile in render.table(patience, view(patience, position)):
        first = len(pile.picks) - picked.get(pile.name, 0)
        picks = tuple(replace(pick, picked=at >= first) for at, pick in enumerate(pile.picks))
        piles.append(replace(pile, picks=picks, lit=pile.name in targets))
    return Drawing(piles, look)


def _opening(key: str, params: Mapping[str, int | str] | None = None) -> tuple[Patience, Position]:
    patience = registry.get(key, params)
    return patience, seed_deal(patience, SEED).start


def _first(patience: Patience, position: Position, join: str) -> str:
    """The first legal move of a kind."""
    return next(move for move in patience.legal_moves(position) if gestures.read(move).join == join)


def _pyramid() -> Drawings:
    patience, start = _opening("pyramid")
    return {"opening": _table(patience, start), "pair": _table(patience, start, _first(patience, start, "+"))}


def _hypyt() -> Drawings:
    patience, start = _opening("hypyt", {"row": 13})
    near = next(move for move in patience.legal_moves(start) if _step(move) == -1)
    far = next(move for move in patience.legal_moves(start) if _step(move) > 0)
    return {
        "opening": _table(*_opening("hypyt")),
        "near": _table(patience, start, near),
        "far": _table(patience, start, far),
    }


def _step(move: str) -> int:
    one = gestures.read(move)
    return int(one.target) - int(one.source)


def _holy_seven() -> Drawings:
    patience, start = _opening("holy-seven")
    position = start
    while not any("+" in move for move in patience.legal_moves(position)):
        position = patience.play(position, patience.legal_moves(position)[0]).position
    return {
        "opening": _table(patience, start),
        "pair": _table(patience, position, _first(patience, position, "+")),
    }


def _spilzone() -> Drawings:
    return {
        "opening": _table(*_opening("spilzone")),
        **_drawn(
            {
                "in_suit": [
                    column(1, "9H", 2, picked=1),
                    column(2, "TS", 3),
                    column(3, "TH", 1, lit=True),
                    column(4, "6C", 3),
                ],
                "loose": [
                    column(1, "9H 4C", 1, picked=1),
                    column(2, "8S 7S", 2),
                    column(3, "QD KD", picked=1),
                ],
            }
        ),
    }


def _family(key: str) -> Callable[[], Drawings]:
    def examples() -> Drawings:
        patience, start = _opening(key)
        in_suit = [
            column(1, "9H 3C KS", 1, picked=3),
            column(2, "TS", 2),
            column(3, "TH", 1, lit=True),
        ]
        run = [
            column(1, "9S 8S 7S", 2, picked=3),
            column(2, "9S 8H 7S", 2, picked=1),
            column(3, "TH", 3, lit=True),
        ]
        return {"opening": _table(patience, start), **_drawn({"run": run, "any": in_suit})}

    return examples


PAGES: Mapping[str, Rules] = {
    "spider": Rules("rules_spider.html", _spider),
    "spilzone": Rules("rules_spilzone.html", _spilzone),
    "pyramid": Rules("rules_pyramid.html", _pyramid),
    "hypyt": Rules("rules_hypyt.html", _hypyt),
    "holy-seven": Rules("rules_holy_seven.html", _holy_seven),
    **{
        key: Rules("rules_family.html", _family(key))
        for key in ("relaxed-spider", "spiderette", "will-o-the-wisp", "simple-simon", "scorpion", "wasp")
    },
}
