"""What is known of a position."""

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["solved", "unsolvable", "unknown"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Solved with a line, unsolvable, or unknown with the reason.

    ``reason`` of an unknown: what ran out (``time``, ``nodes``, ``memory``), ``crashed`` or ``failed`` if the
    process died or erred, ``not_supported`` for a patience that the solver does not know; of an unsolvable
    one the solver's proof.
    ``line`` are the moves from the position to the win: for the server alone while the game goes on.
    ``bound`` is a proven least number of moves, where one was computed. ``spent_ms``: how long was searched.
    """

    kind: Kind
    reason: str | None = None
    line: tuple[str, ...] | None = field(default=None, repr=False)
    spent_ms: int = 0
    nodes: int = 0
    bound: int | None = None

    @property
    def moves(self) -> int | None:
        """The length of the line."""
        return None if self.line is None else len(self.line)

    def settles(self, budget_ms: int) -> bool:
        """Whether asking again with such a budget would be a waste."""
        if self.kind != "unknown" or self.reason == "not_supported":
            return True
        return self.reason not in {"crashed", "stopped"} and self.spent_ms >= 0.9 * budget_ms
