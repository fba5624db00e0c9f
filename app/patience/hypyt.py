"""Hypyt ("hops"), of the Accordion kind: a row of cards is hopped together into one pile.

The rules as played here stand in docs/hypyt.md.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from app.cards.card import Card
from app.cards.deck import pack
from app.patience import layout
from app.patience.errors import BadLayout, IllegalMove, MalformedMove
from app.patience.patience import (
    PLAYING,
    WON,
    Dealt,
    Event,
    Outcome,
    Params,
    PileSpec,
    Played,
    Usual,
)
from app.patience.position import Pile, Position

NEAR, FAR = 1, 3
"""How many places a hop goes: onto the next pile, or over two."""
RIGHT, LEFT = "right", "left"
_HOP = re.compile(r"([1-9][0-9]?)-([1-9][0-9]?)")


class Hypyt(Usual):
    """The rules of Hypyt.

    ``row``: how many piles the row holds; the other cards wait in the stock and come to the row's end
    as room comes free. ``jump``: whether the hop over two piles goes to the right, as the source has it,
    or to the left, as in Accordion. The hop onto the next pile always goes to the left.
    """

    key: ClassVar[str] = "hypyt"
    choices: ClassVar[Mapping[str, tuple[int | str, ...]]] = {"row": (52, 26, 13), "jump": (RIGHT, LEFT)}
    scorings = ("piles",)
    # The cards of PySolFC's Accordion, from left to right.
    pysol_order = tuple(range(52))

    def __init__(self, row: int = 52, jump: str = RIGHT) -> None:
        self.row = row
        self.steps = (-NEAR, FAR if jump == RIGHT else -FAR)
        self.params: Params = {"row": row} | ({"jump": jump} if jump != RIGHT else {})
        self.prefix = f"hypyt{row}{'l' if jump == LEFT else ''}"
        places = tuple(str(place) for place in range(1, row + 1))
        self.piles = (*(PileSpec(place, "tableau") for place in places), PileSpec("stock", "stock"))
        self.table = (*(places[at : at + 13] for at in range(0, row, 13)), ("stock",))

    def deck(self) -> tuple[Card, ...]:
        return pack(4, 1)

    def start(self, deck: Sequence[Card], _seed: int = 0, /) -> Position:
        """The row from left to right; what is left is the stock."""
        stock = tuple(deck[self.row :])
        return Position((*(Pile((one,)) for one in deck[: self.row]), Pile(stock, len(stock))))

    def parse(self, move: str) -> str:
        hop = _HOP.fullmatch(move)
        if not hop or any(int(place) > self.row for place in hop.groups()):
            raise MalformedMove("malformed_move")
        return move

    def play(self, position: Position, move: str) -> Played:
        source, target = [int(place) - 1 for place in self.parse(move).split("-")]
        piles = list(position.piles[: self.row])
        self._check(piles, source, target)
        piles[target] = Pile(piles[target].cards + piles[source].cards)
        del piles[source]
        piles.append(Pile())
        stock, events = position.piles[self.row].cards, list[Event]()
        # A hop makes room for one card, at the end of the row.
        end = next(place for place, pile in enumerate(piles) if not pile.cards)
        if stock:
            piles[end] = Pile(stock[:1])
            events.append(Dealt(self.piles[end].id, stock[0]))
            stock = stock[1:]
        return Played(Position((*piles, Pile(stock, len(stock)))), tuple(events))

    def legal_moves(self, position: Position) -> tuple[str, ...]:
        return tuple(self._legal(position))

    def outcome(self, position: Position) -> Outcome:
        if self.progress(position) == self.cards - 1:
            return WON
        return PLAYING if next(self._legal(position), None) else Outcome("lost", "no_move")

    def progress(self, position: Position) -> int:
        """Hops made, 0 to 51: the cards that lie on others."""
        return sum(len(pile) - 1 for pile in position.piles[: self.row] if pile.cards)

    def _check(self, piles: Sequence[Pile], source: int, target: int) -> None:
        for place in (source, target):
            if not piles[place].cards:
                raise IllegalMove("empty_place", place=place + 1)
        if target - source not in self.steps:
            raise IllegalMove("not_a_hop", place=source + 1, target=target + 1)
        card, onto = piles[source].cards[-1], piles[target].cards[-1]
        if not matches(card, onto):
            raise IllegalMove("no_match", card=card.text, onto=onto.text)

    def _legal(self, position: Position) -> Iterator[str]:
        tops = [pile.cards[-1] for pile in position.piles[: self.row] if pile.cards]
        for source, card in enumerate(tops):
            for target in sorted(source + step for step in self.steps):
                if 0 <= target < len(tops) and matches(card, tops[target]):
                    yield f"{source + 1}-{target + 1}"

    # Layouts

    def to_layout(self, position: Position) -> dict[str, Any]:
        return layout.write(position.piles[: self.row], stock=position.piles[self.row])

    def from_layout(self, document: object) -> Position:
        """An opening or a later position, of the whole pack."""
        places, others = layout.read(document, self.row, self.cards, ("stock",))
        stock = others["stock"]
        if layout.missing(self.deck(), Counter([*(c for pile in places for c in pile.cards), *stock])):
            raise BadLayout("not_the_pack")
        filled = [bool(pile.cards) for pile in places]
        if filled != sorted(filled, reverse=True) or (stock and not all(filled)):
            raise BadLayout("gap_in_row")
        for place, pile in enumerate(places, 1):
            if pile.face_down:
                raise BadLayout("face_down_count", column=place)
        return Position((*places, Pile(stock, len(stock))))


def matches(card: Card, onto: Card) -> bool:
    """Whether two cards have the same rank or the same suit."""
    return card.rank == onto.rank or card.suit == onto.suit
