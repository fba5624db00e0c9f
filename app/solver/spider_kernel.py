"""Spider's rules once more, compiled: positions as arrays, moves, hashes and what a position is worth.

This is a second copy of what `patience/spider.py` says, for speed only. `tests/perft` runs both over the
same positions, and no line leaves the solver before the first copy has replayed it.

A position is three arrays:

- `cards` (104,) uint8: the cards of columns 1 to 10, one after another, bottom to end. A card is 16 × suit
  + rank, so a card lies in suit on the card whose number is one higher, and no number is ever a neighbour
  by accident.
- `ends` (10,) uint8: where each column ends in `cards` (one past its last card).
- `down` (10,) uint8: how many cards of each column are face down.

The stock is not part of it: a search knows which row comes next.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.solver.compiled import bare, inlined

COLUMNS = 10
RUN = 13
TABLE = 104

U = np.uint64
BASE = U(0x9E3779B97F4A7C15)
DOWN = U(0xD6E8FEB86659FD93)
MIX1 = U(0xFF51AFD7ED558CCD)
MIX2 = U(0xC4CEB9FE1A85EC53)
S29, S32 = U(29), U(32)
ZERO, ONE = U(0), U(1)


def _splitmix(count: int, seed: int) -> NDArray[np.uint64]:
    """`count` fixed pseudo-random words (splitmix64, Steele, Lea and Flood 2014)."""
    mask, words = (1 << 64) - 1, []
    for _ in range(count):
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        words.append(z ^ (z >> 31))
    return np.array(words, dtype=np.uint64)


#: one word for each card (and another, for a second hash), and the powers of BASE for shifting a column's
#: hash by some cards
WORDS = _splitmix(64, 1)
WORDS_TOO = _splitmix(64, 3)
POWERS = np.array([pow(int(BASE), n, 1 << 64) for n in range(TABLE + 1)], dtype=np.uint64)
#: added to a column's hash: nothing (columns may be exchanged), or a word of its own (they may not)
ANY_ORDER = np.zeros(COLUMNS, dtype=np.uint64)
FIXED_ORDER = _splitmix(COLUMNS, 2)


class Weights(NamedTuple):
    """What a position is worth. All whole numbers, so that every machine agrees."""

    run: NDArray[np.int32]  # (64, 14) [head, n] a run of n cards in suit
    bottom: NDArray[np.int32]  # (64,) a card that lies face up at the bottom of its column
    join: NDArray[np.int32]  # (64, 64) [under, over] of two face-up cards not in suit
    down: NDArray[np.int32]  # (105,) a column with n cards face down
    spaces: NDArray[np.int32]  # (11,) n spaces
    single: int  # a column whose face-up cards are one run
    collected: int
    move: int  # cost of a move or a row
    noise: int


@bare
def mixed(h: Any) -> Any:
    h ^= h >> S32
    h *= MIX1
    h ^= h >> S29
    h *= MIX2
    h ^= h >> S32
    return h


@bare
def column_sum(cards: Any, low: int, end: int) -> Any:
    """A column's cards as one number: each card's word times a power of BASE for its place in the column.
    Cards put on or taken off are terms added or taken away, whatever lies beneath."""
    total = ZERO
    for p in range(low, end):
        total += WORDS[cards[p]] * POWERS[p - low]
    return total


@bare
def column_hash(total: Any, down: Any) -> Any:
    """Of a column that is not empty, from its `column_sum` and its face-down cards."""
    return mixed(total + U(down) * DOWN)


@bare
def run_length(cards: Any, low: int, end: int) -> int:
    """Cards of the run at the end of the column whose face-up cards are cards[low:end]."""
    if end <= low:
        return 0
    length = 1
    while end - length > low and cards[end - length - 1] == cards[end - length] + 1:
        length += 1
    return length


@inlined
def is_run(cards: Any, low: int, end: int) -> bool:
    """Whether cards[low:end], at least one, lie in suit all of them."""
    p = end - 1
    while p > low and cards[p - 1] == cards[p] + 1:
        p -= 1
    return p == low


@bare
def position_hash(sums: Any, ends: Any, down: Any) -> Any:
    """The same for every order of the columns."""
    total = ZERO
    start = 0
    for j in range(COLUMNS):
        end = int(ends[j])
        if end > start:
            total += column_hash(sums[j], down[j])
        start = end
    return total


@bare
def position_value(cards: Any, ends: Any, down: Any, runs: int, weights: Any) -> Any:
    """The worth of a position, from nothing."""
    total = runs * weights.collected
    spaces = 0
    start = 0
    for j in range(COLUMNS):
        end = int(ends[j])
        if end == start:
            spaces += 1
        total += weights.down[down[j]]
        p = start + int(down[j])
        length = 1
        if end > start and down[j] == 0:
            total += weights.bottom[cards[start]]
        if end > start and is_run(cards, p, end):
            total += weights.single
        while p < end:
            if p + 1 < end and cards[p] == cards[p + 1] + 1:
                length += 1
            else:
                total += weights.run[cards[p - length + 1], length]
                length = 1
                if p + 1 < end:
                    total += weights.join[cards[p], cards[p + 1]]
            p += 1
        start = end
    return total + weights.spaces[spaces]


@bare
def settle(cards: Any, low: int, end: int, down: int) -> Any:
    """A column's end and face-down count once a complete run at its end is collected and its end card
    turned up.

    `low` is where the column begins. Returns (end, down, collected).
    """
    collected = 0
    if run_length(cards, low + down, end) >= RUN:
        end -= RUN
        collected = 1
    if down > 0 and end == low + down:
        down -= 1
    return end, down, collected


@bare
def play_move(
    cards: Any, ends: Any, down: Any, source: int, to: int, count: int, c: Any, e: Any, d: Any
) -> int:
    """Write the position after a move into c, e, d. Returns how many runs were collected (0 or 1)."""
    collected = 0
    out = 0
    start = 0
    first = int(ends[source]) - count
    for j in range(COLUMNS):
        end = int(ends[j])
        low = out
        stop = end
        if j == source:
            stop = end - count
        for p in range(start, stop):
            c[out] = cards[p]
            out += 1
        facing = int(down[j])
        if j == to:
            for p in range(first, first + count):
                c[out] = cards[p]
                out += 1
        if j in (to, source):
            out, facing, got = settle(c, low, out, facing)
            collected += got
        d[j] = facing
        e[j] = out
        start = end
    return collected


@bare
def play_row(cards: Any, ends: Any, down: Any, row: Any, c: Any, e: Any, d: Any) -> int:
    """Write the position after a dealt row into c, e, d. Returns how many runs were collected."""
    collected = 0
    out = 0
    start = 0
    for j in range(COLUMNS):
        end = int(ends[j])
        low = out
        for p in range(start, end):
            c[out] = cards[p]
            out += 1
        c[out] = row[j]
        out += 1
        out, facing, got = settle(c, low, out, int(down[j]))
        collected += got
        d[j] = facing
        e[j] = out
        start = end
    return collected


@bare
def insert(table: Any, h: Any) -> bool:
    """Put h into an open-addressing set (size a power of two, zero is empty). False if it was there."""
    mask = U(table.size - 1)
    if h == ZERO:
        h = ONE
    at = h & mask
    for _ in range(64):
        there = table[at]
        if there == h:
            return False
        if there == ZERO:
            table[at] = h
            return True
        at = (at + ONE) & mask
    table[h & mask] = h  # full hereabouts: forget another, which costs time but no soundness
    return True


@bare
def contains(table: Any, h: Any) -> bool:
    mask = U(table.size - 1)
    if h == ZERO:
        h = ONE
    at = h & mask
    for _ in range(64):
        there = table[at]
        if there == h:
            return True
        if there == ZERO:
            return False
        at = (at + ONE) & mask
    return False
