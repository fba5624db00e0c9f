"""Racing: the only way by which a race changes.

A call takes the connection of a write transaction first. What only time brings about (a start, an end) is
done by whoever notices it first, at the time for which it was due: ``settle``, which takes transactions of
its own, is called by the clockwork on time, and by everyone who looks.

Everything is in the database, so a race outlives the server: games refuse entries past their time by
themselves, and what became due while the server was down is done when it is up again.
"""

from collections.abc import Callable, Collection, Sequence

from sqlalchemy import Connection

from app.db import Database
from app.games.dealing import seal
from app.games.errors import BadScoring
from app.games.game import Game
from app.games.service import Games, now_ms
from app.patience.patience import Patience
from app.patience.registry import get
from app.players import codes
from app.races import errors, store
from app.races.hub import Hub
from app.races.race import (
    CODE_SYMBOLS,
    FEWEST,
    LONGEST,
    MOST,
    SHORTEST,
    WAITS,
    Race,
    RaceId,
    Seat,
    Wishes,
)
from app.races.referee import EndListener, Referee, is_missing
from app.races.telling import Telling

COUNTDOWN = 5_000
MOST_WAITING = 10
"""Races that have not begun in which one player may sit."""


class Races:
    """The races of a database. ``clock`` and ``countdown`` are in milliseconds."""

    def __init__(
        self,
        db: Database,
        games: Games,
        hub: Hub,
        *,
        clock: Callable[[], int] = now_ms,
        countdown: int = COUNTDOWN,
    ) -> None:
        self._db = db
        self._games = games
        self._clock = clock
        self._countdown = countdown
        self._tell = Telling(db, hub, lambda: self.now)
        self._referee = Referee(db, games, self._tell, lambda: self.now)

    @property
    def on_end(self) -> list[EndListener]:
        """Called with each race that is over, in the transaction that ended it."""
        return self._referee.on_end

    @property
    def on_due(self) -> Callable[[int], object]:
        """Told after the commit when a race will be due; ``app.main`` puts the clockwork here."""
        return self._tell.on_due

    @on_due.setter
    def on_due(self, listener: Callable[[int], object]) -> None:
        self._tell.on_due = listener

    @property
    def countdown(self) -> int:
        """Milliseconds from the last player's being ready to the start."""
        return self._countdown

    @property
    def now(self) -> int:
        return self._clock()

    # Looking

    def get(self, conn: Connection, race_id: str) -> Race:
        """A race as it stands in the database. Raises ``NoRace``."""
        return self._referee.get(conn, race_id)

    def look(self, race_id: str) -> Race:
        """A race as it is now: what has become due is done first. Raises ``NoRace``. Call it in a thread."""
        with self._db.read() as conn:
            race = self.get(conn, race_id)
        return self.settle(race_id) if race.is_due(self._clock()) else race

    def by_code(self, conn: Connection, join_code: str) -> str:
        """The id of the race of a join code as typed. Raises ``NoRace``."""
        read = codes.read_code(join_code, CODE_SYMBOLS)
        race_id = store.by_code(conn, read) if read else None
        if race_id is None:
            raise errors.NoRace
        return race_id

    def lobby(self, conn: Connection, limit: int = 50) -> list[Race]:
        """Races that anyone may join, the newest first."""
        now = self._clock()
        return [race for race in store.lobby(conn, limit) if not race.is_due(now)]

    def under_way(self, conn: Connection, limit: int = 50) -> list[Race]:
        """Races of the lobby that run, the newest first."""
        now = self._clock()
        return [race for race in store.under_way(conn, limit) if not race.is_due(now)]

    def of_player(self, conn: Connection, player_id: str, limit: int = 20) -> list[Race]:
        """A player's races that are not over."""
        return store.of_player(conn, player_id, limit)

    def race_of(self, conn: Connection, game: Game) -> Race | None:
        """The race in which a game is played."""
        found = store.seat_of_game(conn, game.id)
        return store.find(conn, found[0]) if found else None

    # Before the start

    def create(self, conn: Connection, player_id: str, wishes: Wishes) -> Race:
        """A new race on a fresh sealed deal, its host seated.

        Raises ``UnknownPatience``, ``BadParams``, ``BadScoring``, ``BadRace``, ``TooManyRaces``.
        """
        if not (SHORTEST <= wishes.seconds <= LONGEST and FEWEST <= wishes.max_players <= MOST):
            raise errors.BadRace
        patience = get(wishes.patience, wishes.params)
        return self._create(conn, player_id, patience, wishes)

    def pair(self, conn: Connection, arena_id: str, players: Sequence[str], wishes: Wishes) -> Race:
        """A race of an arena: the players sit in it, in this order, and the count-down has begun.

        Nobody is taken to have a page of it open before they have. Raises as ``create``.
        """
        now = self._clock()
        starts_at = now + self._countdown
        race_id = self._add(
            conn,
            get(wishes.patience, wishes.params),
            wishes,
            arena_id=arena_id,
            status="counting_down",
            starts_at=starts_at,
            ends_at=starts_at + 1000 * wishes.seconds,
            due_at=starts_at,
        )
        for seat, player_id in enumerate(players, 1):
            store.add_seat(conn, race_id, seat, player_id)
            store.change_seat(conn, race_id, seat, ready=True, away_at=now)
        return self._tell.race(conn, race_id)

    def _create(self, conn: Connection, player_id: str, patience: Patience, wishes: Wishes) -> Race:
        self._check_waiting(conn, player_id)
        race_id = self._add(conn, patience, wishes, status="waiting", due_at=self._clock() + WAITS)
        store.add_seat(conn, race_id, 1, player_id)
        return self._tell.race(conn, race_id)

    def _add(self, conn: Connection, patience: Patience, wishes: Wishes, **values: object) -> RaceId:
        """A race without players, on a fresh sealed deal."""
        scoring = wishes.scoring or patience.scorings[0]
        if scoring not in patience.scorings:
            raise BadScoring
        sealed = seal(patience)
        race_id = RaceId(codes.new_id())
        join_code = codes.new_code(CODE_SYMBOLS)
        while store.by_code(conn, join_code):
            join_code = codes.new_code(CODE_SYMBOLS)
        store.add(
            conn,
            {
                "id": race_id,
                "join_code": join_code,
                "prefix": patience.prefix,
                "scoring": scoring,
                "seconds": wishes.seconds,
                "max_players": wishes.max_players,
                "undo": wishes.undo,
                "listed": wishes.listed,
                "deal": sealed.deal.code,
                "salt": sealed.salt,
                "commitment": sealed.commitment,
                "created_at": self._clock(),
                "seq": 0,
                **values,
            },
        )
        return race_id

    def join(self, conn: Connection, race_id: str, player_id: str) -> Race:
        """Takes a seat; who has one keeps it, and is back from having left.

        Raises ``NoRace``, ``RaceOver``, ``RaceStarted``, ``RaceFull``, ``TooManyRaces``.
        """
        race = self._referee.advance(conn, race_id)
        mine = race.seat_of(player_id)
        if mine is not None:
            if race.is_over or not mine.left:
                return race
            store.change_seat(conn, race.id, mine.seat, left=False)
            return self._tell.race(conn, race_id)
        if race.is_over:
            raise errors.RaceOver
        if race.status != "waiting":
            raise errors.RaceStarted
        if len(race.seats) >= race.max_players:
            raise errors.RaceFull
        self._check_waiting(conn, player_id)
        seat = max((seat.seat for seat in race.seats), default=0) + 1
        store.add_seat(conn, race.id, seat, player_id)
        return self._stirred(conn, race.id)

    def ready(self, conn: Connection, race_id: str, player_id: str, *, ready: bool = True) -> Race:
        """Marks a player as ready, or not. When two or more sit there, all ready, the count-down begins.

        That of an arena's race is not called off.

        Raises ``NoRace``, ``NotInRace``, ``RaceOver``, ``RaceStarted``.
        """
        race = self._referee.advance(conn, race_id)
        mine = self._mine(race, player_id)
        if race.is_over:
            raise errors.RaceOver
        if mine.ready == ready:
            return race
        if race.status == "running" or race.arena_id is not None:
            raise errors.RaceStarted
        store.change_seat(conn, race.id, mine.seat, ready=ready)
        return self._stirred(conn, race.id)

    def start(self, conn: Connection, race_id: str, player_id: str) -> Race:
        """The host begins the count-down without those who are not ready; their seats are free again.

        Raises ``NoRace``, ``NotInRace``, ``NotHost``, ``RaceOver``, ``RaceStarted``, ``NotEnoughReady``.
        """
        race = self._referee.advance(conn, race_id)
        mine = self._mine(race, player_id)
        if race.is_over:
            raise errors.RaceOver
        if race.status != "waiting":
            raise errors.RaceStarted
        if mine.seat != race.host:
            raise errors.NotHost
        if sum(seat.ready for seat in race.seats) < FEWEST:
            raise errors.NotEnoughReady
        for seat in race.seats:
            if not seat.ready:
                store.remove_seat(conn, race.id, seat.seat)
        return self._stirred(conn, race.id)

    def leave(self, conn: Connection, race_id: str, player_id: str) -> Race:
        """Gives the seat up; once it runs, or in an arena, it stays and the player may come back (``join``).

        Raises ``NoRace``, ``NotInRace``.
        """
        race = self._referee.advance(conn, race_id)
        mine = self._mine(race, player_id)
        if race.is_over or mine.left:
            return race
        if race.status == "running" or race.arena_id is not None:
            store.change_seat(conn, race.id, mine.seat, left=True)
            self._referee.check_done(conn, race.id)
            return self._tell.race(conn, race.id)
        store.remove_seat(conn, race.id, mine.seat)
        if len(race.seats) == 1:
            return self._referee.end(conn, race.id, "expired")
        return self._stirred(conn, race.id)

    def _stirred(self, conn: Connection, race_id: str) -> Race:
        """After a change before the start: it waits anew, or the count-down begins, or is called off."""
        now = self._clock()
        race = self.get(conn, race_id)
        everyone = len(race.seats) >= FEWEST and all(seat.ready for seat in race.seats)
        if not everyone:
            store.change(conn, race.id, status="waiting", starts_at=None, ends_at=None, due_at=now + WAITS)
        elif race.status == "waiting":
            starts_at = now + self._countdown
            store.change(
                conn,
                race.id,
                status="counting_down",
                starts_at=starts_at,
                ends_at=starts_at + 1000 * race.seconds,
                due_at=starts_at,
            )
        return self._tell.race(conn, race.id)

    def _check_waiting(self, conn: Connection, player_id: str) -> None:
        if store.count_waiting(conn, player_id) >= MOST_WAITING:
            raise errors.TooManyRaces

    # While it runs

    def go_on(self, conn: Connection, race_id: str, player_id: str) -> Race:
        """Says that nobody need be waited for who is gone. When all who are there have said so, it is over.

        Raises ``NoRace``, ``NotInRace``, ``RaceOver``, ``NotYet`` (not running, or nobody is gone).
        """
        race = self._referee.advance(conn, race_id)
        mine = self._mine(race, player_id)
        if race.is_over:
            raise errors.RaceOver
        now = self._clock()
        if race.status != "running" or not any(is_missing(seat, now) for seat in race.seats):
            raise errors.NotYet
        store.change_seat(conn, race.id, mine.seat, goes_on=True)
        self._referee.check_done(conn, race.id)
        return self._tell.race(conn, race.id)

    def present(self, conn: Connection, race_id: str, player_id: str, *, here: bool) -> None:
        """Notes that a player has a page of the race open, or none any more."""
        store.hold_race(conn, race_id)
        race = store.find(conn, race_id)
        mine = race.seat_of(player_id) if race else None
        if race is None or mine is None or race.is_over or here == (mine.away_at is None):
            return
        store.change_seat(conn, race_id, mine.seat, away_at=None if here else self._clock())
        self._tell.player(conn, race_id, mine.seat, mine.game, opening=race)

    def taken_for_gone(self, pages: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
        """Those of some races and players with an open page that are noted as having none.

        So it is when another worker has started, or had the player's last page there. Call it in a thread.
        """
        with self._db.read() as conn:
            away = store.away(conn, {race_id for race_id, _ in pages})
        return [page for page in pages if page in away]

    def all_away(self, conn: Connection) -> None:
        """When the server starts no page is open; those that are will say so at once."""
        store.all_away(conn, self._clock())

    def entered(self, conn: Connection, game: Game) -> None:
        """After each entry in a game that is held back, and at its end: a listener for games."""
        found = store.seat_of_game(conn, game.id)
        if found is None:
            return
        race_id, seat = found
        if game.ended or game.status == "lost":
            store.hold_race(conn, race_id)
            self._referee.check_done(conn, race_id)
        if not game.ended:
            store.seen(conn, race_id, seat, self._clock())
        self._tell.player(conn, race_id, seat, game)

    def rematch(self, conn: Connection, race_id: str, player_id: str) -> Race:
        """The race that follows one that is over, with the same choices: made by the first who asks.

        One that was never run is followed by another, or nobody could ask again.
        Who asks sits in it, if there is room. An arena's race has none: the arena pairs.
        Raises ``NoRace``, ``NotInRace``, ``NotYet``, and as ``join``.
        """
        race = self._referee.advance(conn, race_id)
        self._mine(race, player_id)
        if not race.is_over or race.arena_id is not None:
            raise errors.NotYet
        if race.next_id is not None and self._referee.advance(conn, race.next_id).reason != "expired":
            return self.join(conn, race.next_id, player_id)
        wishes = Wishes(
            scoring=race.scoring,
            seconds=race.seconds,
            max_players=race.max_players,
            undo=race.undo,
            listed=race.listed,
        )
        following = self._create(conn, player_id, race.patience, wishes)
        store.change(conn, race_id, next_id=following.id)
        self._tell.race(conn, race_id)
        return following

    def forget(self, conn: Connection, player_id: str) -> None:
        """A player is deleted: they leave every race they sit in, for good."""
        for race in store.of_player(conn, player_id, limit=1000):
            mine = race.seat_of(player_id)
            if race.status == "running" and mine and mine.game and not mine.game.ended:
                self._games.close(conn, mine.game.id, self._clock())
            self.leave(conn, race.id, player_id)

    # What time brings about

    def settle(self, race_id: str) -> Race:
        """Does what has become due, and gives the race after it. Raises ``NoRace``. Call it in a thread."""
        return self._referee.settle(race_id)

    def due(self, conn: Connection) -> list[str]:
        """Ids of the races to settle now."""
        return store.due(conn, self._clock())

    def next_due(self, conn: Connection) -> int | None:
        """When the next race has to be settled."""
        return store.next_due(conn)

    @staticmethod
    def _mine(race: Race, player_id: str) -> Seat:
        seat = race.seat_of(player_id)
        if seat is None:
            raise errors.NotInRace
        return seat
