"""Races on a real database, with a clock that passes when told to."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.db import Database
from app.games.game import Game
from app.games.service import Acted
from app.races.hub import Event, Hub
from app.races.race import Race, Wishes
from app.races.service import COUNTDOWN, Races
from tests.support.house import House


class Listening(Hub):
    """A hub without streams, which keeps all that is published."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []

    def publish(self, event: Event) -> None:
        self.events.append(event)


@dataclass
class Track:
    """Races with each call in a transaction of its own."""

    house: House
    hub: Listening
    races: Races
    over: list[Race] = field(default_factory=list)
    due: list[int] = field(default_factory=list)

    @classmethod
    def on(cls, db: Database) -> "Track":
        house, hub = House.on(db), Listening()
        races = Races(db, house.games, hub, clock=house.clock)
        house.games.on_held.append(races.entered)
        track = cls(house, hub, races)
        races.on_end.append(lambda conn, race: track.over.append(race))
        races.on_due = track.due.append
        return track

    def player(self) -> str:
        return self.house.player()

    def players(self, count: int) -> list[str]:
        return [self.player() for _ in range(count)]

    def do(self, what: str, *args: Any, **kwargs: Any) -> Race:
        """A call of the service in its own transaction."""
        with self.house.db.write() as conn:
            result: Race = getattr(self.races, what)(conn, *args, **kwargs)
            return result

    def create(self, host: str, **wishes: Any) -> Race:
        return self.do("create", host, Wishes(**{"params": {"suits": 1}, "seconds": 600} | wishes))

    def gathered(self, *players: str, **wishes: Any) -> Race:
        """A race in which all sit, none ready."""
        race = self.create(players[0], **wishes)
        for player in players[1:]:
            race = self.do("join", race.id, player)
        return race

    def counting(self, *players: str, **wishes: Any) -> Race:
        race = self.gathered(*players, **wishes)
        for player in players:
            race = self.do("ready", race.id, player)
        return race

    def running(self, *players: str, **wishes: Any) -> Race:
        race = self.counting(*players, **wishes)
        self.house.clock.pass_by(COUNTDOWN)
        return self.races.look(race.id)

    def look(self, race: Race) -> Race:
        return self.races.look(race.id)

    def game(self, race: Race, player: str) -> Game:
        seat = self.races.look(race.id).seat_of(player)
        assert seat is not None
        assert seat.game is not None
        return seat.game

    def move(self, race: Race, player: str, text: str = "") -> Acted:
        """Plays a move, the first legal one if none is named."""
        game = self.game(race, player)
        return self.house.act(game, text or game.legal_moves()[0])

    def documents(self, kind: str) -> list[dict[str, Any]]:
        return [json.loads(event.data) for event in self.hub.events if event.kind == kind]


@pytest.fixture
def track(db: Database) -> Track:
    return Track.on(db)
