"""Races in the database: the statements, and nothing of what they mean."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from sqlalchemy import Connection, Row, Table, bindparam, func, insert, or_, select, update

from app.db import hold
from app.games import store as games_store
from app.games.game import Game
from app.games.service import now_ms
from app.patience.registry import by_prefix
from app.players.tables import PlayerRow
from app.races.race import Race, RaceId, Result, Seat
from app.races.tables import RaceRow, SeatRow

races = cast("Table", RaceRow.__table__)
seats = cast("Table", SeatRow.__table__)
_players = cast("Table", PlayerRow.__table__)

_ONE = select(races).where(races.c.id == bindparam("id"))
_SEATS = (
    select(seats, _players.c.name)
    .join(_players, _players.c.id == seats.c.player_id)
    .where(seats.c.race_id == bindparam("id"))
    .order_by(seats.c.seat)
)
_SEEN = (
    update(seats)
    .where(
        seats.c.race_id == bindparam("b_race"),
        seats.c.seat == bindparam("b_seat"),
        or_(seats.c.away_at.is_not(None), seats.c.left),
    )
    .values(away_at=bindparam("at"), left=False)
)
_SEAT = (
    select(seats, _players.c.name)
    .join(_players, _players.c.id == seats.c.player_id)
    .where(seats.c.race_id == bindparam("id"), seats.c.seat == bindparam("seat"))
)
_OF_GAME = select(seats.c.race_id, seats.c.seat).where(seats.c.game_id == bindparam("game"))
_NUMBER = (
    update(races)
    .where(races.c.id == bindparam("b_id"))
    .values(seq=races.c.seq + 1)
    .returning(races.c.seq, races.c.starts_at)
)
_DUE = select(races.c.id).where(races.c.due_at <= bindparam("now")).order_by(races.c.due_at).limit(100)
_NEXT_DUE = select(func.min(races.c.due_at))
_WAITING = (
    select(func.count())
    .select_from(seats.join(races, races.c.id == seats.c.race_id))
    .where(seats.c.player_id == bindparam("player"), races.c.status == "waiting")
)


def find(conn: Connection, race_id: str) -> Race | None:
    """A race with its seats, and the games in them."""
    row = conn.execute(_ONE, {"id": race_id}).first()
    return None if row is None else _race(conn, row)


def hold_race(conn: Connection, race_id: str) -> None:
    """Nobody else changes the race, or a seat in it, until this write is over.

    Who needs its games too holds them first: so does every move.
    """
    hold(conn, select(races.c.id).where(races.c.id == race_id))


def by_code(conn: Connection, join_code: str) -> str | None:
    """The id of the race with that join code."""
    return conn.execute(select(races.c.id).where(races.c.join_code == join_code)).scalar()


def seat_of_game(conn: Connection, game_id: str) -> tuple[str, int] | None:
    """The race in which a game is played, and the seat."""
    row = conn.execute(_OF_GAME, {"game": game_id}).first()
    return (row.race_id, row.seat) if row else None


def lobby(conn: Connection, limit: int) -> list[Race]:
    """Races in the lobby that wait for players, the newest first."""
    rows = conn.execute(
        select(races)
        .where(races.c.status == "waiting", races.c.listed)
        .order_by(races.c.created_at.desc(), races.c.id)
        .limit(limit)
    )
    return [_race(conn, row) for row in rows]


def under_way(conn: Connection, limit: int) -> list[Race]:
    """Listed races that run, the newest first."""
    rows = conn.execute(
        select(races)
        .where(races.c.status == "running", races.c.listed)
        .order_by(races.c.created_at.desc(), races.c.id)
        .limit(limit)
    )
    return [_race(conn, row) for row in rows]


def of_player(conn: Connection, player_id: str, limit: int) -> list[Race]:
    """Races of a player that are not over, the newest first."""
    rows = conn.execute(
        select(races)
        .join(seats, seats.c.race_id == races.c.id)
        .where(seats.c.player_id == player_id, races.c.status != "over")
        .order_by(races.c.created_at.desc())
        .limit(limit)
    )
    return [_race(conn, row) for row in rows]


def count_waiting(conn: Connection, player_id: str) -> int:
    """In how many races that have not begun a player sits."""
    return conn.execute(_WAITING, {"player": player_id}).scalar_one()


def due(conn: Connection, now: int) -> list[str]:
    """Ids of races that something has to be done for, at most a hundred."""
    return list(conn.execute(_DUE, {"now": now}).scalars())


def next_due(conn: Connection) -> int | None:
    """When that will be for the next one."""
    return conn.execute(_NEXT_DUE).scalar()


def newest(conn: Connection, race_ids: Sequence[str]) -> dict[str, int]:
    """The number of the newest event of each race of these."""
    rows = conn.execute(select(races.c.id, races.c.seq).where(races.c.id.in_(race_ids)))
    return {row.id: row.seq for row in rows}


def away(conn: Connection, race_ids: Iterable[str]) -> set[tuple[str, str]]:
    """Who has no page open, as race and player, in races that are not over."""
    rows = conn.execute(
        select(seats.c.race_id, seats.c.player_id)
        .join(races, races.c.id == seats.c.race_id)
        .where(seats.c.race_id.in_(list(race_ids)), seats.c.away_at.is_not(None), races.c.status != "over")
    )
    return {(row.race_id, row.player_id) for row in rows}


def add(conn: Connection, values: dict[str, Any]) -> None:
    """Keeps a new race."""
    conn.execute(insert(races), values)


def change(conn: Connection, race_id: str, **values: object) -> None:
    conn.execute(update(races).where(races.c.id == race_id).values(**values))


def number(conn: Connection, race_id: str) -> tuple[int, int | None]:
    """The number of a new event, and when the race starts or started."""
    row = conn.execute(_NUMBER, {"b_id": race_id}).one()
    return row.seq, row.starts_at


def add_seat(conn: Connection, race_id: str, seat: int, player_id: str) -> None:
    conn.execute(insert(seats), {"race_id": race_id, "seat": seat, "player_id": player_id, "ready": False})


def remove_seat(conn: Connection, race_id: str, seat: int) -> None:
    conn.execute(seats.delete().where(seats.c.race_id == race_id, seats.c.seat == seat))


def seat(conn: Connection, race_id: str, number: int, game: Game | None) -> Seat:
    """One seat, with its game as the caller has it."""
    return _seat(conn.execute(_SEAT, {"id": race_id, "seat": number}).one(), game)


def seen(conn: Connection, race_id: str, seat: int, at: int) -> None:
    """Notes a sign of life of a player who has no page open, or who had left."""
    conn.execute(_SEEN, {"b_race": race_id, "b_seat": seat, "at": at})


def change_seat(conn: Connection, race_id: str, seat: int, **values: object) -> None:
    conn.execute(update(seats).where(seats.c.race_id == race_id, seats.c.seat == seat).values(**values))


def keep_result(conn: Connection, race_id: str, seat: int, result: Result) -> None:
    change_seat(
        conn,
        race_id,
        seat,
        place=result.place,
        won=result.won,
        runs=result.runs,
        score=result.score,
        ply=result.ply,
        time_ms=result.time_ms,
    )


def all_away(conn: Connection, at: int) -> None:
    """Takes it that no page of a race that is not over is open: so it is when the server starts."""
    open_races = select(races.c.id).where(races.c.status != "over")
    conn.execute(
        update(seats).where(seats.c.race_id.in_(open_races), seats.c.away_at.is_(None)).values(away_at=at)
    )


def reassign(conn: Connection, from_id: str, to_id: str, at: int | None = None) -> None:
    """Gives all seats of one player to another, who keeps one seat only where it has not begun.

    Where it has, the first of the two is the one they go on in, and nobody waits for the other. The pages of
    the player who is no more do not count: the seat is away (from ``at``, now) until a page is opened anew.
    """
    at = now_ms() if at is None else at
    theirs = select(seats.c.race_id).where(seats.c.player_id == to_id)
    before = select(races.c.id).where(races.c.status.in_(("waiting", "counting_down")))
    conn.execute(
        seats.delete().where(
            seats.c.player_id == from_id, seats.c.race_id.in_(theirs), seats.c.race_id.in_(before)
        )
    )
    conn.execute(
        update(seats)
        .where(seats.c.player_id == from_id)
        .values(player_id=to_id, away_at=func.coalesce(seats.c.away_at, at))
    )
    both = (
        select(seats.c.race_id, func.max(seats.c.seat).label("seat"))
        .where(
            seats.c.player_id == to_id,
            seats.c.race_id.in_(select(races.c.id).where(races.c.status == "running")),
        )
        .group_by(seats.c.race_id)
        .having(func.count() > 1)
    )
    for row in conn.execute(both).all():
        change_seat(conn, row.race_id, row.seat, left=True)


def _race(conn: Connection, row: Row[Any]) -> Race:
    values = dict(row._mapping)
    patience = by_prefix(values.pop("prefix"))
    race_id = values.pop("id")
    return Race(
        id=RaceId(race_id),
        patience=patience,
        code=values.pop("deal"),
        sealing=values.pop("salt"),
        seats=_seats(conn, race_id),
        **values,
    )


def _seats(conn: Connection, race_id: str) -> tuple[Seat, ...]:
    rows = conn.execute(_SEATS, {"id": race_id}).all()
    games = games_store.find_all(conn, [row.game_id for row in rows if row.game_id is not None])
    return tuple([_seat(row, games.get(row.game_id)) for row in rows])


def _seat(row: Row[Any], game: Game | None) -> Seat:
    result = None
    if row.place is not None:
        result = Result(row.place, row.won, row.runs, row.score, row.ply, row.time_ms)
    return Seat(
        seat=row.seat,
        player_id=row.player_id,
        name=row.name,
        ready=row.ready,
        away_at=row.away_at,
        left=row.left,
        goes_on=row.goes_on,
        fresh=row.fresh,
        game=game,
        result=result,
    )
