"""A move to consider, found by the rules and by what the player sees alone.

It is a suggestion, not a verdict: it rests on how the cards on the table lie, and neither on the hidden
cards nor on a search to the end. It never leads back to a table that the player's line has been
through (columns unordered), so following it cannot go round in a circle.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from app.patience.patience import Patience
from app.patience.position import Pile, Position
from app.patience.replay import RESTART

# What a table is worth: what has been collected above all, then turning up, spaces, and order in the columns.
COLLECTED, FACE_DOWN, SPACE, IN_SUIT, OFF_SUIT = 40, -60, 45, 12, 3

Table = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Hint:
    """``move`` is None where nothing can be suggested, and ``reason`` says why.

    ``no_move``: the rules allow no move. ``no_gain``: no move seen that gains anything, which
    is not to say that there is none.
    """

    move: str | None
    reason: Literal["no_move", "no_gain"] | None = None
    rests_on: str = "rules"
    used_hidden: bool = False


@dataclass(frozen=True, slots=True)
class _Try:
    move: str
    after: Position
    gain: int


def suggest(patience: Patience, start: Position, steps: Iterable[str]) -> Hint:
    """What to consider at the end of a line (its steps since the opening)."""
    trail = [start]
    for step in steps:
        if step == RESTART:
            trail.clear()
        trail.append(start if step == RESTART else patience.play(trail[-1], step).position)
    position = trail[-1]
    seen = {_table(patience, each) for each in trail}
    moves = patience.legal_moves(position)
    if not moves:
        return Hint(None, "no_move")

    on_table: list[_Try] = []
    from_stock: list[str] = []
    for move, after in _each(patience, position, moves):
        if _stock(patience, after) != _stock(patience, position):
            # What the stock holds is hidden: such a move is never weighed by what it brings.
            from_stock.append(move)
        elif _table(patience, after) not in seen:
            on_table.append(_Try(move, after, worth(patience, after) - worth(patience, position)))
    on_table.sort(key=lambda tried: -tried.gain)

    if on_table and on_table[0].gain > 0:
        return Hint(on_table[0].move)
    if gaining := _first_of_two(patience, position, on_table, seen):
        return Hint(gaining)
    if from_stock:
        return Hint(from_stock[0])
    if on_table and _stock(patience, position) and _spaces(patience, position):
        # Perhaps the spaces keep the stock closed: fill the one that costs the least.
        spaces = _spaces(patience, position)
        filler = next((tried.move for tried in on_table if _spaces(patience, tried.after) < spaces), None)
        if filler is not None:
            return Hint(filler)
    return Hint(None, "no_gain")


def worth(patience: Patience, position: Position) -> int:
    """How good a table looks: the same whatever the hidden cards are, and a card just turned up."""
    total = FACE_DOWN * _face_down(patience, position)
    for spec, pile in zip(patience.piles, position.piles, strict=True):
        if spec.role == "foundation":
            total += COLLECTED * len(pile)
        elif spec.role == "tableau":
            total += _order(pile) if pile.cards else SPACE
    return total


def _order(pile: Pile) -> int:
    """The joins of a column: each card on one a rank higher, in suit or not."""
    return sum(
        IN_SUIT if upper.suit == lower.suit else OFF_SUIT
        for upper, lower in pairwise(pile.face_up)
        if upper.rank == lower.rank + 1
    )


def _first_of_two(patience: Patience, position: Position, tries: list[_Try], seen: set[Table]) -> str | None:
    """The first of two moves that gain together, looking no further than where a card is turned up."""
    best, first = 0, None
    for tried in tries:
        if _face_down(patience, tried.after) != _face_down(patience, position):
            continue
        before = worth(patience, tried.after)
        for _, after in _each(patience, tried.after, patience.legal_moves(tried.after)):
            if _stock(patience, after) == _stock(patience, position) and _table(patience, after) not in seen:
                gain = tried.gain + worth(patience, after) - before
                if gain > best:
                    best, first = gain, tried.move
    return first


def _each(patience: Patience, position: Position, moves: Iterable[str]) -> Iterator[tuple[str, Position]]:
    return ((move, patience.play(position, move).position) for move in moves)


def _face_down(patience: Patience, position: Position) -> int:
    piles = zip(patience.piles, position.piles, strict=True)
    return sum(pile.face_down for spec, pile in piles if spec.role == "tableau")


def _stock(patience: Patience, position: Position) -> int:
    return _cards_in(patience, position, "stock")


def _cards_in(patience: Patience, position: Position, role: str) -> int:
    return sum(len(p) for spec, p in zip(patience.piles, position.piles, strict=True) if spec.role == role)


def _spaces(patience: Patience, position: Position) -> int:
    return sum(
        not pile.cards
        for spec, pile in zip(patience.piles, position.piles, strict=True)
        if spec.role == "tableau"
    )


def _table(patience: Patience, position: Position) -> Table:
    """What makes two tables the same to the player, whichever columns the piles stand in.

    Hidden cards count as hidden: they never decide.
    """
    shown = [
        (pile.face_down, tuple([c.text for c in pile.face_up]))
        for spec, pile in zip(patience.piles, position.piles, strict=True)
        if spec.role == "tableau"
    ]
    return (*sorted(shown), _stock(patience, position), _cards_in(patience, position, "foundation"))
