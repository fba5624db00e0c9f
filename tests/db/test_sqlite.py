import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError, OperationalError

from app.db import Database, open_database
from app.db.sqlite import is_affected, sqlite_module


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(f"sqlite:///{tmp_path / 'test.db'}")
    with database.write() as connection:
        connection.execute(text("CREATE TABLE counter (n INTEGER NOT NULL)"))
        connection.execute(text("INSERT INTO counter VALUES (0)"))
        connection.execute(text("CREATE TABLE parent (id INTEGER PRIMARY KEY)"))
        connection.execute(text("CREATE TABLE child (id INTEGER REFERENCES parent (id))"))
    yield database
    database.close()


def count(db: Database) -> int:
    with db.read() as connection:
        return int(connection.execute(text("SELECT n FROM counter")).scalar_one())


def add_one(connection: Connection) -> int:
    """Reads, then writes what it read plus one: the pattern that loses updates."""
    n = int(connection.execute(text("SELECT n FROM counter")).scalar_one()) + 1
    connection.execute(text("UPDATE counter SET n = :n"), {"n": n})
    return n


def fail(connection: Connection) -> None:
    add_one(connection)
    raise KeyError("on purpose")


COUNT_IN_THREADS = """
import sys, threading
from app.db import open_database
from tests.db.test_sqlite import add_one
db = open_database(sys.argv[1])
def work():
    for _ in range(50):
        with db.write() as connection:
            add_one(connection)
threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
db.close()
"""


def test_two_processes_of_eight_threads_lose_no_update(db: Database) -> None:
    both = [subprocess.Popen([sys.executable, "-c", COUNT_IN_THREADS, db.url]) for _ in range(2)]
    assert [one.wait(100) for one in both] == [0, 0]
    assert count(db) == 2 * 8 * 50


def test_a_write_is_rolled_back_on_an_error(db: Database) -> None:
    with pytest.raises(KeyError), db.write() as connection:
        fail(connection)
    assert count(db) == 0
    with db.write() as connection:
        assert add_one(connection) == 1


def test_a_reader_cannot_write(db: Database) -> None:
    with pytest.raises(OperationalError, match="readonly"), db.read() as connection:
        add_one(connection)


def test_a_reader_sees_one_moment_and_waits_for_nobody(db: Database) -> None:
    with db.read() as reader:
        assert reader.execute(text("SELECT n FROM counter")).scalar_one() == 0
        with db.write() as writer:
            add_one(writer)
            assert count(db) == 0, "what is not committed is not seen"
        assert reader.execute(text("SELECT n FROM counter")).scalar_one() == 0
    assert count(db) == 1


def test_foreign_keys_hold(db: Database) -> None:
    with pytest.raises(IntegrityError), db.write() as connection:
        connection.execute(text("INSERT INTO child VALUES (7)"))


def test_a_commit_is_on_the_disk_before_it_returns(db: Database) -> None:
    with db.write() as connection:
        assert connection.execute(text("PRAGMA synchronous")).scalar_one() == 2
        assert connection.execute(text("PRAGMA journal_mode")).scalar_one() == "wal"


def test_a_write_inside_a_write_is_an_error_and_not_a_deadlock(db: Database) -> None:
    with pytest.raises(RuntimeError, match="inside a write"), db.write(), db.write():
        pass
    with db.write() as connection:
        add_one(connection)
    assert count(db) == 1


def test_sessions_of_the_orm_share_these_transactions(db: Database) -> None:
    with db.write_session() as session:
        session.execute(text("UPDATE counter SET n = 5"))
    with db.read_session() as session:
        assert session.execute(text("SELECT n FROM counter")).scalar_one() == 5
    with pytest.raises(KeyError), db.write_session() as session:  # noqa: PT012
        session.execute(text("UPDATE counter SET n = 6"))
        raise KeyError
    assert count(db) == 5


# Announcements


def test_a_write_announces_after_its_commit(db: Database) -> None:
    seen: list[int] = []
    with db.write() as connection:
        add_one(connection)
        db.after_commit(connection, lambda: seen.append(count(db)))
        assert seen == []
    assert seen == [1]


def test_a_write_that_failed_announces_nothing(db: Database) -> None:
    seen: list[str] = []
    with pytest.raises(KeyError), db.write() as connection:  # noqa: PT012
        db.after_commit(connection, seen.append, "failed")
        fail(connection)
    with db.write() as connection:
        db.after_commit(connection, seen.append, "done")
    assert seen == ["done"]


def test_a_commit_that_failed_announces_nothing(db: Database) -> None:
    seen: list[str] = []
    with pytest.raises(IntegrityError), db.write() as connection:  # noqa: PT012
        connection.execute(text("PRAGMA defer_foreign_keys = ON"))
        connection.execute(text("INSERT INTO child VALUES (7)"))
        db.after_commit(connection, seen.append, "failed")
    assert seen == []
    with db.write() as connection:
        add_one(connection)
    assert count(db) == 1


def test_an_announcement_may_write_and_may_fail(db: Database) -> None:
    def write() -> None:
        with db.write() as connection:
            add_one(connection)

    with db.write() as connection:
        db.after_commit(connection, fail, connection)
        db.after_commit(connection, write)
    assert count(db) == 1


# From the event loop


async def many(db: Database, works: list[Any]) -> list[Any]:
    return list(await asyncio.gather(*(db.submit(work) for work in works), return_exceptions=True))


def test_submitted_jobs_stand_or_fall_alone(db: Database) -> None:
    results = asyncio.run(many(db, [add_one, fail, add_one, fail, add_one] * 20))
    assert [result for result in results if not isinstance(result, KeyError)] == list(range(1, 61))
    assert sum(isinstance(result, KeyError) for result in results) == 40
    assert count(db) == 60


def test_jobs_that_wait_share_a_commit(db: Database) -> None:
    with db.statements() as statements:
        asyncio.run(many(db, [add_one] * 100))
    assert count(db) == 100
    assert statements.count("COMMIT") < 25


def test_only_jobs_that_succeeded_announce(db: Database) -> None:
    seen: list[str] = []

    def done(connection: Connection) -> None:
        db.after_commit(connection, seen.append, "done")

    def failed(connection: Connection) -> None:
        db.after_commit(connection, seen.append, "failed")
        raise KeyError

    asyncio.run(many(db, [done, failed, done, failed]))
    assert seen == ["done", "done"]


def test_a_commit_that_failed_fails_every_job_of_it(db: Database) -> None:
    seen: list[str] = []

    def late(connection: Connection) -> None:
        connection.execute(text("PRAGMA defer_foreign_keys = ON"))
        connection.execute(text("INSERT INTO child VALUES (7)"))
        db.after_commit(connection, seen.append, "failed")

    async def both() -> list[Any]:
        with db.write():  # so that both wait, and come into one transaction
            waiting = asyncio.ensure_future(many(db, [add_one, late]))
            await asyncio.sleep(0.2)
        return await waiting

    # The first job may have been taken alone, before the second came.
    first, second = asyncio.run(both())
    assert isinstance(second, IntegrityError)
    assert count(db) == (0 if isinstance(first, IntegrityError) else 1)
    assert seen == []


def test_jobs_before_one_that_ends_the_transaction_are_not_taken_for_done(db: Database) -> None:
    def end_all(connection: Connection) -> None:
        connection.execute(text("INSERT INTO parent VALUES (1)"))
        connection.execute(text("INSERT OR ROLLBACK INTO parent VALUES (1)"))

    results = asyncio.run(many(db, [add_one] * 5 + [end_all] + [add_one] * 5))
    done = [result for result in results if not isinstance(result, BaseException)]
    assert count(db) == len(done) == len(set(done))
    with db.write() as connection:
        add_one(connection)


def test_a_job_is_done_once_though_nobody_waits_for_it(db: Database) -> None:
    async def give_up() -> None:
        with db.write():
            task = asyncio.ensure_future(db.submit(add_one))
            await asyncio.sleep(0.05)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await db.submit(lambda _connection: None)

    asyncio.run(give_up())
    assert count(db) == 1


def test_a_slow_disk_does_not_stop_the_event_loop(db: Database) -> None:
    """Somebody else holds the database for half a second, as a slow sync would."""

    async def longest_stall() -> float:
        longest, last, end = 0.0, time.monotonic(), time.monotonic() + 1.0
        jobs = [asyncio.ensure_future(db.submit(add_one)) for _ in range(20)]
        while time.monotonic() < end:
            await asyncio.sleep(0.005)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        assert sorted(await asyncio.gather(*jobs)) == list(range(1, 21))
        return longest

    other = sqlite_module().connect(
        str(db.url).removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False
    )
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.5, lambda: other.execute("ROLLBACK"))
    release.start()
    assert asyncio.run(longest_stall()) < 0.25
    release.join()
    other.close()
    assert count(db) == 20


def test_close_finishes_what_was_submitted(db: Database) -> None:
    async def submit_and_close() -> list[Any]:
        jobs = [asyncio.ensure_future(db.submit(add_one)) for _ in range(30)]
        await asyncio.sleep(0)
        await asyncio.to_thread(db.close)
        return await asyncio.gather(*jobs)

    assert asyncio.run(submit_and_close()) == list(range(1, 31))
    with pytest.raises(RuntimeError, match="closed"), db.write():
        pass
    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(db.submit(add_one))
    db.close()


# Counting, and what is refused


def test_statements_are_those_that_sqlite_runs(db: Database) -> None:
    with db.statements() as statements, db.write() as connection:
        connection.execute(text("UPDATE counter SET n = :n"), {"n": 3})
        raw: Any = connection.connection.driver_connection
        raw.execute("SELECT n FROM counter")
    assert statements == ["BEGIN IMMEDIATE", "UPDATE counter SET n = 3", "SELECT n FROM counter", "COMMIT"]
    with db.write() as connection:
        add_one(connection)
    assert len(statements) == 4, "nothing is noted afterwards"


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "mysql://nowhere/db"])
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="database"):
        open_database(url)


@pytest.mark.parametrize(
    ("version", "affected"),
    [
        ((3, 6, 23), False), ((3, 7, 0), True), ((3, 40, 1), True), ((3, 44, 5), True), ((3, 44, 6), False),
        ((3, 45, 0), True), ((3, 50, 6), True), ((3, 50, 7), False), ((3, 51, 2), True), ((3, 51, 3), False),
        ((3, 53, 4), False),
    ],
)  # fmt: skip
def test_affected_versions_of_sqlite_are_known(version: tuple[int, int, int], affected: bool) -> None:
    assert is_affected(version) is affected


def test_an_affected_sqlite_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.db.sqlite.is_affected", lambda _version: True)
    open_database(f"sqlite:///{tmp_path / 'test.db'}").close()
    told = capsys.readouterr()
    assert "sqlite_affected" in told.out + told.err
