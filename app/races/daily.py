"""Daily deals: each day of the server's, in UTC, one sealed deal of each kind, the same for everyone.

A player has one attempt at each, a game that is held back until the day is over; then all of them are closed,
and the deals are published. A day's deals are made when it begins; a day without any is one on which the
server was down, and it breaks no streak.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, cast

from sqlalchemy import Connection, Row, Table, and_, insert, select, update

from app.db import Database, hold
from app.games import store as games_store
from app.games.dealing import Sealed, seal
from app.games.game import Game, Terms, deal_of
from app.games.service import Games, now_ms
from app.patience import registry
from app.patience.patience import Patience
from app.patience.scoring import LOWEST_FIRST
from app.players.tables import PlayerRow
from app.races import almanac
from app.races.tables import AttemptRow, DailyRow

DAY = 86_400_000
BATCH = 50
"""Games that are closed and released in one transaction when a day is over."""

_daily = cast("Table", DailyRow.__table__)
_attempts = cast("Table", AttemptRow.__table__)
_players = cast("Table", PlayerRow.__table__)
_games = games_store.games


@dataclass(frozen=True, slots=True)
class Daily:
    """A day's deal of one kind. ``code`` and ``sealing`` are the server's alone until the day is over."""

    day: date
    patience: Patience
    code: str = field(repr=False)
    sealing: str = field(repr=False)
    commitment: str
    proven: bool
    over: bool

    @property
    def deal(self) -> str | None:
        return self.code if self.over else None

    @property
    def salt(self) -> str | None:
        return self.sealing if self.over else None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A row of a day's table. ``name`` is None for a guest. Times in ms."""

    player_id: str
    name: str | None
    game_id: str
    ranked: bool
    status: str
    score: int
    ply: int
    ranked_ms: int
    ended: bool


@dataclass(frozen=True, slots=True)
class Streak:
    """Days in a row on which a player won a daily deal: now, and at best."""

    now: int
    longest: int


def day_of(now: int) -> date:
    """The server's day of a time in ms since the epoch: UTC."""
    return datetime.fromtimestamp(now / 1000, UTC).date()


def end_of(day: date) -> int:
    """When a day is over, in ms since the epoch."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000) + DAY


class DailyDeals:
    """The daily deals of a database. ``clock`` is in ms since the epoch."""

    def __init__(self, db: Database, games: Games, *, clock: Callable[[], int] = now_ms) -> None:
        self._db = db
        self._games = games
        self._clock = clock

    @property
    def now(self) -> int:
        return self._clock()

    @property
    def today(self) -> date:
        return day_of(self._clock())

    # The days

    def prepare(self, conn: Connection) -> None:
        """Makes today's deals, where there are none yet."""
        today = self.today
        kinds = almanac.kinds(today)
        if len(_prefixes(conn, today)) == len(kinds):
            return
        hold(conn, f"daily {today}")
        there = _prefixes(conn, today)
        for patience in kinds:
            if patience.prefix in there:
                continue
            proven = self._games.winnable(conn, patience)
            sealed = seal(patience)
            if proven is not None:
                sealed = Sealed(deal_of(proven), sealed.salt)
            conn.execute(
                insert(_daily),
                {
                    "day": str(today),
                    "prefix": patience.prefix,
                    "deal": sealed.deal.code,
                    "salt": sealed.salt,
                    "commitment": sealed.commitment,
                    "proven": proven is not None,
                },
            )

    def of_day(self, conn: Connection, day: date) -> list[Daily]:
        """A day's deals, in the order of their kinds; none for a day on which the server was down."""
        rows = conn.execute(select(_daily).where(_daily.c.day == str(day))).all()
        found = [self._found(row) for row in rows]
        return sorted(found, key=lambda daily: almanac.order(daily.patience))

    def days(self, conn: Connection, limit: int = 60) -> list[date]:
        """The newest days that had deals, today first."""
        rows = conn.execute(select(_daily.c.day).distinct().order_by(_daily.c.day.desc()).limit(limit))
        return [date.fromisoformat(day) for day in rows.scalars()]

    def _found(self, row: Row[Any]) -> Daily:
        day = date.fromisoformat(row.day)
        return Daily(
            day=day,
            patience=registry.by_prefix(row.prefix),
            code=row.deal,
            sealing=row.salt,
            commitment=row.commitment,
            proven=row.proven,
            over=self._clock() >= end_of(day),
        )

    # Attempts

    def attempt(self, conn: Connection, player_id: str, prefix: str, *, ranked: bool) -> Game | None:
        """A player's one game on today's deal of a kind: begun now, or as it is. None for no such deal.

        ``ranked``: the player has an account. Who signs up later has had their attempt as a guest.
        """
        self.prepare(conn)
        today = self.today
        daily = next((one for one in self.of_day(conn, today) if one.patience.prefix == prefix), None)
        if daily is None:
            return None
        hold(conn, f"daily {today} {prefix} {player_id}")
        game_id = self.game_of(conn, player_id, today, prefix)
        if game_id is not None:
            return games_store.find_any(conn, game_id)
        ranked = ranked and not self._games.has_game_on(conn, player_id, daily.code)
        sealed = Sealed(deal_of(daily.code), daily.sealing)
        terms = Terms(held=True, help_off=True, closes_at=end_of(today))
        game = self._games.create_sealed(conn, player_id, sealed, daily.patience.scorings[0], terms)
        conn.execute(
            insert(_attempts),
            {
                "day": str(today),
                "prefix": prefix,
                "player_id": player_id,
                "game_id": game.id,
                "ranked": ranked,
            },
        )
        return game

    def game_of(self, conn: Connection, player_id: str, day: date, prefix: str) -> str | None:
        """The id of the game that was a player's attempt."""
        return conn.execute(
            select(_attempts.c.game_id).where(
                _attempts.c.player_id == player_id,
                _attempts.c.day == str(day),
                _attempts.c.prefix == prefix,
            )
        ).scalar()

    def table(
        self, conn: Connection, day: date, prefix: str, *, ranked: bool, limit: int = 50
    ) -> list[Attempt]:
        """A day's attempts at one deal, the best first: won before not won, then by score, then by time."""
        g = _games.c
        lowest_first = registry.by_prefix(prefix).scorings[0] in LOWEST_FIRST
        rows = conn.execute(
            select(
                _attempts.c.player_id,
                _attempts.c.game_id,
                _attempts.c.ranked,
                _players.c.name,
                g.status,
                g.score,
                g.ply,
                g.ranked_ms,
                g.ended_at,
            )
            .join(_games, g.id == _attempts.c.game_id)
            .join(_players, _players.c.id == _attempts.c.player_id)
            .where(
                _attempts.c.day == str(day),
                _attempts.c.prefix == prefix,
                _attempts.c.ranked == ranked,
                g.ply > 0,
            )
            .order_by((g.status != "won"), g.score if lowest_first else g.score.desc(), g.ranked_ms, g.id)
            .limit(limit)
        )
        return [
            Attempt(
                player_id=row.player_id,
                name=row.name,
                game_id=row.game_id,
                ranked=row.ranked,
                status=row.status,
                score=row.score,
                ply=row.ply,
                ranked_ms=row.ranked_ms,
                ended=row.ended_at is not None,
            )
            for row in rows
        ]

    def streak(self, conn: Connection, player_id: str) -> Streak:
        """A player's streak of days with a won attempt. Today counts once it is won, and breaks nothing."""
        won = {
            date.fromisoformat(day)
            for day in conn.execute(
                select(_attempts.c.day)
                .join(_games, _games.c.id == _attempts.c.game_id)
                .where(_attempts.c.player_id == player_id, _games.c.status == "won")
            ).scalars()
        }
        days = conn.execute(select(_daily.c.day).distinct().order_by(_daily.c.day)).scalars()
        return streak_of([date.fromisoformat(day) for day in days], won, self.today)

    # The end of a day

    def settle(self) -> bool:
        """Makes today's deals; closes and releases some games of days that are over. Whether that was all."""
        with self._db.write() as conn:
            self.prepare(conn)
            rows = conn.execute(
                select(_attempts.c.game_id, _attempts.c.day)
                .join(_games, _games.c.id == _attempts.c.game_id)
                .where(and_(_games.c.held, _attempts.c.day < str(self.today)))
                .order_by(_attempts.c.game_id)
                .limit(BATCH)
            ).all()
            for row in rows:
                self._games.close(conn, row.game_id, end_of(date.fromisoformat(row.day)))
                self._games.release(conn, row.game_id)
        return len(rows) < BATCH

    def next_day(self) -> int:
        """When the next day begins, in ms since the epoch."""
        return end_of(self.today)


def _prefixes(conn: Connection, day: date) -> set[str]:
    return set(conn.execute(select(_daily.c.prefix).where(_daily.c.day == str(day))).scalars())


def streak_of(days: Iterable[date], won: set[date], today: date) -> Streak:
    """The streaks of won days, among the days that had deals (in order): others are not missed."""
    now = longest = 0
    for day in days:
        if day in won:
            now += 1
        elif day != today:
            now = 0
        longest = max(longest, now)
    return Streak(now, longest)


def reassign(conn: Connection, from_id: str, to_id: str) -> None:
    """Gives attempts to another player, except where that one had an attempt too."""
    theirs = {
        (row.day, row.prefix)
        for row in conn.execute(
            select(_attempts.c.day, _attempts.c.prefix).where(_attempts.c.player_id == to_id)
        )
    }
    rows = conn.execute(
        select(_attempts.c.day, _attempts.c.prefix).where(_attempts.c.player_id == from_id)
    ).all()
    for row in rows:
        if (row.day, row.prefix) not in theirs:
            conn.execute(
                update(_attempts)
                .where(
                    _attempts.c.player_id == from_id,
                    _attempts.c.day == row.day,
                    _attempts.c.prefix == row.prefix,
                )
                .values(player_id=to_id)
            )
