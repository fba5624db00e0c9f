"""The published game that /learn goes through, card by card.

Only the cards that its text names are known; the others were filled in once, and the deal written down.
"""

from dataclasses import dataclass
from functools import cache

from app.patience import deals
from app.patience.deals import Deal
from app.patience.position import Position

DEAL = (
    "spider2-x-1GA30M618C2GM41882GG510A20M4CK4000YH0JJ8CNA3886M832CW8650MPG4HAM6A91SDCF44AXEJ"
    "5P08C17584W6BMV481B2J8WD81S9C3AKB04C4G0H0KA19W0SC1R86K4125E8CG00AR4P9W8D61JREH5J8G"
)
MOVES = (
    "1-5x1", "4-5x1", "6-1x1", "6-4x1", "2-8x1", "9-8x1", "7-3x1",
    "10-7x1", "10-9x1", "4-7x2", "2-1x1", "2-1x1", "10-1x1", "10-5x1",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lesson:
    """The deal, its moves, and the position before each of them and after the last."""

    deal: Deal
    moves: tuple[str, ...]
    positions: tuple[Position, ...]


@cache
def lesson() -> Lesson:
    deal = deals.deal_of(DEAL)
    positions = [deal.start]
    for move in MOVES:
        positions.append(deal.patience.play(positions[-1], move).position)
    return Lesson(deal, MOVES, tuple(positions))
