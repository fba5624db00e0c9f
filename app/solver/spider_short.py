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

    width: int = 100
    widest: int = 30_000
    wider: float = 1.5  # after a failure
    price: float = 80.0  # of a move
    dearer: float = 1.15  # after a success
    down: float = 0.5  # the weight of face-down cards, against that of a search for any line
    jitter: float = 0.2


def shorter_lines(
    start: Start, meter: Meter, rooms: dict[int, Room], seed: int, longest: int, haste: Haste | None = None
) -> Iterator[list[Move]]:
    """Lines of at most `longest` moves, each shorter than the one before, until the meter runs out."""
    haste = haste or Haste()
    draw, plain = random.Random(seed), Taste()
    width, price = float(haste.width), haste.price
    while not meter.out_of:
        taste = replace(plain, move=price, down=plain.down * haste.down).jittered(draw, haste.jitter)
        how = Attempt(int(width), weights(taste), draw.getrandbits(32), longest=longest)
        moves = attempt(start, how, meter, rooms)
        meter.spend(1)
        if moves is None:
            width = min(width * haste.wider, haste.widest)
            continue
        yield moves
        longest = len(moves) - 1
        price *= haste.dearer
