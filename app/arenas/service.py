"""Arenas: the only way by which one changes.

As with races, a call takes the connection of a write transaction first, and what only time brings about (a
start, a round of pairing, an end) is done by whoever notices it first: ``settle``, called by the clockwork.
Everything is in the database, so an arena outlives the server.

A round of pairing makes ordinary races (``Races.pair``); when one is over, a listener gives the points in the
same transaction, and its players wait again.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from app.arenas import errors, pairing, store
from app.arenas.arena import LATEST, LONGEST, QUICKEST, SHORTEST, SLOWEST, Arena, Entrant, scoring_of
from app.arenas.house import Slot, coming, next_hour
from app.arenas.steward import Look, Steward
from app.db import Database
from app.games.errors import BadScoring
from app.games.service import now_ms
from app.patience.patience import Params, Patience
from app.patience.registry import first, get
from app.players import codes
from app.races.hub import Hub
from app.races.race import Race
from app.races.service import Races

MOST_OPEN = 3
"""Arenas that are not over which one player may have made."""

SHOWN = 50


@dataclass(frozen=True, slots=True)
class Wishes:
    """What its maker chooses. ``minutes``: how long it lasts; ``starts_in``: minutes till then."""

    patience: str = field(default_factory=first)
    params: Params | None = None
    scoring: str | None = None
    minutes: int = 60
    seconds: int = 300
    size: int = pairing.LARGEST
    starts_in: int = 5


class Arenas:
    """The arenas of a database. ``hours``: UTC hours at which the house opens one."""

    def __init__(
        self,
        db: Database,
        races: Races,
        hub: Hub,
        *,
        hours: Sequence[int] = (),
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self._db = db
        self._hours = tuple(hours)
        self._clock = clock
        self._steward = Steward(db, races, hub, lambda: self.now)

    @property
    def on_due(self) -> Callable[[int], object]:
        """Told after the commit when an arena will be due; ``app.main`` puts the clockwork here."""
        return self._steward.on_due

    @on_due.setter
    def on_due(self, listener: Callable[[int], object]) -> None:
        self._steward.on_due = listener

    @property
    def now(self) -> int:
        return self._clock()

    # Looking

    def look(self, conn: Connection, arena_id: str, player_id: str | None = None) -> Look:
        """An arena with its table as it stands. Raises ``NoArena``."""
        return self._steward.look(conn, arena_id, player_id)

    def open_ones(self, conn: Connection) -> list[tuple[Arena, int]]:
        """Arenas that run or will, the earliest first, each with how many players have come."""
        return _counted(conn, store.open_ones(conn, SHOWN))

    def past(self, conn: Connection, limit: int = 20) -> list[tuple[Arena, int]]:
        """Arenas that were held, the newest first."""
        return _counted(conn, store.past(conn, limit))

    # Making one, coming and going

    def create(self, conn: Connection, player_id: str, wishes: Wishes) -> Arena:
        """A new arena, in which nobody is yet.

        Raises ``UnknownPatience``, ``BadParams``, ``BadScoring``, ``BadArena``, ``TooManyArenas``.
        """
        if not (
            SHORTEST <= wishes.minutes <= LONGEST
            and QUICKEST <= wishes.seconds <= SLOWEST
            and pairing.SMALLEST <= wishes.size <= pairing.LARGEST
            and 0 <= wishes.starts_in <= LATEST
        ):
            raise errors.BadArena
        patience = get(wishes.patience, wishes.params)
        scoring = wishes.scoring or scoring_of(patience)
        if scoring not in patience.scorings:
            raise BadScoring
        if store.count_open(conn, player_id) >= MOST_OPEN:
            raise errors.TooManyArenas
        starts_at = self._clock() + 60_000 * wishes.starts_in
        return self._add(
            conn,
            patience,
            scoring=scoring,
            host_id=player_id,
            seconds=wishes.seconds,
            size=wishes.size,
            starts_at=starts_at,
            ends_at=starts_at + 60_000 * wishes.minutes,
        )

    def _add(self, conn: Connection, patience: Patience, **values: object) -> Arena:
        arena_id = codes.new_id()
        values |= {
            "id": arena_id,
            "prefix": patience.prefix,
            "created_at": self._clock(),
            "status": "waiting",
            "seq": 0,
            "due_at": values["starts_at"],
        }
        store.add(conn, values)
        return self._steward.announce(conn, arena_id)

    def join(self, conn: Connection, arena_id: str, player_id: str) -> Entrant:
        """Comes in, or back from a pause; who comes into one arena is not paired in others meanwhile.

        Raises ``NoArena``, ``ArenaOver``.
        """
        arena = self._steward.hold(conn, arena_id)
        if arena.is_over or self._clock() >= arena.ends_at:
            raise errors.ArenaOver
        mine = store.entrant(conn, arena_id, player_id)
        if mine is not None and not mine.paused and mine.away_at is None:
            return mine
        store.pause_elsewhere(conn, arena_id, player_id)
        if mine is None:
            number = store.count(conn, arena_id) + 1
            store.add_entrant(conn, arena_id, number, player_id, self._clock())
        else:
            store.change_entrant(conn, arena_id, mine.number, paused=False, away_at=None, since=self._clock())
        return self._stirred(conn, arena_id, player_id)

    def leave(self, conn: Connection, arena_id: str, player_id: str) -> Entrant:
        """Is not paired any more, until they come back (``join``). A race that goes on is not touched by it.

        Raises ``NoArena``, ``NotInArena``.
        """
        arena = self._steward.hold(conn, arena_id)
        mine = store.entrant(conn, arena_id, player_id)
        if mine is None:
            raise errors.NotInArena
        if mine.paused or arena.is_over:
            return mine
        store.change_entrant(conn, arena_id, mine.number, paused=True)
        return self._stirred(conn, arena_id, player_id)

    def present(self, conn: Connection, arena_id: str, player_id: str, *, here: bool) -> None:
        """Notes that a player has the arena's page open, or none any more: who is not there is not paired."""
        mine = store.entrant(conn, arena_id, player_id)
        if mine is None or here == (mine.away_at is None):
            return
        arena = self._steward.hold(conn, arena_id)
        if arena.is_over:
            return
        now = self._clock()
        store.change_entrant(
            conn, arena_id, mine.number, away_at=None if here else now, **({"since": now} if here else {})
        )
        self._steward.plan(conn, arena)

    def forget(self, conn: Connection, player_id: str) -> None:
        """A player is deleted: they are not paired any more."""
        for arena_id in store.arenas_of(conn, player_id):
            self.leave(conn, arena_id, player_id)

    def ended(self, conn: Connection, race: Race) -> None:
        """Gives the points of a race that is over: a listener for races."""
        self._steward.ended(conn, race)

    # What time brings about

    def settle(self, arena_id: str) -> None:
        """Does what has become due. Raises ``NoArena``. Call it in a thread."""
        with self._db.write() as conn:
            self._steward.advance(conn, arena_id)

    def due(self, conn: Connection) -> list[str]:
        """Ids of the arenas to settle now."""
        return store.due(conn, self._clock())

    def next_due(self, conn: Connection) -> int | None:
        """When the next arena has to be settled."""
        return store.next_due(conn)

    def prepare(self) -> bool:
        """Makes the house's arenas of the next hours, where there are none yet: True. Call it in a thread."""
        wanted = coming(self._clock(), self._hours)
        with self._db.read() as conn:
            there = store.slots(conn, [slot.name for slot in wanted])
        for slot in wanted:
            if slot.name not in there:
                with suppress(IntegrityError), self._db.write() as conn:  # another process may be quicker
                    self._open(conn, slot)
        return True

    def next_hour(self) -> int:
        """When there may be one more to make, in ms since the epoch."""
        return next_hour(self._clock())

    def _open(self, conn: Connection, slot: Slot) -> None:
        patience = slot.patience
        self._add(
            conn,
            patience,
            slot=slot.name,
            scoring=scoring_of(patience),
            seconds=slot.seconds,
            size=slot.size,
            starts_at=slot.starts_at,
            ends_at=slot.ends_at,
        )

    def _stirred(self, conn: Connection, arena_id: str, player_id: str) -> Entrant:
        """After one has come or gone."""
        self._steward.plan(conn, self._steward.announce(conn, arena_id))
        mine = store.entrant(conn, arena_id, player_id)
        assert mine is not None
        return mine


def _counted(conn: Connection, arenas: list[Arena]) -> list[tuple[Arena, int]]:
    players = store.counts(conn, [arena.id for arena in arenas])
    return [(arena, players.get(arena.id, 0)) for arena in arenas]
