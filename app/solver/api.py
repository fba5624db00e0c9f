"""The solver's one door: can this position be won, by which line, and how short can it be.

The solver sees every card, those that the player cannot see too: a verdict says whether there were any
(`used_hidden`), and whoever passes it on must say so. Importing this module loads no compiled code.

>>> from app.patience.deals import seed_deal
>>> from app.patience import registry
>>> spider = registry.get("spider", {"suits": 1})
>>> verdict = solve(spider, seed_deal(spider, 17).start, Budget(seconds=None, nodes=100_000))
>>> isinstance(verdict, Solved)
True
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Protocol, cast

from app.patience.errors import PatienceError
from app.patience.patience import Patience
from app.patience.position import Position
from app.solver.meter import Budget, Meter
from app.solver.verdict import Solved, Unknown, Unsolvable, Verdict

__all__ = [
    "BadLine",
    "Budget",
    "Solved",
    "Unknown",
    "Unsolvable",
    "Verdict",
    "has_solver",
    "improve",
    "lower_bound",
    "register",
    "solve",
    "uses_hidden",
    "warm",
]

ShouldStop = Callable[[], bool]
Line = tuple[str, ...]


class Solver(Protocol):
    """What a module that solves one patience offers. Its lines are replayed here, so it may be trusted
    little."""

    def search(
        self, patience: Patience, position: Position, budget: Budget, meter: Meter
    ) -> Line | str | None:
        """A winning line, the reason why there is none, or None when the meter ran out first."""

    def shorten(
        self, patience: Patience, position: Position, budget: Budget, meter: Meter, known: Line | None
    ) -> Iterator[Line]:
        """Ever shorter lines (than `known`, if given), until the meter runs out or the last cannot be
        beaten."""

    def lower_bound(self, patience: Patience, position: Position) -> int:
        """Moves that every winning line has at least, rows and collecting by hand counted."""

    def warm(self) -> None:
        """Compile what there is to compile."""


class BadLine(RuntimeError):
    """A solver gave a line that the rules refuse: a fault in the solver, never shown as a verdict."""


#: by patience key, the module that solves it: loaded when first needed
_MODULES: dict[str, str] = {
    "spider": "app.solver.spider",
    "pyramid": "app.solver.pyramid",
    "holy-seven": "app.solver.holy_seven",
    "hypyt": "app.solver.hypyt",
}


def register(key: str, module: str) -> None:
    """Say which module (with the functions of `Solver`) solves a patience."""
    _MODULES[key] = module


def has_solver(key: str) -> bool:
    return key in _MODULES


def solve(
    patience: Patience, position: Position, budget: Budget, *, should_stop: ShouldStop | None = None
) -> Verdict:
    """Find out whether a position can be won. `should_stop` is asked between levels of the search.

    With a budget of nodes and no seconds the verdict depends on position, budget and seed alone.
    """
    hidden = uses_hidden(position)
    outcome = patience.outcome(position)
    if outcome.status == "won":
        return Solved((), hidden)
    if outcome.status == "lost":
        return Unsolvable(outcome.reason or "no_move", hidden)
    if not has_solver(patience.key):
        return Unknown("no_solver", hidden)
    if budget.shortest:
        lines = tuple(improve(patience, position, budget, should_stop=should_stop))
        if lines:
            return lines[-1]
    meter = Meter(budget, should_stop)
    found = _solver(patience.key).search(patience, position, budget, meter)
    if isinstance(found, str):
        return Unsolvable(found, hidden, meter.nodes, meter.seconds)
    if found is None:
        return Unknown(meter.out_of or "nodes", hidden, meter.nodes, meter.seconds)
    return Solved(_replayed(patience, position, found), hidden, meter.nodes, meter.seconds)


def improve(
    patience: Patience,
    position: Position,
    budget: Budget,
    *,
    known: Line | None = None,
    should_stop: ShouldStop | None = None,
) -> Iterator[Solved]:
    """Yield a line, and then each shorter one as it is found, until the budget is spent or no shorter one
    can be.

    With a `known` line only shorter ones are yielded. Nothing is yielded if none is found.
    """
    if not has_solver(patience.key) or patience.outcome(position).status != "playing":
        return
    hidden, meter = uses_hidden(position), Meter(budget, should_stop)
    for line in _solver(patience.key).shorten(patience, position, budget, meter, known):
        yield Solved(_replayed(patience, position, line), hidden, meter.nodes, meter.seconds)


def lower_bound(patience: Patience, position: Position) -> int:
    """How many moves every winning line has at least (0 where nothing is known)."""
    if not has_solver(patience.key):
        return 0
    return _solver(patience.key).lower_bound(patience, position)


def warm() -> None:
    """Compile every kernel (some 20 seconds), or load it from its cache (less than one)."""
    for key in _MODULES:
        _solver(key).warm()


def uses_hidden(position: Position) -> bool:
    """Whether there are cards that the player cannot see."""
    return any(pile.face_down for pile in position.piles)


def _solver(key: str) -> Solver:
    return cast("Solver", import_module(_MODULES[key]))


def _replayed(patience: Patience, position: Position, line: Line) -> Line:
    """The line, once the rules have played it to a win. Raises `BadLine`."""
    try:
        for move in line:
            position = patience.play(position, move).position
    except PatienceError as error:
        raise BadLine(str(error)) from error
    if patience.outcome(position).status != "won":
        raise BadLine("the line does not win")
    return line
