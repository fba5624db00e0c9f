"""Holy Seven's solver: it plays. No choice makes a difference, so one way of playing tells all.

Ranks alone matter. What can go now can still go after anything else has gone: two cards of a pair are
interchangeable with others of their ranks, a place above the row that is open to one eight is open to any,
and filling the row only adds. So by the time nothing more can go, the same ranks have gone in whatever order
and as many cards have been dealt; the next turned card is the same, and so is all that follows
(`tests/solver/test_holy_seven.py` plays games in many orders).
"""

from collections.abc import Iterator

from app.patience.patience import Patience
from app.patience.position import Position
from app.solver.meter import Budget, Meter

EXHAUSTED = "exhausted"
Line = tuple[str, ...]


def search(patience: Patience, position: Position, _budget: Budget, meter: Meter) -> Line | str | None:
    """The winning line, or why there is none."""
    line: list[str] = []
    while patience.outcome(position).status == "playing":
        line.append(patience.legal_moves(position)[0])
        position = patience.play(position, line[-1]).position
        meter.spend(1)
    return tuple(line) if patience.outcome(position).status == "won" else EXHAUSTED


def shorten(
    patience: Patience, position: Position, budget: Budget, meter: Meter, known: Line | None
) -> Iterator[Line]:
    """The line, unless one is known: all have the same length."""
    line = search(patience, position, budget, meter)
    if isinstance(line, tuple) and known is None:
        yield line


def lower_bound(patience: Patience, position: Position) -> int:
    """The length of the line; 0 if there is none."""
    line = search(patience, position, Budget(None), Meter(Budget(None)))
    return len(line) if isinstance(line, tuple) else 0


def warm() -> None:
    """There is nothing to compile."""
