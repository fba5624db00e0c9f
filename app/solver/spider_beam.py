"""Beam search over a game of Spider, in stages: one for each row that is left, and one after the last.

Within a stage the beam goes on level by level, a level being one move. Every position of it that may be
dealt a row offers the position after that row to a pool, whatever its level; when some levels in a row have
brought the pool nothing better, its best start the next stage. After the last row the beam goes on until
the table is empty.

What began a stage may be kept (`Pool`), and another beam, with other weights, begin there. So may what a beam
has after the last row, once its best position has turned up some cards.

The search is lossy, and so never proves that a position cannot be won.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.solver import spider_stage_kernel as kernel
from app.solver.encode import COLUMNS, ROW, TABLE, Move, Start
from app.solver.meter import Meter
from app.solver.spider_kernel import Weights, play_move, play_row
from app.solver.spider_level_kernel import Beam, Candidates, History, Notes

#: levels of one attempt that its history has room for; longer lines than any seen
LEVELS = 700
#: more moves than any line has
ANY_LENGTH = 10_000
#: positions between two looks at the meter, about
SLICE = 4_000
NO_ROW = np.zeros(0, np.uint8)
#: positions of a beam that its pool keeps
POOL_SIZE = 300
#: cards that its best has turned up since the last row when a beam is kept, and how many more each time after
FIRST_TURNED, MORE_TURNED = 8, 4
#: arrays are kept for the next attempts as long as the widths that they are for add up to no more
WIDTHS_KEPT = 1_500


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


def _beam(size: int) -> Beam:
    whole, cards = np.int32, np.zeros((size, TABLE), np.uint8)
    return Beam(
        cards=cards,
        words=cards.view(np.uint64),
        ends=np.zeros((size, COLUMNS), np.uint8),
        down=np.zeros((size, COLUMNS), np.uint8),
        lengths=np.zeros((size, COLUMNS), np.uint8),
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
        self.picked = np.zeros(max(self.spare, 2 * width + 50), np.int32)
        self.candidates = Candidates(
            key=np.zeros(self.spare, np.int32),
            value=np.zeros(self.spare, np.int32),
            hash=np.zeros(self.spare, np.uint64),
            parent=np.zeros(self.spare, np.int32),
            move=np.zeros((self.spare, 3), np.uint8),
        )
        self.notes = Notes.blank()
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
            self.candidates,
            self.notes,
            self.history,
            self.picked,
            self.seen,
            self.fresh,
            self.offered,
            weights,
        )


@dataclass(frozen=True, slots=True)
class Ways:
    """How a beam got from the positions that it began with to some others."""

    origin: NDArray[np.int32]  # (n,) with which of them each way begins
    count: NDArray[np.int32]  # (n,) of moves
    moves: NDArray[np.uint8]  # (n, most, 3) from, to, count

    @classmethod
    def back(cls, history: History, nodes: NDArray[np.int32], first: int) -> "Ways":
        """To some nodes of a history; those below `first` are the beginnings."""
        origin, count = np.zeros(len(nodes), np.int32), np.zeros(len(nodes), np.int32)
        kernel.measure_ways(history, nodes, first, origin, count)
        moves = np.zeros((len(nodes), int(count.max()), 3), np.uint8)
        kernel.trace_ways(history, nodes, count, moves)
        return cls(origin, count, moves)

    def line(self, i: int) -> list[Move]:
        return [(source, to, count) for source, to, count in self.moves[i, : self.count[i]].tolist()]


@dataclass(frozen=True, slots=True)
class Pool:
    """Positions, the best first, from which a beam may begin: the start alone, what began a stage, or what a
    beam came to after the last row."""

    rows_left: int
    cards: NDArray[np.uint8]  # (n, 104)
    ends: NDArray[np.uint8]  # (n, 10)
    down: NDArray[np.uint8]  # (n, 10)
    runs: NDArray[np.uint8]  # (n,)
    depth: NDArray[np.int32]  # (n,) moves and rows since the start
    before: "Pool | None" = None  # where the beam had begun that came upon them,
    ways: "Ways | None" = None  # and how it went on to each of them
    turned: int = 0  # cards that the best has turned up since the last row

    @classmethod
    def of(cls, start: Start) -> "Pool":
        one = (start.cards[None], start.ends[None], start.down[None])
        return cls(len(start.rows), *one, np.zeros(1, np.uint8), np.zeros(1, np.int32))

    def line(self, i: int) -> list[Move]:
        """The moves from the start to position i."""
        if self.before is None or self.ways is None:
            return []
        return self.before.line(int(self.ways.origin[i])) + self.ways.line(i)

    def worth(self, weights: Weights) -> int:
        """The value of its best position."""
        return int(kernel.best_value(self.cards, self.ends, self.down, self.runs, weights))


Keep = Callable[[Pool], None]


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


def attempt(
    start: Start,
    how: Attempt,
    meter: Meter,
    rooms: dict[int, Room],
    begin: Pool | None = None,
    keep: Keep | None = None,
) -> list[Move] | None:
    """A winning line, or None if the beam ran dry or the meter out. Same `how` and `begin`, same line.

    It begins with the positions of a pool, or at the start; `keep` is told of each pool that begins a stage.
    Where `how.longest` bounds it, the beam goes on after a win for as long as a shorter one may come.
    """
    room = rooms.get(how.width)
    if room is None:
        while rooms and sum(rooms) + how.width > WIDTHS_KEPT:
            del rooms[next(iter(rooms))]
        room = rooms[how.width] = Room(how.width)
    return _Run(start, how, meter, room, begin or Pool.of(start), keep).line()


class _Run:
    """One attempt under way: the beam and how far the history is used."""

    def __init__(
        self, start: Start, how: Attempt, meter: Meter, room: Room, begin: Pool, keep: Keep | None
    ) -> None:
        self.how, self.meter, self.room, self.start = how, meter, room, start
        self.begin, self.keep = begin, keep
        self.face_down = 0  # of the best when the last row has been dealt
        self.seed = np.uint64((how.seed * 0x9E3779B97F4A7C15 + 1) % (1 << 64))
        self.tools = room.tools(how.weights)
        self.held = self.used = self.first = min(len(begin.runs), how.width)
        for name in ("cards", "ends", "down", "runs", "depth"):
            getattr(room.now, name)[: self.held] = getattr(begin, name)[: self.held]
        kernel.fill_in_all(room.now, self.held, how.weights)

    def line(self) -> list[Move] | None:
        room, rows = self.room, self.start.rows
        for dealt in range(len(rows) - self.begin.rows_left, len(rows)):
            stage = self._play_stage(rows[dealt], len(rows) - dealt)
            if not stage.waiting or self.meter.out_of:
                return None
            self.held = kernel.start_stage(
                room.pool, stage.waiting, self.how.width, room.picked, room.now, room.history, self.used
            )
            self.used += self.held
            if self.keep:
                self.keep(self._pool(len(rows) - dealt - 1))
        self.face_down = self._hidden() + self.begin.turned
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
        stop_at = -1
        if rows_left == 0 and self.keep:
            stop_at = self.face_down - max(FIRST_TURNED, self.begin.turned + MORE_TURNED)
        rules = kernel.Rules(
            row, rows_left, self.start.onto_spaces, how.width, how.patience, how.longest, self.seed, stop_at
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
            stands, played = kernel.play_levels(
                max(1, SLICE // how.width), room.now, room.then, room.pool, self.tools, rules, stage
            )
            stage = kernel.Stage(*stands)
            self.meter.spend(stage.nodes)
            if played % 2:
                room.now, room.then = room.then, room.now
            self.held, self.used = stage.held, stage.used
            if self.keep and not stage.is_over and (hidden := self._hidden()) <= rules.stop_at:
                self.keep(self._pool(0, turned=self.face_down - hidden))
                rules = rules._replace(stop_at=hidden - MORE_TURNED)
        return stage

    def _hidden(self) -> int:
        """Cards face down in the best of the beam."""
        now = self.room.now
        return int(kernel.hidden(now.down[kernel.best_of(now, self.held)]))

    def _pool(self, rows_left: int, turned: int = 0) -> Pool:
        """The best of the beam as it is."""
        now = self.room.now
        best = np.argsort(-now.key[: self.held], kind="stable")[:POOL_SIZE]
        return Pool(
            rows_left,
            now.cards[best],
            now.ends[best],
            now.down[best],
            now.runs[best],
            now.depth[best],
            before=self.begin,
            ways=Ways.back(self.room.history, now.node[best], self.first),
            turned=turned,
        )

    def _line_to(self, node: int) -> list[Move]:
        ways = Ways.back(self.room.history, np.array([node], np.int32), self.first)
        return self.begin.line(int(ways.origin[0])) + ways.line(0)
