"""Games with company on a real database."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from app.company.people import Here
from app.company.service import Companies
from app.db import Database
from app.games.game import Game
from app.ranking import service as ranking
from tests.support.house import House


@dataclass
class Tables:
    """Games and their company, each call in a transaction of its own; and what was told."""

    house: House
    companies: Companies
    told: list[str] = field(default_factory=list)
    here: list[tuple[str, Here]] = field(default_factory=list)

    @classmethod
    def on(cls, db: Database, key: str = "a key") -> "Tables":
        house = House.on(db)
        companies = Companies(db, house.games, key=key, clock=house.clock)
        house.games.invited = companies.role
        house.games.on_end.append(ranking.record)
        tables = cls(house, companies)
        companies.on_company = tables.told.append
        companies.on_here = lambda game_id, here: tables.here.append((game_id, here))
        return tables

    def do(self, what: str, *args: Any, **kwargs: Any) -> Any:
        """A call of the service in its own transaction."""
        with self.house.db.write() as conn:
            return getattr(self.companies, what)(conn, *args, **kwargs)

    def look(self, what: str, *args: Any) -> Any:
        """One that only looks."""
        with self.house.db.read() as conn:
            return getattr(self.companies, what)(conn, *args)

    def game(self, owner: str = "", **wishes: Any) -> Game:
        return self.house.create(owner or self.house.player(), **wishes)

    def token(self, game: Game, role: str = "play") -> str:
        token: str = self.do("link", game.id, game.player_id, role)
        return token

    def guest(self, game: Game, role: str = "play") -> str:
        """A new player who has come by a link."""
        player = self.house.player()
        self.do("join", self.token(game, role), player)
        return player

    def now(self, game: Game) -> Game:
        return self.house.get(game)


@pytest.fixture
def tables(db: Database) -> Tables:
    return Tables.on(db)
