"""Who has a page of a game open in this process; it is written down, and told, soon after it has changed."""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog

from app.company.service import HEARD, Companies
from app.db import Database
from app.players import codes
from app.web.open_pages import GRACE

log = structlog.get_logger(__name__)

SOON = 0.1
"""Seconds in which those who come at once are noted together."""

BEAT = HEARD / 1000 / 3
"""Seconds after which it is said again that they are still there."""


@contextmanager
def _logged() -> Iterator[None]:
    """An error is logged and no more: the next word of who is here may come through."""
    try:
        yield
    except Exception:
        log.exception("presence_failed")


@dataclass(slots=True)
class _Room:
    """The open pages of one game: of players by their ids, of those who look on by their streams' keys."""

    players: Counter[str] = field(default_factory=Counter)
    watching: Counter[str] = field(default_factory=Counter)
    changed: bool = False
    writing: bool = False


class Presence:
    """The open pages of games in this process. All of it belongs to the event loop."""

    def __init__(self, db: Database, companies: Companies) -> None:
        self._db = db
        self._companies = companies
        self._process = codes.new_id()
        self._rooms: dict[str, _Room] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._start(self._beat())

    def arrive(self, game_id: str, who: str, *, plays: bool) -> None:
        """A page is opened: by the player of that id, or by one who looks on, under the key of the stream."""
        room = self._rooms.setdefault(game_id, _Room())
        (room.players if plays else room.watching)[who] += 1
        self._write(game_id, room)

    def depart(self, game_id: str, who: str, *, plays: bool) -> None:
        """The page is gone; unless another is open soon, that is told."""
        self._start(self._departed(game_id, who, plays=plays))

    async def _departed(self, game_id: str, who: str, *, plays: bool) -> None:
        await asyncio.sleep(GRACE)
        room = self._rooms[game_id]
        pages = room.players if plays else room.watching
        pages[who] -= 1
        if not pages[who]:
            del pages[who]
        self._write(game_id, room)

    def _write(self, game_id: str, room: _Room) -> None:
        room.changed = True
        if not room.writing:
            room.writing = True
            self._start(self._written(game_id, room))

    async def _written(self, game_id: str, room: _Room) -> None:
        """Writes down a room until it stays as it is: one write at a time."""
        while room.changed:
            await asyncio.sleep(SOON)
            room.changed = False
            with _logged():
                await self._db.submit(
                    self._companies.present, game_id, self._process, list(room.players), len(room.watching)
                )
        room.writing = False
        if not (room.players or room.watching):
            del self._rooms[game_id]

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            if self._rooms:
                with _logged():
                    await self._db.submit(self._companies.still_there, self._process)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """The process ends: it has no page open any more."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._db.submit(self._companies.stopped, self._process)
