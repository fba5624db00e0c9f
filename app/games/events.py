"""What games tell the rest of the house, which games does not know: ``app.main`` registers who listens."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection

from app.games.game import Game

EndListener = Callable[[Connection, Game], None]
"""Called with a game that is won or given up, in the transaction that ended it: stands or falls with it."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A game has a new ply, or has ended. Ids and counts only, never cards."""

    game_id: str
    ply: int
    status: str


ChangeListener = Callable[[Changed], None]
"""Called after the commit, and never for what was refused."""
