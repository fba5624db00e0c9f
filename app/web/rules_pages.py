"""The examples on the pages of rules: small tables, shown by the board's own templates."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from app.cards.card import cards
from app.patience.view import PileView
from app.web.render import PileShown, shown


def column(number: int, up: str, down: int = 0, *, picked: int = 0, lit: bool = False) -> PileShown:
    """A column of cards on ``down`` hidden ones; the last ``picked`` are picked up, ``lit`` is a target."""
    drawn = shown(PileView(str(number), "tableau", down, cards(up)))
    first = len(drawn.picks) - picked
    picks = tuple(replace(pick, picked=at >= first) for at, pick in enumerate(drawn.picks))
    return replace(drawn, picks=picks, lit=lit)


def _spider() -> Mapping[str, list[PileShown]]:
    return {
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
            shown(PileView("foundation", "foundation", 0, cards("KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS"))),
        ],
    }


EXAMPLES: Mapping[str, Callable[[], Mapping[str, list[PileShown]]]] = {"spider": _spider}
