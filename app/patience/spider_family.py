"""Spider's family: columns on which runs from king to ace are built in suit, and collected.

What tells the members apart is data: how many packs and columns, how the opening lies, what may lie on
what, what moves together, what a space takes, and where the stock goes. docs/spider-family.md has the
rules of each as played here. Spider itself, with its house rules, is in ``spider.py``.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from app.cards.card import KING, Card
from app.cards.deck import pack
from app.cards.numbered import PYSOL_SPIDER, dealing_order
from app.patience import layout
from app.patience.building import RUN, collect, ends_in_complete_run, run_length, turn_up
from app.patience.errors import BadLayout, IllegalMove, MalformedMove
from app.patience.patience import PLAYING, WON, Event, Outcome, Params, PileSpec, Played, RowDealt, Usual
from app.patience.position import Pile, Position

DEAL = "deal"
SHIFT = re.compile(r"(10|[1-9])-(10|[1-9])x([1-9][0-9]{0,2})")
_COLLECT = re.compile(r"collect-(10|[1-9])")


def places(columns: int, *others: PileSpec) -> tuple[PileSpec, ...]:
    """Columns 1, 2, … and whatever else there is."""
    return (*(PileSpec(str(number), "tableau") for number in range(1, columns + 1)), *others)


class SpiderFamily(Usual):
    """The rules that all members share. A member sets the attributes below."""

    key: ClassVar[str]
    choices: ClassVar[Mapping[str, tuple[int | str, ...]]] = {"suits": (4, 2, 1)}

    packs: ClassVar[int] = 2
    opening: ClassVar[tuple[tuple[int, int], ...]]
    """Each column's cards at the opening, and how many of them lie face down."""
    row: ClassVar[int]
    """How many columns, from the left, the stock is dealt onto at a time; 0 if there is no stock."""
    in_suit: ClassVar[bool] = False
    """Whether a card may lie only on a card of its own suit."""
    moves_any: ClassVar[bool] = False
    """Whether any face-up card moves, with all that lie on it; else only runs do."""
    kings_only: ClassVar[bool] = False
    """Whether a space takes only a king (and what lies on it)."""

    pysol_rounds: ClassVar[tuple[Sequence[int], ...]] = ()
    """The columns onto which PySolFC deals a card in each round of its opening."""

    rows_onto_spaces: bool = False
    collects_at_once: bool = True
    piles: tuple[PileSpec, ...]
    table: tuple[tuple[str, ...], ...]
    scorings: tuple[str, ...] = ("moves500", "turns5")
    params: Params
    prefix: str

    def __init_subclass__(cls) -> None:
        # Only a member that says how its opening lies has piles of its own.
        if "opening" in cls.__dict__:
            cls.cards = 4 * RUN * cls.packs
            stock = (PileSpec("stock", "stock"),) if cls.row else ()
            cls.piles = places(len(cls.opening), *stock, PileSpec("foundation", "foundation"))
            ids = tuple(spec.id for spec in cls.piles)
            cls.table = (ids[len(cls.opening) :], ids[: len(cls.opening)])

    def __init__(self, suits: int = 4) -> None:
        self.suits = suits
        self.params = {"suits": suits} if self.choices else {}
        self.prefix = f"{self.key}{suits if self.choices else ''}"
        # PySolFC plays the relatives of Spider with four suits only.
        if suits == 4 and self.pysol_rounds:
            self.pysol_order = dealing_order(self.pysol_rounds, self.columns, self.cards)

    @property
    def columns(self) -> int:
        return len(self.opening)

    @property
    def stock(self) -> int:
        """The stock's index among the piles; columns 1, 2, … are 0, 1, …"""
        return len(self.opening)

    @property
    def foundation(self) -> int:
        return len(self.piles) - 1

    def deck(self) -> tuple[Card, ...]:
        return pack(self.suits, self.packs)

    def start(self, deck: Sequence[Card], _seed: int = 0, /) -> Position:
        """Column by column, bottom to end; what is left is the stock."""
        piles, at = [], 0
        for size, face_down in self.opening:
            piles.append(Pile(tuple(deck[at : at + size]), face_down))
            at += size
        if self.row:
            stock = tuple(deck[at:])
            piles.append(Pile(stock, len(stock)))
        return Position((*piles, Pile()))

    def parse(self, move: str) -> str:
        deal = self.row and move == DEAL
        shift = SHIFT.fullmatch(move)
        by_hand = not self.collects_at_once and _COLLECT.fullmatch(move)
        columns = shift.groups()[:2] if shift else by_hand.groups() if by_hand else ()
        if not (deal or columns) or any(int(column) > self.columns for column in columns):
            raise MalformedMove("malformed_move")
        return move

    def play(self, position: Position, move: str) -> Played:
        self.parse(move)
        if move == DEAL:
            return self._deal_row(position)
        if shift := SHIFT.fullmatch(move):
            return self._shift(position, int(shift[1]) - 1, int(shift[2]) - 1, int(shift[3]))
        return self._collect_by_hand(position, int(move.removeprefix("collect-")) - 1)

    def legal_moves(self, position: Position) -> tuple[str, ...]:
        return tuple(self._legal(position))

    def outcome(self, position: Position) -> Outcome:
        if len(position.piles[self.foundation]) == self.cards:
            return WON
        if self.cannot_deal_ever(position):
            return Outcome("lost", "no_deal")
        return PLAYING if next(self._legal(position), None) else Outcome("lost", "no_move")

    def cannot_deal_ever(self, position: Position) -> bool:
        """The no-deal deadlock: stock is left, but too few cards to put one on every column.

        Fewer cards than columns hold no run of thirteen, so nothing more can be collected either.
        """
        if not self.row or self.rows_onto_spaces or not position.piles[self.stock]:
            return False
        return sum(len(pile) for pile in position.piles[: self.columns]) < self.columns

    def progress(self, position: Position) -> int:
        """Runs collected."""
        return len(position.piles[self.foundation]) // RUN

    # Moves

    def _movable(self, pile: Pile) -> int:
        """How many cards, at most, may leave the end of a pile together."""
        return len(pile) - pile.face_down if self.moves_any else run_length(pile)

    def _shift(self, position: Position, source: int, target: int, count: int) -> Played:
        pile, onto = position.piles[source], position.piles[target]
        if source == target:
            raise IllegalMove("same_column", column=source + 1)
        if not pile.cards:
            raise IllegalMove("empty_column", column=source + 1)
        if count > len(pile) - pile.face_down:
            raise IllegalMove("not_face_up", column=source + 1, count=count)
        if count > self._movable(pile):
            raise IllegalMove("not_a_run", column=source + 1, count=count)
        moved = pile.cards[-count:]
        self._check_fits(moved[0], onto, target + 1)
        piles = list(position.piles)
        piles[source] = Pile(pile.cards[:-count], pile.face_down)
        piles[target] = Pile(onto.cards + moved, onto.face_down)
        return self._settle(piles, [source], [])

    def _check_fits(self, head: Card, onto: Pile, column: int) -> None:
        if not onto.cards:
            if self.kings_only and head.rank != KING:
                raise IllegalMove("kings_only", column=column, card=head.text)
            return
        end = onto.cards[-1]
        if end.rank != head.rank + 1:
            raise IllegalMove("not_one_higher", column=column, card=head.text, onto=end.text)
        if self.in_suit and end.suit != head.suit:
            raise IllegalMove("not_in_suit", column=column, card=head.text, onto=end.text)

    def _deal_row(self, position: Position) -> Played:
        stock = position.piles[self.stock].cards
        if not stock:
            raise IllegalMove("stock_empty")
        spaces = [str(column + 1) for column in range(self.columns) if not position.piles[column].cards]
        if spaces and not self.rows_onto_spaces:
            raise IllegalMove("space_on_deal", columns=" ".join(spaces))
        row, left = stock[: self.row], stock[self.row :]
        piles = list(position.piles)
        for column, dealt in enumerate(row):
            piles[column] = Pile((*piles[column].cards, dealt), piles[column].face_down)
        piles[self.stock] = Pile(left, len(left))
        return self._settle(piles, [], [RowDealt(row)])

    def _collect_by_hand(self, position: Position, column: int) -> Played:
        if not ends_in_complete_run(position.piles[column]):
            raise IllegalMove("no_complete_run", column=column + 1)
        piles = list(position.piles)
        events: list[Event] = [collect(piles, column, self.foundation, self.piles)]
        return self._settle(piles, [column], events)

    def _settle(self, piles: list[Pile], bared: list[int], events: list[Event]) -> Played:
        """Collects what is complete and turns up what is bared; a turned-up card completes no run."""
        if self.collects_at_once:
            for column in range(self.columns):
                # Where any cards move together a run can lie on another that is complete: both go.
                while ends_in_complete_run(piles[column]):
                    events.append(collect(piles, column, self.foundation, self.piles))
                    bared.append(column)
        events += turn_up(piles, bared, self.piles)
        return Played(Position(tuple(piles)), tuple(events))

    def _legal(self, position: Position) -> Iterator[str]:
        columns = position.piles[: self.columns]
        yield from self._shifts(columns)
        if not self.collects_at_once:
            yield from (f"collect-{i + 1}" for i, pile in enumerate(columns) if ends_in_complete_run(pile))
        may = self.row and (self.rows_onto_spaces or all(pile.cards for pile in columns))
        if may and position.piles[self.stock].cards:
            yield DEAL

    def _shifts(self, columns: Sequence[Pile]) -> Iterator[str]:
        """The moves from column to column, in the order of source, count and target."""
        ends = [pile.cards[-1] if pile.cards else None for pile in columns]
        for source, pile in enumerate(columns):
            for count in range(1, self._movable(pile) + 1):
                head = pile.cards[-count]
                for target, end in enumerate(ends):
                    if target != source and self._fits(head, end):
                        yield f"{source + 1}-{target + 1}x{count}"

    def _fits(self, head: Card, end: Card | None) -> bool:
        if end is None:
            return not self.kings_only or head.rank == KING
        return end.rank == head.rank + 1 and (not self.in_suit or end.suit == head.suit)

    # Layouts

    def to_layout(self, position: Position) -> dict[str, Any]:
        others = {"stock": position.piles[self.stock]} if self.row else {}
        return layout.write(position.piles[: self.columns], **others)

    def from_layout(self, document: object) -> Position:
        """An opening, or any later position: cards that are not there have been collected, in whole runs."""
        columns, others = layout.read(document, self.columns, self.cards, ("stock",) if self.row else ())
        stock = others.get("stock", ())
        if stock and len(stock) not in self._stock_sizes():
            raise BadLayout("stock_not_in_rows")
        there = Counter([*(c for pile in columns for c in pile.cards), *stock])
        gone = layout.collected(there, self.suits, 4 * self.packs)
        if self.collects_at_once and any(ends_in_complete_run(pile) for pile in columns):
            raise BadLayout("complete_run_on_table")
        return Position((*columns, *([Pile(stock, len(stock))] if self.row else []), Pile(gone)))

    def _stock_sizes(self) -> range:
        """How many cards the stock can hold."""
        return range(self.cards - sum(size for size, _ in self.opening), 0, -self.row)


def _ends_up(*sizes: int) -> tuple[tuple[int, int], ...]:
    """Columns of so many cards, only the last of each face up."""
    return tuple((size, size - 1) for size in sizes)


class RelaxedSpider(SpiderFamily):
    """Spider, where a row may be dealt while there are spaces."""

    key = "relaxed-spider"
    opening = _ends_up(6, 6, 6, 6, 5, 5, 5, 5, 5, 5)
    row = 10
    rows_onto_spaces = True

    def __init__(self, suits: int = 4) -> None:
        super().__init__(suits)
        if suits == 4:
            self.pysol_order = PYSOL_SPIDER


class Spiderette(SpiderFamily):
    """Spider with one pack, on Klondike's seven columns. The last row has three cards."""

    key = "spiderette"
    packs = 1
    opening = _ends_up(1, 2, 3, 4, 5, 6, 7)
    row = 7
    pysol_rounds = (*(range(first, 7) for first in range(1, 7)), range(7))


class WillOTheWisp(Spiderette):
    """Spiderette on seven columns of three. The last row has three cards."""

    key = "will-o-the-wisp"
    opening = _ends_up(3, 3, 3, 3, 3, 3, 3)
    pysol_rounds = (range(7),) * 3


class SimpleSimon(SpiderFamily):
    """One pack, all dealt face up: Spider's building without a stock."""

    key = "simple-simon"
    choices: ClassVar[Mapping[str, tuple[int | str, ...]]] = {}
    packs = 1
    opening = tuple((size, 0) for size in (8, 8, 8, 7, 6, 5, 4, 3, 2, 1))
    row = 0
    pysol_rounds = (*(range(columns) for columns in range(9, 2, -1)), range(10))
    # No card is ever turned up, so a score for turning up would tell nothing.
    scorings = ("moves500",)


class Scorpion(SpiderFamily):
    """One pack; any face-up card moves with all on it, built in suit; spaces are for kings."""

    key = "scorpion"
    # The second version collects a run that was complete under another.
    rules_version = 2
    choices: ClassVar[Mapping[str, tuple[int | str, ...]]] = {}
    packs = 1
    opening = ((7, 3),) * 4 + ((7, 0),) * 3
    row = 3
    pysol_rounds = (range(7),) * 7
    in_suit = True
    moves_any = True
    kings_only = True
    rows_onto_spaces = True


class Wasp(Scorpion):
    """Scorpion with three columns partly face down, where a space takes any card."""

    key = "wasp"
    opening = ((7, 3),) * 3 + ((7, 0),) * 4
    kings_only = False
