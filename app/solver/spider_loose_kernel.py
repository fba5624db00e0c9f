"""The loosened game: Spider without the order of moved cards. A position whose loosened game is lost is lost.

It asks one thing only: have the cards that have left their place anywhere to lie? Cards that lie where they
lay at the start (or were dealt) are *at home*. A column's cards at home are cut into *units*: what lies in
suit, one card on another, is one unit; each card of a row to come is a unit of its own. A unit has *left*
once its lowest card, its head, has been moved. The loosened game keeps, for each column, how many units have
left, which cards of rows still lie where they were dealt, and the rows dealt. It begins with nothing gone.

**Slots.** In a real game each card that has left lies on a card one rank higher, or is the bottom of a
column. No two lie on the same card, and only columns whose first cards are all gone have a new bottom. So
count, for each rank r, `slots[r]`: cards of rank r that have left, plus those at the end of what is at home
(of each column's first units; each card of a row where it was dealt), minus cards of rank r - 1 that have
left. Where that is negative, so many of the latter are bottoms: the sum (`lacking`) is at most the number of
columns cleared (`free`). Some end cards of a unit may have left while its head has not: they count as at
home. Another card may then lie on what is left of the unit; give it, in the count, the place of the card of
its own rank that left there, and so on until a place is reached that the count knows. Places stay
distinct, so the inequality holds.

**Leaving.** A unit whose head has rank h takes a slot of rank h + 1 when it leaves, and the card under it
becomes a slot, or the column is cleared. At that moment nothing lies on the card under it, nor in the
cleared column: the inequality must hold before either is counted. Several units that are moved at once leave
here one after another, those on top first: each lies on the one beneath meanwhile. Beneath a card of a row
other cards may lie, and what is at home beneath it was counted before: it opens nothing new.

**Runs collected.** Taking one away changes no slot but that of its king, who took none or the bottom of a
column. So each run collected is a slot of rank 14. For a run to be collected all its cards must have left,
or lie at the end of what is at home: `collectible` counts the last of each column's first units, and those
cards of rows that have nothing at home on them but lower ones of their suit. As many runs of a suit as each
of its ranks allows are given at once, whether the cards could really be put in order or not.

**Winning** is when every unit has left, for a real win takes all away. So each real move is some steps of the
loosened game (or none), all of them allowed; rows are dealt at any time, onto spaces too. If no order of
steps wins, the position is lost. The inverse is not true: suits and order hinder a real game more.

**Steps taken at once.** A unit that lies on a card of the very rank that it takes, or that clears its column,
leaves as soon as it may. Any way of winning that lets it leave later goes on as well: at each point the same
slots are left, or one less and one more column cleared, which serves for any rank, and no fewer cards are
laid open. That leaves few states, often a single one.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.solver.compiled import bare
from app.solver.spider_kernel import BASE, COLUMNS, RUN, TABLE, ZERO, U, mixed

SUITS = 4
#: one more than the slots that kings take
RANKS = RUN + 2
#: cards of a suit are counted by rank, four bits each: eight of a kind at most
NIBBLE = U(4)
ONE, NIBBLE_MASK = U(1), U(15)


class Room(NamedTuple):
    """The units of a position, and the states of its loosened game, of which there is room for n."""

    units: NDArray[np.int64]  # (10,) how many each column has; the following from its end down
    takes: NDArray[np.uint8]  # (10, 104) the rank of the slot that a unit takes
    under: NDArray[np.uint8]  # (10, 104) the rank of the card beneath it, 0 where there is none
    suit: NDArray[np.uint8]  # (10, 104)
    bits: NDArray[np.uint64]  # (10, 104) its cards, four bits for each rank
    gone: NDArray[np.uint8]  # (n, 10) units that have left
    lying: NDArray[np.uint8]  # (n, 10) a bit for each row whose card lies where it was dealt
    slots: NDArray[np.int8]  # (n, 16) by rank
    free: NDArray[np.uint8]  # (n,) columns cleared
    dealt: NDArray[np.uint8]  # (n,) rows
    open: NDArray[np.uint64]  # (n, 4) first cards laid open so far, by suit, four bits for each rank
    runs: NDArray[np.uint8]  # (n,) runs that may have been collected
    steps: NDArray[np.int32]  # (11 n,) yet to be tried: 16 × state + column, or + 10 for a row
    table: NDArray[np.int32]  # the states by their hash, -1 where there is none
    total: NDArray[np.uint64]  # (4,) cards laid open in one of the states
    tip: NDArray[np.int64]  # (10,) for `no_space_ever`
    looked_at: NDArray[np.int64]  # (1,) states so far, of all positions


def room(most: int) -> Room:
    """For up to `most` states, about 170 bytes each."""
    return Room(
        units=np.zeros(COLUMNS, np.int64),
        takes=np.zeros((COLUMNS, TABLE), np.uint8),
        under=np.zeros((COLUMNS, TABLE), np.uint8),
        suit=np.zeros((COLUMNS, TABLE), np.uint8),
        bits=np.zeros((COLUMNS, TABLE), np.uint64),
        gone=np.zeros((most + 1, COLUMNS), np.uint8),
        lying=np.zeros((most + 1, COLUMNS), np.uint8),
        slots=np.zeros((most + 1, 16), np.int8),
        free=np.zeros(most + 1, np.uint8),
        dealt=np.zeros(most + 1, np.uint8),
        open=np.zeros((most + 1, SUITS), np.uint64),
        runs=np.zeros(most + 1, np.uint8),
        steps=np.zeros((COLUMNS + 1) * (most + 1), np.int32),
        table=np.zeros(1 << (2 * most).bit_length(), np.int32),
        total=np.zeros(SUITS, np.uint64),
        tip=np.zeros(COLUMNS, np.int64),
        looked_at=np.zeros(1, np.int64),
    )


@bare
def is_lost(cards: Any, ends: Any, rows: Any, dealt: int, w: Any) -> bool:
    """Whether the loosened game cannot be won; `dealt` of the rows are on the table already. False too if
    there are more states than `w` has room for."""
    list_units(cards, ends, w)
    begin(cards, ends, w)
    rows = rows[dealt:]
    total = w.total
    w.runs[0] = collectible(w, 0, rows, total)
    w.slots[0, RUN + 1] = w.runs[0]
    settle_all(w, 0, rows, total)
    count, waiting = 0, 0
    while True:
        w.looked_at[0] += 1
        if is_won(w, count, rows.shape[0]):
            return False
        if is_new(w, count):
            waiting = add_steps(w, count, rows, waiting)
            count += 1
            if count == w.free.size - 1:
                return False
        if waiting == 0:
            return True
        waiting -= 1
        take_step(w, int(w.steps[waiting]) >> 4, int(w.steps[waiting]) & 15, count, rows)
        settle_all(w, count, rows, total)


@bare
def list_units(cards: Any, ends: Any, w: Any) -> None:
    start = 0
    for j in range(COLUMNS):
        p = int(ends[j])
        low = start
        start = p
        n = 0
        while p > low:
            head = p - 1
            bits = ONE << (U(cards[head] & 15) * NIBBLE)
            while head > low and cards[head - 1] == cards[head] + 1:
                head -= 1
                bits |= ONE << (U(cards[head] & 15) * NIBBLE)
            w.takes[j, n] = (cards[head] & 15) + 1
            w.under[j, n] = cards[head - 1] & 15 if head > low else 0
            w.suit[j, n] = cards[head] >> 4
            w.bits[j, n] = bits
            n += 1
            p = head
        w.units[j] = n


@bare
def begin(cards: Any, ends: Any, w: Any) -> None:
    """State 0: nothing has left."""
    w.table[:] = -1
    w.slots[0, :] = 0
    w.gone[0, :] = 0
    w.lying[0, :] = 0
    w.open[0, :] = ZERO
    w.free[0] = 0
    w.dealt[0] = 0
    for j in range(COLUMNS):
        if w.units[j] == 0:
            w.free[0] += 1
        else:
            w.slots[0, cards[int(ends[j]) - 1] & 15] += 1
            w.open[0, w.suit[j, 0]] += w.bits[j, 0]


@bare
def lacking(slots: Any) -> int:
    total = 0
    for r in range(2, RANKS):
        if slots[r] < 0:
            total -= slots[r]
    return total


@bare
def collectible(w: Any, i: int, rows: Any, laid_open: Any) -> int:
    """How many runs may have been collected: those of which all cards have been laid open."""
    for s in range(SUITS):
        laid_open[s] = w.open[i, s]
    dealt = int(w.dealt[i])
    if dealt > 0:
        for j in range(COLUMNS):
            above = -1
            for k in range(dealt - 1, -1, -1):
                c = int(rows[k, j])
                if (int(w.lying[i, j]) >> k) & 1:
                    if above >= 0 and (c >> 4 != above >> 4 or c < above):
                        above = 64  # nothing further down lies open
                        continue
                    above = c
                laid_open[c >> 4] += ONE << (U(c & 15) * NIBBLE)
    runs = 0
    for s in range(SUITS):
        least = 8
        for r in range(1, RUN + 1):
            least = min(least, int((laid_open[s] >> (U(r) * NIBBLE)) & NIBBLE_MASK))
            if least == 0:
                break
        runs += least
    return runs


@bare
def leave(w: Any, i: int, j: int) -> None:
    """The next of column j's first units has left; its slot is taken already."""
    u = int(w.gone[i, j])
    w.gone[i, j] = u + 1
    rank = int(w.under[j, u])
    if rank > 0:
        w.slots[i, rank] += 1
        w.open[i, w.suit[j, u + 1]] += w.bits[j, u + 1]
    else:
        w.free[i] += 1


@bare
def settle_all(w: Any, i: int, rows: Any, total: Any) -> None:
    """Let all units leave that may do so at once, and count the runs."""
    changed = True
    while changed:
        changed = False
        runs = collectible(w, i, rows, total)
        w.slots[i, RUN + 1] += runs - int(w.runs[i])
        w.runs[i] = runs
        for j in range(COLUMNS):
            while w.lying[i, j] == 0 and w.gone[i, j] < w.units[j]:
                u = int(w.gone[i, j])
                rank, takes = int(w.under[j, u]), int(w.takes[j, u])
                if rank > 0 and rank != takes:
                    break
                w.slots[i, takes] -= 1
                if lacking(w.slots[i]) > w.free[i]:
                    w.slots[i, takes] += 1
                    break
                leave(w, i, j)
                changed = True


@bare
def is_won(w: Any, i: int, rows: int) -> bool:
    if w.dealt[i] < rows:
        return False
    left = 0
    for j in range(COLUMNS):
        left += int(w.units[j]) - int(w.gone[i, j]) + int(w.lying[i, j])
    return left == 0


@bare
def is_new(w: Any, i: int) -> bool:
    """Whether state i differs from those before it; if so, it is put into the table."""
    h = U(w.dealt[i])
    for j in range(COLUMNS):
        h = h * BASE + U(int(w.gone[i, j]) * 32 + int(w.lying[i, j]) + 1)
    mask = U(w.table.size - 1)
    at = mixed(h) & mask
    while w.table[at] >= 0:
        other = w.table[at]
        same = w.dealt[other] == w.dealt[i]
        for j in range(COLUMNS):
            same = same and w.gone[other, j] == w.gone[i, j] and w.lying[other, j] == w.lying[i, j]
        if same:
            return False
        at = (at + ONE) & mask
    w.table[at] = i
    return True


@bare
def last_row(w: Any, i: int, j: int) -> int:
    """The last row whose card lies where it was dealt in column j."""
    k = int(w.dealt[i]) - 1
    while (int(w.lying[i, j]) >> k) & 1 == 0:
        k -= 1
    return k


@bare
def add_steps(w: Any, i: int, rows: Any, waiting: int) -> int:
    """Note what may be done in state i. What is noted last is tried first: what takes no cleared column."""
    if w.dealt[i] < rows.shape[0]:
        w.steps[waiting] = i * 16 + COLUMNS
        waiting += 1
    spare = int(w.free[i]) - lacking(w.slots[i])
    for short in (1, 0):
        for j in range(COLUMNS):
            if w.lying[i, j] > 0:
                takes = int(rows[last_row(w, i, j), j] & 15) + 1
            elif w.gone[i, j] < w.units[j]:
                takes = int(w.takes[j, w.gone[i, j]])
            else:
                continue
            if int(w.slots[i, takes] <= 0) == short and short <= spare:
                w.steps[waiting] = i * 16 + j
                waiting += 1
    return waiting


@bare
def take_step(w: Any, parent: int, step: int, i: int, rows: Any) -> None:
    """Write the state after a step into i."""
    # in loops, for numba copies a slice by way of a new array
    for j in range(COLUMNS):
        w.gone[i, j] = w.gone[parent, j]
        w.lying[i, j] = w.lying[parent, j]
    for r in range(RANKS):
        w.slots[i, r] = w.slots[parent, r]
    for s in range(SUITS):
        w.open[i, s] = w.open[parent, s]
    w.free[i] = w.free[parent]
    w.dealt[i] = w.dealt[parent]
    w.runs[i] = w.runs[parent]
    if step == COLUMNS:
        k = int(w.dealt[i])
        w.dealt[i] = k + 1
        for j in range(COLUMNS):
            w.lying[i, j] |= 1 << k
            w.slots[i, rows[k, j] & 15] += 1
    elif w.lying[i, step] > 0:
        k = last_row(w, i, step)
        w.lying[i, step] ^= 1 << k
        w.slots[i, int(rows[k, step] & 15) + 1] -= 1
    else:
        w.slots[i, w.takes[step, w.gone[i, step]]] -= 1
        leave(w, i, step)
