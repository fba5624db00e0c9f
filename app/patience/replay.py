"""From a log to a position: moves, undo, redo and restart, written once for every patience.

The log only grows. A line is what is in force of it: moves, and restarts, which put the cards back to
the opening. Undo takes the last step off the line, redo puts it on again, and a new step forgets what
was undone. A restart is a step like any other, so undoing it gives back the position before it.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.patience.errors import BadLog, IllegalMove, PatienceError
from app.patience.patience import Event, Patience
from app.patience.position import Position

UNDO, REDO, RESTART = "undo", "redo", "restart"
META = frozenset({UNDO, REDO, RESTART})
"""The entries of a log that are no moves."""


@dataclass(frozen=True, slots=True)
class Line:
    """The steps in force, and those undone, the next to be redone last."""

    steps: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()

    def after(self, entry: str) -> "Line":
        """The line after one more entry.

        Raises ``IllegalMove``: ``nothing_to_undo``, ``nothing_to_redo``, ``nothing_to_restart``.
        """
        if entry == UNDO:
            if not self.steps:
                raise IllegalMove("nothing_to_undo")
            return Line(self.steps[:-1], (*self.undone, self.steps[-1]))
        if entry == REDO:
            if not self.undone:
                raise IllegalMove("nothing_to_redo")
            return Line((*self.steps, self.undone[-1]), self.undone[:-1])
        if entry == RESTART and (not self.steps or self.steps[-1] == RESTART):
            raise IllegalMove("nothing_to_restart")
        return Line((*self.steps, entry))


@dataclass(frozen=True, slots=True)
class Frame:
    """A game after ``ply`` entries: the last entry, the position it led to, and what happened."""

    ply: int
    entry: str | None
    position: Position
    line: Line
    events: tuple[Event, ...] = ()


def line_of(entries: Iterable[str]) -> Line:
    """The line that a log leaves in force; the moves themselves are not checked."""
    line = Line()
    for entry in entries:
        line = line.after(entry)
    return line


def position_after(patience: Patience, start: Position, steps: Iterable[str]) -> Position:
    """The position after the steps of a line. Raises as ``Patience.play`` does."""
    position = start
    for step in steps:
        position = start if step == RESTART else patience.play(position, step).position
    return position


def frames(patience: Patience, start: Position, entries: Iterable[str]) -> Iterator[Frame]:
    """Every stage of a log, the opening first. Raises ``BadLog`` with the ply of the entry that cannot be."""
    position, line, trail = start, Line(), [start]
    undone: list[Position] = []
    yield Frame(0, None, start, line)
    for ply, entry in enumerate(entries, 1):
        events: tuple[Event, ...] = ()
        try:
            if patience.outcome(position).status == "won":
                raise IllegalMove("game_over")
            line = line.after(entry)
            if entry == UNDO:
                undone.append(trail.pop())
            elif entry == REDO:
                trail.append(undone.pop())
            else:
                undone.clear()
                played = None if entry == RESTART else patience.play(position, entry)
                trail.append(played.position if played else start)
                events = played.events if played else ()
        except PatienceError as error:
            raise BadLog(error.reason, **{**error.facts, "ply": ply}) from error
        position = trail[-1]
        yield Frame(ply, entry, position, line, events)


def replay(patience: Patience, start: Position, entries: Iterable[str]) -> Frame:
    """The last stage of a log. Raises ``BadLog``."""
    return deque(frames(patience, start, entries), maxlen=1).pop()
