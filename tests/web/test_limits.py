"""Where tries are counted: in Redis for all workers, else in each for itself."""

from collections.abc import Iterator

import pytest

from app.web.errors import Problem
from app.web.limits import Limiter
from tests.support.services import Redis

MOST = 5  # tries of "recover" in a minute


@pytest.fixture
def redis() -> Iterator[Redis]:
    one = Redis()
    yield one
    one.remove()


def tries(limiter: Limiter, who: str) -> int:
    """How many are let through from now on."""
    count = 0
    with pytest.raises(Problem) as caught:  # noqa: PT012
        for _ in range(100):
            limiter.hit("recover", who)
            count += 1
    assert caught.value.status_code == 429
    assert 1 <= int((caught.value.headers or {})["Retry-After"]) <= 60
    return count


def test_two_workers_count_together(redis: Redis) -> None:
    first, second = (Limiter(redis_url=redis.url, name="one") for _ in range(2))
    for _ in range(2):
        first.hit("recover", "127.0.0.1")
    assert tries(second, "127.0.0.1") == MOST - 2
    assert tries(first, "127.0.0.1") == 0
    assert tries(first, "127.0.0.2") == MOST
    another_database = Limiter(redis_url=redis.url, name="two")
    assert tries(another_database, "127.0.0.1") == MOST


def test_without_redis_each_counts_for_itself(redis: Redis) -> None:
    first, second = (Limiter(redis_url=redis.url, name="one") for _ in range(2))
    first.hit("recover", "127.0.0.1")
    redis.stop()
    assert tries(first, "127.0.0.1") == MOST
    assert tries(second, "127.0.0.1") == MOST
