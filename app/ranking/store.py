"""Results in the database."""

from typing import Any, cast

from sqlalchemy import Connection, Row, Table, bindparam, func, insert, select, update

from app.players.tables import PlayerRow
from app.ranking.tables import ResultRow

results = cast("Table", ResultRow.__table__)
_players = cast("Table", PlayerRow.__table__)

_NEW = insert(results)
_OF_PLAYER = (
    select(
        results.c.prefix,
        results.c.scoring,
        results.c.won,
        results.c.score,
        results.c.ply,
        results.c.ranked_ms,
    )
    .where(results.c.player_id == bindparam("player"))
    .order_by(results.c.ended_at, results.c.game_id)
)
_ORDER = (results.c.score.desc(), results.c.ranked_ms, results.c.ended_at, results.c.game_id)


def add(conn: Connection, values: dict[str, Any]) -> None:
    conn.execute(_NEW, values)


def of_player(conn: Connection, player_id: str) -> list[Row[Any]]:
    """A player's results, the oldest first."""
    return list(conn.execute(_OF_PLAYER, {"player": player_id}))


def best(
    conn: Connection,
    equal: dict[str, object],
    *,
    since: int | None,
    each_player_once: bool,
    limit: int,
    offset: int,
) -> list[Row[Any]]:
    """Won games whose columns have these values, the best first: by score, then time, then who was first."""
    alike = [results.c[name] == value for name, value in equal.items()]
    chosen = select(results).where(results.c.won, *alike)
    if since is not None:
        chosen = chosen.where(results.c.ended_at >= since)
    table: Any = results
    if each_player_once:
        place = func.row_number().over(partition_by=results.c.player_id, order_by=_ORDER).label("place")
        table = chosen.add_columns(place).subquery()
        chosen = select(table).where(table.c.place == 1)
    c = table.c
    statement = (
        chosen.add_columns(_players.c.name)
        .outerjoin(_players, _players.c.id == c.player_id)
        .order_by(c.score.desc(), c.ranked_ms, c.ended_at, c.game_id)
        .limit(limit)
        .offset(offset)
    )
    return list(conn.execute(statement))


def reassign(conn: Connection, from_id: str, to_id: str) -> None:
    """Gives all results of one player to another."""
    conn.execute(update(results).where(results.c.player_id == from_id).values(player_id=to_id))
