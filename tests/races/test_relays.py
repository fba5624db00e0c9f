"""Relays on a real Redis and a real PostgreSQL: who hears what, and what becomes of what was not heard."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from app.races import hub as hubs
from app.races.hub import OVERTAKEN, Event, Hub, Subscription
from app.races.relays import NOTIFY_BYTES, NotifyRelay, RedisRelay, Relay
from tests.support.services import Redis, postgres

pytestmark = pytest.mark.anyio

WAIT = 20.0


class Wire:
    """A relay's server, which a test can cut off."""

    def __init__(self, make: Callable[[], Relay], cut: Callable[[], None], mend: Callable[[], None]) -> None:
        self.make, self.cut, self.mend = make, cut, mend


@pytest.fixture(params=["redis", "notify"])
def wire(request: pytest.FixtureRequest) -> Iterator[Wire]:
    if request.param == "redis":
        redis = Redis()
        yield Wire(lambda: RedisRelay(redis.url, "test"), redis.stop, redis.start)
        redis.remove()
        return
    url = postgres().empty()
    name = url.rpartition("/")[2]

    def cut() -> None:
        postgres().execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        postgres().execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")

    yield Wire(
        lambda: NotifyRelay(url),
        cut,
        lambda: postgres().execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true"),
    )
    postgres().drop(url)


class Stage:
    """Hubs of several workers, and the numbers that their database has."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.numbers: dict[str, int] = {}
        self.hubs: list[Hub] = []

    async def hub(self) -> Hub:
        relay = self.wire.make()
        hub = Hub(relay)
        hub.newest = lambda names: {name: self.numbers[name] for name in names if name in self.numbers}
        hub.open()
        self.hubs.append(hub)
        await until(lambda: hub._reading is not None and hub._reading.done())
        return hub


@pytest.fixture
async def stage(wire: Wire) -> AsyncIterator[Stage]:
    one = Stage(wire)
    yield one
    for hub in one.hubs:
        await hub.stop()


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT):
        while not done():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0.01)


def numbers(stream: Subscription) -> list[int]:
    return [event.seq for event in stream.waiting]


async def test_what_one_is_told_the_others_hear_once(stage: Stage) -> None:
    first, second, third = [await stage.hub() for _ in range(3)]
    streams = [hub.subscribe("race") for hub in (first, second, third)]
    first.publish(Event("race", 1, "seat", '{"ä": "€"}'))
    await until(lambda: all(len(stream.waiting) == 1 for stream in streams))
    for number in range(2, 6):
        (first, second)[number % 2].publish(Event("race", number, "seat", "{}"))
    await until(lambda: all(len(stream.waiting) == 5 for stream in streams))
    await asyncio.sleep(0.05)
    assert [numbers(stream) for stream in streams] == [[1, 2, 3, 4, 5]] * 3
    assert streams[2].waiting[0] == Event("race", 1, "seat", '{"ä": "€"}')


async def test_a_stream_goes_on_at_another_worker(stage: Stage) -> None:
    first, second = await stage.hub(), await stage.hub()
    stream = second.subscribe("race")
    for number in range(1, 4):
        first.publish(Event("race", number, "seat", "{}"))
    await until(lambda: len(stream.waiting) == 3)
    assert [event.seq for event in second.since("race", 1, 3) or []] == [2, 3]


async def test_news_too_long_to_send_are_read_by_who_needs_them(stage: Stage) -> None:
    first, second = await stage.hub(), await stage.hub()
    stream = second.subscribe("race")
    first.publish(Event("race", 1, "race", "x" * 2 * NOTIFY_BYTES))
    async with asyncio.timeout(WAIT):
        assert await stream.wait(WAIT)
    assert stream.missed or numbers(stream) == [1]
    assert stream.missed == isinstance(stage.hubs[1]._relay, NotifyRelay)


async def test_an_announcement_waits_for_none_before_it(stage: Stage) -> None:
    first, second = await stage.hub(), await stage.hub()
    stream = second.subscribe("lobby")
    first.announce("lobby", "lobby")
    await until(lambda: len(stream.waiting) == 1)
    first.announce("lobby", "lobby")
    async with asyncio.timeout(OVERTAKEN):
        while len(stream.waiting) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def test_what_was_not_heard_is_read_when_the_relay_is_back(stage: Stage) -> None:
    first, second = await stage.hub(), await stage.hub()
    race, lobby, other = second.subscribe("race"), second.subscribe("lobby"), second.subscribe("other")
    stage.numbers |= {"race": 1, "other": 4}
    first.publish(Event("race", 1, "seat", "{}"))
    first.publish(Event("other", 4, "seat", "{}"))
    await until(lambda: bool(race.waiting and other.waiting))
    await asyncio.to_thread(stage.wire.cut)
    await until(lambda: not any(hub._relay is None or hub._relay.hears for hub in stage.hubs))
    for number in range(2, 2000):  # more than wait to be sent
        first.publish(Event("race", number, "seat", "{}"))
    stage.numbers["race"] = 1999
    await asyncio.sleep(0.05)
    assert numbers(race) == [1], "nothing came through"
    await asyncio.to_thread(stage.wire.mend)
    await until(lambda: race.missed)
    await until(lambda: lobby.missed)
    assert not other.missed, "nothing was lost there"
    stage.numbers["race"] = 2000
    race.waiting.clear()
    first.publish(Event("race", 2000, "seat", "{}"))
    await until(lambda: 2000 in numbers(race))


async def test_without_the_relay_what_is_new_is_found_by_looking(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "LOOK", 0.1)
    hub = await stage.hub()
    race, lobby = hub.subscribe("race"), hub.subscribe("lobby")
    await asyncio.sleep(0.3)
    assert not race.missed
    assert not lobby.missed
    stage.numbers["race"] = 7
    await until(lambda: race.missed)
    assert not lobby.missed
    await asyncio.to_thread(stage.wire.cut)
    await until(lambda: lobby.missed)
    await asyncio.to_thread(stage.wire.mend)
