"""The stream of an arena: its table as it changes, and who is in which race.

Every event brings the whole, so of several that wait for a stream only the newest is sent, and one that was
cut off needs nothing else. Who has the page open is there to be paired.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from app.arenas.errors import NoArena
from app.arenas.service import Arenas
from app.arenas.steward import Look, look_document
from app.races.documents import text
from app.races.hub import Event, Subscription
from app.web import deps
from app.web.errors import Problem
from app.web.live import AS_STREAM, HEARTBEAT, RETRY, EventStream, Streams, enter, last_event_id, wire
from app.web.open_pages import OpenPages

router = APIRouter(prefix="/api/v1", tags=["v1"])

PAUSE = 0.3
"""Seconds between two events on one stream."""


@router.get("/arenas/{arena_id}/events", **AS_STREAM)
async def arena_events(request: Request, arena_id: str) -> Response:
    """The events of an arena, each the whole of what everyone may see."""
    streams: Streams = request.app.state.streams
    arenas: Arenas = request.app.state.arenas
    pages: OpenPages = request.app.state.arena_pages
    who = await run_in_threadpool(deps.identify, request)
    player_id = who.player.id if who else None

    def look() -> Look:
        with request.app.state.db.read() as conn:
            return arenas.look(conn, arena_id, player_id)

    try:
        found = await run_in_threadpool(look)
    except NoArena:
        raise Problem(404, "not_found") from None
    key = enter(request, streams, who)
    player = player_id if found.mine else None
    stream = streams.hub.subscribe(arena_id)
    loop = asyncio.get_running_loop()
    begun = False

    async def whole() -> Event:
        now = await run_in_threadpool(look)
        return Event(arena_id, now.arena.seq, "arena", text(look_document(now, arenas.now)))

    def done() -> None:
        streams.hub.unsubscribe(arena_id, stream)
        streams.leave(key)
        if begun and player:
            pages.depart(arena_id, player)

    async def parts() -> AsyncIterator[bytes]:
        nonlocal begun
        begun = True
        said_at = loop.time()
        if player:
            await pages.arrive(arena_id, player)
        async for part in _parts(stream, whole, last_event_id(request)):
            yield part
            if player and loop.time() - said_at >= HEARTBEAT:
                said_at = loop.time()
                await pages.stay(arena_id, player)

    return EventStream(parts(), stream.close, done)


async def _parts(
    stream: Subscription, whole: Callable[[], Awaitable[Event]], last_id: int | None
) -> AsyncIterator[bytes]:
    first = await whole()
    seq = first.seq
    yield b"retry: %d\n\n" % RETRY + (b"" if seq == last_id else wire(first))
    while not stream.closed:
        if not await stream.wait(HEARTBEAT):
            yield b":\n\n"
        elif stream.waiting or stream.missed:
            newest = None if stream.missed else max(stream.waiting, key=lambda event: event.seq)
            stream.missed = False
            stream.waiting.clear()
            newest = newest or await whole()
            if newest.seq > seq:
                seq = newest.seq
                yield wire(newest)
            await asyncio.sleep(PAUSE)
