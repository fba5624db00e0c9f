"""Holding stored races against what their players did, and against their own logs."""

from collections.abc import Iterator

from app.db import Database
from app.games import store as games_store
from app.games.service import Replay
from app.games.verify import verify
from app.races import store
from app.races.result import results
from tests.support.racing import Meeting


def reckon(db: Database, found: Meeting) -> list[str]:
    """All that is wrong; nothing if all is well."""
    played = {game: texts for racer in found.racers for game, texts in racer.played.items()}
    return [fault for document in found.races for fault in _faults(db, document["id"], played)]


def _faults(db: Database, race_id: str, played: dict[str, list[str]]) -> Iterator[str]:
    with db.read() as conn:
        race = store.find(conn, race_id)
        assert race is not None
        logs = {}
        for seat in race.seats:
            assert seat.game is not None
            logs[seat.seat] = games_store.entries(conn, seat.game.id)
            texts = [entry.text for entry in logs[seat.seat]]
            if texts != played[seat.game.id]:
                yield f"{race_id}/{seat.seat}: the log has {texts}, played was {played[seat.game.id]}"
            for ply in range(1, len(texts) + 1):
                entry = games_store.entry_at(conn, seat.game.id, ply)
                if entry is None or entry[1] != seat.player_id:
                    yield f"{race_id}/{seat.seat}: ply {ply} is another's"
            yield from (
                f"{race_id}/{seat.seat}: {name}" for name in verify(Replay(seat.game, logs[seat.seat]))
            )
            if seat.game.held or seat.game.code != race.code:
                yield f"{race_id}/{seat.seat}: held back, or on another deal"
    stored = {seat.seat: seat.result for seat in race.seats}
    if stored != results(race.code, race.scoring, race.starts_at or 0, logs):
        yield f"{race_id}: the result does not follow from the logs"
