"""The referee: what time brings about in a race, and what ends it.

What becomes due is done by whoever notices it first, at the time for which it was due.
"""

from collections.abc import Callable

from sqlalchemy import Connection

from app.db import Database, writes_alone
from app.games import store as games_store
from app.games.dealing import Sealed
from app.games.game import Terms, deal_of
from app.games.service import Games
from app.races import errors, store
from app.races.race import FEWEST, WAITS, Race, Reason, Seat
from app.races.result import results
from app.races.telling import Telling

EndListener = Callable[[Connection, Race], None]
"""Called with a race that is over, with its results, in the transaction that ended it."""


class Referee:
    """Starts and ends the races of a database. ``clock`` is in milliseconds."""

    def __init__(self, db: Database, games: Games, telling: Telling, clock: Callable[[], int]) -> None:
        self._db = db
        self._games = games
        self._tell = telling
        self._clock = clock
        self.on_end: list[EndListener] = []

    def get(self, conn: Connection, race_id: str) -> Race:
        """A race as it stands in the database. Raises ``NoRace``."""
        race = store.find(conn, race_id)
        if race is None:
            raise errors.NoRace
        return race

    def settle(self, race_id: str) -> Race:
        """Does what has become due, and gives the race after it. Raises ``NoRace``. Call it in a thread.

        Results are computed from the logs outside the write transaction: the games are closed by then, so
        their logs stay as they are.
        """
        with self._db.write() as conn:
            race = self.advance(conn, race_id)
        if race.closed_at is None or race.is_over:
            return race
        with self._db.read() as conn:
            logs = {seat.seat: games_store.entries(conn, seat.game.id) for seat in race.seats if seat.game}
        found = results(race.code, race.scoring, race.starts_at or 0, logs)
        with self._db.write() as conn:
            self._held(conn, race, games=True)
            race = self.get(conn, race_id)
            if race.is_over:
                return race
            for seat, result in found.items():
                store.keep_result(conn, race.id, seat, result)
            for one in race.seats:
                if one.game:
                    self._games.release(conn, one.game.id)
            timed_out = race.closed_at == race.ends_at
            reason: Reason = "time_up" if timed_out else "finished"
            return self.end(conn, race.id, reason)

    def advance(self, conn: Connection, race_id: str) -> Race:
        """The race with what has become due done to it, all but its results. Raises ``NoRace``.

        Nobody else changes it until this write is over.
        """
        race, now = self.get(conn, race_id), self._clock()
        race = self._held(conn, race, games=race.status == "running" and race.is_due(now))
        if not race.is_due(now):
            return race
        if race.status == "waiting":
            return self.end(conn, race.id, "expired")
        if race.status == "counting_down" and len(race.seats) < FEWEST and race.arena_id is None:
            # A guest has become another of its players: nobody is left to race against.
            store.change(conn, race.id, status="waiting", starts_at=None, ends_at=None, due_at=now + WAITS)
            return self._tell.race(conn, race.id)
        if race.status == "counting_down":
            race = self._begin(conn, race)
            self.check_done(conn, race.id)  # of an arena's race all may have left before the start
        if race.status == "running" and race.closed_at is None and race.is_due(now):
            assert race.ends_at is not None
            at = min(now, race.ends_at)
            for seat in race.seats:
                if seat.game:
                    self._games.close(conn, seat.game.id, at)
            store.change(conn, race.id, closed_at=at, due_at=at)
            race = self.get(conn, race.id)
        return race

    def _held(self, conn: Connection, race: Race, *, games: bool) -> Race:
        """The race as it is now, and stays; with its games, if this write will change them."""
        if games:
            games_store.hold_all(conn, [seat.game.id for seat in race.seats if seat.game])
        store.hold_race(conn, race.id)
        return race if writes_alone(conn) else self.get(conn, race.id)

    def _begin(self, conn: Connection, race: Race) -> Race:
        """Gives everyone a game on the deal: nobody sees a card before the start."""
        assert race.ends_at is not None
        sealed = Sealed(deal_of(race.code), race.sealing)
        terms = Terms(held=True, undo_off=not race.undo, help_off=True, closes_at=race.ends_at)
        for seat in race.seats:
            fresh = not self._games.has_game_on(conn, seat.player_id, race.code)
            game = self._games.create_sealed(conn, seat.player_id, sealed, race.scoring, terms)
            store.change_seat(conn, race.id, seat.seat, game_id=game.id, fresh=fresh)
        store.change(conn, race.id, status="running", due_at=race.ends_at)
        return self._tell.race(conn, race.id)

    def check_done(self, conn: Connection, race_id: str) -> None:
        """If nobody has to be waited for any more, the race is due."""
        race, now = self.get(conn, race_id), self._clock()
        if race.status != "running" or race.closed_at is not None:
            return
        waited_for = [seat for seat in race.seats if not seat.finished and not seat.left]
        voters = [seat for seat in race.seats if not seat.is_gone(now)]
        # In an arena others are waiting to be raced against: nobody is asked.
        agreed = race.arena_id is not None or (bool(voters) and all(seat.goes_on for seat in voters))
        if all(agreed and is_missing(seat, now) for seat in waited_for):
            self._tell.due(conn, race_id, now)

    def end(self, conn: Connection, race_id: str, reason: Reason) -> Race:
        """The race is over."""
        store.change(conn, race_id, status="over", reason=reason, due_at=None)
        race = self.get(conn, race_id)
        for on_end in self.on_end:
            on_end(conn, race)
        return self._tell.race(conn, race_id)


def is_missing(seat: Seat, now: int) -> bool:
    """Whether others wait for a player who is gone."""
    return not seat.finished and seat.is_gone(now)
