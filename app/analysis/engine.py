"""The solver as the processes use it. Imported in solver processes alone: it loads compiled code."""

from collections.abc import Callable, Iterable, Iterator
from math import log2
from statistics import fmean

from app.analysis.verdict import Verdict
from app.patience.patience import Patience
from app.patience.position import Position
from app.solver import api
from app.solver.api import Budget

DIFFICULTY_SEEDS = (101, 102, 103, 104)
"""Seeds of the searches that a difficulty is the mean of; verdicts use others."""

DIFFICULTY_NODES = 80_000
"""What one of them may spend. A search that finds nothing counts as having just found it."""


class Engine:
    """``app.analysis.work.Solver`` by ``app.solver.api``."""

    def warm(self) -> None:
        """Loads the kernels, or compiles them if nobody has."""
        api.warm()

    def verdict(
        self, patience: Patience, position: Position, seconds: float, seed: int, stop: Callable[[], bool]
    ) -> Verdict:
        match api.solve(patience, position, Budget(seconds=seconds, seed=seed), should_stop=stop):
            case api.Solved(line=line, nodes=nodes, seconds=spent):
                return Verdict("solved", line=line, nodes=nodes, spent_ms=_ms(spent))
            case api.Unsolvable(reason=reason, nodes=nodes, seconds=spent):
                return Verdict("unsolvable", reason, nodes=nodes, spent_ms=_ms(spent))
            case api.Unknown(out_of="no_solver"):
                return Verdict("unknown", "not_supported")
            case api.Unknown(out_of=out_of, nodes=nodes, seconds=spent):
                return Verdict("unknown", out_of, nodes=nodes, spent_ms=_ms(spent))

    def shorten(
        self,
        patience: Patience,
        position: Position,
        seconds: float,
        known: tuple[str, ...] | None,
        stop: Callable[[], bool],
    ) -> Iterator[tuple[str, ...]]:
        budget = Budget(seconds=seconds, shortest=True)
        for better in api.improve(patience, position, budget, known=known, should_stop=stop):
            yield better.line

    def bound(self, patience: Patience, position: Position) -> int:
        return api.lower_bound(patience, position)

    def difficulty(self, patience: Patience, position: Position, stop: Callable[[], bool]) -> float:
        """How widely a search must look before it finds a first line: the mean, over four searches that start
        from different random numbers, of the base-2 logarithm of the positions looked at.

        One more is a deal that needs twice the search. Says something of deals, little of people.
        """
        return width_of(patience, position, DIFFICULTY_SEEDS, stop)


def width_of(patience: Patience, position: Position, seeds: Iterable[int], stop: Callable[[], bool]) -> float:
    """The mean logarithm of what searches with these seeds looked at."""
    budgets = [Budget(seconds=None, nodes=DIFFICULTY_NODES, seed=seed) for seed in seeds]
    found = [api.solve(patience, position, budget, should_stop=stop) for budget in budgets]
    return fmean(log2(1 + verdict.nodes) for verdict in found)


def _ms(seconds: float) -> int:
    return round(1000 * seconds)


SOLVER = Engine()
