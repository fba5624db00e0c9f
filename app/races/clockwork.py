"""Keeping time: what becomes due is done on time, and not only when somebody looks.

Of all workers one keeps the time (``Database.lead``), and another when that one is gone; the hub tells it
what the others have made due.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

import structlog
from anyio.to_thread import run_sync
from sqlalchemy import Connection

from app.db import Database
from app.races.hub import Hub

log = structlog.get_logger(__name__)

CHANNEL = "clockwork"

HOUR = 3600.0

LONGEST_SLEEP = 5.0
"""Seconds."""

LONGEST_AMONG_OTHERS = 1.0
"""The same where there are other workers: one may have made something due, and the hub be lost."""

AFTER_AN_ERROR = 5.0


class Duty(Protocol):
    """Things that become due one by one, as races do. Times in ms since the epoch."""

    @property
    def now(self) -> int: ...

    def due(self, conn: Connection) -> list[str]: ...

    def settle(self, _id: str, /) -> object: ...

    def next_due(self, conn: Connection) -> int | None: ...


Calendar = tuple[Callable[[], bool], Callable[[], int]]
"""What is to be done as the days go by, which tells whether that was all; and when it is to be done next."""


class Clockwork:
    """A task in the event loop that settles what is due on time. The first duty's clock is everyone's."""

    def __init__(self, db: Database, hub: Hub, duties: Sequence[Duty], calendars: Sequence[Calendar]) -> None:
        self._db = db
        self._hub = hub
        self._duties = duties
        self._calendars = calendars
        self._turns = [0] * len(calendars)
        self._longest = LONGEST_AMONG_OTHERS if hub.has_others else LONGEST_SLEEP
        self._lead = db.lead(CHANNEL)
        self._news = hub.subscribe(CHANNEL)
        self._task = asyncio.create_task(self._run())

    def due(self, _due_at: int) -> None:
        """Something will be due at some time: whoever keeps the time looks anew. From any thread."""
        self._hub.announce(CHANNEL, "due")

    async def stop(self) -> None:
        """Ends after what it is doing. Stopping twice is stopping once."""
        self._news.close()
        await self._task
        await run_sync(self._lead.leave)

    async def _run(self) -> None:
        while not self._news.closed:
            self._news.waiting.clear()
            self._news.missed = False
            try:
                seconds = await run_sync(self._settle)
            except Exception:
                log.exception("clockwork_failed")
                seconds = AFTER_AN_ERROR
            timer = asyncio.get_running_loop().call_later(seconds, self._news.miss)
            await self._news.wait(HOUR)
            timer.cancel()

    def _settle(self) -> float:
        """Settles what is due; how many seconds there are until something is."""
        if not self._lead.is_mine():
            return self._longest
        now = self._duties[0].now
        with self._db.read() as conn:
            found = [(duty, one) for duty in self._duties for one in duty.due(conn)]
        for at, (settle, next_turn) in enumerate(self._calendars):
            if now >= self._turns[at]:
                self._turns[at] = next_turn() if settle() else 0
        failed = False
        for duty, one in found:
            try:
                duty.settle(one)
            except Exception:  # the others go on
                log.exception("settling_failed")
                failed = True
        if failed:
            return AFTER_AN_ERROR
        with self._db.read() as conn:
            times = [due_at for duty in self._duties if (due_at := duty.next_due(conn)) is not None]
        due_at = min([*times, *self._turns], default=now)
        return min(max(due_at - self._duties[0].now, 0) / 1000, self._longest)
