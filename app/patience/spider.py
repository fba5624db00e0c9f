"""Spider: eight runs from king to ace are built in suit on ten columns, and collected.

The rules as played here, with their sources' differences, stand in docs/spider.md.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from app.cards.card import ACE, CARDS, KING, SUITS, Card, card, names
from app.cards.deck import SUITS_OF, pack
from app.patience.errors import BadLayout, IllegalMove, MalformedMove
from app.patience.patience import (
    PLAYING,
    WON,
    Collected,
    Event,
    Outcome,
    Params,
    PileSpec,
    Played,
    RowDealt,
    TurnedUp,
)
from app.patience.position import Pile, Position

COLUMNS = 10
RUN = 13
RUNS = 8
FIRST_COLUMNS = (6, 6, 6, 6, 5, 5, 5, 5, 5, 5)
STOCK, FOUNDATION = COLUMNS, COLUMNS + 1
"""Indices among the piles: columns 1 to 10 are 0 to 9."""

DEAL = "deal"
FULL_ONLY, ONTO_SPACES = "full-only", "onto-spaces"
AT_ONCE, BY_HAND = "at-once", "by-hand"

_PILES = (
    *(PileSpec(str(number), "tableau") for number in range(1, COLUMNS + 1)),
    PileSpec("stock", "stock"),
    PileSpec("foundation", "foundation"),
)
_SHIFT = re.compile(r"(10|[1-9])-(10|[1-9])x([1-9][0-9]{0,2})")
_COLLECT = re.compile(r"collect-(10|[1-9])")


class Spider:
    """The rules of Spider for a number of suits and two house rules.

    ``rows``: ``full-only`` deals a row only while no column is empty, ``onto-spaces`` always.
    ``collecting``: ``at-once`` takes a complete run off as soon as it lies there, ``by-hand`` when the
    player says ``collect-N``.
    """

    key: ClassVar[str] = "spider"
    rules_version: ClassVar[int] = 1
    choices: ClassVar[Mapping[str, tuple[int | str, ...]]] = {
        "suits": (4, 2, 1),
        "rows": (FULL_ONLY, ONTO_SPACES),
        "collecting": (AT_ONCE, BY_HAND),
    }
    cards = COLUMNS * 5 + 54
    piles = _PILES
    scorings = ("moves500", "turns5")

    def __init__(self, suits: int = 4, rows: str = FULL_ONLY, collecting: str = AT_ONCE) -> None:
        self.suits = suits
        self.rows_onto_spaces = rows == ONTO_SPACES
        self.collects_at_once = collecting == AT_ONCE
        house_rules = {"rows": rows, "collecting": collecting}
        # A house rule is named only where it is played.
        self.params: Params = {"suits": suits} | {
            name: value for name, value in house_rules.items() if value != self.choices[name][0]
        }
        self.prefix = f"spider{suits}{'s' * self.rows_onto_spaces}{'h' * (not self.collects_at_once)}"

    def deck(self) -> tuple[Card, ...]:
        return pack(self.suits)

    def start(self, deck: Sequence[Card], _seed: int = 0, /) -> Position:
        """Column by column, six cards on the first four and five on the others, the last face up."""
        piles, at = [], 0
        for size in FIRST_COLUMNS:
            piles.append(Pile(tuple(deck[at : at + size]), size - 1))
            at += size
        stock = tuple(deck[at:])
        return Position((*piles, Pile(stock, len(stock)), Pile()))

    def parse(self, move: str) -> str:
        by_hand = not self.collects_at_once and _COLLECT.fullmatch(move)
        if not (move == DEAL or _SHIFT.fullmatch(move) or by_hand):
            raise MalformedMove("malformed_move")
        return move

    def play(self, position: Position, move: str) -> Played:
        if move == DEAL:
            return self._deal_row(position)
        if shift := _SHIFT.fullmatch(move):
            return self._shift(position, int(shift[1]) - 1, int(shift[2]) - 1, int(shift[3]))
        self.parse(move)
        return self._collect_by_hand(position, int(move.removeprefix("collect-")) - 1)

    def legal_moves(self, position: Position) -> tuple[str, ...]:
        return tuple(self._legal(position))

    def outcome(self, position: Position) -> Outcome:
        if len(position.piles[FOUNDATION]) == self.cards:
            return WON
        if self.cannot_deal_ever(position):
            return Outcome("lost", "no_deal")
        return PLAYING if next(self._legal(position), None) else Outcome("lost", "no_move")

    def cannot_deal_ever(self, position: Position) -> bool:
        """The no-deal deadlock: stock is left, but too few cards to put one on every column.

        Fewer than ten cards hold no run of thirteen, so nothing more can be collected either.
        """
        on_table = sum(len(pile) for pile in position.piles[:COLUMNS])
        return not self.rows_onto_spaces and on_table < COLUMNS and bool(position.piles[STOCK])

    def progress(self, position: Position) -> int:
        """Runs collected, 0 to 8."""
        return len(position.piles[FOUNDATION]) // RUN

    # Moves

    def _shift(self, position: Position, source: int, target: int, count: int) -> Played:
        pile, onto = position.piles[source], position.piles[target]
        if source == target:
            raise IllegalMove("same_column", column=source + 1)
        if not pile.cards:
            raise IllegalMove("empty_column", column=source + 1)
        if count > len(pile) - pile.face_down:
            raise IllegalMove("not_face_up", column=source + 1, count=count)
        if count > run_length(pile):
            raise IllegalMove("not_a_run", column=source + 1, count=count)
        moved = pile.cards[-count:]
        if onto.cards and onto.cards[-1].rank != moved[0].rank + 1:
            facts = {"card": moved[0].text, "onto": onto.cards[-1].text}
            raise IllegalMove("not_one_higher", column=target + 1, **facts)
        piles = list(position.piles)
        piles[source] = Pile(pile.cards[:-count], pile.face_down)
        piles[target] = Pile(onto.cards + moved, onto.face_down)
        return self._settle(piles, [source], [])

    def _deal_row(self, position: Position) -> Played:
        stock = position.piles[STOCK].cards
        if not stock:
            raise IllegalMove("stock_empty")
        spaces = [str(column + 1) for column in range(COLUMNS) if not position.piles[column].cards]
        if spaces and not self.rows_onto_spaces:
            raise IllegalMove("space_on_deal", columns=" ".join(spaces))
        row, left = stock[:COLUMNS], stock[COLUMNS:]
        piles = list(position.piles)
        for column, dealt in enumerate(row):
            piles[column] = Pile((*piles[column].cards, dealt), piles[column].face_down)
        piles[STOCK] = Pile(left, len(left))
        return self._settle(piles, [], [RowDealt(row)])

    def _collect_by_hand(self, position: Position, column: int) -> Played:
        if not ends_in_complete_run(position.piles[column]):
            raise IllegalMove("no_complete_run", column=column + 1)
        piles, events = list(position.piles), list[Event]()
        self._collect(piles, column, events)
        return self._settle(piles, [column], events)

    def _settle(self, piles: list[Pile], bared: list[int], events: list[Event]) -> Played:
        """Collects what is complete and turns up what is bared, until neither is left."""
        if self.collects_at_once:
            for column in range(COLUMNS):
                if ends_in_complete_run(piles[column]):
                    self._collect(piles, column, events)
                    bared.append(column)
        for column in bared:
            pile = piles[column]
            if pile.cards and pile.face_down == len(pile):
                piles[column] = Pile(pile.cards, pile.face_down - 1)
                events.append(TurnedUp(_PILES[column].id, pile.cards[-1]))
        return Played(Position(tuple(piles)), tuple(events))

    @staticmethod
    def _collect(piles: list[Pile], column: int, events: list[Event]) -> None:
        pile = piles[column]
        run = pile.cards[-RUN:]
        piles[column] = Pile(pile.cards[:-RUN], pile.face_down)
        piles[FOUNDATION] = Pile(piles[FOUNDATION].cards + run)
        events.append(Collected(_PILES[column].id, run[0].suit))

    def _legal(self, position: Position) -> Iterator[str]:
        columns = position.piles[:COLUMNS]
        ends = [pile.cards[-1].rank if pile.cards else None for pile in columns]
        for source, pile in enumerate(columns):
            if not pile.cards:
                continue
            for count in range(1, run_length(pile) + 1):
                wanted = pile.cards[-count].rank + 1
                for target, rank in enumerate(ends):
                    if (rank is None or rank == wanted) and target != source:
                        yield f"{source + 1}-{target + 1}x{count}"
        if not self.collects_at_once:
            yield from (f"collect-{i + 1}" for i, pile in enumerate(columns) if ends_in_complete_run(pile))
        if position.piles[STOCK].cards and (self.rows_onto_spaces or None not in ends):
            yield DEAL

    # Layouts

    def to_layout(self, position: Position) -> dict[str, Any]:
        columns = position.piles[:COLUMNS]
        return {
            "columns": [names(pile.cards) for pile in columns],
            "face_down": [pile.face_down for pile in columns],
            "stock": names(position.piles[STOCK].cards),
        }

    def from_layout(self, document: object) -> Position:
        """An opening, or any later position: cards that are not there have been collected, in whole runs."""
        columns, face_down, stock = _read_layout(document)
        if len(stock) % COLUMNS:
            raise BadLayout("stock_not_in_rows")
        gone = self._collected(Counter([*(c for column in columns for c in column), *stock]))
        piles = [Pile(column, down) for column, down in zip(columns, face_down, strict=True)]
        if self.collects_at_once and any(ends_in_complete_run(pile) for pile in piles):
            raise BadLayout("complete_run_on_table")
        return Position((*piles, Pile(stock, len(stock)), Pile(gone)))

    def _collected(self, there: Counter[Card]) -> tuple[Card, ...]:
        """The runs missing from a table, king to ace. Raises ``BadLayout`` if not whole runs are missing."""
        present = {c.suit for c in there}
        if len(present) > self.suits:
            raise BadLayout("too_many_suits")
        usual = [suit for suit in dict.fromkeys(SUITS_OF[self.suits] + SUITS) if suit not in present]
        gone: list[Card] = []
        for suit in [*sorted(present, key=SUITS.index), *usual][: self.suits]:
            run = [CARDS[rank + suit] for rank in "KQJT98765432A"]
            missing = {RUNS // self.suits - there[c] for c in run}
            if len(missing) > 1 or min(missing) < 0:
                raise BadLayout("not_the_pack")
            gone += run * missing.pop()
        return tuple(gone)


def run_length(pile: Pile) -> int:
    """How many cards at the end of a pile lie face up, in suit, descending by one."""
    cards = pile.cards
    if not cards:
        return 0
    suit, rank, length = cards[-1].suit, cards[-1].rank, 1
    for below in reversed(cards[pile.face_down : -1]):
        rank += 1
        if below.rank != rank or below.suit != suit:
            break
        length += 1
    return length


def ends_in_complete_run(pile: Pile) -> bool:
    """Whether a run from king to ace in suit lies at the end of a pile."""
    cards = pile.cards
    return (
        len(cards) - pile.face_down >= RUN
        and cards[-1].rank == ACE
        and cards[-RUN].rank == KING
        and run_length(pile) >= RUN
    )


def _read_layout(document: object) -> tuple[list[tuple[Card, ...]], list[int], tuple[Card, ...]]:
    """The parts of a layout document, their form checked."""
    if not isinstance(document, dict) or set(document) != {"columns", "face_down", "stock"}:
        raise BadLayout("layout_keys")
    columns, face_down = document["columns"], document["face_down"]
    if not isinstance(columns, list) or not isinstance(face_down, list):
        raise BadLayout("layout_types")
    if len(columns) != COLUMNS or len(face_down) != COLUMNS:
        raise BadLayout("ten_columns")
    read = [_read_cards(column) for column in columns]
    for number, (column, down) in enumerate(zip(read, face_down, strict=True), 1):
        # The end of a column always lies face up.
        if type(down) is not int or not 0 <= down <= max(0, len(column) - 1):
            raise BadLayout("face_down_count", column=number)
    return read, face_down, _read_cards(document["stock"])


def _read_cards(texts: object) -> tuple[Card, ...]:
    if not isinstance(texts, list) or len(texts) > Spider.cards:
        raise BadLayout("layout_types")
    try:
        return tuple(card(text) for text in texts)
    except ValueError:
        raise BadLayout("not_a_card") from None
