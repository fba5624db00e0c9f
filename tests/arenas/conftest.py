"""Arenas on a real database, with a clock that passes when told to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from app.arenas.arena import Arena, Entrant
from app.arenas.pairing import HOLD_MS
from app.arenas.service import Arenas, Look, Wishes
from app.arenas.verify import differences
from app.db import Database
from app.races.race import Race
from app.races.service import COUNTDOWN
from tests.races.conftest import Track


@dataclass
class Ground:
    """Arenas with each call in a transaction of its own, and the races in them."""

    track: Track
    arenas: Arenas
    CHOICES: ClassVar = {"params": {"suits": 1}, "starts_in": 0, "scoring": "moves500"}

    @classmethod
    def on(cls, db: Database, hours: Sequence[int] = ()) -> "Ground":
        track = Track.on(db)
        arenas = Arenas(db, track.races, track.hub, hours=hours, clock=track.house.clock)
        track.races.on_end.append(arenas.ended)
        return cls(track, arenas)

    @property
    def clock(self) -> Any:
        return self.track.house.clock

    def do(self, what: str, *args: Any, **kwargs: Any) -> Any:
        with self.track.house.db.write() as conn:
            return getattr(self.arenas, what)(conn, *args, **kwargs)

    def create(self, host: str, **wishes: Any) -> Arena:
        arena: Arena = self.do("create", host, Wishes(**self.CHOICES | wishes))
        return arena

    def running(self, *players: str, **wishes: Any) -> Arena:
        """An arena that has begun, with these in it."""
        arena = self.create(players[0], **wishes)
        for player in players:
            self.do("join", arena.id, player)
        self.settle(arena)
        return self.look(arena).arena

    def settle(self, arena: Arena) -> None:
        """Does what is due, as the clockwork does."""
        self.arenas.settle(arena.id)

    def look(self, arena: Arena, player: str | None = None) -> Look:
        with self.track.house.db.read() as conn:
            return self.arenas.look(conn, arena.id, player)

    def entrant(self, arena: Arena, player: str) -> Entrant:
        row = self.look(arena, player).mine
        assert row is not None
        return row.entrant

    def paired(self, arena: Arena) -> list[Race]:
        """The races that a round makes of those who wait, when they have waited long enough; they run."""
        self.clock.pass_by(HOLD_MS + 2_000)
        self.settle(arena)
        races = sorted(set(self.look(arena).racing.values()))
        self.clock.pass_by(COUNTDOWN)
        return [self.track.races.look(race) for race in races]

    def finish(self, race: Race, *order: str) -> Race:
        """Plays a race to its end: the first of these plays fewest moves, and so comes first."""
        for moves, player in enumerate(order, 1):
            for _ in range(moves):
                self.track.move(race, player)
        for player in order:
            game = self.track.game(race, player)
            if not game.ended:
                self.track.house.give_up(game)
        return self.track.races.look(race.id)

    def differences(self, arena: Arena) -> list[str]:
        with self.track.house.db.read() as conn:
            return differences(conn, self.arenas.look(conn, arena.id).arena)


@pytest.fixture
def ground(db: Database) -> Ground:
    return Ground.on(db)
