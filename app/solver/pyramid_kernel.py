"""Pyramid's rules once more, compiled: positions as bits, and an exhaustive search in depth.

A second copy of what `patience/pyramid.py` says, for speed only: `tests/solver/test_pyramid.py` ties the two,
and no line leaves the solver before the first copy has replayed it.

A position is `pyramid` (28 bits, one a place that has its card), `stock` (a bit for each card of stock and
waste that is not a king and is still there, in the order of drawing), and a time: `pass × (cards + 1) +
pointer`, where the cards below the pointer lie in the waste. Three facts make the search small and exact:

- **Kings never matter.** A free king of the pyramid goes at once: that only uncovers. A king of the stock
  pairs with nothing and hides nothing for good once it has gone, so the stock is thought of without kings.
- **Earlier is better.** With the same cards left, an earlier time can become any later one by drawing and
  redealing. So a table remembers the earliest time for each set of cards, and a position that comes later
  than one looked at before is left out.
- **A partner for every card.** The cards of the pyramid must all go. For two ranks that add up to thirteen, a
  card of one either goes with a card of the stock or with one of the pyramid that neither lies under it nor
  over it. If even the largest set of such pairs within the pyramid leaves more cards than the stock has
  partners for, the position is lost.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.solver.compiled import kernel

PLACES = 28
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
STOCK_SHIFT = np.uint64(28)
MIX = np.uint64(0x9E3779B97F4A7C15)
S32 = np.uint64(32)
ONE = np.int64(1)

#: what `search` answers: still going, won, everything looked at, table full
GOING, WON, EXHAUSTED, FULL = 0, 1, 2, 3
#: a move is a place, plus 32 × (another place + 1), plus 1024 × (a card's index in the stock + 1)
OTHER, INDEX = 32, 1024

_ROW = [row for row in range(7) for _ in range(row + 1)]
_OVER = [[place + row + 1, place + row + 2] if row < 6 else [] for place, row in enumerate(_ROW)]


def _bits(places: list[int]) -> int:
    return sum(1 << place for place in set(places))


def _all_over(place: int) -> list[int]:
    """Every place that must be empty before this one is free."""
    return [over for direct in _OVER[place] for over in (direct, *_all_over(direct))]


#: for each place, the two places that lie on it
COVER = np.array([_bits(_OVER[place]) for place in range(PLACES)], dtype=np.int64)
_ABOVE = [set(_all_over(place)) for place in range(PLACES)]
#: for each place, the places with which its card can never go: all over it and under it
APART = np.array(
    [
        _bits([other for other in range(PLACES) if other in _ABOVE[p] or p in _ABOVE[other]])
        for p in range(PLACES)
    ],
    dtype=np.int64,
)
#: the same where covered pairs may go: all but its neighbours
APART_COVERED = np.array(
    [
        int(APART[place]) & ~_bits([o for o in range(PLACES) if o in _OVER[place] or place in _OVER[o]])
        for place in range(PLACES)
    ],
    dtype=np.int64,
)


@kernel
def without_kings(pyramid: Any, ranks: Any) -> Any:
    """The pyramid once every king that is free, or becomes free by that, has gone."""
    # From the last place to the first: a king that goes can free only places before it.
    for place in range(PLACES - 1, -1, -1):
        if ranks[place] == 13 and (pyramid >> place) & 1 and (pyramid & COVER[place]) == 0:
            pyramid &= ~(ONE << place)
    return pyramid


@kernel
def _match(place: int, others: Any, count: int, apart: Any, taken: Any, tried: Any) -> bool:
    """Find a partner for a place among others, moving earlier partners if need be."""
    for at in range(count):
        if tried[at] or (apart[place] >> others[at]) & 1:
            continue
        tried[at] = True
        if taken[at] < 0 or _match(taken[at], others, count, apart, taken, tried):
            taken[at] = place
            return True
    return False


@kernel
def has_partners(  # noqa: C901  compiled: calls between kernels are paid for
    rank: int, pyramid: int, stock: int, ranks: Any, stock_ranks: Any, apart: Any
) -> bool:
    """Whether the cards of a rank and of its partner can all find partners, as far as counting tells."""
    ones, others = np.empty(4, np.int64), np.empty(4, np.int64)
    n_ones, n_others = 0, 0
    for place in range(PLACES):
        if (pyramid >> place) & 1:
            if ranks[place] == rank:
                ones[n_ones] = place
                n_ones += 1
            elif ranks[place] == 13 - rank:
                others[n_others] = place
                n_others += 1
    if n_ones + n_others == 0:
        return True
    stock_ones, stock_others = 0, 0
    for index in range(len(stock_ranks)):
        if (stock >> index) & 1:
            if stock_ranks[index] == rank:
                stock_ones += 1
            elif stock_ranks[index] == 13 - rank:
                stock_others += 1
    needed = max(n_ones - stock_others, n_others - stock_ones)
    if needed <= 0:
        return True
    taken, matched = np.full(4, -1, np.int64), 0
    for at in range(n_ones):
        if _match(ones[at], others, n_others, apart, taken, np.zeros(4, np.bool_)):
            matched += 1
    return matched >= needed


@kernel
def _slot(key: Any, keys: Any) -> Any:
    """Where a key is in the table, or where it would go."""
    mask = len(keys) - 1
    mixed = key * MIX
    at = np.int64((mixed ^ (mixed >> S32)) & np.uint64(mask))
    while keys[at] != EMPTY and keys[at] != key:
        at = (at + 1) & mask
    return at


@kernel
def grown(keys: Any, times: Any) -> Any:
    """The table in twice the room."""
    more_keys = np.full(2 * len(keys), EMPTY, np.uint64)
    more_times = np.zeros(2 * len(keys), np.int16)
    for at in range(len(keys)):
        if keys[at] != EMPTY:
            to = _slot(keys[at], more_keys)
            more_keys[to] = keys[at]
            more_times[to] = times[at]
    return more_keys, more_times


@kernel
def _earlier(pointer: int, stock: int) -> int:
    """The pointer just behind the last card of the waste that is still there."""
    while pointer > 0 and not (stock >> (pointer - 1)) & 1:
        pointer -= 1
    return pointer


@kernel
def push(
    pyramid: int,
    stock: int,
    time: int,
    depth: int,
    move: int,
    rank: int,
    ranks: Any,
    stock_ranks: Any,
    apart: Any,
    keys: Any,
    times: Any,
    stack: Any,
    state: Any,
) -> None:
    """Puts a child on the stack, unless it is lost or came as early before.

    `state` holds the sizes of stack and table.
    """
    size = len(stock_ranks) + 1
    pyramid = without_kings(pyramid, ranks)
    time = time - time % size + _earlier(time % size, stock)
    key = np.uint64(pyramid) | (np.uint64(stock) << STOCK_SHIFT)
    at = _slot(key, keys)
    if keys[at] == key:
        if times[at] <= time:
            return
    elif not has_partners(rank, pyramid, stock, ranks, stock_ranks, apart):
        return
    else:
        keys[at] = key
        state[1] += 1
    times[at] = time
    top = state[0]
    stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3], stack[top, 4] = (
        pyramid,
        stock,
        time,
        depth,
        move,
    )
    state[0] = top + 1


@kernel
def search(  # noqa: C901  one loop over all moves, compiled
    nodes: int,
    passes: int,
    covered: bool,
    ranks: Any,
    stock_ranks: Any,
    apart: Any,
    keys: Any,
    times: Any,
    stack: Any,
    state: Any,
    path: Any,
) -> int:
    """Looks at up to so many positions of the stack, the last first.

    The line so far is `path`; when the answer is WON, `state[2]` is its length. `state[3]` counts the
    positions looked at.
    """
    size, room = len(stock_ranks) + 1, len(keys) * 5 // 8
    free = np.empty(PLACES, np.int64)
    for _ in range(nodes):
        if state[0] == 0:
            return EXHAUSTED
        if state[1] >= room or state[0] + 512 > len(stack):
            return FULL
        state[0] -= 1
        top = state[0]
        pyramid, stock, time, depth, move = (
            stack[top, 0],
            stack[top, 1],
            stack[top, 2],
            stack[top, 3],
            stack[top, 4],
        )
        if depth:
            path[depth - 1] = move
        if pyramid == 0:
            state[2] = depth
            return WON
        at = _slot(np.uint64(pyramid) | (np.uint64(stock) << STOCK_SHIFT), keys)
        if times[at] < time:
            continue  # it came earlier since
        state[3] += 1
        n_free = 0
        for place in range(PLACES):
            if (pyramid >> place) & 1 and (pyramid & COVER[place]) == 0:
                free[n_free] = place
                n_free += 1
        now, pointer = time // size, time % size
        # The last pushed is looked at first: the stock's next pass, this pass, the waste, then the pyramid.
        for turn in range(3):
            for f in range(n_free):
                place = free[f]
                for index in range(size - 2, -1, -1):
                    if not (stock >> index) & 1 or ranks[place] + stock_ranks[index] != 13:
                        continue
                    if index >= pointer:
                        later, when = 1, now * size + index + 1
                    elif index == pointer - 1:
                        later, when = 2, time
                    else:
                        later, when = 0, (now + 1) * size + index + 1
                        if now + 1 >= passes:
                            continue
                    if later == turn:
                        push(
                            pyramid & ~(ONE << place),
                            stock & ~(ONE << index),
                            when,
                            depth + 1,
                            place + INDEX * (index + 1),
                            ranks[place],
                            ranks,
                            stock_ranks,
                            apart,
                            keys,
                            times,
                            stack,
                            state,
                        )
        for f in range(n_free):
            place = free[f]
            for other in range(place):
                if not (pyramid >> other) & 1 or ranks[place] + ranks[other] != 13:
                    continue
                lies_on = pyramid & COVER[other]
                if lies_on == 0 or (covered and lies_on == ONE << place):
                    push(
                        pyramid & ~(ONE << place) & ~(ONE << other),
                        stock,
                        time,
                        depth + 1,
                        place + OTHER * (other + 1),
                        ranks[place],
                        ranks,
                        stock_ranks,
                        apart,
                        keys,
                        times,
                        stack,
                        state,
                    )
    return GOING


def room(entries: int) -> tuple[NDArray[np.uint64], NDArray[np.int16]]:
    """An empty table."""
    return np.full(entries, EMPTY, np.uint64), np.zeros(entries, np.int16)
