"""A stage of the beam search, compiled: its levels one after another, and the pool for the next stage.

A stage plays the moves between two rows (or after the last). While rows are left, each position of the beam
offers the position after the next row to a pool; the pool's best begin the next stage.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.solver.compiled import bare, inlined
from app.solver.encode import ROW
from app.solver.spider_blocked_kernel import no_space_ever
from app.solver.spider_kernel import (
    COLUMNS,
    POWERS,
    RUN,
    WORDS,
    ZERO,
    Weights,
    column_hash,
    column_sum,
    insert,
    play_row,
    position_hash,
    position_value,
    run_length,
)
from app.solver.spider_level_kernel import (
    Candidates,
    History,
    Notes,
    build,
    copy_piles,
    expand,
    noise_of,
    pick,
    shrink,
)

Row = NDArray[np.uint8]
#: how much longer a stage goes on while no position in it may be dealt a row
UNTIL_ANY = 8
NO_ROWS = np.zeros((0, COLUMNS), np.uint8)
#: below every key
NOTHING = -(1 << 31)


class Tools(NamedTuple):
    """What a search uses beside its beams. Tables of hashes have a power of two as their size."""

    candidates: Candidates
    notes: Notes
    history: History
    picked: NDArray[np.int32]  # the best of some, while others are dropped
    seen: NDArray[np.uint64]  # kept positions of this stage
    fresh: NDArray[np.uint64]  # candidates of this level
    offered: NDArray[np.uint64]  # positions of the pool
    weights: Weights


class Rules(NamedTuple):
    """What stays the same through a stage."""

    row: Row  # (10,) the next row, or (0,) after the last
    rows_left: int
    onto_spaces: bool
    width: int
    patience: int  # levels without anything better before the stage is left
    longest: int  # no line longer than this is wanted
    seed: np.uint64
    stop_at: int = -1  # after the last row: stop for a look once the best has no more cards face down


class Stage(NamedTuple):
    """How far a stage has come."""

    held: int  # positions in the beam
    used: int  # entries of the history
    waiting: int  # positions in the pool
    least: int  # key that the pool takes no longer
    best: int  # best key so far: of the pool, after the last row of the beam
    since: int  # levels since it got better
    winner: int  # index in the beam, or -1
    nodes: int  # positions looked at
    is_over: bool


@bare
def first_of_stage(beam: Any, n: int, seen: Any) -> None:
    seen[:] = ZERO
    for i in range(n):
        insert(seen, beam.hash[i])


@bare
def fill_in(beam: Any, i: int, weights: Any) -> None:
    """Sums, hash, value and loose cards of a position from its cards."""
    cards, ends, down = beam.cards[i], beam.ends[i], beam.down[i]
    loose = 0
    start = 0
    for j in range(COLUMNS):
        end = int(ends[j])
        beam.sums[i, j] = column_sum(cards, start, end)
        beam.lengths[i, j] = run_length(cards, start + int(down[j]), end)
        for p in range(start, end):
            if cards[p] & 15 != RUN and (p == start or cards[p - 1] != cards[p] + 1):
                loose += 1
        start = end
    beam.loose[i] = loose
    beam.hash[i] = position_hash(beam.sums[i], ends, down)
    beam.value[i] = position_value(cards, ends, down, int(beam.runs[i]), weights)


@bare
def fill_in_all(beam: Any, n: int, weights: Any) -> None:
    """The same for the first n positions, each of which is a node of its own, and their keys."""
    for i in range(n):
        fill_in(beam, i, weights)
        beam.key[i] = beam.value[i] - weights.move * beam.depth[i]
        beam.node[i] = i


@bare
def best_value(cards: Any, ends: Any, down: Any, runs: Any, weights: Any) -> int:
    """Of the positions of a pool."""
    best = NOTHING
    for i in range(runs.size):
        best = max(best, position_value(cards[i], ends[i], down[i], int(runs[i]), weights))
    return best


@bare
def measure_ways(history: Any, nodes: Any, first: int, origin: Any, count: Any) -> None:
    """How many moves lead to each of some nodes, and from which node below `first`."""
    for i in range(nodes.size):
        at = nodes[i]
        while at >= first:
            at = history.parent[at]
            count[i] += 1
        origin[i] = at


@bare
def trace_ways(history: Any, nodes: Any, count: Any, moves: Any) -> None:
    """Write the last `count` moves to each of some nodes."""
    for i in range(nodes.size):
        at = nodes[i]
        for k in range(count[i] - 1, -1, -1):
            for part in range(3):
                moves[i, k, part] = history.move[at, part]
            at = history.parent[at]


@bare
def level_on(now: Any, held: int, then: Any, used: int, floor: int, tools: Any, rules: Any) -> Any:
    """Build the best children of `now` in `then`. Returns how many, and the floor for the next level.

    The floor is a guess of what the least kept key will be: candidates below it are not even hashed. When
    it was too high for the width to be filled, the level is done again without.
    """
    width, cand = rules.width, tools.candidates
    found = 0
    for guess in (floor, NOTHING):
        found = expand(
            now, held, width, rules.longest, rules.rows_left, cand, tools.notes, tools.picked, tools.seen,
            tools.fresh, tools.weights, rules.seed, guess,
        )  # fmt: skip
        if found >= width or guess == NOTHING:
            break
    floor = NOTHING
    if found > width:
        floor = shrink(cand, found, width, tools.picked) - tools.weights.noise
        found = width
    build(now, cand, found, then, tools.seen, tools.history, used)
    return found, floor


@bare
def best_of(beam: Any, n: int) -> int:
    first = 0
    for i in range(n):
        if beam.key[i] > beam.key[first]:
            first = i
    return first


@bare
def hidden(down: Any) -> int:
    """Cards face down in all columns."""
    total = 0
    for j in range(COLUMNS):
        total += int(down[j])
    return total


@bare
def play_levels(levels: int, now: Any, then: Any, pool: Any, tools: Any, rules: Any, stage: Any) -> Any:
    """Play up to so many levels of a stage, or until `rules.stop_at`. Returns the fields of the `Stage` as it
    stands, and the count of levels; after each level `now` and `then` have changed places (the nodes and the
    count are those of this call)."""
    held, used, waiting, least, best, since, _, _, _ = stage
    winner, longest = -1, int(rules.longest)
    nodes = 0
    played = 0
    floor = NOTHING
    is_over = held == 0
    while not is_over and played < levels:
        top = NOTHING
        if rules.rows_left > 0:
            waiting, least, top = offer(now, held, pool, waiting, least, tools, rules)
            top = max(top, best)
        else:
            first = best_of(now, held)
            top = now.key[first]
            if played > 0 and hidden(now.down[first]) <= rules.stop_at:
                break
            for i in range(held):
                if now.ends[i, COLUMNS - 1] == 0 and now.depth[i] <= longest:
                    winner, longest = i, now.depth[i] - 1
        if winner >= 0:
            is_over = True
            break
        if top > best:
            best = top
            since = 0
        else:
            since += 1
        # Spaces must be filled before a row may be dealt: that may take its time.
        patience = rules.patience if waiting > 0 or rules.rows_left == 0 else UNTIL_ANY * rules.patience
        if since > patience or used + 2 * rules.width >= tools.history.parent.size:
            is_over = True
            break
        nodes += held
        held, floor = level_on(now, held, then, used, floor, tools, rules)
        used += held
        now, then = then, now
        played += 1
        is_over = held == 0
    return (held, used, waiting, least, best, since, winner, nodes, is_over), played


@inlined
def copy_position(beam: Any, i: int, out: Any, o: int) -> None:
    """Copy all that is known of a position."""
    copy_piles(beam, i, out, o)
    out.runs[o] = beam.runs[i]
    out.loose[o] = beam.loose[i]
    out.value[o] = beam.value[i]
    out.key[o] = beam.key[i]
    out.hash[o] = beam.hash[i]
    out.depth[o] = beam.depth[i]
    out.node[o] = beam.node[i]


@bare
def trim(pool: Any, n: int, keep: int, picked: Any) -> Any:
    """Keep the best `keep` of n positions, in place. Returns the least key that is kept."""
    least = pick(pool.key, n, keep, picked)
    for i in range(keep):
        if picked[i] != i:
            copy_position(pool, picked[i], pool, i)
    return least


@inlined
def value_with_row(beam: Any, i: int, row: Any, weights: Any) -> Any:
    """The worth of a position after a row, but for runs that the row completes; and whether it does."""
    cards, ends, lengths = beam.cards[i], beam.ends[i], beam.lengths[i]
    value = beam.value[i]
    completes = False
    spaces = 0
    start = 0
    for j in range(COLUMNS):
        end = int(ends[j])
        card = row[j]
        if end == start:
            spaces += 1
            value += weights.run[card, 1] + weights.bottom[card] + weights.single
        elif cards[end - 1] == card + 1:
            length = int(lengths[j])
            top = cards[end - length]
            value += weights.run[top, length + 1] - weights.run[top, length]
            if length + 1 == RUN:
                value += weights.collected
                completes = True
        else:
            value += weights.run[card, 1] + weights.join[cards[end - 1], card]
            if int(lengths[j]) == end - start - int(beam.down[i, j]):
                value -= weights.single
        start = end
    return value + weights.spaces[0] - weights.spaces[spaces], completes


@inlined
def hash_with_row(beam: Any, i: int, row: Any) -> Any:
    """The hash after a row that completes no run."""
    total = ZERO
    start = 0
    for j in range(COLUMNS):
        end = int(beam.ends[i, j])
        total += column_hash(beam.sums[i, j] + WORDS[row[j]] * POWERS[end - start], beam.down[i, j])
        start = end
    return total


@inlined
def build_with_row(beam: Any, i: int, row: Any, out: Any, o: int) -> None:
    """Write the position after a row that completes no run, but for its value, key, hash, depth and node."""
    cards, c = beam.cards[i], out.cards[o]
    loose = int(beam.loose[i])
    start = 0
    for j in range(COLUMNS):
        end = int(beam.ends[i, j])
        card = row[j]
        for p in range(start, end):
            c[p + j] = cards[p]
        c[end + j] = card
        joins = end > start and cards[end - 1] == card + 1
        out.lengths[o, j] = beam.lengths[i, j] + 1 if joins else 1
        loose += int(not joins and card & 15 != RUN)
        out.sums[o, j] = beam.sums[i, j] + WORDS[card] * POWERS[end - start]
        out.ends[o, j] = end + j + 1
        out.down[o, j] = beam.down[i, j]
        start = end
    out.loose[o] = loose
    out.runs[o] = beam.runs[i]


@bare
def offer(beam: Any, n: int, pool: Any, held: int, least: int, tools: Any, rules: Any) -> Any:
    """Offer the position after the next row of each of n positions to the pool of the best; after the last
    row, unless it is blocked for good.

    Returns how many it holds, the least key that it takes, and the best key that came in. A pool position's
    `node` is that of the position before the row: `start_stage` gives it its own.
    """
    weights = tools.weights
    room = pool.key.size
    top = NOTHING
    for i in range(n):
        ends = beam.ends[i]
        allowed = ends[0] > 0
        for j in range(1, COLUMNS):
            allowed = allowed and ends[j] > ends[j - 1]
        if not (allowed or rules.onto_spaces):
            continue
        cost = weights.move * (beam.depth[i] + 1)
        value, completes = value_with_row(beam, i, rules.row, weights)
        if value - cost + weights.noise <= least:
            continue
        if completes:
            got = play_row(
                beam.cards[i], ends, beam.down[i], rules.row,
                pool.cards[held], pool.ends[held], pool.down[held],
            )  # fmt: skip
            pool.runs[held] = beam.runs[i] + got
            fill_in(pool, held, weights)
        else:
            pool.value[held] = value
            pool.hash[held] = hash_with_row(beam, i, rules.row)
        key = pool.value[held] - cost + noise_of(pool.hash[held], rules.seed, weights.noise)
        if key <= least or not insert(tools.offered, pool.hash[held]):
            continue
        if not completes:
            build_with_row(beam, i, rules.row, pool, held)
        if rules.rows_left == 1 and no_space_ever(
            pool.cards[held], pool.ends[held], NO_ROWS, 0, tools.notes.lows
        ):
            continue
        pool.key[held] = key
        pool.depth[held] = beam.depth[i] + 1
        pool.node[held] = beam.node[i]
        top = max(top, key)
        held += 1
        if held == room:
            least = trim(pool, held, rules.width, tools.picked)
            held = rules.width
    return held, least, top


@bare
def start_stage(pool: Any, held: int, width: int, picked: Any, out: Any, history: Any, used: int) -> int:
    """The pool's best `width` become the beam of the next stage. Returns how many."""
    if held > width:
        trim(pool, held, width, picked)
        held = width
    for i in range(held):
        copy_position(pool, i, out, i)
        history.parent[used + i] = pool.node[i]
        history.move[used + i, 0] = ROW
        history.move[used + i, 1] = ROW
        history.move[used + i, 2] = ROW
        out.node[i] = used + i
    return held
