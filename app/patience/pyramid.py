"""Pyramid: pairs that add up to thirteen clear a pyramid of 28 cards.

The rules as played here stand in docs/pyramid.md. Places 1 to 28 run from the top, row by row, each row
from left to right; place 1 is covered by 2 and 3, place 2 by 4 and 5, and so on.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from app.cards.card import KING, Card
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
    Redealt,
    Removed,
    TurnedUp,
    Usual,
)
from app.patience.position import Pile, Position

ROWS = 7
PLACES = 28
STOCK, WASTE, DISCARD = 28, 29, 30
"""Indices among the piles: places 1 to 28 are 0 to 27."""
SUM = 13
DRAW, REDEAL = "draw", "redeal"
OPEN, FACE_DOWN = "open", "face-down"
NO, YES = "no", "yes"
UNLIMITED = "unlimited"

ROW_OF = tuple(row for row in range(ROWS) for _ in range(row + 1))
COVERED_BY: tuple[tuple[int, ...], ...] = tuple(
    (place + row + 1, place + row + 2) if row < ROWS - 1 else () for place, row in enumerate(ROW_OF)
)
"""For each place, the two places of the next row that lie on it."""
COVERS: tuple[tuple[int, ...], ...] = tuple(
    tuple(over for over in range(PLACES) if place in COVERED_BY[over]) for place in range(PLACES)
)
"""For each place, the places of the row above that it lies on."""

_PLACE = r"2[0-8]|1[0-9]|[1-9]"
_MOVE = re.compile(rf"({_PLACE}|w)(?:\+({_PLACE}|w))?")
_MARK = "pass"


class Pyramid(Usual):
    """The rules of Pyramid with their settings.

    ``passes``: how often the stock may be gone through. ``upper``: whether the rows above the last lie
    open from the start, or face down until nothing covers them. ``covered``: whether two overlapping cards
    may go together, if the covered one is covered by nothing else.
    """

    key: ClassVar[str] = "pyramid"
    choices: ClassVar[Mapping[str, tuple[int | str, ...]]] = {
        "passes": (3, 1, 2, UNLIMITED),
        "upper": (OPEN, FACE_DOWN),
        "covered": (NO, YES),
    }
    piles = (
        *(PileSpec(str(number), "tableau") for number in range(1, PLACES + 1)),
        PileSpec("stock", "stock"),
        PileSpec("waste", "waste"),
        PileSpec("discard", "discard"),
    )
    table = (
        *(tuple(str(place + 1) for place in range(PLACES) if ROW_OF[place] == row) for row in range(ROWS)),
        ("stock", "waste", "discard"),
    )
    scorings = ("cards",)
    remembers: ClassVar[Mapping[str, int]] = {"pass": 1}
    # PySolFC deals the pyramid row by row from the top, and so do we.
    pysol_order = tuple(range(52))

    def __init__(self, passes: int | str = 3, upper: str = OPEN, covered: str = NO) -> None:
        self.passes = None if passes == UNLIMITED else int(passes)
        self.upper_face_down = upper == FACE_DOWN
        self.covered_pairs = covered == YES
        settings = {"upper": upper, "covered": covered}
        self.params: Params = {"passes": passes} | {
            name: value for name, value in settings.items() if value != self.choices[name][0]
        }
        letters = "d" * self.upper_face_down + "c" * self.covered_pairs
        self.prefix = f"pyramid{'u' if self.passes is None else self.passes}{letters}"

    def deck(self) -> tuple[Card, ...]:
        return pack(4, 1)

    def start(self, deck: Sequence[Card], _seed: int = 0, /) -> Position:
        """The pyramid from its top, row by row; what is left is the stock."""
        last_row = PLACES - ROWS
        pyramid = [
            Pile((deck[place],), int(self.upper_face_down and place < last_row)) for place in range(PLACES)
        ]
        stock = tuple(deck[PLACES:])
        return Position((*pyramid, Pile(stock, len(stock)), Pile(), Pile()), (f"{_MARK}1",))

    def parse(self, move: str) -> str:
        if move in (DRAW, REDEAL):
            return move
        found = _MOVE.fullmatch(move)
        if not found:
            raise MalformedMove("malformed_move")
        return _text(*[_place(name) for name in found.groups() if name])

    def play(self, position: Position, move: str) -> Played:
        move = self.parse(move)
        if move == DRAW:
            return self._draw(position)
        if move == REDEAL:
            return self._redeal(position)
        places = [_place(name) for name in move.split("+")]
        self._check(position, places)
        piles, gone = list(position.piles), list[Card]()
        for place in places:
            pile = piles[place]
            gone.append(pile.cards[-1])
            piles[place] = Pile(pile.cards[:-1])
        piles[DISCARD] = Pile(piles[DISCARD].cards + tuple(gone))
        events = [Removed(tuple(gone)), *_turn_up(piles)]
        return Played(Position(tuple(piles), position.memory), tuple(events))

    def legal_moves(self, position: Position) -> tuple[str, ...]:
        return tuple(self._legal(position))

    def outcome(self, position: Position) -> Outcome:
        if not any(pile.cards for pile in position.piles[:PLACES]):
            return WON
        return PLAYING if next(self._legal(position), None) else Outcome("lost", "no_move")

    def progress(self, position: Position) -> int:
        """Cards gone from the pyramid, 0 to 28."""
        return PLACES - sum(len(pile) for pile in position.piles[:PLACES])

    def facts(self, position: Position) -> Mapping[str, int]:
        """``pass``: which pass through the stock this is; ``passes``: of how many, if not unlimited."""
        return {"pass": pass_of(position)} | ({"passes": self.passes} if self.passes else {})

    # Moves

    def _check(self, position: Position, places: Sequence[int]) -> None:
        if len(set(places)) < len(places):
            raise IllegalMove("same_card")
        for place in places:
            if not position.piles[place].cards and place == WASTE:
                raise IllegalMove("waste_empty")
            if not position.piles[place].cards:
                raise IllegalMove("empty_place", place=place + 1)
        covered = [place for place in places if not is_free(position, place)]
        if covered and not (len(places) == 2 and self._lie_together(position, places[0], places[1])):
            raise IllegalMove("covered", place=covered[0] + 1)
        cards = [position.piles[place].cards[-1] for place in places]
        if sum(c.rank for c in cards) != SUM:
            reason = "not_thirteen" if len(cards) == 2 else "no_king"
            raise IllegalMove(reason, cards=" ".join(c.text for c in cards))

    def _lie_together(self, position: Position, first: int, second: int) -> bool:
        """Whether two cards may go as a covered pair: the lower one free, and nothing else on the upper."""
        if not self.covered_pairs or second not in (*COVERED_BY[first], *COVERS[first]):
            return False
        upper, lower = min(first, second), max(first, second)
        others = [place for place in COVERED_BY[upper] if place != lower]
        return (
            is_free(position, lower)
            and not position.piles[upper].face_down
            and not any(position.piles[place].cards for place in others)
        )

    def _draw(self, position: Position) -> Played:
        stock = position.piles[STOCK].cards
        if not stock:
            raise IllegalMove("stock_empty")
        waste = Pile((*position.piles[WASTE].cards, stock[0]))
        after = position.with_piles({STOCK: Pile(stock[1:], len(stock) - 1), WASTE: waste})
        return Played(after, (Dealt("waste", stock[0]),))

    def _redeal(self, position: Position) -> Played:
        if reason := self._why_no_redeal(position):
            raise IllegalMove(reason)
        waste = position.piles[WASTE].cards
        piles = {STOCK: Pile(waste, len(waste)), WASTE: Pile()}
        after = Position(position.with_piles(piles).piles, (f"{_MARK}{pass_of(position) + 1}",))
        return Played(after, (Redealt(len(waste)),))

    def _why_no_redeal(self, position: Position) -> str | None:
        """The rule against a redeal, if there is one.

        The waste comes back in the same order. If none of its cards is a king or fits a card that is free
        now, the next pass would end as it began: what else can go can go without it.
        """
        waste = position.piles[WASTE].cards
        if position.piles[STOCK].cards:
            return "stock_not_empty"
        if not waste:
            return "waste_empty"
        if self.passes is not None and pass_of(position) >= self.passes:
            return "no_passes_left"
        free = {position.piles[place].cards[-1].rank for place in range(PLACES) if is_free(position, place)}
        if not any(c.rank == KING or SUM - c.rank in free for c in waste):
            return "redeal_changes_nothing"
        return None

    def _legal(self, position: Position) -> Iterator[str]:
        there = [place for place in (*range(PLACES), WASTE) if position.piles[place].cards]
        free = [place for place in there if is_free(position, place)]
        ranks = {place: position.piles[place].cards[-1].rank for place in there}
        for at, place in enumerate(there):
            if place in free and ranks[place] == KING:
                yield _text(place)
            for other in there[at + 1 :]:
                if ranks[place] + ranks[other] == SUM and (
                    (place in free and other in free) or self._lie_together(position, place, other)
                ):
                    yield _text(place, other)
        if position.piles[STOCK].cards:
            yield DRAW
        elif not self._why_no_redeal(position):
            yield REDEAL

    # Layouts

    def to_layout(self, position: Position) -> dict[str, Any]:
        """The places as columns of one card or none; the pass, if it is not the first."""
        piles = position.piles
        document = layout.write(piles[:PLACES], stock=piles[STOCK], waste=piles[WASTE])
        number = pass_of(position) if position.memory else 1
        return document | (layout.write_memory({"pass": (number,)}) if number > 1 else {})

    def from_layout(self, document: object) -> Position:
        """An opening or a later position; cards that are not there are gone in pairs."""
        document, memory = layout.read_memory(document, self.remembers)
        (number,) = memory.get("pass", (1,))
        if number < 1 or (self.passes is not None and number > self.passes):
            raise BadLayout("layout_memory")
        places, others = layout.read(document, PLACES, 52, ("stock", "waste"), ends_up=False)
        stock, waste = others["stock"], others["waste"]
        there = Counter([*(c for pile in places for c in pile.cards), *stock, *waste])
        gone = layout.missing(self.deck(), there)
        position = Position(
            (*places, Pile(stock, len(stock)), Pile(waste), Pile(gone)), memory=(f"{_MARK}{number}",)
        )
        ranks = Counter(c.rank for c in gone)
        if any(ranks[rank] != ranks[SUM - rank] for rank in range(1, KING)):
            raise BadLayout("not_gone_in_pairs")
        self._check_shape(position)
        return position

    def _check_shape(self, position: Position) -> None:
        for place, pile in enumerate(position.piles[:PLACES]):
            if len(pile) > 1:
                raise BadLayout("one_card_a_place", column=place + 1)
            covered = any(position.piles[over].cards for over in COVERED_BY[place])
            if not pile.cards and covered:
                raise BadLayout("hangs_in_the_air", column=place + 1)
            if pile.cards and pile.face_down != int(self.upper_face_down and covered):
                raise BadLayout("face_down_count", column=place + 1)
        # No card of the pyramid ever comes into the stock.
        if len(position.piles[STOCK]) + len(position.piles[WASTE]) > self.cards - PLACES:
            raise BadLayout("stock_too_large")


def is_free(position: Position, place: int) -> bool:
    """Whether a card lies there and nothing lies on it."""
    piles = position.piles
    if place == WASTE:
        return bool(piles[WASTE].cards)
    return bool(piles[place].cards) and not any(piles[over].cards for over in COVERED_BY[place])


def pass_of(position: Position) -> int:
    """Which pass through the stock this is, from 1."""
    return int(position.memory[0].removeprefix(_MARK))


def _turn_up(piles: list[Pile]) -> list[Event]:
    """Turns up what nothing covers any more."""
    events = list[Event]()
    for place in range(PLACES):
        pile = piles[place]
        if pile.face_down and not any(piles[over].cards for over in COVERED_BY[place]):
            piles[place] = Pile(pile.cards)
            events.append(TurnedUp(_name(place), pile.cards[0]))
    return events


def _place(name: str) -> int:
    return WASTE if name == "w" else int(name) - 1


def _name(place: int) -> str:
    return "w" if place == WASTE else str(place + 1)


def _text(*places: int) -> str:
    return "+".join(_name(place) for place in sorted(places))
