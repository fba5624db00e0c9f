"""Arenas in the database: the statements, and nothing of what they mean."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, Row, Table, bindparam, func, insert, select, update

from app.arenas.arena import Arena, ArenaId, Entrant
from app.arenas.points import Score
from app.arenas.tables import ArenaRow, ArenaSeatRow, EntrantRow
from app.patience.registry import by_prefix
from app.players.tables import PlayerRow
from app.races.tables import RaceRow

arenas = cast("Table", ArenaRow.__table__)
entrants = cast("Table", EntrantRow.__table__)
arena_seats = cast("Table", ArenaSeatRow.__table__)
_players = cast("Table", PlayerRow.__table__)
_races = cast("Table", RaceRow.__table__)

_ENTRANTS = select(entrants, _players.c.name).join(_players, _players.c.id == entrants.c.player_id)
_BEST = (entrants.c.points.desc(), entrants.c.wins.desc(), entrants.c.races, entrants.c.number)
_NUMBER = (
    update(arenas)
    .where(arenas.c.id == bindparam("b_id"))
    .values(seq=arenas.c.seq + 1)
    .returning(arenas.c.seq)
)


@dataclass(frozen=True, slots=True)
class Met:
    """Whom a player has met how often, and whom in their last race."""

    often: Counter[int]
    last: frozenset[int]


def find(conn: Connection, arena_id: str) -> Arena | None:
    row = conn.execute(select(arenas).where(arenas.c.id == arena_id)).first()
    return None if row is None else _arena(row)


def hold(conn: Connection, arena_id: str) -> Arena | None:
    """The arena, which nobody else changes until the end of this transaction."""
    conn.execute(update(arenas).where(arenas.c.id == arena_id).values(seq=arenas.c.seq))
    return find(conn, arena_id)


def newest(conn: Connection, arena_ids: Sequence[str]) -> dict[str, int]:
    """The number of the newest event of each arena of these."""
    rows = conn.execute(select(arenas.c.id, arenas.c.seq).where(arenas.c.id.in_(arena_ids)))
    return {row.id: row.seq for row in rows}


def add(conn: Connection, values: dict[str, Any]) -> None:
    conn.execute(insert(arenas), values)


def change(conn: Connection, arena_id: str, **values: object) -> None:
    conn.execute(update(arenas).where(arenas.c.id == arena_id).values(**values))


def number(conn: Connection, arena_id: str) -> int:
    """The number of a new event."""
    found: int = conn.execute(_NUMBER, {"b_id": arena_id}).scalar_one()
    return found


def open_ones(conn: Connection, limit: int) -> list[Arena]:
    """Those that are not over, the earliest first. Of too many the house's are not left out."""
    found = conn.execute(
        select(arenas)
        .where(arenas.c.status != "over")
        .order_by(arenas.c.slot.is_(None), arenas.c.starts_at, arenas.c.id)
        .limit(limit)
    )
    return sorted(_arenas(found), key=lambda arena: (arena.starts_at, arena.id))


def past(conn: Connection, limit: int) -> list[Arena]:
    """Those that were held, the newest first."""
    return _arenas(
        conn.execute(
            select(arenas)
            .where(arenas.c.status == "over", arenas.c.reason == "finished")
            .order_by(arenas.c.starts_at.desc(), arenas.c.id)
            .limit(limit)
        )
    )


def count_open(conn: Connection, host_id: str) -> int:
    """How many arenas that are not over a player has made."""
    return conn.execute(
        select(func.count()).where(arenas.c.host_id == host_id, arenas.c.status != "over")
    ).scalar_one()


def slots(conn: Connection, wanted: Iterable[str]) -> set[str]:
    """Those of the house's hours for which there is an arena."""
    found = conn.execute(select(arenas.c.slot).where(arenas.c.slot.in_(list(wanted)))).scalars()
    return {slot for slot in found if slot is not None}


def due(conn: Connection, now: int) -> list[str]:
    """Ids of arenas that something has to be done for, at most a hundred."""
    return list(
        conn.execute(
            select(arenas.c.id).where(arenas.c.due_at <= now).order_by(arenas.c.due_at).limit(100)
        ).scalars()
    )


def next_due(conn: Connection) -> int | None:
    return conn.execute(select(func.min(arenas.c.due_at))).scalar()


# Players


def add_entrant(conn: Connection, arena_id: str, number: int, player_id: str, now: int) -> None:
    conn.execute(
        insert(entrants),
        {"arena_id": arena_id, "number": number, "player_id": player_id, "since": now},
    )


def change_entrant(conn: Connection, arena_id: str, number: int, **values: object) -> None:
    conn.execute(
        update(entrants).where(entrants.c.arena_id == arena_id, entrants.c.number == number).values(**values)
    )


def keep_score(conn: Connection, arena_id: str, number: int, score: Score, **values: object) -> None:
    change_entrant(
        conn,
        arena_id,
        number,
        points=score.points,
        races=score.races,
        wins=score.wins,
        streak=score.streak,
        **values,
    )


def keep_ranks(conn: Connection, arena_id: str, ranks: Sequence[tuple[int, int]]) -> None:
    """Keeps the rank of each number."""
    if ranks:
        conn.execute(
            update(entrants)
            .where(entrants.c.arena_id == arena_id, entrants.c.number == bindparam("b_number"))
            .values(rank=bindparam("b_rank")),
            [{"b_number": number, "b_rank": rank} for number, rank in ranks],
        )


def entrant(conn: Connection, arena_id: str, player_id: str) -> Entrant | None:
    """A player in an arena."""
    row = conn.execute(
        _ENTRANTS.where(entrants.c.arena_id == arena_id, entrants.c.player_id == player_id)
        .order_by(entrants.c.number)
        .limit(1)
    ).first()
    return None if row is None else _entrant(row)


def everyone(conn: Connection, arena_id: str, limit: int | None = None) -> list[Entrant]:
    """The players of an arena, those with most points first."""
    rows = conn.execute(_ENTRANTS.where(entrants.c.arena_id == arena_id).order_by(*_BEST).limit(limit))
    return [_entrant(row) for row in rows]


def count(conn: Connection, arena_id: str) -> int:
    """How many players have come."""
    return conn.execute(select(func.count()).where(entrants.c.arena_id == arena_id)).scalar_one()


def counts(conn: Connection, arena_ids: Sequence[str]) -> dict[str, int]:
    """The same of several arenas; those without players are left out."""
    rows = conn.execute(
        select(entrants.c.arena_id, func.count().label("players"))
        .where(entrants.c.arena_id.in_(arena_ids))
        .group_by(entrants.c.arena_id)
    )
    return {row.arena_id: row.players for row in rows}


def better(conn: Connection, arena_id: str, score: Score) -> int:
    """How many players stand before that score."""
    e = entrants.c
    fewer = (e.points == score.points) & (e.wins == score.wins) & (e.races < score.races)
    more_wins = (e.points == score.points) & (e.wins > score.wins)
    return conn.execute(
        select(func.count()).where(e.arena_id == arena_id, (e.points > score.points) | more_wins | fewer)
    ).scalar_one()


def racing(conn: Connection, arena_id: str) -> dict[int, str]:
    """The races that go on, by the numbers of those in them."""
    rows = conn.execute(
        select(entrants.c.number, entrants.c.race_id).where(
            entrants.c.arena_id == arena_id, entrants.c.race_id.is_not(None)
        )
    )
    return {row.number: row.race_id for row in rows}


def pause_elsewhere(conn: Connection, arena_id: str, player_id: str) -> None:
    """One who comes into an arena is not paired in the others."""
    conn.execute(
        update(entrants)
        .where(entrants.c.player_id == player_id, entrants.c.arena_id != arena_id)
        .values(paused=True)
    )


def arenas_of(conn: Connection, player_id: str) -> list[str]:
    """Ids of the arenas that are not over in which a player is."""
    return list(
        conn.execute(
            select(arenas.c.id)
            .join(entrants, entrants.c.arena_id == arenas.c.id)
            .where(entrants.c.player_id == player_id, arenas.c.status != "over")
        ).scalars()
    )


# Races


def add_race(conn: Connection, arena_id: str, race_id: str, numbers: Sequence[int]) -> None:
    """Notes a race of an arena, and who sits in it, from seat 1 on."""
    conn.execute(
        insert(arena_seats),
        [
            {"race_id": race_id, "seat": seat, "arena_id": arena_id, "number": number}
            for seat, number in enumerate(numbers, 1)
        ],
    )


def numbers_of(conn: Connection, race_id: str) -> dict[int, int]:
    """The numbers of those in a race, by seat."""
    rows = conn.execute(
        select(arena_seats.c.seat, arena_seats.c.number).where(arena_seats.c.race_id == race_id)
    )
    return {row.seat: row.number for row in rows}


def races_of(conn: Connection, arena_id: str) -> list[str]:
    """Ids of an arena's races, in the order in which they began."""
    return list(
        conn.execute(
            select(_races.c.id).where(_races.c.arena_id == arena_id).order_by(_races.c.starts_at, _races.c.id)
        ).scalars()
    )


def has_races(conn: Connection, arena_id: str) -> bool:
    found = conn.execute(select(arena_seats.c.seat).where(arena_seats.c.arena_id == arena_id).limit(1))
    return found.first() is not None


def met(conn: Connection, arena_id: str) -> dict[int, Met]:
    """Whom each of an arena's players has met."""
    rows = conn.execute(
        select(arena_seats.c.race_id, arena_seats.c.number)
        .join(_races, _races.c.id == arena_seats.c.race_id)
        .where(arena_seats.c.arena_id == arena_id)
        .order_by(_races.c.starts_at, _races.c.id)
    )
    tables: dict[str, list[int]] = {}
    for row in rows:
        tables.setdefault(row.race_id, []).append(row.number)
    often: dict[int, Counter[int]] = {}
    last: dict[int, frozenset[int]] = {}
    for numbers in tables.values():
        for one in numbers:
            others = frozenset(numbers) - {one}
            often.setdefault(one, Counter()).update(others)
            last[one] = others
    return {one: Met(often[one], last[one]) for one in often}


def reassign(conn: Connection, from_id: str, to_id: str) -> None:
    """Gives a player's arenas to another. Where both are in one, the place that came second is paused."""
    both = conn.execute(
        select(entrants.c.arena_id, func.max(entrants.c.number).label("number"))
        .where(entrants.c.player_id.in_((from_id, to_id)))
        .group_by(entrants.c.arena_id)
        .having(func.count() > 1)
    ).all()
    for row in both:
        change_entrant(conn, row.arena_id, row.number, paused=True)
    conn.execute(update(entrants).where(entrants.c.player_id == from_id).values(player_id=to_id))
    conn.execute(update(arenas).where(arenas.c.host_id == from_id).values(host_id=to_id))


def _arenas(rows: Iterable[Row[Any]]) -> list[Arena]:
    return [_arena(row) for row in rows]


def _arena(row: Row[Any]) -> Arena:
    values = dict(row._mapping)
    return Arena(id=ArenaId(values.pop("id")), patience=by_prefix(values.pop("prefix")), **values)


def _entrant(row: Row[Any]) -> Entrant:
    return Entrant(
        number=row.number,
        player_id=row.player_id,
        name=row.name,
        paused=row.paused,
        away_at=row.away_at,
        since=row.since,
        race_id=row.race_id,
        score=Score(row.points, row.races, row.wins, row.streak),
        rank=row.rank,
    )
