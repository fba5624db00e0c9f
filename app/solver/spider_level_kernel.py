"""One level of a beam search over Spider positions, compiled.

Children are scored and hashed from what changes (two columns), and only those that are kept get built.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.solver.compiled import kernel
from app.solver.spider_kernel import (
    BASE,
    COLUMNS,
    MIX1,
    POWERS,
    RUN,
    WORDS,
    ZERO,
    U,
    column_hash,
    column_sum,
    contains,
    insert,
    play_move,
    run_length,
)

S54 = U(54)
#: no column
NONE = -1


class Beam(NamedTuple):
    """Positions side by side, with what the search knows of each. The first axis is the position."""

    cards: NDArray[np.uint8]  # (n, 104)
    ends: NDArray[np.uint8]  # (n, 10)
    down: NDArray[np.uint8]  # (n, 10)
    sums: NDArray[np.uint64]  # (n, 10) `column_sum` of each column
    runs: NDArray[np.uint8]  # (n,) collected so far
    loose: NDArray[np.uint8]  # (n,) cards that are no kings and not in suit on another
    value: NDArray[np.int32]  # (n,) worth of the position alone
    key: NDArray[np.int32]  # (n,) what it is chosen by: value, cost of the moves so far, noise
    hash: NDArray[np.uint64]  # (n,)
    depth: NDArray[np.int32]  # (n,) moves and rows since the start
    node: NDArray[np.int32]  # (n,) its entry in the history


class Candidates(NamedTuple):
    """Children that are scored but not built."""

    key: NDArray[np.int32]
    value: NDArray[np.int32]
    hash: NDArray[np.uint64]
    parent: NDArray[np.int32]
    move: NDArray[np.uint8]  # (n, 3) from, to, count


class History(NamedTuple):
    """How each kept position was reached: the entry of the one before, and the move."""

    parent: NDArray[np.int32]
    move: NDArray[np.uint8]  # (n, 3) from, to, count


@kernel
def best_first(key: Any, order: Any, n: int, keep: int) -> None:
    """Quickselect: arrange order[:n] so that the `keep` entries of greatest key come first."""
    low, high = 0, n - 1
    while low < high:
        pivot = order[(low + high) >> 1]
        pk = key[pivot]
        i, j = low, high
        while i <= j:
            while key[order[i]] > pk or (key[order[i]] == pk and order[i] < pivot):
                i += 1
            while key[order[j]] < pk or (key[order[j]] == pk and order[j] > pivot):
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if keep - 1 <= j:
            high = j
        elif keep - 1 >= i:
            low = i
        else:
            return


@kernel
def shrink(cand: Any, n: int, keep: int, order: Any) -> Any:
    """Keep the best `keep` of n candidates, in place. Returns the least key that is kept."""
    for i in range(n):
        order[i] = i
    best_first(cand.key, order, n, keep)
    kept = order[:keep]
    kept.sort()
    least = cand.key[kept[0]]
    for i in range(keep):
        o = kept[i]
        cand.key[i] = cand.key[o]
        cand.value[i] = cand.value[o]
        cand.hash[i] = cand.hash[o]
        cand.parent[i] = cand.parent[o]
        cand.move[i, 0] = cand.move[o, 0]
        cand.move[i, 1] = cand.move[o, 1]
        cand.move[i, 2] = cand.move[o, 2]
        least = min(least, cand.key[i])
    return least


@kernel
def noise_of(h: Any, seed: Any, noise: int) -> int:
    return (int(((h ^ seed) * MIX1) >> S54) * noise) >> 10


@kernel
def expand(  # noqa: C901  one loop without calls, or every child would pay for them
    beam: Any,
    n: int,
    width: int,
    longest: int,
    rows_left: int,
    cand: Any,
    order: Any,
    seen: Any,
    fresh: Any,
    weights: Any,
    seed: Any,
    least: int,
) -> int:
    """Score every child by a tableau move of n positions, keeping the best `width` or a few more. Returns
    how many.

    `seen` holds the hashes of kept positions, `fresh` (cleared here) of this level's candidates; a child
    whose key is not above `least` is not wanted. Left out as useless: a whole column into a space, and all
    spaces but one.
    """
    room = cand.key.size
    found = 0
    fresh[:] = ZERO
    most_noise = int(weights.noise)
    lows = np.empty(COLUMNS, dtype=np.int64)
    hashes = np.empty(COLUMNS, dtype=np.uint64)
    runs = np.empty(COLUMNS, dtype=np.int64)
    of_rank = np.empty(RUN + 2, dtype=np.int64)  # the first column whose end card has this rank,
    following = np.empty(COLUMNS, dtype=np.int64)  # and the next such column after each
    for i in range(n):
        # Each loose card must yet be moved, and a move moves one of them.
        spare = longest - rows_left - int(beam.depth[i]) - int(beam.loose[i])
        if spare < 0:
            continue
        cards, ends, down, sums = beam.cards[i], beam.ends[i], beam.down[i], beam.sums[i]
        cost = weights.move * (beam.depth[i] + 1)
        of_rank[:] = NONE
        spaces = 0
        space = NONE
        start = 0
        for j in range(COLUMNS):
            end = int(ends[j])
            lows[j] = start
            if end == start:
                hashes[j] = ZERO
                runs[j] = 0
                spaces += 1
                space = j
            else:
                hashes[j] = column_hash(sums[j], down[j])
                runs[j] = run_length(cards, start + int(down[j]), end)
                rank = int(cards[end - 1] & 15)
                following[j] = of_rank[rank]
                of_rank[rank] = j
            start = end
        value = beam.value[i] - weights.spaces[spaces]
        for s in range(COLUMNS):
            end, low, length, facing = int(ends[s]), lows[s], runs[s], int(down[s])
            moved = ZERO  # the last cards, as if they were a column
            for count in range(1, length + 1):
                cut = end - count
                head = cards[cut]
                moved = moved * BASE + WORDS[head]
                t = of_rank[int(head & 15) + 1]
                to_space = space != NONE and cut > low
                if t == NONE and not to_space:
                    continue
                # the column that is left
                left = value
                opened = spaces
                faced = facing
                if count < length:
                    top = cards[end - length]
                    left += weights.run[top, length - count] + weights.run[head, count]
                    left -= weights.run[top, length]
                elif cut == low:
                    opened += 1
                    left -= weights.bottom[head]
                elif cut == low + facing:
                    left += weights.down[facing - 1] - weights.down[facing]
                    left += weights.run[cards[cut - 1], 1]
                    if facing == 1:
                        left += weights.bottom[cards[low]]
                    faced -= 1
                else:
                    left -= weights.join[cards[cut - 1], head]
                rest = beam.hash[i] - hashes[s]
                if cut > low:
                    rest += column_hash(sums[s] - moved * POWERS[cut - low], faced)
                # the columns that can be reached
                while t != NONE or to_space:
                    worth = left
                    open_now = opened
                    h = rest
                    if t == NONE:
                        t = space
                        to_space = False
                        upper = spare - int(count < length)
                        open_now -= 1
                        worth += weights.bottom[head]
                        h += column_hash(moved, 0)
                    else:
                        tend, tlow, tfacing = int(ends[t]), lows[t], int(down[t])
                        h -= hashes[t]
                        if cards[tend - 1] != head + 1:
                            upper = spare - int(count < length)
                            worth += weights.join[cards[tend - 1], head]
                            h += column_hash(sums[t] + moved * POWERS[tend - tlow], tfacing)
                        else:
                            upper = spare + 1 - int(count < length)
                            top = cards[tend - runs[t]]
                            worth -= weights.run[top, runs[t]] + weights.run[head, count]
                            if runs[t] + count < RUN:
                                worth += weights.run[top, runs[t] + count]
                                h += column_hash(sums[t] + moved * POWERS[tend - tlow], tfacing)
                            else:
                                worth += weights.collected
                                bared = tend - runs[t]
                                if bared == tlow:
                                    open_now += 1
                                    worth -= weights.bottom[top]
                                elif bared == tlow + tfacing:
                                    worth += weights.down[tfacing - 1] - weights.down[tfacing]
                                    worth += weights.run[cards[bared - 1], 1]
                                    if tfacing == 1:
                                        worth += weights.bottom[cards[tlow]]
                                    h += column_hash(column_sum(cards, tlow, bared), tfacing - 1)
                                else:
                                    worth -= weights.join[cards[bared - 1], cards[bared]]
                                    h += column_hash(column_sum(cards, tlow, bared), tfacing)
                    to = t
                    t = following[t] if to != space else NONE
                    worth += weights.spaces[open_now]
                    if upper < 1 or worth - cost + most_noise <= least:
                        continue
                    key = worth - cost + noise_of(h, seed, most_noise)
                    if key <= least or contains(seen, h) or not insert(fresh, h):
                        continue
                    cand.key[found] = key
                    cand.value[found] = worth
                    cand.hash[found] = h
                    cand.parent[found] = i
                    cand.move[found, 0] = s
                    cand.move[found, 1] = to
                    cand.move[found, 2] = count
                    found += 1
                    if found == room:
                        least = shrink(cand, found, width, order)
                        found = width
    return found


@kernel
def build(beam: Any, cand: Any, found: int, out: Any, seen: Any, history: Any, used: int) -> None:
    """Build the candidates into `out`, in their order."""
    for i in range(found):
        p = cand.parent[i]
        s, t, count = int(cand.move[i, 0]), int(cand.move[i, 1]), int(cand.move[i, 2])
        cards, ends = beam.cards[p], beam.ends[p]
        cut, reached = int(ends[s]) - count, int(ends[t])
        lay_in_suit = cut > (int(ends[s - 1]) if s else 0) and cards[cut - 1] == cards[cut] + 1
        joins = reached > (int(ends[t - 1]) if t else 0) and cards[reached - 1] == cards[cut] + 1
        c, e, sums = out.cards[i], out.ends[i], out.sums[i]
        got = play_move(cards, ends, beam.down[p], s, t, count, c, e, out.down[i])
        for j in range(COLUMNS):
            sums[j] = beam.sums[p, j]
        sums[s] = column_sum(c, int(e[s - 1]) if s else 0, int(e[s]))
        sums[t] = column_sum(c, int(e[t - 1]) if t else 0, int(e[t]))
        out.runs[i] = beam.runs[p] + got
        out.loose[i] = beam.loose[p] + int(lay_in_suit) - int(joins)
        out.value[i] = cand.value[i]
        out.key[i] = cand.key[i]
        out.hash[i] = cand.hash[i]
        out.depth[i] = beam.depth[p] + 1
        out.node[i] = used + i
        insert(seen, cand.hash[i])
        history.parent[used + i] = beam.node[p]
        history.move[used + i, 0] = s
        history.move[used + i, 1] = t
        history.move[used + i, 2] = count
