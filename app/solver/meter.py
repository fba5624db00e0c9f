"""How much a search may do, and whether it may go on."""

import time
from collections.abc import Callable
from dataclasses import dataclass

OUT_OF_TIME, OUT_OF_NODES, STOPPED = "time", "nodes", "stopped"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a search may spend. With `seconds` None, the same seed and nodes give the same answer for ever.

    `nodes` counts positions whose children were looked at. `shortest` spends all of it on shortening the
    line.
    """

    seconds: float | None = 10.0
    nodes: int | None = None
    seed: int = 0
    shortest: bool = False


class Meter:
    """Counts what is spent. Searches ask it between levels, never inside compiled code, which knows no
    clock."""

    def __init__(self, budget: Budget, should_stop: Callable[[], bool] | None = None) -> None:
        self._began = time.perf_counter()
        self._seconds, self._most = budget.seconds, budget.nodes
        self._should_stop = should_stop
        self.nodes = 0

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.perf_counter() - self._began

    @property
    def seconds_left(self) -> float:
        return float("inf") if self._seconds is None else self._seconds - self.seconds

    @property
    def nodes_left(self) -> float:
        return float("inf") if self._most is None else self._most - self.nodes

    def spend(self, nodes: int) -> None:
        self.nodes += nodes

    @property
    def out_of(self) -> str | None:
        """What has run out, or None while the search may go on."""
        if self._should_stop is not None and self._should_stop():
            return STOPPED
        if self.nodes_left <= 0:
            return OUT_OF_NODES
        return OUT_OF_TIME if self.seconds_left <= 0 else None
