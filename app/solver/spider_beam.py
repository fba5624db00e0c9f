"""Beam search over a game of Spider, in stages: one for each row that is left, and one after the last.

Within a stage the beam goes on level by level, a level being one move. Every position of it that may be
dealt a row offers the position after that row to a pool, whatever its level; when some levels in a row have
brought the pool nothing better, its best start the next stage. After the last row the beam goes on until
the table is empty.

The search is lossy, and so never proves that a position cannot be won.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from app.solver import spider_stage_kernel as kernel
from app.solver.encode import COLUMNS, ROW, TABLE, Move, Start
from app.solver.meter import Meter
from app.solver.spider_kernel import Weights, play_move, play_row
from app.solver.spider_level_kernel import Beam, Candidates, History

#: levels of one attempt that its history has room for; longer lines than any seen
LEVELS = 700
#: more moves than any line has
ANY_LENGTH = 10_000
#: positions between two looks at the meter, about
SLICE = 4_000
NO_ROW = np.zeros(0, np.uint8)


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


def _beam(size: int) -> Beam:
    whole = np.int32
    return Beam(
        cards=np.zeros((size, TABLE), np.uint8),
        ends=np.zeros((size, COLUMNS), np.uint8),
        down=np.zeros((size, COLUMNS), np.uint8),
        sums=np.zeros((size, COLUMNS), np.uint64),
        runs=np.zeros(size, np.uint8),
        loose=np.zeros(size, np.uint8),
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
        self.candidates = Candidates(
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
    def history(self) -> History:
        size = LEVELS * self.width + 1000
        return History(parent=np.zeros(size, np.int32), move=np.zeros((size, 3), np.uint8))

    def tools(self, weights: Weights) -> kernel.Tools:
        return kernel.Tools(
            self.candidates, self.history, self.order, self.seen, self.fresh, self.offered, weights
        )


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one beam search is run."""

    width: int
    weights: Weights
    seed: int
    patience: int = 5  # levels without a better position before a stage is left
    longest: int = ANY_LENGTH  # no line longer than this is wanted


def after(start: Start, moves: Iterable[Move]) -> Start:
    """The position after some moves, which must be legal ones."""
    cards, ends, down, rows = start.cards, start.ends, start.down, start.rows
    for source, to, count in moves:
        c, e, d = np.zeros_like(cards), np.zeros_like(ends), np.zeros_like(down)
        if source == ROW:
            play_row(cards, ends, down, rows[0], c, e, d)
            rows = rows[1:]
        else:
            play_move(cards, ends, down, source, to, count, c, e, d)
        cards, ends, down = c, e, d
    return Start(cards, ends, down, rows, start.onto_spaces)


def attempt(start: Start, how: Attempt, meter: Meter, rooms: dict[int, Room]) -> list[Move] | None:
    """A winning line, or None if the beam ran dry or the meter out. Same `how`, same line.

    Where `how.longest` bounds it, the beam goes on after a win for as long as a shorter one may come.
    """
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
        self.tools = room.tools(how.weights)
        now = room.now
        now.cards[0], now.ends[0], now.down[0] = start.cards, start.ends, start.down
        now.runs[0] = now.depth[0] = now.node[0] = 0
        kernel.fill_in(now, 0, how.weights)
        now.key[0] = now.value[0]
        self.held, self.used = 1, 1

    def line(self) -> list[Move] | None:
        room, rows = self.room, self.start.rows
        for dealt in range(len(rows)):
            stage = self._play_stage(rows[dealt], len(rows) - dealt)
            if not stage.waiting or self.meter.out_of:
                return None
            self.held = kernel.start_stage(
                room.pool, stage.waiting, self.how.width, room.order, room.now, room.history, self.used
            )
            self.used += self.held
        return self._until_won()

    def _until_won(self) -> list[Move] | None:
        shortest = None
        while (stage := self._play_stage(NO_ROW, 0)).winner >= 0:
            shortest = self._line_to(int(self.room.now.node[stage.winner]))
            if self.how.longest >= ANY_LENGTH:
                break
            self.how = replace(self.how, longest=len(shortest) - 1)
        return shortest

    def _play_stage(self, row: kernel.Row, rows_left: int) -> kernel.Stage:
        """Play on until nothing gets better, the beam is empty, or the meter has run out."""
        room, how = self.room, self.how
        kernel.first_of_stage(room.now, self.held, room.seen)
        room.offered[:] = 0
        rules = kernel.Rules(
            row, rows_left, self.start.onto_spaces, how.width, how.patience, how.longest, self.seed
        )
        stage = kernel.Stage(
            self.held,
            self.used,
            0,
            kernel.NOTHING,
            kernel.NOTHING,
            since=0,
            winner=-1,
            nodes=0,
            is_over=False,
        )
        while not stage.is_over and not self.meter.out_of:
            stage, played = kernel.play_levels(
                max(1, SLICE // how.width), room.now, room.then, room.pool, self.tools, rules, stage
            )
            self.meter.spend(stage.nodes)
            if played % 2:
                room.now, room.then = room.then, room.now
        self.held, self.used = stage.held, stage.used
        return stage

    def _line_to(self, node: int) -> list[Move]:
        history, moves = self.room.history, []
        while node:
            source, to, count = (int(part) for part in history.move[node])
            moves.append((source, to, count))
            node = int(history.parent[node])
        return moves[::-1]
