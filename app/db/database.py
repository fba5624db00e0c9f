"""What every database of the program does, whichever it is."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Concatenate, ParamSpec, TypeVar

import structlog
from sqlalchemy import Connection, MetaData, Select, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase, Session

P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)


class Base(DeclarativeBase):
    """Parent of every table. Names of constraints are fixed, so that migrations can speak of them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_N_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class Lead:
    """Something that one worker does for all of them."""

    def is_mine(self) -> bool:
        """Whether it falls to this worker now. It waits for the database: call it in a thread."""
        return True

    def leave(self) -> None:
        """Leaves it to the others."""


class Database(ABC):
    """One database, as this process uses it. Make one for each process, and ``close()`` it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._watchers: list[list[str]] = []

    # Reading

    @abstractmethod
    def read(self) -> AbstractContextManager[Connection]:
        """A snapshot of the database as it stands now. It cannot write, and never waits for a writer."""

    @contextmanager
    def read_session(self) -> Iterator[Session]:
        """``read()`` for the ORM."""
        with self.read() as connection, Session(connection) as session:
            yield session

    # Writing

    @abstractmethod
    def write(self) -> AbstractContextManager[Connection]:
        """A write transaction: committed at the block's end, rolled back on an error.

        Waits for others, and for the disk: not for the event loop (see ``submit``), nor inside itself.
        """

    @contextmanager
    def write_session(self) -> Iterator[Session]:
        """``write()`` for the ORM."""
        with self.write() as connection, Session(connection) as session:
            yield session
            session.flush()

    @abstractmethod
    async def submit(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``work(connection, ...)`` in a thread that writes; its result once that is on the disk.

        It takes effect exactly once, even when the one who asked has gone away meanwhile.
        """

    def after_commit(
        self, connection: Connection, announce: Callable[P, object], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Call ``announce`` once the write of ``connection`` is on the disk; never if it is rolled back."""
        self._announcements(connection).append(lambda: announce(*args, **kwargs))

    @staticmethod
    def _announcements(connection: Connection) -> list[Callable[[], object]]:
        found: list[Callable[[], object]] = connection.info.setdefault("after_commit", [])
        return found

    @staticmethod
    def _announce(announcements: Iterable[Callable[[], object]]) -> None:
        for announce in announcements:
            try:
                announce()
            except Exception:
                log.exception("announcement_failed")

    # Among several workers

    def lead(self, name: str) -> Lead:  # noqa: ARG002 - the name is for those who have others
        """What only one of all workers that use this database does. Here there is but one."""
        return Lead()

    # Watching, and the end

    def _trace(self, statement: str) -> None:
        for watcher in self._watchers:
            watcher.append(statement)

    @contextmanager
    def statements(self) -> Iterator[list[str]]:
        """A list that grows by every statement that is run meanwhile (BEGIN, COMMIT and savepoints too)."""
        watcher: list[str] = []
        self._watchers.append(watcher)
        self._watch()
        try:
            yield watcher
        finally:
            self._watchers.remove(watcher)
            self._watch()

    def _watch(self) -> None:  # noqa: B027 - nothing, unless the driver has to be told
        """Called when somebody begins or ends to watch the statements."""

    @abstractmethod
    def close(self) -> None:
        """Finish what was submitted, then close every connection. Closing twice is closing once."""


GIVEN_UP = frozenset({"40001", "40P01"})
"""SQLSTATEs of a transaction that was given up for another's sake: it may be done again."""


def is_given_up(error: BaseException) -> bool:
    """Whether a write failed only because another was at the same rows: nothing of it stands."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in GIVEN_UP


def will_pass(error: BaseException) -> bool:
    """Whether the same may well succeed in a moment: it was given up, or the server is not there just now."""
    return is_given_up(error) or (isinstance(error, DBAPIError) and error.connection_invalidated)


def writes_alone(connection: Connection) -> bool:
    """Whether nobody else can write while this write lasts, so that what it has read stays as it is."""
    return connection.dialect.name == "sqlite"


def hold(connection: Connection, what: Select[Any] | str) -> None:
    """Until this write is over, whoever wants to hold or change the same rows, or hold the same name, waits.

    A name is for what no one row stands for: a row that is not there yet, a rule about several rows. Where
    one alone writes (SQLite) there is nothing to do, and nothing is done.
    """
    if writes_alone(connection):
        return
    if isinstance(what, str):
        what = select(func.pg_advisory_xact_lock(func.hashtextextended(what, 0)))
    else:
        what = what.with_for_update(key_share=True)
    connection.execute(what).all()
