"""A move to consider, found by the rules and by what the player sees alone.

It is a suggestion, not a verdict: it rests on how the cards on the table lie, and neither on the hidden
cards nor on a search to the end. It never leads back to a table that the player's line has been
through (columns unordered), so following it cannot go round in a circle.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile
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
    is not to say that there is none. ``unsolvable``: the engine has proved that the game cannot be won.
    It ``rests_on`` the ``rules`` and what lies face up, or on the engine's ``line`` to the win or ``proof``.
    """

    move: str | None
    reason: Literal["no_move", "no_gain", "unsolvable"] | None = None
    rests_on: str = "rules"
    used_hidden: bool = False


@dataclass(frozen=True, slots=True)
class _Try:
    move: str
    after: Position
    gain: int


WIDTH = 24
"""Of how many moves it is asked what a second one would bring."""

PATIENCE = 16
"""After so many moves that turned up, collected and dealt nothing, only such moves are suggested."""


def suggest(patience: Patience, start: Position, steps: Iterable[str]) -> Hint:
    """What to consider at the end of a line (its steps since the opening)."""
    trail = [start]
    for step in steps:
        if step == RESTART:
            trail.clear()
        trail.append(start if step == RESTART else patience.play(trail[-1], step).position)
    eyes = _Eyes(patience)
    position = trail[-1]
    moves = patience.legal_moves(position)
    if not moves:
        return Hint(None, "no_move")
    # What is turned up, dealt or collected stays so: an older table cannot come back.
    alike = list(takewhile(lambda past: eyes.counts(past) == eyes.counts(position), reversed(trail)))
    seen = {eyes.table(past) for past in alike}
    long_enough = len(alike) > PATIENCE

    tries = [
        _Try(move, after, eyes.gain(position, after)) for move, after in eyes.after_each(position, moves)
    ]
    # What the stock holds is hidden: a move that deals from it is never weighed by what it brings.
    from_stock = [tried.move for tried in tries if eyes.in_stock(tried.after) != eyes.in_stock(position)]
    on_table = [
        tried
        for tried in sorted(tries, key=lambda tried: -tried.gain)
        if eyes.in_stock(tried.after) == eyes.in_stock(position) and eyes.table(tried.after) not in seen
    ]
    gains = [
        tried.move
        for tried in on_table
        if tried.gain > 0 and not (long_enough and eyes.counts(tried.after) == eyes.counts(position))
    ]
    if gains:
        return Hint(gains[0])
    if not long_enough and (first := _first_of_two(eyes, position, on_table[:WIDTH], seen)):
        return Hint(first)
    if from_stock:
        return Hint(from_stock[0])
    if eyes.in_stock(position) and (spaces := eyes.spaces(position)):
        # Perhaps the spaces keep the stock closed: fill the one that costs the least.
        filler = next((tried.move for tried in on_table if eyes.spaces(tried.after) < spaces), None)
        if filler is not None:
            return Hint(filler)
    return Hint(None, "no_gain")


def _first_of_two(eyes: "_Eyes", position: Position, tries: list[_Try], seen: set[Table]) -> str | None:
    """The first of two moves that gain together, looking no further than where a card is turned up."""
    best, first = 0, None
    for tried in tries:
        if eyes.counts(tried.after) != eyes.counts(position):
            continue
        moves = eyes.patience.legal_moves(tried.after)
        for _, after in eyes.after_each(tried.after, moves):
            gain = tried.gain + eyes.gain(tried.after, after)
            if (
                gain > best
                and eyes.in_stock(after) == eyes.in_stock(position)
                and eyes.table(after) not in seen
            ):
                best, first = gain, tried.move
    return first


class _Eyes:
    """What the player sees of positions of one patience, and how good that looks."""

    def __init__(self, patience: Patience) -> None:
        self.patience = patience
        roles = [spec.role for spec in patience.piles]
        self._tableau = [index for index, role in enumerate(roles) if role == "tableau"]
        self._stock = [index for index, role in enumerate(roles) if role == "stock"]
        self._foundation = [index for index, role in enumerate(roles) if role == "foundation"]

    def after_each(self, position: Position, moves: Iterable[str]) -> Iterator[tuple[str, Position]]:
        return ((move, self.patience.play(position, move).position) for move in moves)

    def gain(self, before: Position, after: Position) -> int:
        """How much better the table looks after a move: the same whatever a card just turned up is."""
        gained = 0
        for indices, worth in ((self._tableau, _worth), (self._foundation, _collected)):
            for index in indices:
                old, new = before.piles[index], after.piles[index]
                if old is not new:
                    gained += worth(new) - worth(old)
        return gained

    def counts(self, position: Position) -> tuple[int, int, int]:
        """Cards in the stock, face down on the table, and collected; what never goes back on a line."""
        down = sum(position.piles[index].face_down for index in self._tableau)
        return self.in_stock(position), down, sum(len(position.piles[index]) for index in self._foundation)

    def in_stock(self, position: Position) -> int:
        return sum(len(position.piles[index]) for index in self._stock)

    def spaces(self, position: Position) -> int:
        return sum(not position.piles[index].cards for index in self._tableau)

    def table(self, position: Position) -> Table:
        """What makes two tables the same to the player, whichever columns the piles stand in."""
        piles = [position.piles[index] for index in self._tableau]
        shown = sorted((pile.face_down, "".join([card.text for card in pile.face_up])) for pile in piles)
        return (*shown, *self.counts(position))


def _worth(pile: Pile) -> int:
    """Of a column: its joins (each card on one a rank higher, in suit or not), less what lies face down."""
    if not pile.cards:
        return SPACE
    joins = sum(
        IN_SUIT if upper.suit == lower.suit else OFF_SUIT
        for upper, lower in pairwise(pile.face_up)
        if upper.rank == lower.rank + 1
    )
    return joins + FACE_DOWN * pile.face_down


def _collected(pile: Pile) -> int:
    return COLLECTED * len(pile)
