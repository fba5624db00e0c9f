"""One level of a beam search over Spider positions, compiled.

Children are scored and hashed from what changes (two columns), and only those that are kept get built.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.solver.compiled import kernel
from app.solver.encode import ROW
from app.solver.spider_kernel import (
    BASE,
    COLUMNS,
    POWERS,
    RUN,
    TABLE,
    WORDS,
    ZERO,
    U,
    column_hash,
    contains,
    insert,
    mixed,
    play_move,
    play_row,
    position_hash,
    position_value,
    run_length,
)

S40, LOW_BITS = U(40), U(1023)


class Beam(NamedTuple):
    """Positions side by side, with what the search knows of each. The first axis is the position."""

    cards: NDArray[np.uint8]  # (n, 104)
    ends: NDArray[np.uint8]  # (n, 10)
    down: NDArray[np.uint8]  # (n, 10)
    runs: NDArray[np.uint8]  # (n,) collected so far
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
    return (int((mixed(h ^ seed) >> S40) & LOW_BITS) * noise) >> 10


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
    salt: Any,
) -> int:
    """Score every child by a tableau move of n positions, keeping the best `width` or a few more. Returns
    how many.

    `seen` holds the hashes of kept positions, `fresh` (cleared here) of this level's candidates. Left out
    as useless: a whole column into a space (but not when `salt` says that columns differ), and all spaces
    but the first.
    """
    room = cand.key.size
    found = 0
    least = -(1 << 31)
    fresh[:] = ZERO
    prefix = np.empty(TABLE, dtype=np.uint64)
    hashes = np.empty(COLUMNS, dtype=np.uint64)
    runs = np.empty(COLUMNS, dtype=np.int64)
    placed = salt[0] != ZERO
    for i in range(n):
        cards = beam.cards[i]
        ends = beam.ends[i]
        down = beam.down[i]
        total = beam.hash[i]
        value = beam.value[i]
        cost = weights.move * (beam.depth[i] + 1)
        spaces = 0
        space = -1
        loose = 0
        start = 0
        for j in range(COLUMNS):
            end = int(ends[j])
            hashes[j] = ZERO
            runs[j] = 0
            if end == start:
                spaces += 1
                if space < 0:
                    space = j
            else:
                h = ZERO
                for p in range(start, end):
                    h = h * BASE + WORDS[cards[p]]
                    prefix[p] = h
                    if cards[p] & 15 != RUN and (p == start or cards[p - 1] != cards[p] + 1):
                        loose += 1
                hashes[j] = column_hash(h, down[j], salt[j])
                runs[j] = run_length(cards, start + int(down[j]), end)
            start = end
        # Each loose card (not in suit on another, no king) must yet be moved, and a move moves one of them.
        spare = longest - rows_left - int(beam.depth[i]) - loose
        if spare < 0:
            continue
        start = 0
        for s in range(COLUMNS):
            end = int(ends[s])
            low = start
            start = end
            if end == low:
                continue
            length = runs[s]
            tip = cards[end - 1]
            rank = tip & 15
            facing = int(down[s])
            for t in range(COLUMNS):
                if t == s:
                    continue
                tend = int(ends[t])
                tlow = 0 if t == 0 else int(ends[t - 1])
                if tend == tlow:
                    if t != space:
                        continue
                    first, last = 1, length
                    if length == end - low and not placed:
                        last -= 1
                else:
                    first = int(cards[tend - 1] & 15) - int(rank)
                    last = first
                    if first < 1 or first > length:
                        continue
                for count in range(first, last + 1):
                    cut = end - count
                    head = cards[cut]
                    joins = tend > tlow and cards[tend - 1] == head + 1
                    if spare + int(joins) - int(count < length) < 1:
                        continue
                    gain = 0
                    opened = spaces
                    h = total - hashes[s] - hashes[t]
                    # the column that is left
                    if count < length:
                        gain += weights.run[length - count] + weights.run[count] - weights.run[length]
                        h += column_hash(prefix[cut - 1], facing, salt[s])
                    elif cut == low:
                        opened += 1
                    elif cut == low + facing:
                        gain += weights.down[facing - 1] - weights.down[facing] + weights.run[1]
                        h += column_hash(prefix[cut - 1], facing - 1, salt[s])
                    else:
                        gain -= weights.join[cards[cut - 1], head]
                        h += column_hash(prefix[cut - 1], facing, salt[s])
                    # the column that is reached
                    moved = prefix[end - 1]
                    if cut > low:
                        moved -= prefix[cut - 1] * POWERS[count]
                    tfacing = int(down[t])
                    if tend == tlow:
                        opened -= 1
                        h += column_hash(moved, 0, salt[t])
                    elif not joins:
                        gain += weights.join[cards[tend - 1], head]
                        h += column_hash(prefix[tend - 1] * POWERS[count] + moved, tfacing, salt[t])
                    elif runs[t] + count < RUN:
                        gain += weights.run[runs[t] + count] - weights.run[runs[t]] - weights.run[count]
                        h += column_hash(prefix[tend - 1] * POWERS[count] + moved, tfacing, salt[t])
                    else:
                        gain += weights.collected - weights.run[runs[t]] - weights.run[count]
                        bared = tend - runs[t]
                        if bared == tlow:
                            opened += 1
                        elif bared == tlow + tfacing:
                            gain += weights.down[tfacing - 1] - weights.down[tfacing] + weights.run[1]
                            h += column_hash(prefix[bared - 1], tfacing - 1, salt[t])
                        else:
                            gain -= weights.join[cards[bared - 1], cards[bared]]
                            h += column_hash(prefix[bared - 1], tfacing, salt[t])
                    worth = value + gain + weights.spaces[opened] - weights.spaces[spaces]
                    key = worth - cost + noise_of(h, seed, weights.noise)
                    if key <= least or contains(seen, h) or not insert(fresh, h):
                        continue
                    cand.key[found] = key
                    cand.value[found] = worth
                    cand.hash[found] = h
                    cand.parent[found] = i
                    cand.move[found, 0] = s
                    cand.move[found, 1] = t
                    cand.move[found, 2] = count
                    found += 1
                    if found == room:
                        least = shrink(cand, found, width, order)
                        found = width
    return found


@kernel
def build(
    beam: Any, cand: Any, found: int, width: int, order: Any, out: Any, seen: Any, history: Any, used: int
) -> int:
    """Build the best `width` of the candidates into `out`, in the order of their finding."""
    if found > width:
        shrink(cand, found, width, order)
        found = width
    for i in range(found):
        p = cand.parent[i]
        s, t, count = int(cand.move[i, 0]), int(cand.move[i, 1]), int(cand.move[i, 2])
        got = play_move(
            beam.cards[p], beam.ends[p], beam.down[p], s, t, count, out.cards[i], out.ends[i], out.down[i]
        )
        out.runs[i] = beam.runs[p] + got
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
    return found


@kernel
def copy_position(beam: Any, i: int, out: Any, o: int) -> None:
    out.cards[o, :] = beam.cards[i]
    out.ends[o, :] = beam.ends[i]
    out.down[o, :] = beam.down[i]
    out.runs[o] = beam.runs[i]
    out.value[o] = beam.value[i]
    out.key[o] = beam.key[i]
    out.hash[o] = beam.hash[i]
    out.depth[o] = beam.depth[i]
    out.node[o] = beam.node[i]


@kernel
def trim(pool: Any, n: int, keep: int, order: Any) -> Any:
    """Keep the best `keep` of n positions, in place. Returns the least key that is kept."""
    for i in range(n):
        order[i] = i
    best_first(pool.key, order, n, keep)
    kept = order[:keep]
    kept.sort()
    least = pool.key[kept[0]]
    for i in range(keep):
        if kept[i] != i:
            copy_position(pool, kept[i], pool, i)
        least = min(least, pool.key[i])
    return least


@kernel
def offer(
    beam: Any,
    n: int,
    row: Any,
    onto_spaces: bool,
    pool: Any,
    held: int,
    least: int,
    width: int,
    order: Any,
    seen: Any,
    weights: Any,
    seed: Any,
    salt: Any,
) -> Any:
    """Offer the position after the next row of each of n positions to the pool of the best `width`.

    Returns how many it holds, and the least key that it takes. A pool position's `node` is that of the
    position before the row: `start_stage` gives it its own.
    """
    room = pool.key.size
    for i in range(n):
        ends = beam.ends[i]
        allowed = ends[0] > 0
        for j in range(1, COLUMNS):
            allowed = allowed and ends[j] > ends[j - 1]
        if not (allowed or onto_spaces):
            continue
        c, e, d = pool.cards[held], pool.ends[held], pool.down[held]
        runs = int(beam.runs[i]) + play_row(beam.cards[i], ends, beam.down[i], row, c, e, d)
        value = position_value(c, e, d, runs, weights)
        rough = value - weights.move * (beam.depth[i] + 1)
        if rough + weights.noise <= least:
            continue
        h = position_hash(c, e, d, salt)
        key = rough + noise_of(h, seed, weights.noise)
        if key <= least or not insert(seen, h):
            continue
        pool.runs[held] = runs
        pool.value[held] = value
        pool.key[held] = key
        pool.hash[held] = h
        pool.depth[held] = beam.depth[i] + 1
        pool.node[held] = beam.node[i]
        held += 1
        if held == room:
            least = trim(pool, held, width, order)
            held = width
    return held, least


@kernel
def start_stage(
    pool: Any, held: int, width: int, order: Any, out: Any, seen: Any, history: Any, used: int
) -> int:
    """The pool's best `width` become the beam of the next stage. Returns how many."""
    if held > width:
        trim(pool, held, width, order)
        held = width
    for i in range(held):
        copy_position(pool, i, out, i)
        insert(seen, out.hash[i])
        history.parent[used + i] = pool.node[i]
        history.move[used + i, 0] = ROW
        history.move[used + i, 1] = ROW
        history.move[used + i, 2] = ROW
        out.node[i] = used + i
    return held
