"""Who is told what: events on their way from a commit to the streams that show them.

An event is numbered within its channel (a race, the lobby), and carries ids and counts, never cards. The hub
keeps the newest of each channel, so that a stream which was cut off can go on where it was; one that missed
more than is kept reads the whole again. So nothing is lost with the hub, and it may forget at any time.

Each worker has a hub; where there are several, a relay (``app.races.relays``) takes what one is told to the
others.

``publish`` may be called from any thread, after the commit. All else belongs to the event loop.
"""

import asyncio
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog
from anyio.to_thread import run_sync

if TYPE_CHECKING:
    from app.races.relays import Relay

log = structlog.get_logger(__name__)

KEPT = 128
"""Newest events of a channel that are kept."""

CHANNELS = 1000
"""Channels whose events are kept though nobody listens."""

WAITING = 256
"""Events that may wait for a slow stream; then it reads the whole again."""

OVERTAKEN = 0.2
"""Seconds for which an event waits for one before it: they come from several threads and workers."""

LOOK = 5.0
"""Seconds between two looks into the database, for what the relay may have lost."""

CROWD, PAUSE = 50, 0.1
"""To more streams than that, events go out together, every so many seconds: each write costs more."""


@dataclass(frozen=True, slots=True)
class Event:
    """``data`` is a JSON text. An event of the moment has the number 0: who misses it has missed nothing."""

    channel: str
    seq: int
    kind: str
    data: str
    ordered: bool = True


class Subscription:
    """What waits for one stream. ``missed``: more came than could wait.

    There may be a thousand of them, so each wakes its stream by one future, and looks at the time by one
    timer, which is not set anew with every event.
    """

    __slots__ = ("_heard_at", "_loop", "_timer", "_waiter", "closed", "missed", "waiting")

    def __init__(self) -> None:
        self.waiting: deque[Event] = deque()
        self.missed = False
        self.closed = False
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._heard_at = 0.0

    def put(self, events: Sequence[Event]) -> None:
        """Has some events wait, and wakes the stream."""
        if len(self.waiting) + len(events) > WAITING:
            self.missed = True
            self.waiting.clear()
            events = events[-1:]
        self.waiting.extend(events)
        self._wake()

    def miss(self) -> None:
        """It has to read the whole again."""
        self.missed = True
        self._wake()

    def close(self) -> None:
        self.closed = True
        self._wake()
        if self._timer is not None:
            self._timer.cancel()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def wait(self, seconds: float) -> bool:
        """Whether something came within so many seconds, or had come."""
        if not (self.waiting or self.missed or self.closed):
            self._heard_at = self._loop.time()
            if self._timer is None:
                self._timer = self._loop.call_at(self._heard_at + seconds, self._look, seconds)
            self._waiter = self._loop.create_future()
            await self._waiter
        return bool(self.waiting) or self.missed or self.closed

    def _look(self, seconds: float) -> None:
        """Wakes a stream that has heard nothing for so long; else looks again when it may have."""
        self._timer = None
        silent_at = self._heard_at + seconds
        if silent_at <= self._loop.time():
            self._wake()
        elif not self.closed:
            self._timer = self._loop.call_at(silent_at, self._look, seconds)


@dataclass(slots=True)
class _Channel:
    kept: deque[Event] = field(default_factory=lambda: deque(maxlen=KEPT))
    streams: set[Subscription] = field(default_factory=set)
    waiting: list[Event] = field(default_factory=list)
    seq: int = 0  # of the newest that was passed on
    early: dict[int, Event] = field(default_factory=dict)  # those that wait for one before them

    def flush(self) -> None:
        events, self.waiting = self.waiting, []
        for stream in self.streams:
            stream.put(events)


class Hub:
    """The hub of one process. It is opened in the event loop that the streams run in."""

    def __init__(self, relay: "Relay | None" = None) -> None:
        self.newest: Callable[[Sequence[str]], Mapping[str, int]] = lambda _names: {}
        """Gives the newest numbers of those of some channels that have any, as the database has them."""
        self._relay = relay
        self._looking: asyncio.Task[None] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._channels: OrderedDict[str, _Channel] = OrderedDict()
        self._inbox: deque[Event] = deque()
        self._counting = threading.Lock()
        self._count = 0

    @property
    def has_others(self) -> bool:
        """Whether other workers may serve the same races."""
        return self._relay is not None

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        if self._relay is not None:
            self._relay.start(self)
            self._looking = asyncio.create_task(self._look_on(self._relay))

    def close(self) -> None:
        """Ends every stream."""
        self._loop = None
        for channel in self._channels.values():
            for stream in channel.streams:
                stream.close()

    async def stop(self) -> None:
        """Closes it, and lets go of the others."""
        self.close()
        self._ended.set()
        if self._relay is not None:
            await self._relay.stop()
        for task in (self._looking, self._reading):
            if task is not None:
                await asyncio.gather(task, return_exceptions=True)

    # Being told

    def publish(self, event: Event) -> None:
        """Tells everyone who listens; called after the commit, from any thread."""
        self._inbox.append(event)
        loop = self._loop
        if loop is None or loop.is_closed():
            self._inbox.clear()
            return
        loop.call_soon_threadsafe(self._deliver)

    def announce(self, name: str, kind: str) -> None:
        """Tells that a channel has something new which those who listen read themselves. From any thread."""
        with self._counting:
            self._count = max(self._count + 1, time.time_ns() // 1_000_000)
            count = self._count
        self.publish(Event(name, count, kind, "{}", ordered=False))

    def _deliver(self) -> None:
        while self._inbox:
            event = self._inbox.popleft()
            if self._relay is not None:
                self._relay.send(event)
            self.hear(event)

    def hear(self, event: Event) -> None:
        """Passes an event on to the streams: in its turn, if one before it comes soon."""
        channel = self._channel(event.channel)
        if event.ordered and 0 < channel.seq < event.seq - 1 < channel.seq + KEPT:
            if not channel.early:
                asyncio.get_running_loop().call_later(OVERTAKEN, self._wait_no_longer, channel)
            channel.early[event.seq] = event
            return
        self._pass_on(channel, event)
        while (following := channel.early.pop(channel.seq + 1, None)) is not None:
            self._pass_on(channel, following)

    def _wait_no_longer(self, channel: _Channel) -> None:
        for number in sorted(channel.early):
            self._pass_on(channel, channel.early.pop(number))

    def _pass_on(self, channel: _Channel, event: Event) -> None:
        if event.ordered:
            channel.seq = max(channel.seq, event.seq)
        if event.seq:
            channel.kept.append(event)
        channel.waiting.append(event)
        if len(channel.streams) <= CROWD:
            channel.flush()
        elif len(channel.waiting) == 1:
            asyncio.get_running_loop().call_later(PAUSE, channel.flush)

    # What was not heard

    def overhear(self, name: str) -> None:
        """A channel has something new, but not what: its streams read it themselves."""
        for stream in self._streams(name):
            stream.miss()

    def begin(self) -> None:
        """The relay hears the others from now on."""
        self._reading = asyncio.create_task(self.look(lost=True))

    async def look(self, *, lost: bool) -> None:
        """Has streams read anew that are behind the database; if ``lost``, those without numbers too."""
        names = [name for name, channel in self._channels.items() if channel.streams]
        found = await run_sync(self.newest, names) if names else {}
        for name in names:
            channel = self._channel(name)
            if lost if name not in found else found[name] > channel.seq:
                channel.seq = max(channel.seq, found.get(name, 0))
                self.overhear(name)

    async def _look_on(self, relay: "Relay") -> None:
        while not self._ended.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK):
                    await self._ended.wait()
                return
            try:
                await self.look(lost=not relay.hears)
            except Exception as error:
                log.warning("hub_cannot_look", error=type(error).__name__)

    # Listening

    def subscribe(self, name: str) -> Subscription:
        stream = Subscription()
        self._channel(name).streams.add(stream)
        return stream

    def unsubscribe(self, name: str, stream: Subscription) -> None:
        stream.close()
        channel = self._channels.get(name)
        if channel is not None:
            channel.streams.discard(stream)

    def since(self, name: str, seq: int, newest: int) -> list[Event] | None:
        """The events of a channel after a number up to the newest; None if some of them are not kept."""
        channel = self._channels.get(name)
        events = {event.seq: event for event in channel.kept} if channel else {}
        wanted = range(seq + 1, newest + 1)
        if seq > newest or len(wanted) > KEPT or not all(number in events for number in wanted):
            return None
        return [events[number] for number in wanted]

    def _streams(self, name: str) -> set[Subscription]:
        channel = self._channels.get(name)
        return channel.streams if channel else set()

    def listeners(self, name: str) -> int:
        return len(self._streams(name))

    def _channel(self, name: str) -> _Channel:
        channel = self._channels.get(name)
        if channel is None:
            channel = self._channels[name] = _Channel()
            if len(self._channels) > CHANNELS:
                self._forget()
        self._channels.move_to_end(name)
        return channel

    def _forget(self) -> None:
        """Lets go of the channel unused for longest that nobody listens to."""
        for name, channel in self._channels.items():
            if not channel.streams:
                del self._channels[name]
                return
