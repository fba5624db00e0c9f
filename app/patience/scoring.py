"""The scorings. Each has a version, stored with the game, so that tables compare like with like."""

from collections.abc import Callable

from app.patience.patience import Patience
from app.patience.position import Position
from app.patience.view import CONCEALED

Scoring = Callable[[Patience, Position, Position, int], int]


def moves500(patience: Patience, _start: Position, position: Position, ply: int) -> int:
    """500, less 1 for every entry of the log (an undo too), and 100 for each run collected now."""
    return 500 + 100 * patience.progress(position) - ply


def turns5(patience: Patience, start: Position, position: Position, _ply: int) -> int:
    """5 for each card turned up since the opening, and 100 for each run collected now.

    Every card that was face down at the opening and is no longer has been turned up.
    """
    turned_up = _face_down(patience, start) - _face_down(patience, position)
    return 100 * patience.progress(position) + 5 * turned_up


def cards(patience: Patience, _start: Position, position: Position, _ply: int) -> int:
    """The cards that are gone, where getting rid of them is the aim."""
    return patience.progress(position)


def piles(patience: Patience, _start: Position, position: Position, _ply: int) -> int:
    """The piles left, where one pile is the aim; a card that was never dealt counts as a pile of its own."""
    return patience.cards - patience.progress(position)


def _face_down(patience: Patience, position: Position) -> int:
    """Face-down cards on the table; those of the stock are dealt, never turned up."""
    return sum(
        pile.face_down
        for spec, pile in zip(patience.piles, position.piles, strict=True)
        if spec.role not in CONCEALED
    )


SCORINGS: dict[str, Scoring] = {"moves500": moves500, "turns5": turns5, "cards": cards, "piles": piles}
VERSIONS: dict[str, int] = {"moves500": 1, "turns5": 1, "cards": 1, "piles": 1}
LOWEST_FIRST: frozenset[str] = frozenset({"piles"})
"""Scorings of which the lowest is the best."""
RESULTS: frozenset[str] = frozenset({"cards", "piles"})
"""Scorings that tell how far a game came: one that was not won has a result too."""


def score(scoring: str, patience: Patience, start: Position, position: Position, ply: int) -> int:
    """The points of a game at a ply. Raises ``KeyError`` for a scoring that does not exist."""
    return SCORINGS[scoring](patience, start, position, ply)
