"""PostgreSQL, where many write at the same time. All that holds for any database runs on it elsewhere."""

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, inspect, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, InternalError
from sqlalchemy.sql import column, table

from app.db import Base, Database, hold, open_database, will_pass
from app.db.postgresql import RESTED, PostgresDatabase
from app.migrate import MigrationError, migrate
from app.settings import Settings, resource
from tests.support.services import postgres

pytestmark = pytest.mark.slow

counter = table("counter", column("id"), column("n"))


@pytest.fixture
def url() -> Iterator[str]:
    """The address of an empty database."""
    one = postgres().empty()
    yield one
    postgres().drop(one)


@pytest.fixture
def db(url: str) -> Iterator[Database]:
    database = open_database(url)
    with database.write() as connection:
        connection.execute(text("CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)"))
        connection.execute(text("INSERT INTO counter VALUES (1, 0), (2, 0)"))
    yield database
    database.close()


@pytest.fixture
def settings(url: str, tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", database_url=url)


def count(db: Database, number: int = 1) -> int:
    with db.read() as connection:
        return int(
            connection.execute(text("SELECT n FROM counter WHERE id = :id"), {"id": number}).scalar_one()
        )


def add_one(connection: Connection, number: int = 1) -> int:
    """Reads, then writes what it read plus one; what it rests on it holds."""
    hold(connection, select(counter.c.n).where(counter.c.id == number))
    n = int(connection.execute(text("SELECT n FROM counter WHERE id = :id"), {"id": number}).scalar_one())
    connection.execute(text("UPDATE counter SET n = :n WHERE id = :id"), {"n": n + 1, "id": number})
    return n + 1


def together(*works: Any) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_what_is_held_loses_no_update(db: Database) -> None:
    other = open_database(db.url)

    def work(mine: Database) -> None:
        for _ in range(25):
            with mine.write() as connection:
                add_one(connection)

    together(*(lambda mine=mine: work(mine) for mine in (db, other) for _ in range(4)))
    other.close()
    assert count(db) == 2 * 4 * 25


def test_a_name_is_held_by_one_at_a_time(db: Database) -> None:
    def make() -> None:
        with db.write() as connection:
            hold(connection, "row 3")
            there = connection.execute(text("SELECT n FROM counter WHERE id = 3")).scalar()
            if there is None:
                connection.execute(text("INSERT INTO counter VALUES (3, 1)"))

    together(*[make] * 6)
    assert count(db, 3) == 1


def test_two_that_lock_in_another_order_both_succeed(db: Database) -> None:
    """A deadlock: PostgreSQL gives up one of them, and it is done again."""
    met = threading.Barrier(2)
    tries: list[int] = []

    def both(connection: Connection, first: int, second: int) -> None:
        tries.append(first)
        add_one(connection, first)
        if len(tries) <= 2:
            met.wait(10)
        add_one(connection, second)

    async def at_once() -> None:
        await asyncio.gather(db.submit(both, 1, 2), db.submit(both, 2, 1))

    asyncio.run(at_once())
    assert (count(db, 1), count(db, 2)) == (2, 2)
    assert len(tries) == 3


def test_a_write_that_was_given_up_outside_of_jobs_is_told_as_passing(db: Database) -> None:
    met = threading.Barrier(2)
    errors: list[DBAPIError] = []

    def work(first: int, second: int) -> None:
        try:
            with db.write() as connection:
                add_one(connection, first)
                met.wait(10)
                add_one(connection, second)
        except DBAPIError as error:
            errors.append(error)

    together(lambda: work(1, 2), lambda: work(2, 1))
    assert [will_pass(error) for error in errors] == [True]
    assert (count(db, 1), count(db, 2)) == (1, 1)


def test_submitted_jobs_stand_or_fall_alone_and_announce_after_their_commit(db: Database) -> None:
    seen: list[int] = []

    def job(connection: Connection, good: bool) -> None:
        n = add_one(connection)
        db.after_commit(connection, lambda: seen.append(n) if count(db) >= n else None)
        if not good:
            raise KeyError

    async def many() -> list[Any]:
        jobs = [db.submit(job, number % 3 != 0) for number in range(30)]
        return await asyncio.gather(*jobs, return_exceptions=True)

    results = asyncio.run(many())
    assert sum(isinstance(result, KeyError) for result in results) == 10
    assert count(db) == 20
    assert sorted(seen) == list(range(1, 21))


def test_a_job_is_done_though_nobody_waits_for_it(db: Database) -> None:
    async def give_up() -> None:
        tasks = [asyncio.ensure_future(db.submit(add_one)) for _ in range(20)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(give_up())
    url = db.url
    db.close()
    again = open_database(url)
    assert count(again) == 20
    again.close()
    with pytest.raises(RuntimeError, match="closed"), db.write():
        pass


def test_a_reader_sees_one_moment_and_cannot_write(db: Database) -> None:
    with db.read() as reader:
        assert reader.execute(text("SELECT n FROM counter WHERE id = 1")).scalar_one() == 0
        with db.write() as writer:
            add_one(writer)
        assert reader.execute(text("SELECT n FROM counter WHERE id = 1")).scalar_one() == 0
    with pytest.raises(InternalError, match="read-only"), db.read() as reader:
        reader.execute(text("UPDATE counter SET n = 7"))
    assert count(db) == 1


def test_a_write_inside_a_write_is_an_error(db: Database) -> None:
    with pytest.raises(RuntimeError, match="inside a write"), db.write(), db.write():
        pass
    with db.write() as connection:
        add_one(connection)


def test_no_value_is_in_an_error(db: Database) -> None:
    with pytest.raises(IntegrityError) as caught, db.write() as connection:
        connection.execute(text("INSERT INTO counter VALUES (1, :n)"), {"n": 987654})
    assert "987654" not in str(caught.value)


def test_a_text_that_none_can_be_finds_nothing(db: Database) -> None:
    with db.read() as connection:
        assert connection.execute(text("SELECT 1 WHERE 'a' = :a"), {"a": "a\0"}).all() == []


def test_connections_that_the_server_has_closed_are_made_anew(db: Database) -> None:
    with db.write() as connection:
        add_one(connection)
    postgres().execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = "
        f"'{db.url.rpartition('/')[2]}'"
    )
    threading.Event().wait(RESTED + 0.1)
    assert count(db) == 1
    with db.write() as connection:
        assert add_one(connection) == 2


def test_a_lead_is_one_workers_and_goes_to_another_when_that_one_is_gone(db: Database) -> None:
    first, second = db.lead("time"), db.lead("time")
    assert (first.is_mine(), second.is_mine(), first.is_mine()) == (True, False, True)
    another = db.lead("bank")
    assert another.is_mine()
    first.leave()
    assert second.is_mine()
    assert not first.is_mine()
    postgres().execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'spindel lead'"
    )
    with pytest.raises(psycopg.Error):
        second.is_mine()
    end = time.monotonic() + 20
    while not second.is_mine():  # the server lets go of the lock a moment later
        assert time.monotonic() < end
    for one in (first, second, another):
        one.leave()


@pytest.mark.parametrize("address", ["postgresql+asyncpg://u@h/d", "postgresql://u@h", "oracle://u@h/d"])
def test_addresses_that_cannot_be_used_are_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"database|postgresql"):
        open_database(address)


# Migrations


def test_migrations_build_just_what_the_tables_declare(settings: Settings) -> None:
    done = migrate(settings)
    assert (done.before, done.copy) == (None, None)
    assert not migrate(settings).changed
    database = PostgresDatabase(settings.database_url)
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    database.close()


def test_every_step_goes_down_and_up_again(settings: Settings) -> None:
    head = migrate(settings).after
    assert migrate(settings, "base").after is None
    for script in sorted(path.name[:4] for path in (resource("migrations") / "versions").glob("0*.py")):
        assert migrate(settings, script).after == script
    assert migrate(settings).after == head


def test_two_that_start_at_once_migrate_once(url: str, tmp_path: Path) -> None:
    """On two machines, each with a data directory of its own."""
    done: list[bool] = []
    both = [Settings(data_dir=tmp_path / name, database_url=url) for name in ("one", "two")]
    together(*(lambda mine=mine: done.append(migrate(mine).changed) for mine in both))
    assert sorted(done) == [False, True]


def test_a_migration_that_fails_leaves_all_as_it_was(settings: Settings) -> None:
    migrate(settings, "0001")
    database = open_database(settings.database_url)
    with database.write() as connection:
        connection.execute(text("CREATE TABLE results (in_the_way INTEGER)"))
    with pytest.raises(MigrationError, match="already exists"):
        migrate(settings)
    with database.read() as connection:
        assert "games" not in inspect(connection).get_table_names()
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == "0001"
    database.close()


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    nowhere = Settings(data_dir=tmp_path, database_url="postgresql://u:secretword@127.0.0.1:1/d")
    with pytest.raises(MigrationError, match="SPINDEL_DATABASE_URL") as caught:
        migrate(nowhere)
    assert "secretword" not in str(caught.value)
