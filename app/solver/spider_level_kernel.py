"""One level of a beam search over Spider positions, compiled.

Children are scored and hashed from what changes (two columns), and only those that are kept get built.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.solver.compiled import bare, inlined
from app.solver.spider_kernel import (
    BASE,
    COLUMNS,
    MIX1,
    POWERS,
    RUN,
    TABLE,
    WORDS,
    ZERO,
    U,
    column_hash,
    column_sum,
    contains,
    insert,
    is_run,
    run_length,
    settle,
)

S54 = U(54)
#: no column
NONE = -1


class Beam(NamedTuple):
    """Positions side by side, with what the search knows of each. The first axis is the position."""

    cards: NDArray[np.uint8]  # (n, 104)
    words: NDArray[np.uint64]  # (n, 13) the same bytes, to be copied by eights
    ends: NDArray[np.uint8]  # (n, 10)
    down: NDArray[np.uint8]  # (n, 10)
    lengths: NDArray[np.uint8]  # (n, 10) cards of the run at the end of each column
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


class Notes(NamedTuple):
    """Of one position, while its children are scored."""

    lows: NDArray[np.int64]  # (10,) where each column begins
    of_rank: NDArray[np.int64]  # (15,) the first column whose end card has this rank,
    following: NDArray[np.int64]  # (10,) and the next such column after each

    @classmethod
    def blank(cls) -> "Notes":
        return cls(np.zeros(COLUMNS, np.int64), np.zeros(RUN + 2, np.int64), np.zeros(COLUMNS, np.int64))


class History(NamedTuple):
    """How each kept position was reached: the entry of the one before, and the move."""

    parent: NDArray[np.int32]
    move: NDArray[np.uint8]  # (n, 3) from, to, count


@bare
def nth_greatest(keys: Any, n: int, nth: int) -> Any:
    """The nth greatest of keys[:n], which are moved about (quickselect; the greatest is the first)."""
    low, high = 0, n - 1
    while low < high:
        pivot = keys[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while keys[i] > pivot:
                i += 1
            while keys[j] < pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                i += 1
                j -= 1
        if nth - 1 <= j:
            high = j
        elif nth - 1 >= i:
            low = i
        else:
            break
    return keys[nth - 1]


@bare
def pick(key: Any, n: int, keep: int, picked: Any) -> Any:
    """Write which are the best `keep` of n (of equals the first) into picked[:keep], in order. Returns the
    least key among them."""
    for i in range(n):
        picked[i] = key[i]
    least = nth_greatest(picked, n, keep)
    ties = 0
    for i in range(keep):
        ties += int(picked[i] == least)
    kept = 0
    for i in range(n):
        if key[i] > least or (key[i] == least and ties > 0):
            ties -= int(key[i] == least)
            picked[kept] = i
            kept += 1
    return least


@bare
def shrink(cand: Any, n: int, keep: int, picked: Any) -> Any:
    """Keep the best `keep` of n candidates, in place. Returns the least key that is kept."""
    least = pick(cand.key, n, keep, picked)
    for i in range(keep):
        o = picked[i]
        cand.key[i] = cand.key[o]
        cand.value[i] = cand.value[o]
        cand.hash[i] = cand.hash[o]
        cand.parent[i] = cand.parent[o]
        cand.move[i, 0] = cand.move[o, 0]
        cand.move[i, 1] = cand.move[o, 1]
        cand.move[i, 2] = cand.move[o, 2]
    return least


@bare
def noise_of(h: Any, seed: Any, noise: int) -> int:
    return (int(((h ^ seed) * MIX1) >> S54) * noise) >> 10


@bare
def expand(  # noqa: C901  one loop without calls, or every child would pay for them
    beam: Any,
    n: int,
    width: int,
    longest: int,
    rows_left: int,
    cand: Any,
    notes: Any,
    picked: Any,
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
    for k in range(fresh.size):
        fresh[k] = ZERO
    most_noise = int(weights.noise)
    lows, of_rank, following = notes.lows, notes.of_rank, notes.following
    for i in range(n):
        # Each loose card must yet be moved, and a move moves one of them.
        spare = longest - rows_left - int(beam.depth[i]) - int(beam.loose[i])
        if spare < 0:
            continue
        cards, ends, down, sums = beam.cards[i], beam.ends[i], beam.down[i], beam.sums[i]
        runs = beam.lengths[i]
        cost = weights.move * (beam.depth[i] + 1)
        for r in range(RUN + 2):
            of_rank[r] = NONE
        spaces = 0
        space = NONE
        start = 0
        for j in range(COLUMNS):
            end = int(ends[j])
            lows[j] = start
            if end == start:
                spaces += 1
                space = j
            else:
                rank = int(cards[end - 1] & 15)
                following[j] = of_rank[rank]
                of_rank[rank] = j
            start = end
        value = beam.value[i] - weights.spaces[spaces]
        for s in range(COLUMNS):
            end, low, length, facing = int(ends[s]), lows[s], int(runs[s]), int(down[s])
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
                    left -= weights.bottom[head] + weights.single
                elif cut == low + facing:
                    left += weights.down[facing - 1] - weights.down[facing]
                    left += weights.run[cards[cut - 1], 1]
                    if facing == 1:
                        left += weights.bottom[cards[low]]
                    faced -= 1
                else:
                    left -= weights.join[cards[cut - 1], head]
                    if is_run(cards, low + facing, cut):
                        left += weights.single
                # the columns that can be reached
                while t != NONE or to_space:
                    to = t
                    worth = left
                    open_now = opened
                    upper = spare - int(count < length)
                    collects = False
                    bared, turned = 0, 0
                    if to == NONE:
                        to = space
                        to_space = False
                        open_now -= 1
                        worth += weights.bottom[head] + weights.single
                    else:
                        t = following[to]
                        tend = int(ends[to])
                        if cards[tend - 1] != head + 1:
                            worth += weights.join[cards[tend - 1], head]
                            if int(runs[to]) == tend - lows[to] - int(down[to]):
                                worth -= weights.single
                        else:
                            upper += 1
                            reached = int(runs[to])
                            top = cards[tend - reached]
                            worth -= weights.run[top, reached] + weights.run[head, count]
                            collects = reached + count >= RUN
                            if not collects:
                                worth += weights.run[top, reached + count]
                            else:
                                tlow, tfacing = lows[to], int(down[to])
                                worth += weights.collected
                                bared = tend - reached
                                if bared == tlow:
                                    open_now += 1
                                    worth -= weights.bottom[top] + weights.single
                                elif bared == tlow + tfacing:
                                    turned = 1
                                    worth += weights.down[tfacing - 1] - weights.down[tfacing]
                                    worth += weights.run[cards[bared - 1], 1]
                                    if tfacing == 1:
                                        worth += weights.bottom[cards[tlow]]
                                else:
                                    worth -= weights.join[cards[bared - 1], cards[bared]]
                                    if is_run(cards, tlow + tfacing, bared):
                                        worth += weights.single
                    worth += weights.spaces[open_now]
                    if upper < 1 or worth - cost + most_noise <= least:
                        continue
                    # Most children end here, so only now is it hashed.
                    h = beam.hash[i] - column_hash(sums[s], facing)
                    if cut > low:
                        h += column_hash(sums[s] - moved * POWERS[cut - low], faced)
                    tlow, tend, tfacing = lows[to], int(ends[to]), int(down[to])
                    if tend > tlow:
                        h -= column_hash(sums[to], tfacing)
                    if not collects:
                        h += column_hash(sums[to] + moved * POWERS[tend - tlow], tfacing)
                    elif bared > tlow:
                        h += column_hash(column_sum(cards, tlow, bared), tfacing - turned)
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
                        least = shrink(cand, found, width, picked)
                        found = width
    return found


@inlined
def copy_piles(beam: Any, i: int, out: Any, o: int) -> None:
    """Copy the cards of a position, with what is known of its columns."""
    for k in range(TABLE // 8):
        out.words[o, k] = beam.words[i, k]
    for j in range(COLUMNS):
        out.ends[o, j] = beam.ends[i, j]
        out.down[o, j] = beam.down[i, j]
        out.lengths[o, j] = beam.lengths[i, j]
        out.sums[o, j] = beam.sums[i, j]


@bare
def settle_column(cards: Any, ends: Any, down: Any, lengths: Any, sums: Any, j: int) -> int:
    """Collect a complete run at the end of a column, turn up its end card, and note its run. Returns how many
    runs were collected (0 or 1)."""
    low = int(ends[j - 1]) if j else 0
    end, facing, collected = settle(cards, low, int(ends[j]), int(down[j]))
    if collected:
        for p in range(end, int(ends[COLUMNS - 1]) - RUN):
            cards[p] = cards[p + RUN]
        for k in range(j, COLUMNS):
            ends[k] -= RUN
        sums[j] = column_sum(cards, low, end)
    down[j] = facing
    lengths[j] = run_length(cards, low + facing, end)
    return int(collected)


@bare
def build(beam: Any, cand: Any, found: int, out: Any, seen: Any, history: Any, used: int) -> None:
    """Build the candidates into `out`, in their order."""
    for i in range(found):
        o = cand.parent[i]
        s, t, count = int(cand.move[i, 0]), int(cand.move[i, 1]), int(cand.move[i, 2])
        cards, ends = beam.cards[o], beam.ends[o]
        c, e, sums = out.cards[i], out.ends[i], out.sums[i]
        copy_piles(beam, o, out, i)
        end, reached = int(ends[s]), int(ends[t])
        cut = end - count
        low, tlow = int(ends[s - 1]) if s else 0, int(ends[t - 1]) if t else 0
        lay_in_suit = cut > low and cards[cut - 1] == cards[cut] + 1
        joins = reached > tlow and cards[reached - 1] == cards[cut] + 1
        moved = ZERO
        for p in range(cut, end):
            moved += WORDS[cards[p]] * POWERS[p - cut]
        sums[s] -= moved * POWERS[cut - low]
        sums[t] += moved * POWERS[reached - tlow]
        # The cards between the two places make room.
        if s < t:
            for p in range(end, reached):
                c[p - count] = cards[p]
            for j in range(s, t):
                e[j] -= count
            reached -= count
        else:
            for p in range(reached, cut):
                c[p + count] = cards[p]
            for j in range(t, s):
                e[j] += count
        for p in range(count):
            c[reached + p] = cards[cut + p]
        got = 0
        for j in (s, t):
            got += settle_column(c, e, out.down[i], out.lengths[i], sums, j)
        out.runs[i] = beam.runs[o] + got
        out.loose[i] = beam.loose[o] + int(lay_in_suit) - int(joins)
        out.value[i] = cand.value[i]
        out.key[i] = cand.key[i]
        out.hash[i] = cand.hash[i]
        out.depth[i] = beam.depth[o] + 1
        out.node[i] = used + i
        insert(seen, cand.hash[i])
        history.parent[used + i] = beam.node[o]
        history.move[used + i, 0] = s
        history.move[used + i, 1] = t
        history.move[used + i, 2] = count
