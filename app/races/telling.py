"""Telling of a race: each event is numbered with the race, and goes out once it is on the disk."""

from collections.abc import Callable

from sqlalchemy import Connection

from app.db import Database
from app.games.game import Game
from app.races import store
from app.races.documents import seat_document, shared_document, text
from app.races.hub import Event, Hub
from app.races.race import Race

LOBBY = "lobby"
"""The hub's channel for the list of races that wait."""


class Telling:
    """What is told of the races of a database. ``clock`` is in milliseconds."""

    def __init__(self, db: Database, hub: Hub, clock: Callable[[], int]) -> None:
        self._db = db
        self._hub = hub
        self._clock = clock
        self.on_due: Callable[[int], object] = lambda _due_at: None

    def race(self, conn: Connection, race_id: str) -> Race:
        """Tells the whole race; the race as it is now."""
        seq, _ = store.number(conn, race_id)
        found = store.find(conn, race_id)
        assert found is not None
        document = text(shared_document(found, self._clock()))
        self._db.after_commit(conn, self._hub.publish, Event(race_id, seq, "race", document))
        if found.due_at is not None:
            self._db.after_commit(conn, self.on_due, found.due_at)
        if found.listed:
            self._db.after_commit(conn, self._hub.announce, LOBBY, "lobby")
        return found

    def player(
        self, conn: Connection, race_id: str, number: int, game: Game | None, *, opening: Race | None = None
    ) -> None:
        """Tells what one player does: on the way of every move, so it reads no more than it tells.

        ``opening``: the race, of a player who has no game yet.
        """
        seq, starts_at = store.number(conn, race_id)
        seat = store.seat(conn, race_id, number, game)
        document = text(seat_document(seat, starts_at, opening))
        self._db.after_commit(conn, self._hub.publish, Event(race_id, seq, "seat", document))

    def due(self, conn: Connection, race_id: str, at: int) -> None:
        """Something has to be done for a race then."""
        store.change(conn, race_id, due_at=at)
        self._db.after_commit(conn, self.on_due, at)
