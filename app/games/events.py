"""What games tell the rest of the house, which games does not know: ``app.main`` registers who listens."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection

from app.games.game import Game

EndListener = Callable[[Connection, Game], None]
"""Called with a game that is won or given up, in the transaction that ended it: stands or falls with it.

For a game that is held back it is called later, in the transaction that releases it: until then nobody may
hear of its deal.
"""

HeldListener = Callable[[Connection, Game], None]
"""Called with a game that is held back, after each entry and at its end, in the same transaction."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A game has a new ply, or has ended. Ids and counts only, never cards.

    ``live``: others may look on. ``number`` goes up by one with each change of the game; ``by`` is the
    player who brought it about.
    """

    game_id: str
    ply: int
    status: str
    live: bool = False
    number: int = 0
    by: str | None = None


ChangeListener = Callable[[Changed], None]
"""Called after the commit, and never for what was refused."""
