"""Games on a real database, and players to play them, for the tests of whatever stands on games."""

from dataclasses import dataclass, field

from app.db import Database
from app.games.events import Changed
from app.games.game import Game
from app.games.service import Acted, Games
from app.games.verify import verify
from app.players import service as players


@dataclass
class Clock:
    """Milliseconds that pass only when told to."""

    now: int = 1_796_000_000_000

    def __call__(self) -> int:
        return self.now

    def pass_by(self, ms: int) -> None:
        self.now += ms


@dataclass
class House:
    """Games with each call in a transaction of its own, and what the listeners were told."""

    db: Database
    games: Games
    clock: Clock
    ended: list[Game] = field(default_factory=list)
    changes: list[Changed] = field(default_factory=list)

    @classmethod
    def on(cls, db: Database) -> "House":
        clock = Clock()
        house = cls(db, Games(db, clock=clock), clock)
        house.games.on_end.append(lambda conn, game: house.ended.append(game))
        house.games.on_change.append(house.changes.append)
        return house

    def player(self) -> str:
        with self.db.write() as conn:
            return players.new_guest(conn, "test")[0].id

    def create(self, player: str, **wishes: object) -> Game:
        with self.db.write() as conn:
            return self.games.create(conn, player, **({"patience": "spider"} | wishes))  # type: ignore[arg-type]

    def act(self, game: Game, text: str, *, ply: int | None = None, player: str | None = None) -> Acted:
        with self.db.write() as conn:
            return self.games.act(
                conn, game.id, player or game.player_id, game.ply if ply is None else ply, text
            )

    def play(self, game: Game, *texts: str) -> Game:
        """Entry after entry; the game after the last."""
        for text in texts:
            game = self.act(game, text).game
        return game

    def give_up(self, game: Game, *, ply: int | None = None) -> Game:
        with self.db.write() as conn:
            return self.games.give_up(conn, game.id, game.player_id, game.ply if ply is None else ply)

    def get(self, game: Game) -> Game:
        with self.db.read() as conn:
            return self.games.get(conn, game.id, game.player_id)

    def texts(self, game: Game) -> list[str]:
        with self.db.read() as conn:
            return [entry.text for entry in self.games.log(conn, game.id, game.player_id)]

    def differences(self, game: Game) -> tuple[str, ...]:
        with self.db.read() as conn:
            return verify(self.games.replay(conn, game.id, game.player_id))
