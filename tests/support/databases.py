"""The databases of the tests: SQLite, or with ``SPINDEL_TEST_DATABASE=postgresql`` PostgreSQL and a Redis."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

DATABASE = os.environ.get("SPINDEL_TEST_DATABASE", "sqlite")
"""Which database the tests run on: ``sqlite``, or ``postgresql`` (with a Redis beside it)."""


@contextmanager
def another_database() -> Iterator[dict[str, str]]:
    """The settings of one more database, empty in SQLite and migrated in PostgreSQL; it goes at the end."""
    if DATABASE == "sqlite":
        yield {}
        return
    from tests.support import services

    url = services.postgres().migrated()
    yield {"database_url": url, "redis_url": services.the_redis().url}
    services.postgres().give_back(url)
