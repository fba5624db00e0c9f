"""Exhaustive search over Spider positions, compiled: every position that can be reached, each of them once.

What is left out, and why no win is lost by it:

- *A position met before.* Two positions are taken for one if they agree in two independent 64-bit hashes;
  among ten million positions the chance of a single false agreement is below 1 in 10^24.
- *After the last row, the order of columns.* No rule tells one column from another then, so positions that
  differ in their order alone are won or lost together. The hash adds up the columns' hashes. While rows are
  left the order counts, and each column's hash holds its place.
- *After the last row, all spaces but the first as targets*, and *a whole column moved into a space*: both
  lead to a position met already, up to the order of columns.
- *After the last row, positions in which no column can become empty* (`spider_blocked_kernel`), *or whose
  loosened game cannot be won* (`spider_loose_kernel`): some seven in ten of the positions after it, with
  thirty cards face down. While rows are left this hardly ever tells, and takes ten times as long as the rest.
  Nor is it asked after a move that can be taken back: then the position before was asked, or one that leads
  there.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.solver.compiled import bare, kernel
from app.solver.encode import ROW
from app.solver.spider_blocked_kernel import no_space_ever
from app.solver.spider_kernel import (
    BASE,
    COLUMNS,
    DOWN,
    TABLE,
    WORDS,
    WORDS_TOO,
    ZERO,
    U,
    mixed,
    play_move,
    play_row,
    run_length,
)
from app.solver.spider_loose_kernel import is_lost

BASE_TOO = U(0xC2B2AE3D27D4EB4F)
STOCK_LEFT = U(0x165667B19E3779F9)

#: what a slice of the search came to
GOES_ON, WON, EXHAUSTED, FULL = 0, 1, 2, 3
#: what looking at a position takes, counted in states of a loosened game: about half a microsecond each
WORK = 10
#: ten columns times nine, each with a run of at most 13 cut anywhere, and a row
MOST_CHILDREN = 10 * 9 * 13 + 1


class Reached(NamedTuple):
    """All positions found so far, in the order of their finding, and the table that finds them again."""

    cards: NDArray[np.uint8]  # (n, 104)
    ends: NDArray[np.uint8]  # (n, 10)
    down: NDArray[np.uint8]  # (n, 10)
    dealt: NDArray[np.uint8]  # (n,) rows dealt since the start
    parent: NDArray[np.int32]  # (n,)
    move: NDArray[np.uint8]  # (n, 3) from, to, count
    first: NDArray[np.uint64]  # (table,) one hash, zero where nothing is
    second: NDArray[np.uint64]  # (table,) the other
    entered: NDArray[np.int64]  # (1,) how many pairs are in the table: hopeless positions too
    asked: NDArray[
        np.int64
    ]  # (2,) after the last row: how many were asked whether they are hopeless, and are


@bare
def column_hashes(cards: Any, ends: Any, down: Any, j: int, salt: Any) -> Any:
    """What column j adds to the two hashes of a position; `salt` holds its place, while that counts."""
    low, end = int(ends[j - 1]) if j else 0, int(ends[j])
    if end == low:
        return ZERO, ZERO
    h, g = ZERO, ZERO
    for p in range(low, end):
        h = h * BASE + WORDS[cards[p]]
        g = g * BASE_TOO + WORDS_TOO[cards[p]]
    add = U(down[j]) * DOWN + salt
    return mixed(h * BASE + add), mixed(g * BASE_TOO + mixed(add))


@bare
def two_hashes(cards: Any, ends: Any, down: Any, rows_left: int, salt: Any) -> Any:
    one = U(rows_left) * STOCK_LEFT
    two = mixed(one)
    for j in range(COLUMNS):
        h, g = column_hashes(cards, ends, down, j, salt[j] if rows_left > 0 else ZERO)
        one += h
        two += g
    return one, two


@bare
def enter(reached: Any, one: Any, two: Any) -> bool:
    """Put a pair of hashes into the table. False if it was there. There is room (see `search`)."""
    mask = U(reached.first.size - 1)
    if one == ZERO:
        one = BASE
    at = one & mask
    while reached.first[at] != ZERO:
        if reached.first[at] == one and reached.second[at] == two:
            return False
        at = (at + U(1)) & mask
    reached.first[at] = one
    reached.second[at] = two
    reached.entered[0] += 1
    return True


@bare
def enter_first(reached: Any, rows_left: int, salt: Any) -> None:
    one, two = two_hashes(reached.cards[0], reached.ends[0], reached.down[0], rows_left, salt)
    enter(reached, one, two)


@bare
def enter_all(old: Any, new: Any) -> None:
    """Copy a table into a larger one."""
    for at in range(old.first.size):
        if old.first[at] != ZERO:
            enter(new, old.first[at], old.second[at])


@bare
def search(  # noqa: C901  all kinds of moves, side by side
    reached: Any,
    next_one: int,
    count: int,
    work: int,
    rows: Any,
    onto_spaces: bool,
    salt: Any,
    prune: bool,
    loose: Any,
) -> Any:
    """Look at the children of some more positions, for so much work or a little more.

    Returns how it stands, the next position to look at, how many there are, and the work that was done. When
    won, the last is the winner.
    """
    room = reached.dealt.size
    begun, looked_at, done = next_one, loose.looked_at[0], 0
    while next_one < count and done < work:
        cards, ends, down = reached.cards[next_one], reached.ends[next_one], reached.down[next_one]
        dealt = int(reached.dealt[next_one])
        rows_left = rows.shape[0] - dealt
        if count + MOST_CHILDREN > room or reached.entered[0] + MOST_CHILDREN > reached.first.size // 4 * 3:
            return FULL, next_one, count, done
        one, two = two_hashes(cards, ends, down, rows_left, salt)
        full = True
        low = 0
        for s in range(COLUMNS):
            end = int(ends[s])
            if end == low:
                full = False
                continue
            its = salt[s] if rows_left > 0 else ZERO
            h, g = column_hashes(cards, ends, down, s, its)
            without, without_too = one - h, two - g
            length = run_length(cards, low + int(down[s]), end)
            rank = int(cards[end - 1] & 15)
            spaced = False
            tlow = 0
            for t in range(COLUMNS):
                tend = int(ends[t])
                empty = tend == tlow
                upper = 0 if empty else int(cards[tend - 1] & 15)
                tlow = tend
                if t == s:
                    continue
                first = upper - rank
                last = first
                if empty:
                    if spaced and rows_left == 0:
                        continue
                    spaced = True
                    first, last = 1, length
                    if rows_left == 0 and length == end - low:
                        last -= 1
                elif first < 1 or first > length:
                    continue
                theirs = salt[t] if rows_left > 0 else ZERO
                h, g = column_hashes(cards, ends, down, t, theirs)
                rest, rest_too = without - h, without_too - g
                for k in range(first, last + 1):
                    c, e, d = reached.cards[count], reached.ends[count], reached.down[count]
                    got = play_move(cards, ends, down, s, t, k, c, e, d)
                    h, g = column_hashes(c, e, d, s, its)
                    new, new_too = rest + h, rest_too + g
                    h, g = column_hashes(c, e, d, t, theirs)
                    new += h
                    new_too += g
                    cut = end - k
                    was_free = cut > low + int(down[s]) and cards[cut - 1] & 15 == (cards[cut] & 15) + 1
                    ask = prune and rows_left == 0 and (got > 0 or not was_free)
                    if keep(reached, count, new, new_too, next_one, dealt, rows, ask, loose):
                        reached.move[count, 0] = s
                        reached.move[count, 1] = t
                        reached.move[count, 2] = k
                        count += 1
                        if rows_left == 0 and e[COLUMNS - 1] == 0:
                            return WON, next_one, count, done
            low = end
        if rows_left > 0 and (full or onto_spaces):
            c, e, d = reached.cards[count], reached.ends[count], reached.down[count]
            play_row(cards, ends, down, rows[dealt], c, e, d)
            one, two = two_hashes(c, e, d, rows_left - 1, salt)
            ask = prune and rows_left == 1
            if keep(reached, count, one, two, next_one, dealt + 1, rows, ask, loose):
                reached.move[count, 0] = ROW
                reached.move[count, 1] = ROW
                reached.move[count, 2] = ROW
                count += 1
                if rows_left == 1 and e[COLUMNS - 1] == 0:
                    return WON, next_one, count, done
        next_one += 1
        done = (next_one - begun) * WORK + loose.looked_at[0] - looked_at
    return (EXHAUSTED if next_one == count else GOES_ON), next_one, count, done


@bare
def keep(
    reached: Any, i: int, one: Any, two: Any, parent: int, dealt: int, rows: Any, ask: bool, loose: Any
) -> bool:
    """Whether position i, just written, is new by its hashes and (if asked) not hopeless; if so, its parent
    and rows are noted."""
    if not enter(reached, one, two):
        return False
    if ask:
        cards, ends = reached.cards[i], reached.ends[i]
        reached.asked[0] += 1
        if no_space_ever(cards, ends, rows, dealt, loose.tip) or is_lost(cards, ends, rows, dealt, loose):
            reached.asked[1] += 1
            return False
    reached.dealt[i] = dealt
    reached.parent[i] = parent
    return True


@kernel
def perft(cards: Any, ends: Any, down: Any, dealt: int, rows: Any, onto_spaces: bool, depth: int) -> int:
    """How many sequences of `depth` legal moves there are."""
    if depth == 0:
        return 1
    total = 0
    c = np.empty(TABLE, dtype=np.uint8)
    e = np.empty(COLUMNS, dtype=np.uint8)
    d = np.empty(COLUMNS, dtype=np.uint8)
    full = True
    low = 0
    for s in range(COLUMNS):
        end = int(ends[s])
        if end == low:
            full = False
            continue
        length = run_length(cards, low + int(down[s]), end)
        tlow = 0
        for t in range(COLUMNS):
            tend = int(ends[t])
            empty = tend == tlow
            tlow = tend
            if t == s:
                continue
            for k in range(1, length + 1):
                if empty or cards[tend - 1] & 15 == (cards[end - k] & 15) + 1:
                    play_move(cards, ends, down, s, t, k, c, e, d)
                    total += perft(c, e, d, dealt, rows, onto_spaces, depth - 1)
        low = end
    if dealt < rows.shape[0] and (full or onto_spaces):
        play_row(cards, ends, down, rows[dealt], c, e, d)
        total += perft(c, e, d, dealt + 1, rows, onto_spaces, depth - 1)
    return total
