"""Ever shorter wins, by two kinds of beams that take turns.

*Fresh* beams begin at the start. What they find may be somewhat longer than the best line: a few quite
different lines are kept, for when the rows are dealt, which is settled early, decides how short a line can
get. *Again* beams begin somewhere along a kept line and look for a shorter way from there on. They are narrow
and many, each with other weights, for starting anew beats width. The line that they work on is the shortest
one, but each failure counts as half a move, so that the others get their turns.

Both hold a move dear, the more so the fewer suits there are: with one suit nearly every move of a short line
joins in suit. What cannot become shorter than is wanted is left out (by the count of loose cards,
`spider_bound`).
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.solver.encode import Move, Start
from app.solver.meter import Meter
from app.solver.spider_beam import Attempt, Room, after, attempt
from app.solver.spider_weights import Taste, weights


@dataclass(frozen=True, slots=True)
class Haste:
    """How the search for short lines goes about it."""

    width: int = 300  # of the first fresh beam
    wider: float = 1.15  # after a failure
    prices: Sequence[float] = (280.0, 210.0, 190.0, 170.0)  # of a move, with one to four suits
    jitter: float = 0.2
    slack: int = 8  # moves by which a fresh line may exceed the best one
    kept: int = 6  # lines
    failure: float = 0.5  # moves: how much longer a line counts for each time that it was not shortened
    again_share: float = 0.6  # of the positions looked at
    again_width: int = 200
    again_wider: float = 1.1
    again_narrower: float = 0.8  # after a success,
    again_narrowest: int = 120  # but no less than this
    again_prices: Sequence[float] = (370.0, 260.0, 230.0, 200.0)
    again_price_jitter: float = 0.4
    again_jitter: float = 0.25
    again_latest: float = 0.8  # of a line's moves: where a beam begins at the latest
    widest: int = 24_000
    patience: int = 12  # levels without a better position before a stage is left


#: against a search for any line: a join in suit counts more (each saves a move), cards face down far less
HASTY = replace(
    Taste(),
    in_suit=175,
    off_suit=-6,
    off_suit_rank=-12,
    broken=-95,
    down=-60,
    down_column=-95,
    first_space=290,
    more_spaces=140,
    noise=40,
)


@dataclass(slots=True)
class Kept:
    """A line, and how the search for a shorter one goes."""

    moves: list[Move]
    width: float
    failures: int = 0


def shorter_lines(
    start: Start,
    meter: Meter,
    rooms: dict[int, Room],
    seed: int,
    longest: int,
    known: Sequence[Move] | None = None,
    haste: Haste | None = None,
) -> Iterator[list[Move]]:
    """Lines of at most `longest` moves, each shorter than the one before, until the meter runs out.

    The search starts from the `known` line if there is one; the kernel must be able to play it.
    """
    search = _Shortening(start, meter, rooms, seed, haste or Haste(), longest)
    if known is not None:
        search.keep(list(known))
    while not meter.out_of:
        moves = search.turn()
        meter.spend(1)
        if moves is not None and len(moves) <= search.longest:
            search.longest = len(moves) - 1
            yield moves


class _Shortening:
    """The search under way."""

    def __init__(
        self, start: Start, meter: Meter, rooms: dict[int, Room], seed: int, haste: Haste, longest: int
    ) -> None:
        self.start, self.meter, self.rooms, self.haste = start, meter, rooms, haste
        self.draw, self.longest = random.Random(seed), longest
        cards = np.concatenate((start.cards[: start.ends[-1]], start.rows.ravel()))
        suits = len(np.unique(cards >> 4))
        self.price, self.again_price = haste.prices[suits - 1], haste.again_prices[suits - 1]
        self.width = float(haste.width)  # of the next fresh beam
        self.looked_fresh = self.looked_again = 0
        self.lines: list[Kept] = []

    def turn(self) -> list[Move] | None:
        """One beam, of the kind whose turn it is: the line that it found."""
        share, before = self.haste.again_share, self.meter.nodes
        if self.lines and self.looked_again * (1 - share) < self.looked_fresh * share:
            moves = self._again(min(self.lines, key=self._worth))
            self.looked_again += self.meter.nodes - before
        else:
            moves = self._fresh()
            self.looked_fresh += self.meter.nodes - before
        return moves

    def keep(self, moves: list[Move]) -> None:
        """Take in a line, and leave the worst if there are too many."""
        self.lines.append(Kept(moves, self.haste.again_width))
        self.lines = sorted(self.lines, key=self._worth)[: self.haste.kept]

    def _worth(self, line: Kept) -> float:
        return len(line.moves) + self.haste.failure * line.failures

    def _fresh(self) -> list[Move] | None:
        haste = self.haste
        taste = self._taste(self.price, haste.jitter, haste.jitter)
        moves = self._attempt(self.start, self.width, taste, self.longest + 1 + haste.slack)
        if moves is None:
            self.width = min(self.width * haste.wider, haste.widest)
        else:
            self.keep(moves)
        return moves

    def _again(self, line: Kept) -> list[Move] | None:
        haste, length = self.haste, len(line.moves)
        kept = int(length * self.draw.uniform(0, haste.again_latest))
        taste = self._taste(self.again_price, haste.again_price_jitter, haste.again_jitter)
        there = after(self.start, line.moves[:kept])
        rest = self._attempt(there, line.width, taste, length - 1 - kept)
        if rest is None:
            line.failures += 1
            line.width = min(line.width * haste.again_wider, haste.widest)
            return None
        line.moves = line.moves[:kept] + rest
        line.failures = 0
        line.width = max(line.width * haste.again_narrower, haste.again_narrowest)
        return line.moves

    def _taste(self, price: float, price_jitter: float, jitter: float) -> Taste:
        taste = HASTY.jittered(self.draw, jitter)
        return replace(taste, move=price * (1 + self.draw.uniform(-price_jitter, price_jitter)))

    def _attempt(self, start: Start, width: float, taste: Taste, longest: int) -> list[Move] | None:
        seed = self.draw.getrandbits(32)
        how = Attempt(int(width), weights(taste), seed, self.haste.patience, longest)
        return attempt(start, how, self.meter, self.rooms)
