"""Looking at every position that can be reached: the only way here to say that a position cannot be won.

The search keeps each position once (`spider_proof_kernel` says what it leaves out, and why it may). It goes
on in slices, so that other searches can have their turn. If it comes upon a win, that line is as good as
any.
"""

from functools import cache

import numpy as np

from app.solver import spider_proof_kernel as proof
from app.solver.encode import COLUMNS, TABLE, Move, Start
from app.solver.meter import Meter
from app.solver.spider_blocked_kernel import no_space_ever
from app.solver.spider_kernel import FIXED_ORDER
from app.solver.spider_loose_kernel import Room, is_lost, room

#: positions kept at most: about 170 bytes each
MOST = 1_500_000
GROWTH = 4
#: states of the loosened game looked at: for the start, and for each position after the last row
MOST_STATES_FIRST, MOST_STATES = 20_000, 1_000
#: rows that a promising search has left at most (with more, it is hopeless to deal all at once, which says
#: little); positions after the last row that must have been asked; and what share of them is nearly all
FEW_ROWS, ASKED, HOPELESS = 2, 40, 0.98
#: work between two looks at the meter: some 20 ms
SLICE = 20_000


class Exhaustion:
    """A search for every reachable position from `start`, to be called again and again."""

    def __init__(
        self, start: Start, *, most: int = MOST, first_room: int = 20_000, prune: bool = True
    ) -> None:
        self.start, self._most, self._prune = start, most, prune
        self._loose = room(MOST_STATES)
        self._reached = _room(min(first_room, most))
        first = self._reached
        first.cards[0], first.ends[0], first.down[0] = start.cards, start.ends, start.down
        first.dealt[0], first.parent[0] = 0, -1
        self._next, self.count = 0, 1
        proof.enter_first(first, len(start.rows), FIXED_ORDER)
        lost = prune and is_lost(start.cards, start.ends, start.rows, 0, _first_states())
        self.state = proof.EXHAUSTED if lost else proof.GOES_ON

    @property
    def reason(self) -> str:
        """Why there is no win, once that is proven."""
        start = self.start
        if self.count > 1:
            return "exhausted"
        stuck = no_space_ever(start.cards, start.ends, start.rows, 0, self._loose.tip)
        return "no_space_ever" if stuck else "no_way_out"

    @property
    def is_over(self) -> bool:
        return self.state != proof.GOES_ON

    @property
    def is_unsolvable(self) -> bool:
        return self.state == proof.EXHAUSTED

    @property
    def is_promising(self) -> bool:
        """Whether it may be through before long: it has come to the last row, and nearly all after it is
        hopeless, or more positions have been looked at than wait."""
        asked, hopeless = (int(number) for number in self._reached.asked)
        if len(self.start.rows) > FEW_ROWS:
            return False
        return asked >= ASKED and (hopeless >= HOPELESS * asked or self.count < 2 * self._next)

    def go_on(self, work: int, meter: Meter) -> list[Move] | None:
        """Look at the children of more positions, for so much work (as `spider_proof_kernel` counts it). The
        winning line if one was found."""
        while not self.is_over and work > 0 and not meter.out_of:
            before = self._next
            self.state, self._next, self.count, done = proof.search(
                self._reached, self._next, self.count, min(SLICE, work), self.start.rows,
                self.start.onto_spaces, FIXED_ORDER, self._prune, self._loose,
            )  # fmt: skip
            work -= done
            meter.spend(max(1, self._next - before))
            if self.state == proof.FULL and self._reached.dealt.size < self._most:
                try:
                    self._reached = _larger(self._reached, self.count, self._most)
                except MemoryError:  # a process may have been given less: then this is all there is
                    break
                self.state = proof.GOES_ON
        return self._line() if self.state == proof.WON else None

    def _line(self) -> list[Move]:
        moves, at = [], self.count - 1
        while at > 0:
            source, to, count = (int(part) for part in self._reached.move[at])
            moves.append((source, to, count))
            at = int(self._reached.parent[at])
        return moves[::-1]


@cache
def _first_states() -> Room:
    return room(MOST_STATES_FIRST)


def _room(size: int) -> proof.Reached:
    table = 1 << (2 * size).bit_length()
    return proof.Reached(
        cards=np.empty((size, TABLE), np.uint8),
        ends=np.empty((size, COLUMNS), np.uint8),
        down=np.empty((size, COLUMNS), np.uint8),
        dealt=np.empty(size, np.uint8),
        parent=np.empty(size, np.int32),
        move=np.empty((size, 3), np.uint8),
        first=np.zeros(table, np.uint64),
        second=np.zeros(table, np.uint64),
        entered=np.zeros(1, np.int64),
        asked=np.zeros(2, np.int64),
    )


def _larger(old: proof.Reached, count: int, most: int) -> proof.Reached:
    new = _room(min(most, old.dealt.size * GROWTH))
    for name in ("cards", "ends", "down", "dealt", "parent", "move"):
        getattr(new, name)[:count] = getattr(old, name)[:count]
    new.asked[:] = old.asked
    proof.enter_all(old, new)
    return new
