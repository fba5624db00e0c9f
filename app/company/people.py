"""Company as values. Times are milliseconds since the epoch."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from app.games.game import Game, Role

Invited = Literal["play", "watch"]
INVITED: tuple[Invited, ...] = ("play", "watch")
"""What one can become by a link."""

MOST_PLAYERS, MOST = 16, 200
"""At one table: who may play, its owner included; and who may have come by a link."""

OWNER = 1
"""The number of a game's owner."""


@dataclass(frozen=True, slots=True)
class Person:
    """One at a table. ``name`` is None for a guest, ``role`` None for one who was there before."""

    number: int
    player_id: str
    name: str | None
    role: Role | None


@dataclass(frozen=True, slots=True)
class Here:
    """Who has a page of the game open: the ids of players, and how many look on."""

    players: frozenset[str] = frozenset()
    watching: int = 0


@dataclass(frozen=True, slots=True)
class Company:
    """All at a table, in the order of coming, the owner first, and who of them is here."""

    people: tuple[Person, ...]
    here: Here

    @property
    def players(self) -> tuple[Person, ...]:
        return tuple([one for one in self.people if one.role in ("owner", "play")])

    def person(self, player_id: str | None) -> Person | None:
        return next((one for one in self.people if one.player_id == player_id), None)

    def some(self, player_ids: Iterable[str]) -> dict[str, Person]:
        """Those of these players who are or were at the table."""
        wanted = set(player_ids)
        return {one.player_id: one for one in self.people if one.player_id in wanted}


@dataclass(frozen=True, slots=True)
class Invitation:
    """Where a link leads. ``name`` is its owner's, None for a guest."""

    game: Game
    role: Invited
    name: str | None


@dataclass(frozen=True, slots=True)
class Watched:
    """A game that anybody may watch now. ``name`` is its owner's, None for a guest."""

    game: Game
    name: str | None
    watching: int
