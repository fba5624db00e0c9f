"""Ever shorter wins: beams that hold moves dear, and dearer after each success.

A move that costs much at once deals its rows too early and finds nothing, so the price rises step by step.
After a failure the beam widens. What cannot become shorter than the best line any more is left out (by the
count of loose cards, `spider_bound`).
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.solver.encode import Move, Start
from app.solver.meter import Meter
from app.solver.spider_beam import Attempt, Room, attempt
from app.solver.spider_weights import Taste, weights


@dataclass(frozen=True, slots=True)
class Haste:
    """How the search for short lines goes about it."""

    width: int = 80
    widest: int = 24_000
    wider: float = 1.65  # after a failure
    price: float = 135.0  # of a move
    dearer: float = 1.18  # after a success
    jitter: float = 0.2
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


def shorter_lines(
    start: Start, meter: Meter, rooms: dict[int, Room], seed: int, longest: int, haste: Haste | None = None
) -> Iterator[list[Move]]:
    """Lines of at most `longest` moves, each shorter than the one before, until the meter runs out."""
    haste = haste or Haste()
    draw = random.Random(seed)
    width, price = float(haste.width), haste.price
    while not meter.out_of:
        taste = replace(HASTY, move=price).jittered(draw, haste.jitter)
        how = Attempt(int(width), weights(taste), draw.getrandbits(32), haste.patience, longest)
        moves = attempt(start, how, meter, rooms)
        meter.spend(1)
        if moves is None:
            width = min(width * haste.wider, haste.widest)
            continue
        yield moves
        longest = len(moves) - 1
        price *= haste.dearer
