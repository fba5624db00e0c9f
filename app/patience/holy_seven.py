"""Holy Seven: everything but the sevens goes, by pairs that add up to seven and by sets from eight to king.

The rules as played here stand in docs/holy-seven.md.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from app.cards.card import KING, RANKS, Card
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
    Removed,
    Usual,
)
from app.patience.position import Pile, Position

ROW = 7
SEVEN, EIGHT = 7, 8
UPPER, SEVENS, TURNED, STOCK, DISCARD = 7, 13, 14, 15, 16
"""Indices among the piles: the row is 0 to 6, the upper row from eight to king 7 to 12."""
TURN = "turn"
USED = "turning-used"
_REMOVE = re.compile(r"([1-7])(?:\+([1-7]))?")


class HolySeven(Usual):
    """The rules of Holy Seven. It has no settings."""

    key: ClassVar[str] = "holy-seven"
    piles = (
        *(PileSpec(str(number), "tableau") for number in range(1, ROW + 1)),
        *(PileSpec(RANKS[rank - 1], "foundation") for rank in range(EIGHT, KING + 1)),
        PileSpec("sevens", "reserve"),
        PileSpec("turned", "waste"),
        PileSpec("stock", "stock"),
        PileSpec("discard", "discard"),
    )
    table = (
        tuple(RANKS[EIGHT - 1 :]),
        tuple(str(number) for number in range(1, ROW + 1)),
        ("stock", "turned", "sevens", "discard"),
    )
    scorings = ("cards",)
    remembers: ClassVar[Mapping[str, int]] = {"turning": 1}
    prefix = "holy-seven"

    def __init__(self) -> None:
        self.params: Params = {}

    def deck(self) -> tuple[Card, ...]:
        return pack(4, 1)

    def start(self, deck: Sequence[Card], _seed: int = 0, /) -> Position:
        """The row from left to right; what is left is the stock."""
        stock = tuple(deck[ROW:])
        others = [Pile()] * (STOCK - ROW)
        return Position((*(Pile((one,)) for one in deck[:ROW]), *others, Pile(stock, len(stock)), Pile()))

    def parse(self, move: str) -> str:
        if move == TURN:
            return move
        found = _REMOVE.fullmatch(move)
        if not found:
            raise MalformedMove("malformed_move")
        return "+".join(sorted(place for place in found.groups() if place))

    def play(self, position: Position, move: str) -> Played:
        move = self.parse(move)
        if move == TURN:
            return self._turn(position)
        places = [int(place) - 1 for place in move.split("+")]
        self._check(position, places)
        piles, events = list(position.piles), list[Event]()
        cards = [piles[place].cards[0] for place in places]
        for place in places:
            piles[place] = Pile()
        _put(piles, cards, events)
        for place in places:
            _fill(piles, place, events)
        return Played(Position(tuple(piles), position.memory), tuple(events))

    def legal_moves(self, position: Position) -> tuple[str, ...]:
        return tuple(self._legal(position))

    def outcome(self, position: Position) -> Outcome:
        if self.progress(position) == self.cards:
            return WON
        if position.piles[TURNED].cards:
            return Outcome("lost", "turned_fits_nowhere")
        return PLAYING if next(self._legal(position), None) else Outcome("lost", "no_move")

    def progress(self, position: Position) -> int:
        """Cards gone for good: pairs, whole sets, and sevens laid out; 0 to 52."""
        return len(position.piles[DISCARD]) + len(position.piles[SEVENS])

    def facts(self, position: Position) -> Mapping[str, int]:
        """``turning``: 1 while the right to the turning card is left, else 0."""
        return {"turning": int(USED not in position.memory)}

    # Moves

    def _check(self, position: Position, places: Sequence[int]) -> None:
        if len(set(places)) < len(places):
            raise IllegalMove("same_card")
        for place in places:
            if not position.piles[place].cards:
                raise IllegalMove("empty_place", place=place + 1)
        cards = [position.piles[place].cards[0] for place in places]
        if len(cards) == 2:
            if sum(c.rank for c in cards) != SEVEN:
                raise IllegalMove("not_seven", cards=" ".join(c.text for c in cards))
        elif cards[0].rank < SEVEN:
            raise IllegalMove("goes_in_a_pair", card=cards[0].text)
        elif not _fits_alone(position.piles, cards[0]):
            raise IllegalMove("place_taken", card=cards[0].text)

    def _turn(self, position: Position) -> Played:
        if reason := self._why_no_turn(position):
            raise IllegalMove(reason)
        piles = list(position.piles)
        stock = piles[STOCK].cards
        card = stock[0]
        piles[STOCK] = Pile(stock[1:], len(stock) - 1)
        events: list[Event] = [Dealt("turned", card)]
        if _fits_alone(piles, card):
            _put(piles, [card], events)
            # A card for the upper row leaves the right as it is; a seven uses it up.
            return Played(Position(tuple(piles), (USED,) if card.rank == SEVEN else ()), tuple(events))
        partner = next((i for i in range(ROW) if piles[i].cards[0].rank + card.rank == SEVEN), None)
        if partner is None:
            piles[TURNED] = Pile((card,))
        else:
            pair = [piles[partner].cards[0], card]
            piles[partner] = Pile()
            _put(piles, pair, events)
            _fill(piles, partner, events)
        return Played(Position(tuple(piles), (USED,)), tuple(events))

    def _why_no_turn(self, position: Position) -> str | None:
        """The rule against the turning card, if there is one."""
        if not position.piles[STOCK].cards:
            return "stock_empty"
        if USED in position.memory:
            return "turning_used"
        if next(self._removals(position), None):
            return "something_can_go"
        return None

    def _legal(self, position: Position) -> Iterator[str]:
        yield from self._removals(position)
        if not self._why_no_turn(position):
            yield TURN

    @staticmethod
    def _removals(position: Position) -> Iterator[str]:
        row = [pile.cards[0] if pile.cards else None for pile in position.piles[:ROW]]
        for place, card in enumerate(row):
            if card is None:
                continue
            if _fits_alone(position.piles, card):
                yield str(place + 1)
            for other in range(place + 1, ROW):
                partner = row[other]
                if partner is not None and card.rank + partner.rank == SEVEN:
                    yield f"{place + 1}+{other + 1}"

    # Layouts

    def to_layout(self, position: Position) -> dict[str, Any]:
        piles = position.piles
        upper = Pile(tuple(c for pile in piles[UPPER:SEVENS] for c in pile.cards))
        document = layout.write(piles[:ROW], upper=upper, turned=piles[TURNED], stock=piles[STOCK])
        # A turned card that lies there tells it by itself.
        used = USED in position.memory and not piles[TURNED].cards
        return document | (layout.write_memory({"turning": (0,)}) if used else {})

    def from_layout(self, document: object) -> Position:
        """An opening or a later position; sevens that are not there are laid out, other cards are gone in
        pairs and whole sets. The right to the turning card is there unless the document says otherwise."""
        document, told = layout.read_memory(document, self.remembers)
        row, others = layout.read(document, ROW, self.cards, ("upper", "turned", "stock"), ends_up=False)
        upper, turned, stock = others["upper"], others["turned"], others["stock"]
        gone = layout.missing(
            self.deck(), Counter([*(c for p in row for c in p.cards), *upper, *turned, *stock])
        )
        for place, pile in enumerate(row, 1):
            if len(pile) > 1 or pile.face_down:
                raise BadLayout("one_card_a_place", column=place)
        if stock and not all(pile.cards for pile in row):
            raise BadLayout("gap_in_row")
        ranks = Counter(c.rank for c in gone)
        paired = all(ranks[rank] == ranks[SEVEN - rank] for rank in range(1, SEVEN))
        if not paired or len({ranks[rank] for rank in range(EIGHT, KING + 1)}) > 1:
            raise BadLayout("not_gone_in_pairs")
        places: dict[int, Pile] = {}
        for c in upper:
            if c.rank < EIGHT or c.rank in places:
                raise BadLayout("upper_row")
            places[c.rank] = Pile((c,))
        if len(turned) > 1 or len(upper) > KING - EIGHT:
            raise BadLayout("upper_row")
        sevens = Pile(tuple(c for c in gone if c.rank == SEVEN))
        discard = Pile(tuple(c for c in gone if c.rank != SEVEN))
        upper_row = [places.get(rank, Pile()) for rank in range(EIGHT, KING + 1)]
        (turning,) = told.get("turning", (int(not turned),))
        if turning > int(not turned):
            raise BadLayout("layout_memory")
        memory = () if turning else (USED,)
        position = Position(
            (*row, *upper_row, sevens, Pile(turned), Pile(stock, len(stock)), discard), memory=memory
        )
        if turned and not self._turned_stays(position):
            raise BadLayout("turned_fits")
        return position

    def _turned_stays(self, position: Position) -> bool:
        """Whether the turned card can lie where it does: nothing could go, and it fitted nowhere."""
        piles, card = position.piles, position.piles[TURNED].cards[0]
        pairs = any(pile.cards and pile.cards[0].rank + card.rank == SEVEN for pile in piles[:ROW])
        return not (pairs or _fits_alone(piles, card) or next(self._removals(position), None))


def _fits_alone(piles: Sequence[Pile], card: Card) -> bool:
    """Whether a card goes by itself: a seven, or one from eight to king whose place is open."""
    return card.rank == SEVEN or (card.rank > SEVEN and not piles[_upper(card)].cards)


def _upper(card: Card) -> int:
    return UPPER + card.rank - EIGHT


def _put(piles: list[Pile], cards: Sequence[Card], events: list[Event]) -> None:
    """Puts cards where they go: a pair away, a seven to the sevens, another to its place above the row."""
    if len(cards) == 2:
        _discard(piles, tuple(cards), events)
        return
    (card,) = cards
    place = SEVENS if card.rank == SEVEN else _upper(card)
    piles[place] = Pile((*piles[place].cards, card))
    if all(pile.cards for pile in piles[UPPER:SEVENS]):
        full = tuple(pile.cards[0] for pile in piles[UPPER:SEVENS])
        piles[UPPER:SEVENS] = [Pile()] * len(full)
        _discard(piles, full, events)


def _discard(piles: list[Pile], cards: tuple[Card, ...], events: list[Event]) -> None:
    piles[DISCARD] = Pile(piles[DISCARD].cards + cards)
    events.append(Removed(cards))


def _fill(piles: list[Pile], place: int, events: list[Event]) -> None:
    """Puts a card of the stock in an empty place of the row."""
    stock = piles[STOCK].cards
    if stock:
        piles[place] = Pile(stock[:1])
        piles[STOCK] = Pile(stock[1:], len(stock) - 1)
        events.append(Dealt(str(place + 1), stock[0]))
