"""SQLite: one writer, and readers that see a snapshot.

SQLite's own defaults (as SQLAlchemy gives them) let two writers read the same row and overwrite each
other. So here every write is one ``BEGIN IMMEDIATE`` transaction on one connection behind one lock, and every
read is a snapshot on another engine that cannot write. A write is on the disk (WAL, synchronous FULL) before
it is answered.

Jobs that are submitted while a commit is being synced to the disk share the next transaction: each stands or
falls alone (a savepoint), all are answered after the one commit.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from types import ModuleType
from typing import Any, Concatenate, ParamSpec, TypeVar

import structlog
from sqlalchemy import Connection, Engine, create_engine, event

from app.db.database import Database
from app.db.opening import sqlite_path

P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)

BUSY_MS = 10_000
"""How long a statement waits for another process's lock, in milliseconds."""

BATCH = 64
"""Most jobs that share one transaction."""


def sqlite_module() -> ModuleType:
    """The SQLite library: that of the ``pysqlite3`` wheel where there is one, else the interpreter's."""
    try:
        import pysqlite3.dbapi2 as module
    except ImportError:
        import sqlite3.dbapi2 as module  # type: ignore[no-redef, unused-ignore]
    return module  # type: ignore[no-any-return, unused-ignore]


def is_affected(version: tuple[int, int, int]) -> bool:
    """Whether SQLite has the WAL-reset bug: 3.7.0 to 3.51.2, but mended in 3.44.6 and 3.50.7 too."""
    mended = {(3, 44): 6, (3, 50): 7}
    if version[:2] in mended:
        return version[2] < mended[version[:2]]
    return (3, 7, 0) <= version < (3, 51, 3)


@dataclass(slots=True)
class _Job:
    work: Callable[[Connection], Any]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Any]"
    result: Any = None
    error: BaseException | None = None

    def settle(self) -> None:
        """Answer the one who waits, in its loop; nobody waits any more when the request was cut off."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class SqliteDatabase(Database):
    """One SQLite database: a writer and a pool of readers."""

    def __init__(self, url: str, *, readers: int = 40) -> None:
        super().__init__(url)
        sqlite_path(url).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        module = sqlite_module()
        if is_affected(module.sqlite_version_info):
            log.warning("sqlite_affected", version=module.sqlite_version, advice="pip install pysqlite3")

        self._raw: set[Any] = set()
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._thread_lock = threading.Lock()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._accepting = True
        self._closed = False
        common: dict[str, Any] = {
            "module": module,
            "connect_args": {"check_same_thread": False},
            "hide_parameters": True,  # they hold sealed deals, and the hashes of tokens
        }
        self._write_engine = create_engine(url, pool_size=1, max_overflow=0, **common)
        self._read_engine = create_engine(url, pool_size=readers, max_overflow=0, **common)
        self._prepare(self._write_engine, begin="BEGIN IMMEDIATE", read_only=False)
        self._prepare(self._read_engine, begin="BEGIN", read_only=True)
        self._writer: Connection | None = None

    def _prepare(self, engine: Engine, *, begin: str, read_only: bool) -> None:
        @event.listens_for(engine, "connect")
        def on_connect(raw: Any, _record: object) -> None:
            # The driver must not open transactions by itself: its deferred ones are those that lose updates.
            raw.isolation_level = None
            raw.execute(f"PRAGMA busy_timeout={BUSY_MS}")
            if not read_only and raw.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                raw.execute("PRAGMA journal_mode=WAL")
            raw.execute("PRAGMA synchronous=FULL")
            raw.execute("PRAGMA foreign_keys=ON")
            raw.execute("PRAGMA journal_size_limit=67108864")
            if read_only:
                raw.execute("PRAGMA query_only=ON")
            self._raw.add(raw)
            raw.set_trace_callback(self._trace if self._watchers else None)

        @event.listens_for(engine, "close")
        def on_close(raw: Any, _record: object) -> None:
            self._raw.discard(raw)

        @event.listens_for(engine, "begin")
        def on_begin(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

    # Reading

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with self._read_engine.connect() as connection:
            yield connection

    # Writing

    @contextmanager
    def write(self) -> Iterator[Connection]:
        with self._writing() as connection, connection.begin():
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Hold the writer; afterwards run what was to be announced, if nothing was raised."""
        me = threading.get_ident()
        if self._owner == me:
            raise RuntimeError("a write inside a write: pass the connection on instead")
        announcements: list[Callable[[], object]] = []
        with self._lock:
            self._owner = me
            try:
                if self._closed:
                    raise RuntimeError("the database is closed")
                if self._writer is not None:
                    self._tidy(self._writer)  # an announcement may have used it after its commit
                if self._writer is None:
                    self._writer = self._write_engine.connect()
                writer = self._writer
                self._announcements(writer).clear()
                try:
                    yield writer
                    announcements = list(self._announcements(writer))
                finally:
                    self._tidy(writer)
            finally:
                self._owner = None
        self._announce(announcements)

    def _tidy(self, writer: Connection) -> None:
        """Keep the writer for the next write, unless a transaction is left open on it or it is broken."""
        broken = writer.closed or writer.invalidated or writer.in_transaction()
        # After a COMMIT that failed SQLite may leave the transaction open, of which SQLAlchemy knows nothing.
        if broken or _raw(writer).in_transaction:
            self._writer = None
            if not writer.closed:
                writer.invalidate()
                writer.close()

    # Writing from the event loop

    async def submit(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        loop = asyncio.get_running_loop()
        job = _Job(lambda connection: work(connection, *args, **kwargs), loop, loop.create_future())
        self._start_thread()
        self._jobs.put(job)
        result: T = await job.future
        return result

    def _start_thread(self) -> None:
        if not self._accepting:
            raise RuntimeError("the database is closed")
        if self._thread is None:
            with self._thread_lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="database-writer", daemon=True)
                    self._thread.start()

    def _work(self) -> None:
        """The writer's thread: take what waits, write it in one transaction, answer, until told to stop."""
        going_on = True
        while going_on:
            job = self._jobs.get()
            batch: list[_Job] = []
            while job is not None:
                batch.append(job)
                if len(batch) == BATCH:
                    break
                try:
                    job = self._jobs.get_nowait()
                except Empty:
                    break
            going_on = job is not None
            if batch:
                self._run(batch)

    def _run(self, batch: list[_Job]) -> None:
        try:
            with self._writing() as connection, connection.begin() as transaction:
                for job in batch:
                    self._run_one(connection, job, alone=len(batch) == 1)
                if all(job.error is not None for job in batch):
                    self._announcements(connection).clear()
                    transaction.rollback()
        except BaseException as error:  # the commit failed: nothing of the batch stands
            for job in batch:
                job.error = job.error or error
        for loop in {job.loop for job in batch}:
            mine = [job for job in batch if job.loop is loop]
            try:
                loop.call_soon_threadsafe(_settle, mine)
            except RuntimeError:  # the loop was closed meanwhile; there is nobody left to answer
                log.info("answer_without_loop", jobs=len(mine))

    def _run_one(self, connection: Connection, job: _Job, *, alone: bool) -> None:
        announcements = self._announcements(connection)
        before = len(announcements)
        savepoint = nullcontext() if alone else _savepoint(connection)
        try:
            with savepoint:
                job.result = job.work(connection)
        except BaseException as error:
            job.error = error
            del announcements[before:]
            if not _raw(connection).in_transaction:
                raise  # SQLite gave up the whole transaction (a full disk), and with it the jobs before this

    # Watching, and the end

    def _watch(self) -> None:
        for raw in list(self._raw):
            raw.set_trace_callback(self._trace if self._watchers else None)

    def close(self) -> None:
        self._accepting = False
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None
        with self._lock:
            self._closed = True
            if self._writer is not None:
                self._writer.close()
                self._writer = None
        self._write_engine.dispose()
        self._read_engine.dispose()


def _raw(connection: Connection) -> Any:
    """The driver's own connection."""
    return connection.connection.driver_connection


@contextmanager
def _savepoint(connection: Connection) -> Iterator[None]:
    """Undo on an error what happened inside. By the driver: through SQLAlchemy it takes six times as long."""
    raw = _raw(connection)
    raw.execute("SAVEPOINT job")
    try:
        yield
    except BaseException:
        raw.execute("ROLLBACK TO job")
        raise
    finally:
        raw.execute("RELEASE job")


def _settle(jobs: list[_Job]) -> None:
    for job in jobs:
        job.settle()
