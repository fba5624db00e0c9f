"""The hub: what is kept, what a slow stream misses, and that nobody is told twice."""

import asyncio
import threading

import pytest

from app.races.hub import CHANNELS, CROWD, KEPT, OVERTAKEN, PAUSE, WAITING, Event, Hub

pytestmark = pytest.mark.anyio


def event(seq: int, channel: str = "race") -> Event:
    return Event(channel, seq, "seat", "{}")


async def hub_with(*numbers: int) -> Hub:
    hub = Hub()
    hub.open()
    for number in numbers:
        hub.publish(event(number))
    await asyncio.sleep(0)
    return hub


async def test_what_is_published_from_any_thread_reaches_every_stream_of_its_channel() -> None:
    hub = await hub_with()
    first, second, other = hub.subscribe("race"), hub.subscribe("race"), hub.subscribe("lobby")
    thread = threading.Thread(target=hub.publish, args=(event(1),))
    thread.start()
    thread.join()
    assert await first.wait(5)
    assert await second.wait(5)
    assert (list(first.waiting), list(second.waiting), list(other.waiting)) == ([event(1)], [event(1)], [])


async def test_silence_is_told_from_news() -> None:
    hub = await hub_with()
    stream = hub.subscribe("race")
    assert not await stream.wait(0.01)
    hub.publish(event(1))
    assert await stream.wait(5)


async def test_events_since_a_number_have_no_gap() -> None:
    hub = await hub_with(3, 4, 6, 5)
    assert [one.seq for one in hub.since("race", 3, 6) or []] == [4, 5, 6]
    assert hub.since("race", 6, 6) == []
    assert hub.since("race", 1, 6) is None  # 2 was never kept
    assert hub.since("race", 6, 7) is None  # committed, and not here yet
    assert hub.since("race", 9, 6) is None  # of the future
    assert hub.since("none", 1, 2) is None


async def test_only_the_newest_are_kept() -> None:
    hub = await hub_with(*range(1, KEPT + 11))
    assert hub.since("race", 9, KEPT + 10) is None
    found = hub.since("race", 10, KEPT + 10)
    assert found is not None
    assert len(found) == KEPT


async def test_a_stream_that_is_too_slow_is_told_that_it_missed_something() -> None:
    hub = await hub_with()
    stream = hub.subscribe("race")
    for number in range(WAITING + 1):
        hub.publish(event(number))
    await asyncio.sleep(0)
    assert stream.missed
    assert len(stream.waiting) == 1


async def test_channels_nobody_listens_to_are_forgotten_and_others_not() -> None:
    hub = await hub_with(1)
    hub.subscribe("race")
    for number in range(CHANNELS + 5):
        hub.publish(event(1, f"race {number}"))
    await asyncio.sleep(0)
    assert hub.since("race", 0, 1) == [event(1)]
    assert hub.since("race 0", 0, 1) is None
    assert hub.listeners("race") == 1


async def test_when_it_closes_every_stream_ends_and_nothing_more_is_told() -> None:
    hub = await hub_with()
    stream = hub.subscribe("race")
    hub.close()
    assert await stream.wait(5)
    assert stream.closed
    hub.publish(event(1))
    await asyncio.sleep(0)
    assert not stream.waiting


async def test_announcements_are_numbered_upwards() -> None:
    hub = await hub_with()
    stream = hub.subscribe("lobby")
    for _ in range(3):
        hub.announce("lobby", "lobby")
    await asyncio.sleep(0)
    numbers = [one.seq for one in stream.waiting]
    assert numbers == sorted(set(numbers))


async def test_an_event_of_the_moment_comes_in_its_turn_and_is_not_kept() -> None:
    hub = await hub_with()
    stream = hub.subscribe("race")
    for number in (1, 0, 2):
        hub.publish(event(number))
    await asyncio.sleep(0)
    assert [one.seq for one in stream.waiting] == [1, 0, 2]
    assert [one.seq for one in hub.since("race", 0, 2) or []] == [1, 2]


async def test_a_crowd_is_told_together_and_in_order() -> None:
    hub = await hub_with()
    streams = [hub.subscribe("race") for _ in range(CROWD + 1)]
    for number in (1, 2, 3):
        hub.publish(event(number))
    await asyncio.sleep(0)
    assert not any(stream.waiting for stream in streams)
    assert [one.seq for one in hub.since("race", 0, 3) or []] == [1, 2, 3]
    await asyncio.sleep(2 * PAUSE)
    assert {tuple(one.seq for one in stream.waiting) for stream in streams} == {(1, 2, 3)}
    hub.publish(event(4))
    hub.unsubscribe("race", streams[0])
    await asyncio.sleep(2 * PAUSE)
    assert streams[1].waiting[-1].seq == 4


async def test_one_that_was_overtaken_comes_in_its_turn() -> None:
    hub = await hub_with(3)
    stream = hub.subscribe("race")
    for number in (6, 4, 5, 7):
        hub.publish(event(number))
    await asyncio.sleep(0)
    assert [one.seq for one in stream.waiting] == [4, 5, 6, 7]


async def test_one_that_never_comes_is_not_waited_for() -> None:
    hub = await hub_with(3)
    stream = hub.subscribe("race")
    hub.publish(event(6))
    hub.publish(event(5))
    await asyncio.sleep(0)
    assert not stream.waiting
    await asyncio.sleep(2 * OVERTAKEN)
    assert [one.seq for one in stream.waiting] == [5, 6]
    hub.publish(event(7))
    await asyncio.sleep(0)
    assert stream.waiting[-1].seq == 7
