"""Keeping time: what becomes due is done on time, and not only when somebody looks."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

import structlog
from anyio.to_thread import run_sync
from sqlalchemy import Connection

from app.db import Database

log = structlog.get_logger(__name__)

LONGEST_SLEEP = 5.0
"""Seconds. Another process may have made a race that is due before the one waited for."""

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

    def __init__(self, db: Database, duties: Sequence[Duty], calendars: Sequence[Calendar]) -> None:
        self._db = db
        self._duties = duties
        self._calendars = calendars
        self._turns = [0] * len(calendars)
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._run())

    def due(self, _due_at: int) -> None:
        """Something will be due at some time: looks anew. From any thread."""
        self._loop.call_soon_threadsafe(self._wake.set)

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                seconds = await run_sync(self._settle)
            except Exception:
                log.exception("clockwork_failed")
                seconds = AFTER_AN_ERROR
            timer = self._loop.call_later(seconds, self._wake.set)
            await self._wake.wait()
            timer.cancel()

    def _settle(self) -> float:
        """Settles what is due; how many seconds there are until something is."""
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
        return min(max(due_at - self._duties[0].now, 0) / 1000, LONGEST_SLEEP)
