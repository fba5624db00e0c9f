"""What makes a Spider position promising, as numbers that a search may vary.

The figures come from regressions of the share of deals solved on the weights, over deals from seeds that no
published figure uses (docs/solver.md tells how, and what each part is worth).
"""

import random
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.solver.spider_kernel import COLUMNS, RUN, TABLE, Weights

CARD_NUMBERS = 64
RANK = np.arange(CARD_NUMBERS) & 15
SUIT = np.arange(CARD_NUMBERS) >> 4
RANKS, LENGTH = np.arange(16), np.arange(RUN + 1)
#: the rank of a run's last card, by that of its head and its length
JOINED = np.clip(RANKS[:, None] - LENGTH + 1, 0, 15)
#: tables by rank spread out to cards, the one beneath first; and where both are of a suit and no join in suit
PAIRS = np.ix_(RANK, RANK)
BROKEN_IN_SUIT = (SUIT[:, None] == SUIT) & (RANK[:, None] != RANK + 1)

#: how far the weights of a single rank may lie from those of all, where they are drawn: a standard deviation
BY_RANK = {"in_suit": 50, "off_suit": 50, "broken_over": 40, "broken_under": 40, "bottom": 80}
#: no weight is drawn further away than so many of them
FARTHEST = 2.0


@dataclass(frozen=True, slots=True)
class Taste:
    """Points of a position; a search keeps those with most."""

    in_suit: float = 150  # a card in suit on the one that it belongs on,
    length: float = 18  # more for each card already in that run
    off_suit: float = -100  # a card on one a rank higher of another suit,
    off_suit_rank: float = 0  # and this times its rank (a high card is hard to get off again)
    broken: float = -80  # a card on one that it may not be moved onto
    down: float = -185  # a card face down
    down_column: float = -67  # a column with such cards
    first_space: float = 240
    more_spaces: float = 97
    collected: float = 500  # a collected run, beside what its joins were worth
    move: float = 22  # the cost of a move
    noise: float = 80  # up to so much, from the position's hash: equals are told apart by chance
    broken_in_suit: float = 0  # more for a broken join of one suit,
    broken_higher: float = 0  # and of a card on a lower one
    king_at_bottom: float = 0  # a king that need not be moved any more
    single: float = 0  # a column whose face-up cards are one run: one move turns up a card or makes a space

    def jittered(self, draw: random.Random, share: float = 0.4) -> "Taste":
        """Every weight changed by up to a share of itself."""
        own = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(self, **{n: w * (1 + draw.uniform(-share, share)) for n, w in own.items() if w})


#: for a first line from anywhere: long runs count for more, cards face down and spaces for less
FIRST_LINE = Taste(
    length=40,
    off_suit=-115,
    down=-160,
    down_column=-50,
    first_space=160,
    more_spaces=36,
    collected=225,
    move=19,
    broken_in_suit=60,
    broken_higher=30,
    king_at_bottom=80,
    single=100,
)


def weights(taste: Taste, draw: random.Random | None = None) -> Weights:
    """The tables that the kernel adds up, rounded to whole numbers so that every machine agrees.

    With a `draw` each rank has weights of its own, `BY_RANK` around those of the taste.
    """
    own = {what: _of_ranks(spread, draw) for what, spread in BY_RANK.items()}
    joins = taste.in_suit + own["in_suit"][JOINED] + taste.length * (LENGTH - 1)
    run = np.cumsum(np.where(LENGTH >= 2, joins, 0), axis=1)[RANK]
    off_suit = taste.off_suit + taste.off_suit_rank * RANKS + own["off_suit"]
    broken = taste.broken + own["broken_over"] + own["broken_under"][:, None]
    broken = broken + taste.broken_higher * (RANKS[:, None] < RANKS)
    join = np.where(RANKS[:, None] == RANKS + 1, off_suit, broken)[PAIRS]
    join += taste.broken_in_suit * BROKEN_IN_SUIT
    bottom = own["bottom"][RANK] + taste.king_at_bottom * (RANK == RUN)
    count = np.arange(TABLE + 1)
    down = taste.down * count + taste.down_column * (count > 0)
    count = np.arange(COLUMNS + 1)
    spaces = (taste.first_space + taste.more_spaces * (count - 1)) * (count > 0)
    return Weights(
        run=_whole(run),
        bottom=_whole(bottom),
        join=_whole(join),
        down=_whole(down),
        spaces=_whole(spaces),
        single=round(taste.single),
        collected=round(run[RUN, RUN] + taste.collected),
        move=round(taste.move),
        noise=round(taste.noise),
    )


def _of_ranks(spread: float, draw: random.Random | None) -> NDArray[np.float64]:
    """A number for each rank, 0 to 15."""
    if draw is None:
        return np.zeros(16)
    drawn = [draw.gauss(0, 1) for _ in range(16)]
    return spread * np.clip(drawn, -FARTHEST, FARTHEST)


def _whole(table: NDArray[Any]) -> NDArray[np.int32]:
    whole: NDArray[np.int32] = np.rint(table).astype(np.int32)
    return whole
