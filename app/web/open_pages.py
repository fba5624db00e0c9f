"""Who has a page of something open in this process: of a race, or of an arena.

A page that is gone may be back at once, as when it is loaded again, and a player may have several. So one is
away only when the last page has been gone for a while.
"""

import asyncio
from collections import Counter
from typing import Protocol

from sqlalchemy import Connection

from app.db import Database

GRACE = 5.0
"""Seconds for which a page may be away without anybody being told."""


class Present(Protocol):
    """Notes whether a player is there, in a write transaction."""

    def __call__(self, conn: Connection, _id: str, player_id: str, /, *, here: bool) -> object: ...


class OpenPages:
    """All of it belongs to the event loop."""

    def __init__(self, db: Database, present: Present) -> None:
        self._db = db
        self._present = present
        self._open: Counter[tuple[str, str]] = Counter()
        self._leaving: set[asyncio.Task[None]] = set()

    @property
    def known(self) -> list[tuple[str, str]]:
        """Ids of the things, each with a player's who has a page open, or had one just now."""
        return list(self._open)

    async def arrive(self, of: str, player_id: str) -> None:
        """A player has opened a page."""
        self._open[of, player_id] += 1
        await self._db.submit(self._present, of, player_id, here=True)

    async def stay(self, of: str, player_id: str) -> None:
        """If the page is open still: another process may have seen one go, and have said so later."""
        if self._open[of, player_id] > 0:
            await self._db.submit(self._present, of, player_id, here=True)

    def depart(self, of: str, player_id: str) -> None:
        """The page is gone; unless another is open soon, the player is away."""
        self._open[of, player_id] -= 1
        task = asyncio.create_task(self._departed(of, player_id))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _departed(self, of: str, player_id: str) -> None:
        await asyncio.sleep(GRACE)
        if self._open[of, player_id] <= 0:
            del self._open[of, player_id]
            await self._db.submit(self._present, of, player_id, here=False)

    async def stop(self) -> None:
        """The server stops; nobody is noted as away for it."""
        for task in self._leaving:
            task.cancel()
        await asyncio.gather(*self._leaving, return_exceptions=True)
