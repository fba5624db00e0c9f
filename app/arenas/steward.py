"""The steward: what time brings about in an arena, what a race in it brings, and what is told of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from app.arenas import errors, pairing, points, store
from app.arenas.arena import EMPTY, ROWS, Arena, Entrant, Row
from app.arenas.documents import arena_document, table_document
from app.arenas.pairing import Waiting
from app.db import Database
from app.races.documents import text
from app.races.hub import Event, Hub
from app.races.race import Race
from app.races.race import Wishes as RaceWishes
from app.races.service import Races
from app.ranking import ratings
from app.ranking.glicko2 import START

PAUSE = 2_000
"""Milliseconds between two rounds at least, so that those who come together are grouped together."""


@dataclass(frozen=True, slots=True)
class Look:
    """An arena with its table: the first rows, and that of the one who looks, if they are in it."""

    arena: Arena
    players: int
    rows: tuple[Row, ...]
    racing: dict[int, str]
    mine: Row | None = None


class Steward:
    """Keeps the arenas of a database going. ``clock`` is in ms; ``on_due`` hears when one will be due."""

    def __init__(self, db: Database, races: Races, hub: Hub, clock: Callable[[], int]) -> None:
        self._db = db
        self._races = races
        self._hub = hub
        self._clock = clock
        self.on_due: Callable[[int], object] = lambda _due_at: None

    def get(self, conn: Connection, arena_id: str) -> Arena:
        """Raises ``NoArena``."""
        arena = store.find(conn, arena_id)
        if arena is None:
            raise errors.NoArena
        return arena

    def look(self, conn: Connection, arena_id: str, player_id: str | None = None) -> Look:
        """An arena with its table as it stands. Raises ``NoArena``."""
        arena = self.get(conn, arena_id)
        best = store.everyone(conn, arena_id, ROWS)
        mine = store.entrant(conn, arena_id, player_id) if player_id else None
        rank = 1 + store.better(conn, arena_id, mine.score) if mine else 0
        return Look(
            arena,
            store.count(conn, arena_id),
            rows_of(best),
            store.racing(conn, arena_id),
            Row(rank, mine) if mine else None,
        )

    def hold(self, conn: Connection, arena_id: str) -> Arena:
        """The arena, which nobody else changes meanwhile. Raises ``NoArena``."""
        arena = store.hold(conn, arena_id)
        if arena is None:
            raise errors.NoArena
        return arena

    def advance(self, conn: Connection, arena_id: str) -> None:
        arena = self.hold(conn, arena_id)
        now = self._clock()
        if not arena.is_due(now):
            return
        if arena.status == "waiting":
            store.change(conn, arena.id, status="running")
            arena = self.announce(conn, arena.id)
        if arena.status == "running" and now < arena.ends_at:
            self._pair(conn, arena)
            if now >= arena.starts_at + EMPTY and arena.slot is None and not store.has_races(conn, arena.id):
                self._over(conn, arena.id)
                return
        elif arena.status == "running":
            store.change(conn, arena.id, status="finishing")
            arena = self.announce(conn, arena.id)
        if arena.status == "finishing" and not store.racing(conn, arena.id):
            self._over(conn, arena.id)
            return
        self.plan(conn, arena)

    def _pair(self, conn: Connection, arena: Arena) -> None:
        """A round: races for those who wait, if it is time for them."""
        there = [one for one in store.everyone(conn, arena.id) if one.waits]
        waiting = self._waiting(conn, arena, there)
        at = pairing.round_at(waiting, arena.size)
        if at is None or self._clock() < at or self._clock() + self._races.countdown >= arena.ends_at:
            return
        player_of = {one.number: one.player_id for one in there}
        wishes = RaceWishes(
            patience=arena.patience.key,
            params=arena.patience.params,
            scoring=arena.scoring,
            seconds=arena.seconds,
        )
        for group in pairing.groups(waiting, arena.size):
            race = self._races.pair(conn, arena.id, [player_of[number] for number in group], wishes)
            store.add_race(conn, arena.id, race.id, group)
            for number in group:
                store.change_entrant(conn, arena.id, number, race_id=race.id)
        self.announce(conn, arena.id)

    @staticmethod
    def _waiting(conn: Connection, arena: Arena, there: Sequence[Entrant]) -> list[Waiting]:
        known = ratings.of_players(conn, [one.player_id for one in there], arena.patience.prefix)
        met = store.met(conn, arena.id)
        return [
            Waiting(
                number=one.number,
                since=one.since,
                points=one.score.points,
                rating=known.get(one.player_id, START),
                met=met[one.number].often if one.number in met else {},
                last=met[one.number].last if one.number in met else frozenset(),
            )
            for one in there
        ]

    def ended(self, conn: Connection, race: Race) -> None:
        """A race is over: its players get their points, and wait again. A listener for races.

        Who made no entry is not there, and pauses.
        """
        if race.arena_id is None:
            return
        arena = self.hold(conn, race.arena_id)
        numbers = store.numbers_of(conn, race.id)
        finishes = finishes_of(race, numbers)
        now = self._clock()
        by_number = {one.number: one for one in store.everyone(conn, arena.id) if one.number in finishes}
        scores = {number: one.score for number, one in by_number.items()}
        if race.starts_at is not None and arena.counts(race.starts_at):
            scores |= points.score_of(scores, finishes)
        for number, finish in finishes.items():
            store.keep_score(
                conn,
                arena.id,
                number,
                scores[number],
                race_id=None,
                since=now,
                paused=by_number[number].paused or not finish.played,
            )
        self.announce(conn, arena.id)
        if arena.status == "finishing" and not store.racing(conn, arena.id):
            self._over(conn, arena.id)
        else:
            self.plan(conn, arena)

    def _over(self, conn: Connection, arena_id: str) -> None:
        """Its table stands for good."""
        held = store.has_races(conn, arena_id)
        table = rows_of(store.everyone(conn, arena_id))
        store.keep_ranks(conn, arena_id, [(row.entrant.number, row.rank) for row in table])
        store.change(conn, arena_id, status="over", reason="finished" if held else "expired", due_at=None)
        self.announce(conn, arena_id)

    def plan(self, conn: Connection, arena: Arena) -> None:
        """Notes when something is to be done next."""
        if arena.status == "waiting":
            due_at = arena.starts_at
        elif arena.status == "running":
            there = [one for one in store.everyone(conn, arena.id) if one.waits]
            waiting = [Waiting(one.number, one.since) for one in there]
            at = pairing.round_at(waiting, arena.size)
            times = [arena.ends_at] if at is None else [arena.ends_at, max(at, self._clock() + PAUSE)]
            if arena.slot is None and self._clock() < arena.starts_at + EMPTY:
                times.append(arena.starts_at + EMPTY)
            due_at = min(times)
        else:
            due_at = None  # the end of its last race is what it waits for
        if due_at is not None and arena.due_at is not None and self._clock() < arena.due_at:
            due_at = min(due_at, arena.due_at)  # who comes does not put off the round of those who wait
        if due_at != arena.due_at:
            store.change(conn, arena.id, due_at=due_at)
        if due_at is not None:
            self._db.after_commit(conn, self.on_due, due_at)

    # Telling

    def announce(self, conn: Connection, arena_id: str) -> Arena:
        """Numbers an event that brings the whole, and tells it once it is on the disk."""
        seq = store.number(conn, arena_id)
        found = self.look(conn, arena_id)
        document = text(look_document(found, self._clock()))
        self._db.after_commit(conn, self._hub.publish, Event(arena_id, seq, "arena", document))
        return found.arena


def look_document(look: Look, now: int) -> dict[str, object]:
    """What everyone may see."""
    return arena_document(look.arena, now, look.players) | table_document(look.rows, look.racing)


def finishes_of(race: Race, numbers: dict[int, int]) -> dict[int, points.Finish]:
    """How a race that is over came out, by the players' numbers in its arena."""
    return {
        numbers[seat.seat]: points.Finish(
            place=seat.result.place if seat.result else len(race.seats),
            played=seat.result is not None and seat.result.ply > 0,
        )
        for seat in race.seats
        if seat.seat in numbers
    }


def rows_of(entrants: Sequence[Entrant]) -> tuple[Row, ...]:
    """The table of those who stand highest, in order."""
    ranks = points.ranks([one.score for one in entrants])
    return tuple(Row(rank, one) for rank, one in zip(ranks, entrants, strict=True))
