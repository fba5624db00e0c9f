"""Between processes: what one worker's hub is told, the hubs of all others hear.

A relay may be down, and lose events, at any time. All that matters is in the database with its number, so a
hub that did not hear looks there (``Hub.look``): nothing is lost, only late.
"""

import asyncio
import json
import secrets
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

import structlog
from sqlalchemy import make_url

from app.races.hub import Event
from app.settings import Settings

log = structlog.get_logger(__name__)

OUTBOX = 1000
"""Events that may wait to be sent; the oldest are let go of."""

AT_ONCE = 100

SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
"""Seconds between two tries to connect: twice as many each time."""

SILENCE = 5.0
"""Seconds after which the other end is asked whether it is still there."""

NOTIFY_BYTES = 7_500
"""PostgreSQL's NOTIFY takes 8,000 bytes; its own quotes are among them."""


class Ears(Protocol):
    """Who is told by a relay: the hub. All of it in the event loop."""

    def hear(self, event: Event) -> None:
        """Something that another process has published."""

    def overhear(self, channel: str) -> None:
        """A channel has something new that was too long to be sent."""

    def begin(self) -> None:
        """From now on it hears; what was published before is not known."""


class Relay(ABC):
    """One process's end of the relay, in the event loop of its hub."""

    most_bytes: int | None = None

    def __init__(self) -> None:
        self.hears = False
        self._me = secrets.token_hex(6)
        self._outbox: deque[Event] = deque(maxlen=OUTBOX)
        self._sending: list[Event] = []
        self._once_more = False
        self._news = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, ears: Ears) -> None:
        self._tasks = [
            asyncio.create_task(self._for_ever(lambda: self._listen(ears))),
            asyncio.create_task(self._for_ever(self._send)),
        ]

    def send(self, event: Event) -> None:
        """Sends an event to the others soon, if it can be. In the event loop."""
        self._outbox.append(event)
        self._news.set()

    async def stop(self) -> None:
        tasks: set[asyncio.Task[None]] = set(self._tasks)
        while tasks:  # a client that is just connecting may swallow the first one
            for task in tasks:
                task.cancel()
            _, tasks = await asyncio.wait(tasks, timeout=0.2)

    async def _for_ever(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        pause = SHORTEST_PAUSE
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                await work()
            except Exception as error:
                # By its kind alone: an address with a password may be in its words.
                log.warning("relay_lost", relay=type(self).__name__, error=type(error).__name__)
            if loop.time() - began > LONGEST_PAUSE:
                pause = SHORTEST_PAUSE
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _listen(self, ears: Ears) -> None:
        def begun() -> None:
            self.hears = True
            log.info("relay_hears", relay=type(self).__name__)
            ears.begin()

        try:
            await self._receive(begun, lambda text: self._read(ears, text))
        finally:
            self.hears = False

    async def _send(self) -> None:
        self._once_more = True
        await self._transmit(self._next)

    async def _next(self) -> list[str]:
        """The texts of what waits to be sent; waits for some. What a lost connection left comes once more."""
        if not (self._once_more and self._sending):
            while not self._outbox:
                self._news.clear()
                await self._news.wait()
            self._sending = [self._outbox.popleft() for _ in range(min(AT_ONCE, len(self._outbox)))]
        self._once_more = False
        return [self._text(event) for event in self._sending]

    def _text(self, event: Event) -> str:
        parts = [self._me, event.channel, event.seq, event.kind, event.ordered]
        text = json.dumps([*parts, event.data])
        if self.most_bytes is not None and len(text.encode()) > self.most_bytes:
            text = json.dumps([*parts, None])
        return text

    def _read(self, ears: Ears, text: str) -> None:
        origin, channel, seq, kind, ordered, data = json.loads(text)
        if origin == self._me:
            return
        if data is None:
            ears.overhear(channel)
        else:
            ears.hear(Event(channel, seq, kind, data, ordered))

    @abstractmethod
    async def _receive(self, begun: Callable[[], None], read: Callable[[str], None]) -> None:
        """Connects, calls ``begun``, then ``read`` with each text, until the connection is lost."""

    @abstractmethod
    async def _transmit(self, texts: Callable[[], Coroutine[Any, Any, Sequence[str]]]) -> None:
        """Connects, and sends what ``texts`` gives, until the connection is lost."""


class RedisRelay(Relay):
    """By Redis' or Valkey's PUBLISH. Programs with the same database hear each other."""

    def __init__(self, url: str, name: str) -> None:
        super().__init__()
        self._url = url
        self._channel = f"spindel:{name}:events"

    def _client(self) -> Any:
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        # It must not connect anew by itself: then nobody would know that something was missed.
        never = Retry(NoBackoff(), 0)
        return Redis.from_url(
            self._url,
            retry=never,
            socket_connect_timeout=5,
            socket_timeout=2 * SILENCE,
            socket_keepalive=True,
        )

    async def _receive(self, begun: Callable[[], None], read: Callable[[str], None]) -> None:
        async with self._client() as client, client.pubsub() as pubsub:
            await pubsub.subscribe(self._channel)
            silent = 0
            while silent < 3:
                message = await pubsub.get_message(timeout=SILENCE)
                silent = 0 if message else silent + 1
                match message:
                    case {"type": "subscribe"}:
                        begun()
                    case {"type": "message", "data": data}:
                        read(data.decode())
                    case None:
                        await pubsub.ping()

    async def _transmit(self, texts: Callable[[], Coroutine[Any, Any, Sequence[str]]]) -> None:
        async with self._client() as client:
            while True:
                async with client.pipeline(transaction=False) as pipeline:
                    for text in await texts():
                        pipeline.publish(self._channel, text)
                    await pipeline.execute()


class NotifyRelay(Relay):
    """By PostgreSQL's NOTIFY, over two connections of its own: LISTEN does not pass through PgBouncer."""

    most_bytes = NOTIFY_BYTES

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)

    async def _connect(self) -> Any:
        from psycopg import AsyncConnection

        return await AsyncConnection.connect(
            self._url, autocommit=True, connect_timeout=5, application_name="spindel hub"
        )

    async def _receive(self, begun: Callable[[], None], read: Callable[[str], None]) -> None:
        async with await self._connect() as connection:
            await connection.execute("LISTEN spindel")
            begun()
            while True:
                async for notice in connection.notifies(timeout=SILENCE):
                    read(notice.payload)
                async with asyncio.timeout(SILENCE):
                    await connection.execute("SELECT 1")

    async def _transmit(self, texts: Callable[[], Coroutine[Any, Any, Sequence[str]]]) -> None:
        async with await self._connect() as connection:
            while True:
                batch = await texts()
                async with asyncio.timeout(2 * SILENCE):
                    await connection.execute(
                        "SELECT pg_notify('spindel', told) FROM unnest(%s::text[]) AS told", [list(batch)]
                    )


def relay_of(settings: Settings) -> Relay | None:
    """Redis where one is set, else the database's own, else none: one process alone has no others."""
    if settings.redis_url:
        return RedisRelay(settings.redis_url, settings.database_name)
    return None if settings.is_sqlite else NotifyRelay(settings.database_url)
