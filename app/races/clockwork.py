"""Keeping time: races start and end when they are due, and days too, not only when somebody looks."""

import asyncio

import structlog
from anyio.to_thread import run_sync

from app.db import Database
from app.races.daily import DailyDeals
from app.races.service import Races

log = structlog.get_logger(__name__)

LONGEST_SLEEP = 5.0
"""Seconds. Another process may have made a race that is due before the one waited for."""

AFTER_AN_ERROR = 5.0


class Clockwork:
    """A task in the event loop that settles races and days on time."""

    def __init__(self, db: Database, races: Races, daily: DailyDeals) -> None:
        self._db = db
        self._races = races
        self._daily = daily
        self._day_due = 0
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._run())

    def due(self, _due_at: int) -> None:
        """A race will be due at some time: looks anew. From any thread."""
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
        with self._db.read() as conn:
            ids = self._races.due(conn)
        failed = False
        if self._races.now >= self._day_due:
            all_done = self._daily.settle()
            self._day_due = self._daily.next_day() if all_done else 0
        for race_id in ids:
            try:
                self._races.settle(race_id)
            except Exception:  # the other races go on
                log.exception("race_failed")
                failed = True
        if failed:
            return AFTER_AN_ERROR
        with self._db.read() as conn:
            due_at = self._races.next_due(conn)
        due_at = self._day_due if due_at is None else min(due_at, self._day_due)
        return min(max(due_at - self._races.now, 0) / 1000, LONGEST_SLEEP)
