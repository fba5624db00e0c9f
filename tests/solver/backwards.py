"""Games of Spider played backwards, from the empty table: positions that are won however tight they look."""

import random
from dataclasses import dataclass, field
from itertools import pairwise

from app.cards.card import SUITS, Card, cards
from app.patience.position import Pile, Position

COLUMNS, RUN = 10, 13


@dataclass
class Backwards:
    """A table on which moves are taken back by lot; `moves` lead on from it to the win."""

    draw: random.Random
    suits: int = 4
    columns: list[list[Card]] = field(default_factory=lambda: [[] for _ in range(COLUMNS)])
    down: list[int] = field(default_factory=lambda: [0] * COLUMNS)
    rows: list[tuple[Card, ...]] = field(default_factory=list)
    collected: list[str] = field(init=False)
    moves: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.collected = list(SUITS[: self.suits]) * (8 // self.suits)

    @property
    def position(self) -> Position:
        piles = [Pile(tuple(column), down) for column, down in zip(self.columns, self.down, strict=True)]
        stock = tuple(c for row in self.rows for c in row)
        gone = tuple(c for suit in self.collected for c in _run(suit))
        return Position((*piles, Pile(stock, len(stock)), Pile(gone)))

    def take_back(self, steps: int, most_rows: int) -> None:
        """Take back so many moves, or as many of them as can be."""
        for _ in range(steps):
            if self.collected and self.draw.random() < 0.3:
                self._uncollect()
            elif len(self.rows) < most_rows and self.draw.random() < 0.05:
                self._undeal()
            else:
                self._unmove()

    def _unmove(self) -> None:
        tails = [
            (a, count)
            for a in range(COLUMNS)
            for count in range(1, self._run_length(a) + 1)
            if self._may_have_come(a, count)
        ]
        if not tails:
            return
        # Spaces are filled as soon as may be, and seldom made: so it gets tight.
        staying = [(a, count) for a, count in tails if count < len(self.columns[a])]
        a, count = self.draw.choice(staying if staying and self.draw.random() < 0.95 else tails)
        spaces = [b for b in range(COLUMNS) if not self.columns[b]]
        b = self.draw.choice(spaces if spaces and self.draw.random() < 0.7 else range(COLUMNS))
        tail = self.columns[a][-count:]
        if a == b or self._would_complete(b, tail):
            return
        del self.columns[a][-count:]
        self._lay(b, tail)
        self.moves.insert(0, f"{b + 1}-{a + 1}x{count}")

    def _may_have_come(self, a: int, count: int) -> bool:
        """Whether the last cards may have been moved there: onto a space, or a card one rank higher."""
        column = self.columns[a]
        under = len(column) - count - 1
        return under < 0 or (under >= self.down[a] and column[under].rank == column[under + 1].rank + 1)

    def _uncollect(self) -> None:
        suit = self.draw.choice(self.collected)
        run, count = _run(suit), self.draw.randrange(1, RUN)
        a, b = self.draw.sample(range(COLUMNS), 2)
        if self._would_complete(b, run[-count:]):
            return
        self.collected.remove(suit)
        self._lay(a, run[:-count])
        self._lay(b, run[-count:])
        self.moves.insert(0, f"{b + 1}-{a + 1}x{count}")

    def _undeal(self) -> None:
        if all(len(column) - down >= 2 for column, down in zip(self.columns, self.down, strict=True)):
            row = tuple(column[-1] for column in self.columns)
            for column in self.columns:
                column.pop()
            self.rows.insert(0, row)
            self.moves.insert(0, "deal")

    def _lay(self, b: int, tail: list[Card]) -> None:
        """Put cards where they came from; they may have turned up the card beneath."""
        if len(self.columns[b]) - self.down[b] == 1 and self.draw.random() < 0.5:
            self.down[b] += 1
        self.columns[b] += tail

    def _run_length(self, b: int) -> int:
        column, length = self.columns[b], 0
        while length < len(column) - self.down[b] and _in_suit(column[-length - 1 :][:2]):
            length += 1
        return length

    def _would_complete(self, b: int, tail: list[Card]) -> bool:
        together = [*self.columns[b][self.down[b] :], *tail]
        return len(together) >= RUN and _in_suit(together[-RUN:])


def _in_suit(some: list[Card]) -> bool:
    return all(under.suit == over.suit and under.rank == over.rank + 1 for under, over in pairwise(some))


def _run(suit: str) -> list[Card]:
    return list(cards(" ".join(rank + suit for rank in "KQJT98765432A")))
