"""Beam search over a game of Spider, in stages: one for each row that is left, and one after the last.

Within a stage the beam goes on level by level, a level being one move. Every position of it that may be
dealt a row offers the position after that row to a pool, whatever its level; when some levels in a row have
brought the pool nothing better, its best start the next stage. After the last row the beam goes on until
the table is empty.

The search is lossy, and so never proves that a position cannot be won.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.solver import spider_level_kernel as level
from app.solver.encode import COLUMNS, TABLE, Move, Start
from app.solver.meter import Meter
from app.solver.spider_kernel import ANY_ORDER, Weights, insert, position_hash, position_value

#: below every key
NOTHING = -(1 << 31)
#: levels of one attempt that its history has room for; longer lines than any seen
LEVELS = 700


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


def _beam(size: int) -> level.Beam:
    whole = np.int32
    return level.Beam(
        cards=np.zeros((size, TABLE), np.uint8),
        ends=np.zeros((size, COLUMNS), np.uint8),
        down=np.zeros((size, COLUMNS), np.uint8),
        runs=np.zeros(size, np.uint8),
        value=np.zeros(size, whole),
        key=np.zeros(size, whole),
        hash=np.zeros(size, np.uint64),
        depth=np.zeros(size, whole),
        node=np.zeros(size, whole),
    )


@dataclass
class Room:
    """The arrays of searches up to a width, kept from one attempt to the next. About 8 KB for each of the
    width."""

    width: int
    spare: int = field(init=False)

    def __post_init__(self) -> None:
        width = self.width
        self.spare = max(4 * width, 600)
        self.now, self.then = _beam(width + 1), _beam(width + 1)
        self.pool = _beam(2 * width + 50)
        self.order = np.zeros(max(self.spare, 2 * width + 50), np.int64)
        self.candidates = level.Candidates(
            key=np.zeros(self.spare, np.int32),
            value=np.zeros(self.spare, np.int32),
            hash=np.zeros(self.spare, np.uint64),
            parent=np.zeros(self.spare, np.int32),
            move=np.zeros((self.spare, 3), np.uint8),
        )
        # A level's table is cleared each time, so it is small; a full one only forgets.
        self.fresh = np.zeros(_power_of_two(2 * self.spare), np.uint64)
        self.seen = np.zeros(_power_of_two(128 * width), np.uint64)
        self.offered = np.zeros(_power_of_two(64 * width), np.uint64)

    @cached_property
    def history(self) -> level.History:
        size = LEVELS * self.width + 1000
        return level.History(parent=np.zeros(size, np.int32), move=np.zeros((size, 3), np.uint8))


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one beam search is run."""

    width: int
    weights: Weights
    seed: int
    patience: int = 8  # levels without a better position before a stage is left
    longest: int = 10_000  # no line longer than this is wanted


def attempt(start: Start, how: Attempt, meter: Meter, rooms: dict[int, Room]) -> list[Move] | None:
    """A winning line, or None if the beam ran dry or the meter out. Same `how`, same line."""
    room = rooms.get(how.width)
    if room is None:
        rooms.clear()
        room = rooms[how.width] = Room(how.width)
    return _Run(start, how, meter, room).line()


class _Run:
    """One attempt under way: the beam and how far the history is used."""

    def __init__(self, start: Start, how: Attempt, meter: Meter, room: Room) -> None:
        self.how, self.meter, self.room, self.start = how, meter, room, start
        self.seed = np.uint64((how.seed * 0x9E3779B97F4A7C15 + 1) % (1 << 64))
        now = room.now
        now.cards[0], now.ends[0], now.down[0] = start.cards, start.ends, start.down
        now.runs[0] = now.depth[0] = now.node[0] = 0
        now.value[0] = now.key[0] = position_value(start.cards, start.ends, start.down, 0, how.weights)
        now.hash[0] = position_hash(start.cards, start.ends, start.down, ANY_ORDER)
        self.held, self.used = 1, 1
        self.rows_left = len(start.rows)

    def line(self) -> list[Move] | None:
        for row in self.start.rows:
            waiting = self._until_row(row)
            self.rows_left -= 1
            if not waiting or self.meter.out_of:
                return None
            room = self.room
            room.seen[:] = 0
            self.held = level.start_stage(
                room.pool, waiting, self.how.width, room.order, room.now, room.seen, room.history, self.used
            )
            self.used += self.held
        return self._until_won()

    def _until_row(self, row: NDArray[np.uint8]) -> int:
        """Play on in this stage; returns how many positions after the row are in the pool."""
        room, how = self.room, self.how
        room.offered[:] = 0
        self._see_all()
        waiting, least = 0, NOTHING
        best, since = NOTHING, 0
        while since <= how.patience and self.held:
            waiting, least = level.offer(
                room.now, self.held, row, self.start.onto_spaces, room.pool, waiting, least, how.width,
                room.order, room.offered, how.weights, self.seed, ANY_ORDER,
            )  # fmt: skip
            top = int(room.pool.key[:waiting].max()) if waiting else NOTHING
            best, since = (top, 0) if top > best else (best, since + 1)
            if not self._step():
                break
        return waiting

    def _until_won(self) -> list[Move] | None:
        self._see_all()
        best, since = NOTHING, 0
        while since <= self.how.patience and self.held:
            won = np.flatnonzero(self.room.now.ends[: self.held, -1] == 0)
            if won.size:
                return self._line_to(int(self.room.now.node[won[0]]))
            top = int(self.room.now.key[: self.held].max())
            best, since = (top, 0) if top > best else (best, since + 1)
            if not self._step():
                break
        return None

    def _see_all(self) -> None:
        self.room.seen[:] = 0
        for one in self.room.now.hash[: self.held]:
            insert(self.room.seen, one)

    def _step(self) -> bool:
        """One level on. False when the budget or the history's room is used up."""
        room, how = self.room, self.how
        if self.meter.out_of or self.used + 2 * how.width >= room.history.parent.size:
            return False
        self.meter.spend(self.held)
        found = level.expand(
            room.now, self.held, how.width, how.longest, self.rows_left, room.candidates, room.order,
            room.seen, room.fresh, how.weights, self.seed, ANY_ORDER,
        )  # fmt: skip
        self.held = level.build(
            room.now, room.candidates, found, how.width, room.order, room.then, room.seen, room.history,
            self.used,
        )  # fmt: skip
        self.used += self.held
        room.now, room.then = room.then, room.now
        return True

    def _line_to(self, node: int) -> list[Move]:
        history, moves = self.room.history, []
        while node:
            source, to, count = (int(part) for part in history.move[node])
            moves.append((source, to, count))
            node = int(history.parent[node])
        return moves[::-1]
