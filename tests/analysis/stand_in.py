"""A solver of nothing but small tables, which does as a file says: for tests of what is around a solver.

The file named by STAND_IN holds one word: ``sleep`` (search until stopped or out of time), ``die`` (be killed
in mid-job), ``memory`` (run out of it), ``fail``; nothing: look at every position that can be reached.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from app.analysis.canonical import canonical
from app.analysis.verdict import Verdict
from app.patience.patience import Patience
from app.patience.position import Position

MOST = 1_000


class StandIn:
    def warm(self) -> None:
        """There is nothing to warm."""

    def verdict(
        self, patience: Patience, position: Position, seconds: float, seed: int, stop: Callable[[], bool]
    ) -> Verdict:
        began = time.monotonic()

        def spent() -> int:
            return round(1000 * (time.monotonic() - began))

        match word():
            case "sleep":
                while not stop():
                    if spent() >= 1000 * seconds:
                        return Verdict("unknown", "time", spent_ms=spent())
                    time.sleep(0.005)
                return Verdict("unknown", "stopped")
            case "die":
                time.sleep(0.1)
                os.kill(os.getpid(), signal.SIGKILL)
            case "memory":
                held = []
                while True:
                    held.append(bytearray(b"x") * (16 << 20))
            case "fail":
                raise RuntimeError("as the file says")
        return reach(patience, position)

    def shorten(
        self,
        patience: Patience,
        position: Position,
        seconds: float,
        known: tuple[str, ...] | None,
        stop: Callable[[], bool],
    ) -> Iterator[tuple[str, ...]]:
        line = reach(patience, position).line
        if line and (known is None or len(line) < len(known)):
            yield line

    def bound(self, patience: Patience, position: Position) -> int | None:
        return 1

    def difficulty(self, patience: Patience, position: Position, stop: Callable[[], bool]) -> float:
        return 1.5


def word() -> str:
    path = os.environ.get("STAND_IN")
    return Path(path).read_text().strip() if path and Path(path).exists() else ""


def reach(patience: Patience, start: Position, most: int = MOST) -> Verdict:
    """Breadth first, so the line is a shortest one."""
    waiting: list[tuple[Position, tuple[str, ...]]] = [(start, ())]
    seen = {canonical(patience, start).key}
    for position, line in waiting:
        if patience.outcome(position).status == "won":
            return Verdict("solved", line=line, nodes=len(seen))
        if len(seen) > most:
            return Verdict("unknown", "nodes", nodes=len(seen))
        for move in patience.legal_moves(position):
            after = patience.play(position, move).position
            key = canonical(patience, after).key
            if key not in seen:
                seen.add(key)
                waiting.append((after, (*line, move)))
    return Verdict("unsolvable", "exhausted", nodes=len(seen))


SOLVER = StandIn()
