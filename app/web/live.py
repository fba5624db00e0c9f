"""Live streams: server-sent events of races and the lobby, and what all streams have in common.

A stream holds no database session and no thread: it reads once when it begins (and again if it missed
something), and from then on it only passes on what the hub has. Every event is numbered, so a browser that
was cut off says by ``Last-Event-ID`` where it was and gets what it missed; where that is not known any more,
or makes no sense, it gets the race as a whole. Nothing is sent before it is on the disk, and nothing but ids
and counts.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import lru_cache
from typing import Any

import structlog
from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.db import Database
from app.players.players import Authenticated
from app.races.documents import race_document, text
from app.races.errors import NoRace
from app.races.hub import Event, Hub, Subscription
from app.races.service import Races
from app.races.telling import LOBBY
from app.web import deps
from app.web.errors import Problem
from app.web.limits import peer_of
from app.web.open_pages import OpenPages

log = structlog.get_logger(__name__)
router = APIRouter(prefix="/api/v1", tags=["v1"])

AS_STREAM: dict[str, Any] = {
    "response_class": Response,
    "responses": {
        200: {
            "description": "Server-sent events, without end.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
}
"""What /openapi.json says of a stream: it has no words for the events themselves."""

HEARTBEAT = 15.0
"""Seconds of silence after which a stream shows that it lives, so that proxies keep it open."""

RETRY = 2_000
"""Milliseconds after which a browser that was cut off comes back."""

MOST_OF_SESSION, MOST_OF_ADDRESS = 6, 60
"""Streams open at once: of one session (browsers open six to a host), and of all strangers at one address."""

MIND = 10.0
"""Seconds between two looks at who is taken for gone, where there are several workers."""

CLOSED = b"event: closed\ndata: {}\n\n"
"""The last word to a reader who may not read on: not to come back."""

LOBBY_PAUSE = 1.0
"""Seconds between two events of the lobby on one stream: it says only that there is something new."""

_ID = re.compile(r"[0-9]{1,15}")
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class Streams:
    """The open streams of this process: how many each one has, and who has a page of a race open."""

    def __init__(self, db: Database, races: Races, hub: Hub, *, limited: bool) -> None:
        self.pages = OpenPages(db, races.present)
        self.races = races
        self.hub = hub
        self._limited = limited
        self._open: Counter[str] = Counter()
        self._minding = asyncio.create_task(self._mind()) if hub.has_others else None

    def enter(self, who: str, most: int) -> None:
        """Counts a stream. Raises Problem 429."""
        if self._limited and self._open[who] >= most:
            raise Problem(429, "too_many_requests", headers={"Retry-After": "10"})
        self._open[who] += 1

    def leave(self, who: str) -> None:
        self._open[who] -= 1
        if not self._open[who]:
            del self._open[who]

    async def _mind(self) -> None:
        """Each worker knows of its own pages alone: one that takes somebody for gone is put right."""
        while True:
            await asyncio.sleep(MIND)
            try:
                for race_id, player_id in await run_in_threadpool(
                    self.races.taken_for_gone, self.pages.known
                ):
                    await self.pages.stay(race_id, player_id)
            except Exception:  # the next time may do better
                log.exception("pages_not_minded")

    async def stop(self) -> None:
        """Ends every stream; nobody is noted as away for it."""
        self.hub.close()
        await self.pages.stop()
        if self._minding is not None:
            self._minding.cancel()
            await asyncio.gather(self._minding, return_exceptions=True)


class EventStream(Response):
    """An answer that goes on until its reader, or the hub, has had enough.

    ``parts`` yields the bytes to send; ``gone`` is called when the reader has gone, ``done`` at the very end.
    """

    def __init__(
        self, parts: AsyncIterator[bytes], gone: Callable[[], object], done: Callable[[], object]
    ) -> None:
        self._parts = parts
        self._gone = gone
        self._done = done
        self.background = None
        self.status_code = 200
        self.body = b""
        self.raw_headers = list(_HEADERS)

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        watch = asyncio.create_task(self._watch(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
            async for part in self._parts:
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            watch.cancel()
            self._done()

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._gone()


@router.get("/races/{race_id}/events", **AS_STREAM)
async def race_events(request: Request, race_id: str) -> Response:
    """The events of a race: ``race`` brings the whole, ``seat`` what one player's standing is now."""
    streams = _streams(request)
    who = await run_in_threadpool(deps.identify, request)
    player_id = who.player.id if who else None
    try:
        race = await run_in_threadpool(streams.races.look, race_id)
    except NoRace:
        raise Problem(404, "not_found") from None
    key = enter(request, streams, who)
    seated = player_id if race.seat_of(player_id) else None
    stream = streams.hub.subscribe(race_id)

    async def whole() -> tuple[int, bytes]:
        now = await run_in_threadpool(streams.races.look, race_id)
        document = text(race_document(now, streams.races.now, player_id))
        return now.seq, wire(Event(race_id, now.seq, "race", document))

    begun = False

    def done() -> None:
        streams.hub.unsubscribe(race_id, stream)
        streams.leave(key)
        if begun and seated:
            streams.pages.depart(race_id, seated)

    async def parts() -> AsyncIterator[bytes]:
        nonlocal begun
        begun = True
        if seated:
            await streams.pages.arrive(race_id, seated)
        async for part in numbered(streams.hub, race_id, stream, whole, last_event_id(request)):
            yield part

    return EventStream(parts(), stream.close, done)


@router.get("/lobby/events", **AS_STREAM)
async def lobby_events(request: Request) -> Response:
    """Says ``lobby`` when the list of races that wait has changed. The list itself is at ``/races``."""
    streams = _streams(request)
    who = await run_in_threadpool(deps.identify, request)
    key = enter(request, streams, who)
    stream = streams.hub.subscribe(LOBBY)

    def done() -> None:
        streams.hub.unsubscribe(LOBBY, stream)
        streams.leave(key)

    return EventStream(_lobby_parts(stream), stream.close, done)


def last_event_id(request: Request) -> int | None:
    """The number of the last event that a reader has had; None if it says none that could be."""
    text_of_it = request.headers.get("last-event-id", "")
    return int(text_of_it) if _ID.fullmatch(text_of_it) else None


async def _anything(_event: Event) -> None:
    """Any event of the moment may be passed on."""


async def numbered(
    hub: Hub,
    channel: str,
    stream: Subscription,
    whole: Callable[[], Awaitable[tuple[int, bytes]]],
    last_id: int | None,
    check: Callable[[Event], Awaitable[None]] = _anything,
) -> AsyncIterator[bytes]:
    """What a stream of a channel sends: the ``whole`` with its number or what was missed, then each event.

    ``check`` is called with each event of the moment, and ends the stream by an error of its own.
    """
    seq, document = await whole()
    missed = None if last_id is None else hub.since(channel, last_id, seq)
    first = document if missed is None else b"".join([wire(event) for event in missed])
    yield b"retry: %d\n\n" % RETRY + first
    while not stream.closed:
        if not await stream.wait(HEARTBEAT):
            yield b":\n\n"
            continue
        chunk: list[bytes] = []
        behind, stream.missed = stream.missed, False
        while stream.waiting and not behind:
            event = stream.waiting.popleft()
            if not event.seq:
                await check(event)
                chunk.append(wire(event))
            elif event.seq == seq + 1:
                seq = event.seq
                chunk.append(wire(event))
            elif event.seq > seq:
                behind = True  # one has overtaken another, or was lost
        if behind:
            stream.waiting.clear()
            newest, document = await whole()
            if newest > seq:  # else it has all that has a number: none is sent twice
                seq = newest
                chunk.append(document)
        if chunk:
            yield b"".join(chunk)


async def _lobby_parts(stream: Subscription) -> AsyncIterator[bytes]:
    yield b"retry: %d\n\n" % RETRY
    while not stream.closed:
        if not await stream.wait(HEARTBEAT):
            yield b":\n\n"
        elif stream.waiting or stream.missed:
            newest = stream.waiting.pop() if stream.waiting else Event(LOBBY, 0, "lobby", "{}")
            stream.missed = False
            stream.waiting.clear()
            yield wire(newest)
            await asyncio.sleep(LOBBY_PAUSE)


@lru_cache(maxsize=512)
def wire(event: Event) -> bytes:
    """An event as bytes, made once for all who get it. One of the moment leaves the last number as it was."""
    number = f"id: {event.seq}\n" if event.seq else ""
    return f"{number}event: {event.kind}\ndata: {event.data}\n\n".encode()


def enter(request: Request, streams: Streams, who: Authenticated | None) -> str:
    """Counts a stream of the one who asks; the key by which it is counted. Raises Problem 429."""
    key = who.session_id if who else f"peer {peer_of(request)}"
    streams.enter(key, MOST_OF_SESSION if who else MOST_OF_ADDRESS)
    return key


def _streams(request: Request) -> Streams:
    streams: Streams = request.app.state.streams
    return streams
