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

    def jittered(self, draw: random.Random, share: float = 0.4) -> "Taste":
        """Every weight changed by up to a share of itself."""
        changes = {f.name: getattr(self, f.name) * (1 + draw.uniform(-share, share)) for f in fields(self)}
        return replace(self, **changes)


def weights(taste: Taste) -> Weights:
    """The tables that the kernel adds up, rounded to whole numbers so that every machine agrees."""
    run = np.zeros(RUN + 1)
    for length in range(2, RUN + 1):
        run[length] = run[length - 1] + taste.in_suit + taste.length * (length - 1)
    number = np.arange(CARD_NUMBERS)
    rank = number & 15
    fits = rank[:, None] == rank[None, :] + 1
    off_suit = taste.off_suit + taste.off_suit_rank * rank[None, :]
    join = np.where(fits, off_suit, taste.broken)
    count = np.arange(TABLE + 1)
    down = taste.down * count + taste.down_column * (count > 0)
    count = np.arange(COLUMNS + 1)
    spaces = (taste.first_space + taste.more_spaces * (count - 1)) * (count > 0)
    return Weights(
        run=_whole(run),
        join=_whole(join),
        down=_whole(down),
        spaces=_whole(spaces),
        collected=round(run[RUN] + taste.collected),
        move=round(taste.move),
        noise=round(taste.noise),
    )


def _whole(table: NDArray[Any]) -> NDArray[np.int32]:
    whole: NDArray[np.int32] = np.rint(table).astype(np.int32)
    return whole
