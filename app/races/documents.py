"""A race as JSON values: what everyone may see of it, and never a card."""

import json
from typing import Any

from app.races.race import Progress, Race, Result, Seat, opening_progress, progress_of

Document = dict[str, Any]


def race_document(race: Race, now: int, player_id: str | None = None) -> Document:
    """A race as a player may see it; as everyone may with None. ``now`` is the server's clock, ms."""
    mine = race.seat_of(player_id) if player_id else None
    return {
        **shared_document(race, now),
        "you": mine.seat if mine else None,
        "game": mine.game.id if mine and mine.game else None,
    }


def shared_document(race: Race, now: int) -> Document:
    """A race as everyone may see it."""
    return {
        "id": race.id,
        "join_code": race.join_code,
        "patience": race.patience.key,
        "params": dict(race.patience.params),
        "scoring": race.scoring,
        "seconds": race.seconds,
        "max_players": race.max_players,
        "undo": race.undo,
        "listed": race.listed,
        "status": race.status,
        "reason": race.reason,
        "now": now,
        "created_at": race.created_at,
        "starts_at": race.starts_at,
        "ends_at": race.ends_at,
        "commitment": race.commitment,
        "deal": race.deal,
        "salt": race.salt,
        "host": race.host,
        "players": [
            {
                "player": seat.player_id,
                "name": seat.name,
                **seat_document(seat, race.starts_at, race),
                "game": seat.game.id if seat.game and race.is_over else None,
            }
            for seat in race.seats
        ],
        "rematch": race.next_id,
        "arena": race.arena_id,
        "seq": race.seq,
    }


def seat_document(seat: Seat, starts_at: int | None, race: Race | None = None) -> Document:
    """A player's standing: what changes while the race runs. Who has no game yet needs the ``race``."""
    result = seat.result
    if seat.game:
        progress = progress_of(seat.game, starts_at or 0)
    else:
        assert race is not None
        progress = opening_progress(race.patience.prefix, race.scoring)
    return {
        "seat": seat.seat,
        "ready": seat.ready,
        "away_at": seat.away_at,
        "left": seat.left,
        "goes_on": seat.goes_on,
        "finished": seat.finished,
        "progress": _progress(progress),
        "place": result.place if result else None,
        "result": _result(result) if result else None,
    }


def text(document: Document) -> str:
    """A document as it travels in an event: one line."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _progress(progress: Progress) -> Document:
    return {
        "status": progress.status,
        "runs": progress.runs,
        "face_down": progress.face_down,
        "stock": progress.stock,
        "rows": progress.rows,
        "score": progress.score,
        "ply": progress.ply,
        "time_ms": progress.time_ms,
    }


def _result(result: Result) -> Document:
    return {
        "won": result.won,
        "runs": result.runs,
        "score": result.score,
        "ply": result.ply,
        "time_ms": result.time_ms,
    }
