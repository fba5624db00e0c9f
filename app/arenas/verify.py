"""Reckoning an arena's table anew, from the deals and logs of its races and from nothing else."""

from sqlalchemy import Connection

from app.arenas import points, store
from app.arenas.arena import Arena
from app.arenas.points import Finish, Score
from app.games import store as games_store
from app.races import store as races_store
from app.races.result import results


def recomputed(conn: Connection, arena: Arena) -> dict[int, Score]:
    """The score of each player who has raced, by number. Races that are not over are left out."""
    races = []
    for race_id in store.races_of(conn, arena.id):
        race = races_store.find(conn, race_id)
        assert race is not None
        if not race.is_over or race.starts_at is None or not arena.counts(race.starts_at):
            continue
        logs = {seat.seat: games_store.entries(conn, seat.game.id) for seat in race.seats if seat.game}
        numbers = store.numbers_of(conn, race_id)
        found = results(race.code, race.scoring, race.starts_at, logs)
        races.append({numbers[seat]: Finish(one.place, one.ply > 0) for seat, one in found.items()})
    return points.scores(races)


def differences(conn: Connection, arena: Arena) -> list[str]:
    """Where the table that is kept is not what the logs come to; nothing if all is well."""
    scores = recomputed(conn, arena)
    everyone = store.everyone(conn, arena.id)
    found = [
        f"{one.number}: kept {one.score}, reckoned {scores.get(one.number, Score())}"
        for one in everyone
        if one.score != scores.get(one.number, Score())
    ]
    if arena.is_over:
        ranks = points.ranks([scores.get(one.number, Score()) for one in everyone])
        found += [
            f"{one.number}: rank {one.rank} is kept, reckoned {rank}"
            for one, rank in zip(everyone, ranks, strict=True)
            if one.rank != rank
        ]
    return found
