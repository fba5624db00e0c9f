"""Ratings of accounts, for each patience with its parameters: kept, changed by events, listed.

An event is a race, of which this module does not know more than who took part and in which place they came:
all its players have met each other in one rating period (``app.ranking.glicko2``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, Row, Table, insert, select, update

from app.db import hold
from app.players.tables import PlayerRow
from app.ranking.glicko2 import Rating, of_places
from app.ranking.tables import RatingChangeRow, RatingRow

ratings = cast("Table", RatingRow.__table__)
changes = cast("Table", RatingChangeRow.__table__)
_players = cast("Table", PlayerRow.__table__)


@dataclass(frozen=True, slots=True)
class Change:
    """What an event did to a player's rating; ``at`` in ms since the epoch."""

    player_id: str
    event_id: str
    at: int
    place: int
    before: float
    rating: float
    deviation: float

    @property
    def gained(self) -> int:
        return round(self.rating) - round(self.before)


@dataclass(frozen=True, slots=True)
class Rated:
    """A row of a table of ratings."""

    name: str
    rating: Rating
    events: int


def rate(conn: Connection, prefix: str, event_id: str, places: Mapping[str, int], at: int) -> None:
    """Rates an event, once: the place of each account that took part. One alone is not rated."""
    player_ids = sorted(places)
    hold(conn, select(_players.c.id).where(_players.c.id.in_(player_ids)).order_by(_players.c.id))
    if len(places) < 2 or of_event(conn, event_id):
        return
    before = {player_id: _row(conn, player_id, prefix) for player_id in player_ids}
    old = [_rating(before[player_id]) for player_id in player_ids]
    new = of_places(old, [places[player_id] for player_id in player_ids])
    for player_id, was, now in zip(player_ids, old, new, strict=True):
        row = before[player_id]
        values = {
            "rating": now.rating,
            "deviation": now.deviation,
            "volatility": now.volatility,
            "events": (row.events if row else 0) + 1,
            "rated_at": at,
        }
        if row is None:
            conn.execute(insert(ratings), {"player_id": player_id, "prefix": prefix, **values})
        else:
            conn.execute(update(ratings).where(*_key(player_id, prefix)).values(**values))
        conn.execute(
            insert(changes),
            {
                "event_id": event_id,
                "player_id": player_id,
                "prefix": prefix,
                "at": at,
                "place": places[player_id],
                "rating_before": was.rating,
                "rating": now.rating,
                "deviation": now.deviation,
            },
        )


def of_event(conn: Connection, event_id: str) -> dict[str, Change]:
    """What an event did, by player."""
    rows = conn.execute(select(changes).where(changes.c.event_id == event_id))
    return {row.player_id: _change(row) for row in rows}


def of_player(conn: Connection, player_id: str) -> dict[str, Rating]:
    """A player's ratings, by table."""
    rows = conn.execute(select(ratings).where(ratings.c.player_id == player_id).order_by(ratings.c.prefix))
    return {row.prefix: _rating(row) for row in rows}


def of_players(conn: Connection, player_ids: Sequence[str], prefix: str) -> dict[str, float]:
    """The ratings of those players who have one in a table."""
    rows = conn.execute(
        select(ratings.c.player_id, ratings.c.rating).where(
            ratings.c.player_id.in_(player_ids), ratings.c.prefix == prefix
        )
    )
    return {row.player_id: row.rating for row in rows}


def history(conn: Connection, player_id: str, prefix: str, limit: int = 200) -> list[Change]:
    """The newest changes of a rating, the oldest of them first."""
    rows = conn.execute(
        select(changes)
        .where(changes.c.player_id == player_id, changes.c.prefix == prefix)
        .order_by(changes.c.at.desc(), changes.c.event_id)
        .limit(limit)
    ).all()
    return [_change(row) for row in reversed(rows)]


def best(conn: Connection, prefix: str, limit: int = 100) -> list[Rated]:
    """The accounts of a table, the highest rating first; those who left are not there."""
    rows = conn.execute(
        select(ratings, _players.c.name)
        .join(_players, _players.c.id == ratings.c.player_id)
        .where(ratings.c.prefix == prefix, _players.c.name.is_not(None))
        .order_by(ratings.c.rating.desc(), _players.c.name)
        .limit(limit)
    )
    return [Rated(row.name, _rating(row), row.events) for row in rows]


def _key(player_id: str, prefix: str) -> tuple[Any, ...]:
    return (ratings.c.player_id == player_id, ratings.c.prefix == prefix)


def _row(conn: Connection, player_id: str, prefix: str) -> Row[Any] | None:
    return conn.execute(select(ratings).where(*_key(player_id, prefix))).first()


def _rating(row: Row[Any] | None) -> Rating:
    return Rating() if row is None else Rating(row.rating, row.deviation, row.volatility)


def _change(row: Row[Any]) -> Change:
    return Change(
        row.player_id, row.event_id, row.at, row.place, row.rating_before, row.rating, row.deviation
    )
