"""What the rest of the house asks of the engine.

It asks and looks; a search itself is never waited for in a transaction. Functions that take a connection
first run in the caller's transaction; ``advise``, ``wait_for`` and ``restock`` open their own, and may wait a
moment for an answer.

The solver sees every card. What it says of a game under way is a verdict or a move, nothing else, and whoever
asks for either must mark the game as assisted.
"""

import time
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore
from typing import Literal, TypeVar

from sqlalchemy import Connection

from app.analysis import results, store
from app.analysis.canonical import canonical
from app.analysis.process import Command
from app.analysis.runner import POLL, Runners
from app.analysis.store import IDLE, LOW, WAITING, Analysed, Job
from app.analysis.verdict import Verdict
from app.db import Database
from app.patience import registry
from app.patience.patience import Patience
from app.patience.position import Position, decode, encode
from app.solver.api import has_solver

T = TypeVar("T")

VERDICT_MS = 10_000
HINT_MS = 3_000
GAME_MS = 18_000
BANK_MS = 3_000
"""How long is searched for: a verdict, a hint's line, all of an ended game, a deal for the bank."""

HINT_WAIT = 1.5
RESTOCK_WAIT = 4.0
"""Seconds for which a request waits for a line, and for a winnable deal."""

MOST_JOBS = 100
"""Jobs that may wait, all in all."""

MOST_JOBS_EACH = 5
"""Jobs of one asker that may wait."""

MOST_WAITERS = 20
"""Requests that may wait for the engine at the same time; further ones are answered at once."""

LEAST_BANKED = 10
"""Deals that there must have been in the bank before a difficulty is set against the others."""

LONGEST_LOG = 2_000
"""Entries of a log that is analysed."""

State = Literal["known", "waiting", "not_asked", "off"]


class Busy(Exception):
    """Too much is waiting for the engine already: by this asker (``own``), or all in all."""

    def __init__(self, *, own: bool) -> None:
        super().__init__("busy")
        self.own = own


class Off(Exception):
    """There is no engine here, or it does not know this patience."""


class NotPlayed(Off):
    """The engine does not know this patience, wherever it runs."""


def _off(patience: Patience) -> Off:
    return Off() if has_solver(patience.key) else NotPlayed()


@dataclass(frozen=True, slots=True)
class Look:
    """What is known of a position; ``ahead`` counts the jobs that come before it while it waits."""

    state: State
    verdict: Verdict | None = None
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class Advice:
    """What the engine says of a position: the next move of a winning line, or why there is none."""

    kind: Literal["move", "unsolvable", "unknown"]
    move: str | None = None


class Analysis:
    """The engine of one program. ``start`` it to have solver processes; without, it only asks and looks."""

    def __init__(
        self,
        db: Database,
        *,
        processes: int = 1,
        command: Command | None = None,
        lock: Path | None = None,
        bank_size: int = 20,
        idle_after: float = 20.0,
        clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._db, self._clock, self._bank_size = db, clock, bank_size
        self.on = processes > 0
        self._waiters = BoundedSemaphore(MOST_WAITERS)
        self.runners = Runners(
            db,
            processes,
            command or Command(),
            clock=clock,
            lock=lock,
            idle_after=idle_after,
            when_idle=self._fill_bank,
        )

    def start(self) -> None:
        """Begins to serve the queue. No process comes up before there is something to do."""
        self.runners.start()

    def stop(self) -> None:
        self.runners.stop()

    def knows(self, patience: Patience) -> bool:
        """Whether the engine is there and plays this patience."""
        return self.on and has_solver(patience.key)

    # Verdicts

    def look(self, conn: Connection, patience: Patience, position: Position, budget_ms: int = 0) -> Look:
        """What is known of a position; an unknown that less than the budget was spent on is not known yet."""
        one = canonical(patience, position)
        found = store.verdict(conn, one)
        if found is not None and found.settles(budget_ms):
            return Look("known", found)
        ahead = store.waits(conn, "solve", one.key)
        if ahead is not None:
            return Look("waiting", found, ahead)
        if found is not None and found.reason in {"crashed", "memory", "failed"}:
            return Look("known", found)
        if not self.knows(patience):
            return Look("off", found)
        return Look("not_asked", found)

    def ask(
        self,
        conn: Connection,
        patience: Patience,
        position: Position,
        *,
        asker: str,
        priority: int = WAITING,
        budget_ms: int = VERDICT_MS,
    ) -> Look:
        """Has a position searched, unless that was done. Raises ``Busy``, ``Off``. Needs a ``db.write()``."""
        one = canonical(patience, position)
        found = store.verdict(conn, one)
        if found is not None and found.settles(budget_ms):
            return Look("known", found)
        if not self.knows(patience):
            raise _off(patience)
        self._queue(conn, results.solve_job(patience, position, priority, budget_ms, asker))
        return Look("waiting", found, store.waits(conn, "solve", one.key) or 0)

    def cancel(self, conn: Connection, patience: Patience, position: Position, *, asker: str) -> bool:
        """Takes back what only this asker asked for; a search under way ends within moments."""
        return store.cancel(conn, "solve", canonical(patience, position).key, asker)

    # Hints and the end of a game

    def advise(self, game_id: str, patience: Patience, position: Position, *, asker: str) -> Advice | None:
        """The next move of the game's winning line. None where there is no engine for it, or it is too busy.

        While the player follows a line the advice goes on along it; where they leave it a new one is sought.
        """
        if not self.on or patience.outcome(position).status != "playing":
            return None
        with self._db.read() as conn:
            kept = store.line(conn, game_id)
            rest = None if kept is None else _rest(patience, kept[0], kept[1], position)
            look = None if rest else self.look(conn, patience, position, HINT_MS)
        if rest:
            return Advice("move", rest[0])
        assert look is not None
        if look.state in {"not_asked", "waiting"}:
            try:
                look = self.wait_for(patience, position, HINT_MS, asker=asker, seconds=HINT_WAIT)
            except Busy:
                return None
        verdict = look.verdict
        if verdict is None or look.state == "off":
            return None
        if verdict.line:
            with self._db.write() as conn:
                store.keep_line(conn, game_id, encode(position), verdict.line, self._clock())
            return Advice("move", verdict.line[0])
        return Advice("unsolvable" if verdict.kind == "unsolvable" else "unknown")

    def wait_for(
        self, patience: Patience, position: Position, budget_ms: int, *, asker: str, seconds: float
    ) -> Look:
        """Asks, and waits a moment; ``waiting`` if it takes longer. Raises ``Busy``, ``Off``."""
        with self._db.write() as conn:
            look = self.ask(conn, patience, position, asker=asker, budget_ms=budget_ms)

        def known(conn: Connection) -> Look | None:
            now = self.look(conn, patience, position, budget_ms)
            return None if now.state == "waiting" else now

        if look.state == "known":
            return look
        try:
            return self._wait(known, seconds) or look
        except Busy:  # to wait: it was asked for, and will be there later
            return look

    def line_to_win(self, conn: Connection, patience: Patience, position: Position) -> tuple[str, ...] | None:
        """The moves that finish a game all of whose cards lie face up, if they are known."""
        if any(pile.face_down for pile in position.piles):
            return None
        found = store.verdict(conn, canonical(patience, position))
        return None if found is None else found.line

    # Ended games

    def analysed(self, conn: Connection, game_id: str) -> Analysed | None:
        """The analysis of an ended game, as far as it has come; None if nobody asked for one."""
        return store.analysed(conn, game_id)

    def analyse(
        self,
        conn: Connection,
        game_id: str,
        patience: Patience,
        start: Position,
        entries: list[str],
        *,
        asker: str,
        budget_ms: int = GAME_MS,
    ) -> None:
        """Has an ended game analysed, unless it was. Raises ``Busy``, ``Off``. Needs a ``db.write()``."""
        made = store.analysed(conn, game_id)
        if made is not None and made.done:
            return
        if not self.knows(patience) or len(entries) > LONGEST_LOG:
            raise _off(patience)
        self._queue(conn, results.game_job(game_id, patience, start, entries, budget_ms, asker))

    def is_at_work(self, conn: Connection, game_id: str) -> bool:
        """Whether a game's analysis is under way, or waits for its turn."""
        return store.waits(conn, "game", game_id) is not None

    # The bank

    def take(self, conn: Connection, patience: Patience) -> str | None:
        """The code of a winnable deal, for one game and never again; None if the bank has none.

        Needs a ``db.write()``: it stands or falls with the game that is dealt from it.
        """
        return store.take_from_bank(conn, patience.prefix, patience.rules_version, self._clock())

    def harder_than(self, conn: Connection, deal: str) -> float | None:
        """The share of the deals ever banked, of its patience, that are less difficult than this one.

        None for a deal that is not from the bank, or while the bank has known fewer than ``LEAST_BANKED``.
        """
        row = store.banked(conn, deal)
        if row is None:
            return None
        known = store.difficulties(conn, row.prefix)
        if len(known) < LEAST_BANKED:
            return None
        return bisect_left(known, row.difficulty) / (len(known) - 1)

    def restock(self, patience: Patience, *, asker: str, seconds: float) -> bool:
        """Whether the bank has a deal of this patience; if not, has one made and waits for it so long.

        Raises ``Busy``, ``Off``.
        """

        def there(conn: Connection) -> bool:
            return (patience.prefix, patience.rules_version) in store.in_store(conn)

        with self._db.read() as conn:
            if there(conn):
                return True
        if not self.knows(patience):
            raise _off(patience)
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            with self._db.write() as conn:
                self._queue(conn, results.bank_job(patience, WAITING, BANK_MS, asker))
            # A deal that is not solved in time is thrown away, and another is made.
            self._wait(lambda conn: there(conn) or store.waits(conn, "bank", patience.prefix) is None, left)
            with self._db.read() as conn:
                if there(conn):
                    return True
        return False

    def _fill_bank(self) -> None:
        """Has one more deal made of each patience of which the bank has too few."""
        with self._db.read() as conn:
            stored = ready_deals(conn)
        short = [one for one in banked_patiences() if stored.get(one.prefix, 0) < self._bank_size]
        if short:
            with self._db.write() as conn:
                for patience in short:
                    store.add_job(conn, results.bank_job(patience, IDLE, BANK_MS), self._clock())

    # The queue

    def _queue(self, conn: Connection, job: Job) -> None:
        assert job.asker is not None
        if store.waits(conn, job.task, job.subject) is None:
            everyone, own = store.count_jobs(conn, job.asker)
            if own >= MOST_JOBS_EACH or everyone >= MOST_JOBS:
                raise Busy(own=own >= MOST_JOBS_EACH)
        store.add_job(conn, job, self._clock())
        self._db.after_commit(conn, self.runners.announce)

    def _wait(self, found: Callable[[Connection], T | None], seconds: float) -> T | None:
        """Waits until something is found. Raises ``Busy`` at once while too many others wait."""
        if not self._waiters.acquire(blocking=False):
            raise Busy(own=False)
        try:
            until = time.monotonic() + seconds
            while True:
                with self._db.read() as conn:
                    result = found(conn)
                if result or (left := until - time.monotonic()) <= 0:
                    return result
                self.runners.wait(min(left, POLL))
        finally:
            self._waiters.release()


def ready_deals(conn: Connection) -> dict[str, int]:
    """How many deals the bank has of each prefix, by the rules as they are now."""
    now = {(one.prefix, one.rules_version) for one in registry.all_patiences()}
    return {kind[0]: count for kind, count in store.in_store(conn).items() if kind in now}


def banked_patiences() -> tuple[Patience, ...]:
    """The patiences of which the bank holds deals."""
    return tuple(registry.get("spider", {"suits": suits}) for suits in (1, 2, 4))


def _rest(patience: Patience, start: str, moves: tuple[str, ...], position: Position) -> tuple[str, ...]:
    """What is left of a line at a position, in its own columns; empty if the line never comes there."""
    here, on_line = canonical(patience, position), decode(start)
    exact, places = encode(position), []
    for at in range(len(moves) + 1):
        if encode(on_line) == exact:
            return moves[at:]
        places.append(on_line)
        if at < len(moves):
            on_line = patience.play(on_line, moves[at]).position
    if here.order:
        for at, place in enumerate(places):
            there = canonical(patience, place)
            if there.key == here.key:
                return here.from_canonical(there.to_canonical(moves[at:]))
    return ()


__all__ = [
    "IDLE",
    "LOW",
    "WAITING",
    "Advice",
    "Analysed",
    "Analysis",
    "Busy",
    "Look",
    "Off",
    "banked_patiences",
    "ready_deals",
]
