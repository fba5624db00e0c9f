"""PostgreSQL: any number of workers on any number of machines write at the same time.

Writes are READ COMMITTED: each statement sees what was committed before it. What a write rests on it locks as
it reads it (``with_for_update(key_share=True)``, or ``hold``), and a unique key has the last word. Reads are
one snapshot (REPEATABLE READ, read only), as they are in SQLite.

Two writes that lock the same rows in another order come to a deadlock, which PostgreSQL ends after a second
by giving up one of them. A submitted job that was given up is done again; a ``with db.write()`` raises.
"""

import asyncio
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, Concatenate, ParamSpec, TypeVar

import psycopg
import structlog
from psycopg.types.string import StrDumperUnknown
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

from app.db.database import Database, Lead, is_given_up

P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)

TRIES = 5

RESTED = 1.0
"""Seconds after which a connection is tried before it is used."""

_PING = ";"


class _TextDumper(StrDumperUnknown):
    """Lets a NUL be looked for, which no text in PostgreSQL can hold: nothing is found by it."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "\ufffd") if "\0" in obj else obj)


class PostgresDatabase(Database):
    """One PostgreSQL database, by at most ``readers + 2 * writers`` connections.

    ``writers`` is how many submitted jobs are worked on at the same time; as many threads more may write.
    """

    def __init__(self, url: str, *, readers: int = 12, writers: int = 6) -> None:
        super().__init__(url)
        self._inside = threading.local()
        self._accepting = True
        self._closed = False
        self._jobs = ThreadPoolExecutor(writers, thread_name_prefix="database-writer")
        self._write_engine = self._engine("READ COMMITTED", 2 * writers, read_only=False)
        self._read_engine = self._engine("REPEATABLE READ", readers, read_only=True)

    def _engine(self, isolation: Any, connections: int, *, read_only: bool) -> Engine:
        engine = create_engine(
            make_url(self.url).set(drivername="postgresql+psycopg"),
            isolation_level=isolation,
            pool_size=connections,
            max_overflow=0,
            use_native_hstore=False,  # looked for at every start, and not used
            hide_parameters=True,  # they hold sealed deals, and the hashes of tokens
            connect_args={"connect_timeout": 10, "application_name": "spindel"},
        )
        trace = self._trace

        class Cursor(psycopg.Cursor[Any]):
            def execute(self, query: Any, *args: Any, **kwargs: Any) -> Any:
                if query != _PING:
                    trace(str(query))
                return super().execute(query, *args, **kwargs)

        @event.listens_for(engine, "connect")
        def on_connect(raw: Any, _record: object) -> None:
            raw.read_only = read_only
            raw.cursor_factory = Cursor
            raw.adapters.register_dumper(str, _TextDumper)

        @event.listens_for(engine, "checkin")
        def on_checkin(_raw: Any, record: ConnectionPoolEntry) -> None:
            record.info["rests_since"] = time.monotonic()

        @event.listens_for(engine, "checkout")
        def on_checkout(raw: Any, record: ConnectionPoolEntry, _proxy: object) -> None:
            """A server that was started anew has closed them all. Asked each time, every move would wait."""
            if time.monotonic() - record.info.get("rests_since", time.monotonic()) > RESTED:
                try:
                    engine.dialect.do_ping(raw)
                except psycopg.Error as error:
                    raise InvalidatePoolError from error

        @event.listens_for(engine, "begin")
        def on_begin(_connection: Connection) -> None:
            trace("BEGIN")  # the driver sends these three itself

        @event.listens_for(engine, "commit")
        def on_commit(_connection: Connection) -> None:
            trace("COMMIT")

        @event.listens_for(engine, "rollback")
        def on_rollback(_connection: Connection) -> None:
            trace("ROLLBACK")

        return engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with self._read_engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        with self._once(), self._write_engine.connect() as connection:
            self._announcements(connection).clear()
            with connection.begin():
                yield connection
            announcements = list(self._announcements(connection))
        self._announce(announcements)

    @contextmanager
    def _once(self) -> Iterator[None]:
        """A write inside a write would see nothing of it, and may wait for it for ever."""
        if getattr(self._inside, "writing", False):
            raise RuntimeError("a write inside a write: pass the connection on instead")
        if self._closed:
            raise RuntimeError("the database is closed")
        self._inside.writing = True
        try:
            yield
        finally:
            self._inside.writing = False

    async def submit(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        if not self._accepting:
            raise RuntimeError("the database is closed")

        def job() -> T:
            return self._again(lambda connection: work(connection, *args, **kwargs))

        # Shielded: the job is done though nobody waits for it any more.
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._jobs, job))

    def _again(self, work: Callable[[Connection], T]) -> T:
        """The result of a write, which is done again if it was given up for another's sake."""
        tries = 0
        while True:
            tries += 1
            try:
                with self.write() as connection:
                    return work(connection)
            except DBAPIError as error:
                if not is_given_up(error) or tries == TRIES:
                    raise
                log.info("write_done_again", tries=tries)
            time.sleep(random.random() * 0.02 * 2**tries)

    def lead(self, name: str) -> Lead:
        return _Lead(self.url, name)

    def close(self) -> None:
        self._accepting = False
        self._jobs.shutdown(wait=True)
        self._closed = True
        self._write_engine.dispose()
        self._read_engine.dispose()


class _Lead(Lead):
    """A lock of the server's, on a connection of its own: free when that is lost, or its process dies."""

    def __init__(self, url: str, name: str) -> None:
        self._address = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._name = f"lead {name}"
        self._connection: psycopg.Connection[Any] | None = None
        self._held = False
        self._asking = threading.Lock()

    def is_mine(self) -> bool:
        with self._asking:
            return self._is_mine()

    def _is_mine(self) -> bool:
        try:
            if self._connection is None:
                self._connection = psycopg.connect(
                    self._address, autocommit=True, connect_timeout=10, application_name="spindel lead"
                )
            statement = (
                "SELECT true" if self._held else "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
            )
            row = self._connection.execute(statement, None if self._held else [self._name]).fetchone()
        except psycopg.Error:
            self._leave()
            raise
        self._held = row is not None and bool(row[0])
        return self._held

    def leave(self) -> None:
        with self._asking:
            self._leave()

    def _leave(self) -> None:
        connection, self._connection, self._held = self._connection, None, False
        if connection is not None:
            with suppress(psycopg.Error):  # the server notices a closed connection a moment later only
                connection.execute("SELECT pg_advisory_unlock_all()")
            connection.close()
