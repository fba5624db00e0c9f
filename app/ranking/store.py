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
    won_only: bool,
    lowest_first: bool,
    each_player_once: bool,
    limit: int,
    offset: int,
) -> list[Row[Any]]:
    """Results whose columns have these values, the best first: by score, then time, then who was first."""
    chosen = select(results).where(*[results.c[name] == value for name, value in equal.items()])
    if won_only:
        chosen = chosen.where(results.c.won)
    if since is not None:
        chosen = chosen.where(results.c.ended_at >= since)
    table: Any = results
    if each_player_once:
        order = _order(results.c, lowest_first=lowest_first)
        place = func.row_number().over(partition_by=results.c.player_id, order_by=order).label("place")
        table = chosen.add_columns(place).subquery()
        chosen = select(table).where(table.c.place == 1)
    c = table.c
    statement = (
        chosen.add_columns(_players.c.name)
        .outerjoin(_players, _players.c.id == c.player_id)
        .order_by(*_order(c, lowest_first=lowest_first))
        .limit(limit)
        .offset(offset)
    )
    return list(conn.execute(statement))


def _order(c: Any, *, lowest_first: bool) -> tuple[Any, ...]:
    return (c.score if lowest_first else c.score.desc(), c.ranked_ms, c.ended_at, c.game_id)


def reassign(conn: Connection, from_id: str, to_id: str) -> None:
    """Gives all results of one player to another."""
    conn.execute(update(results).where(results.c.player_id == from_id).values(player_id=to_id))
