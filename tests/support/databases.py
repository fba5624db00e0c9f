"""The databases of the tests: SQLite, or with ``SPINDEL_TEST_DATABASE=postgresql`` PostgreSQL and a Redis."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from app.db.opening import sqlite_path
from app.migrate import migrate
from app.settings import Settings

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


def migrated(settings: Settings) -> None:
    """Bring the database of a test to the program's revision: as a copy of one that was migrated once."""
    if settings.is_sqlite:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_one_migrated(), sqlite_path(settings.database_url))


@cache
def _one_migrated() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="spindel-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    settings = Settings(data_dir=folder)
    migrate(settings)
    found = sqlite_path(settings.database_url)
    assert not found.with_name(found.name + "-wal").exists()
    return found
