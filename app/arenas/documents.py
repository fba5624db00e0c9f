"""An arena as JSON values: what everyone may see of it."""

from collections.abc import Mapping, Sequence

from app.arenas.arena import Arena, Row
from app.races.documents import Document


def arena_document(arena: Arena, now: int, players: int) -> Document:
    """An arena without its table. ``now`` is the server's clock, ms; ``players``: how many have come."""
    return {
        "id": arena.id,
        "house": arena.slot is not None,
        "patience": arena.patience.key,
        "params": dict(arena.patience.params),
        "scoring": arena.scoring,
        "seconds": arena.seconds,
        "size": arena.size,
        "status": arena.status,
        "reason": arena.reason,
        "now": now,
        "created_at": arena.created_at,
        "starts_at": arena.starts_at,
        "ends_at": arena.ends_at,
        "players": players,
        "seq": arena.seq,
    }


def table_document(rows: Sequence[Row], racing: Mapping[int, str]) -> Document:
    """Its table, and the races that go on."""
    return {
        "table": [row_document(row) for row in rows],
        "racing": [{"number": number, "race": race} for number, race in sorted(racing.items())],
    }


def row_document(row: Row) -> Document:
    """A line of the table. ``player`` is None for a guest."""
    entrant = row.entrant
    return {
        "rank": row.rank,
        "number": entrant.number,
        "player": entrant.name,
        "points": entrant.score.points,
        "races": entrant.score.races,
        "wins": entrant.score.wins,
        "streak": entrant.score.streak,
        "on_fire": entrant.score.on_fire,
        "paused": entrant.paused,
        "race": entrant.race_id,
    }


def own_document(row: Row | None) -> Document | None:
    """The line of the one who asks: whether they wait, too."""
    if row is None:
        return None
    return row_document(row) | {"waits": row.entrant.waits}
