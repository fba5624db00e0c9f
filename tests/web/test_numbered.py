"""What a stream sends when the hub may have lost something."""

import asyncio

import pytest

from app.races.hub import Hub
from app.web.live import numbered

pytestmark = pytest.mark.anyio


async def test_a_stream_that_may_have_missed_something_gets_the_whole_only_if_it_is_newer() -> None:
    hub, newest = Hub(), 1
    stream = hub.subscribe("race")

    async def whole() -> tuple[int, bytes]:
        return newest, f"id: {newest}\n\n".encode()

    parts = numbered(hub, "race", stream, whole, None)
    assert (await anext(parts)).endswith(b"id: 1\n\n")
    stream.missed = True
    stream.put([])
    waiting = asyncio.ensure_future(anext(parts))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not waiting.done()
    newest = 3
    stream.missed = True
    stream.put([])
    assert await waiting == b"id: 3\n\n"
