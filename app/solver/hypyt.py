"""Hypyt's solver: beams while many piles are left, an exhaustive search when few are.

A position is the string of the top cards from left to right, followed by the stock: a hop takes one card out
of its place and puts it in another's, and all that stands behind moves up, the stock into the row too. Cards
that lie under others never come back, so they do not count.
"""

import random
from collections.abc import Iterator
from itertools import pairwise

from app.cards.card import CARDS, Card
from app.patience.hypyt import FAR, Hypyt, matches
from app.patience.patience import Patience
from app.patience.position import Position
from app.solver.meter import Budget, Meter

EXHAUSTED = "exhausted"
FEW = 11
"""So many cards on top and in the stock are searched exhaustively, from the start and at a beam's end."""
FIRST_WIDTH, GROWTH, WIDEST = 40, 2, 20_000
CHUNK = 256
Line = tuple[str, ...]
Hop = tuple[int, int]
Row = bytes

_FACES = tuple(CARDS.values())
_NUMBER = {face: number for number, face in enumerate(_FACES)}


def _bits(card: Card) -> int:
    return sum(1 << n for n, other in enumerate(_FACES) if other != card and matches(card, other))


MATCHES = tuple(_bits(card) for card in _FACES)
"""For each card, the cards that it may hop onto, a bit each."""


def search(patience: Patience, position: Position, budget: Budget, meter: Meter) -> Line | str | None:
    """A winning line, why there is none, or None when the meter ran out."""
    assert isinstance(patience, Hypyt)
    start, far = _row(patience, position), patience.steps[1]
    if not is_connected(start):
        return EXHAUSTED
    if len(start) <= FEW:
        return _answer(exhaust(start, patience.row, far, set(), meter))
    draw, width = random.Random(budget.seed), FIRST_WIDTH
    while True:
        hops = _beam(start, patience.row, far, width, draw, meter)
        if hops:
            return _texts(hops)
        if meter.out_of:
            return None
        if hops is None:
            return EXHAUSTED
        width = min(width * GROWTH, WIDEST)


def shorten(
    patience: Patience, position: Position, budget: Budget, meter: Meter, known: Line | None
) -> Iterator[Line]:
    """A line, unless one is known: all have the same length, one hop a card."""
    if known is None:
        line = search(patience, position, budget, meter)
        if isinstance(line, tuple):
            yield line


def lower_bound(patience: Patience, position: Position) -> int:
    """One hop for each card but the last."""
    assert isinstance(patience, Hypyt)
    return len(_row(patience, position)) - 1


def warm() -> None:
    """There is nothing to compile."""


def is_connected(row: Row) -> bool:
    """Whether every card can be reached from every other over cards that match.

    If not, the row can never become one pile: a card is covered only by one that matches it, so the cards of
    each part of the row can only ever be covered by their own part, and one of each part stays on top.
    """
    rest = sum(1 << card for card in row)
    reached = 1 << row[0]
    found = reached
    while found:
        card = found.bit_length() - 1
        found &= ~(1 << card)
        new = MATCHES[card] & rest & ~reached
        reached |= new
        found |= new
    return reached == rest


def exhaust(start: Row, room: int, far: int, dead: set[Row], meter: Meter) -> list[Hop] | str | None:
    """The hops to one pile, why there are none, or None when the meter ran out. `dead` gathers the rows that
    cannot be won."""
    line: list[Hop] = []
    rows = [start]
    waiting = [hops_of(start, room, far)]
    while waiting:
        if len(rows[-1]) == 1:
            return line
        if not waiting[-1]:
            dead.add(rows.pop())
            waiting.pop()
            if line:
                line.pop()
            continue
        hop = waiting[-1].pop()
        row = hopped(rows[-1], hop)
        if row in dead:
            continue
        meter.spend(1)
        if not is_connected(row):
            dead.add(row)
            continue
        if not meter.nodes % CHUNK and meter.out_of:
            return None
        line.append(hop)
        rows.append(row)
        waiting.append(hops_of(row, room, far))
    return EXHAUSTED


def hops_of(row: Row, room: int, far: int) -> list[Hop]:
    """The hops of a row that holds `room` cards; what stands behind them is the stock."""
    top = row[:room]
    hops = [(at, at - 1) for at in range(1, len(top)) if MATCHES[top[at]] >> top[at - 1] & 1]
    over_two = [at for at in range(len(top) - FAR) if MATCHES[top[at]] >> top[at + FAR] & 1]
    return hops + [(at, at + FAR) if far > 0 else (at + FAR, at) for at in over_two]


def hopped(row: Row, hop: Hop) -> Row:
    """The row after a hop."""
    source, target = hop
    card = row[source : source + 1]
    if target < source:
        return row[:target] + card + row[target + 1 : source] + row[source + 1 :]
    return row[:source] + row[source + 1 : target] + card + row[target + 1 :]


def _beam(start: Row, room: int, far: int, width: int, draw: random.Random, meter: Meter) -> list[Hop] | None:
    """Hops to one pile; an empty list if the beam found none or the meter ran out; None if there are none."""
    level: dict[Row, tuple[Row, Hop] | None] = {start: None}
    levels, complete = [level], True
    while len(next(iter(level))) > FEW:
        below: dict[Row, tuple[Row, Hop] | None] = {}
        for row in level:
            for hop in hops_of(row, room, far):
                below.setdefault(hopped(row, hop), (row, hop))
            meter.spend(1)
            if not meter.nodes % CHUNK and meter.out_of:
                return []
        rows = [row for row in below if is_connected(row)]
        if len(rows) > width:
            complete = False
            rows = sorted(rows, key=lambda row: _worth(row, room) + draw.random(), reverse=True)[:width]
        level = {row: below[row] for row in rows}
        if not level:
            return None if complete else []
        levels.append(level)
    dead: set[Row] = set()
    for row in level:
        rest = exhaust(row, room, far, dead, meter)
        if rest is None:
            return []
        if isinstance(rest, list):
            return _way_to(row, levels) + rest
    return None if complete else []


def _way_to(row: Row, levels: list[dict[Row, tuple[Row, Hop] | None]]) -> list[Hop]:
    hops: list[Hop] = []
    for level in reversed(levels[1:]):
        before = level[row]
        assert before is not None
        row, hop = before
        hops.append(hop)
    return hops[::-1]


def _worth(row: Row, room: int) -> float:
    """How promising a row is: the hops that it offers, and that no card has few others to go with."""
    rest = sum(1 << card for card in row)
    friends = [(MATCHES[card] & rest).bit_count() for card in row]
    top = row[:room]
    hops = sum(MATCHES[a] >> b & 1 for a, b in pairwise(top))
    hops += sum(MATCHES[a] >> b & 1 for a, b in zip(top, top[FAR:], strict=False))
    return hops + sum(friends) / len(row) - sum(4.0 / (1 + n) for n in friends)


def _row(patience: Hypyt, position: Position) -> Row:
    tops = [pile.cards[-1] for pile in position.piles[: patience.row] if pile.cards]
    return bytes(_NUMBER[card] for card in (*tops, *position.piles[patience.row].cards))


def _answer(found: list[Hop] | str | None) -> Line | str | None:
    return _texts(found) if isinstance(found, list) else found


def _texts(hops: list[Hop]) -> Line:
    return tuple(f"{source + 1}-{target + 1}" for source, target in hops)
