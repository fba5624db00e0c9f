"""Bring the database to the program's own revision, in one transaction.

SQLite can alter little, so its tables are rebuilt: a copy is set aside first, and losses are looked for
after. PostgreSQL alters tables in place and holds its references itself; copies of it are the operator's.
"""

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog
from sqlalchemy import Connection, NullPool, create_engine, event, inspect, make_url
from sqlalchemy.exc import DBAPIError

from app.db import check_address, hold, is_sqlite
from app.db.opening import sqlite_path
from app.db.sqlite import BUSY_MS, sqlite_module
from app.settings import Settings, resource

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

log = structlog.get_logger(__name__)

KEPT_COPIES = 10
"""Copies of the database that are kept in ``data_dir/backups``; older ones are deleted."""


class MigrationError(Exception):
    """The database could not be brought to the wanted revision; it stands as it stood before."""


class BadTarget(MigrationError):
    """An address that no database can have, or a revision that there is not."""


@dataclass(frozen=True, slots=True)
class Migrated:
    """What ``migrate`` did: revisions are ids or None (an empty database), ``copy`` the copy set aside."""

    before: str | None
    after: str | None
    copy: Path | None

    @property
    def changed(self) -> bool:
        return self.before != self.after


def migrate(settings: Settings, revision: str = "head") -> Migrated:
    """Upgrade (or downgrade) the database to ``revision`` in one transaction.

    Raises MigrationError when that fails, when rows would be lost or left without their parents, when the
    database was written by a newer version of the program, or when there is no place for one.
    """
    try:
        check_address(settings.database_url)
    except ValueError as error:
        raise BadTarget(f"the setting SPINDEL_DATABASE_URL cannot be used: {error}") from error
    try:
        return _migrate(settings, revision)
    except OSError as error:
        raise MigrationError(f"{error.filename} cannot be used: {error.strerror}") from error
    except DBAPIError as error:
        # The driver's own words, which hold no row and no password.
        raise MigrationError(f"the database of SPINDEL_DATABASE_URL cannot be used: {error.orig}") from error
    except sqlite_module().Error as error:
        raise MigrationError(f"the database cannot be used: {error}") from error


def _migrate(settings: Settings, revision: str) -> Migrated:
    if revision == "head" and (now := _recorded(settings)) is not None and now == _newest():
        return Migrated(now, now, None)

    # Here and not above: a seventh of the time that a start takes, of which most have nothing to migrate.
    from alembic import command
    from alembic.config import Config
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    config = Config(attributes={})
    config.set_main_option("script_location", str(resource("migrations")).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    with (
        _one_at_a_time(settings.data_dir / "migrate.lock"),
        connection_to(settings.database_url) as connection,
    ):
        with connection.begin():
            hold(connection, "migrate")  # other machines have locks of their own in their data directories
            before = MigrationContext.configure(connection).get_current_revision()
            wanted = _known(scripts, revision, BadTarget(f"there is no revision {revision}"))
            if before is not None:
                _known(scripts, before, MigrationError(_TOO_NEW.format(before)))
            if before == wanted:
                return Migrated(before, before, None)
            copy = _copy_aside(settings, before) if before and settings.is_sqlite else None
            rows = _count_rows(connection) if settings.is_sqlite else {}
            config.attributes["connection"] = connection
            going_up = before is None or (wanted is not None and _is_above(scripts, wanted, before))
            try:
                (command.upgrade if going_up else command.downgrade)(config, revision)
            except CommandError as error:
                raise MigrationError(str(error)) from error
            if settings.is_sqlite:
                if going_up:
                    _check_rows(connection, rows, _declared_losses(scripts, before, wanted))
                _check_foreign_keys(connection)
        log.info("migrated", before=before, after=wanted, copy=str(copy) if copy else None)
        return Migrated(before, wanted, copy)


def _recorded(settings: Settings) -> str | None:
    """The revision that the database says it is at; None when there is no database, or none of ours."""
    if not settings.is_sqlite:
        with _postgresql(settings.database_url) as connection:
            if "alembic_version" not in inspect(connection).get_table_names():
                return None
            found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
            return None if found is None else str(found)
    database = sqlite_path(settings.database_url)
    if not database.is_file():
        return None
    with closing(sqlite_module().connect(database)) as connection:
        try:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        except sqlite_module().OperationalError:
            return None
    return None if row is None else str(row[0])


_REVISION = re.compile(r"^(down_)?revision\b[^=]*= *[\"'](\w+)[\"']", re.MULTILINE)


def _newest() -> str | None:
    """The revision that no other builds on, as the migrations' files say; None if there are several."""
    found: dict[str, set[str]] = {"": set(), "down_": set()}
    for path in (resource("migrations") / "versions").glob("*.py"):
        for down, name in _REVISION.findall(path.read_text(encoding="utf-8")):
            found[down].add(name)
    heads = found[""] - found["down_"]
    return heads.pop() if len(heads) == 1 else None


_TOO_NEW = (
    "the database is at revision {}, which this version does not know: it was written by a newer Spindel; "
    "install that, or go back to a copy in the data directory's backups"
)


def _known(scripts: "ScriptDirectory", revision: str, complaint: MigrationError) -> str | None:
    """The full id of a revision that this program has; None for "base". Raises ``complaint`` for others."""
    if revision == "base":
        return None
    from alembic.util import CommandError

    try:
        script = scripts.get_revision(revision)
    except CommandError as error:
        raise complaint from error
    return None if script is None else str(script.revision)


def _is_above(scripts: "ScriptDirectory", upper: str, lower: str) -> bool:
    return any(script.revision == lower for script in scripts.iterate_revisions(upper, "base"))


def connection_to(url: str) -> AbstractContextManager[Connection]:
    """A connection to migrate by."""
    return _sqlite(url) if is_sqlite(url) else _postgresql(url)


@contextmanager
def _postgresql(url: str) -> Iterator[Connection]:
    address = make_url(url).set(drivername="postgresql+psycopg")
    engine = create_engine(
        address,
        poolclass=NullPool,
        use_native_hstore=False,
        hide_parameters=True,
        connect_args={"connect_timeout": 10},
    )
    with engine.connect() as connection:
        yield connection


@contextmanager
def _sqlite(url: str) -> Iterator[Connection]:
    """A connection with foreign keys off: a rebuilt table would take its children's rows along.

    The pragma does nothing inside a transaction, so it is set when the connection is made.
    """
    sqlite_path(url).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = create_engine(url, module=sqlite_module(), hide_parameters=True)

    @event.listens_for(engine, "connect")
    def on_connect(raw: Any, _record: object) -> None:
        raw.isolation_level = None
        raw.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        raw.execute("PRAGMA journal_mode=WAL")
        raw.execute("PRAGMA synchronous=FULL")
        raw.execute("PRAGMA foreign_keys=OFF")

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    """Two processes that start at once migrate one after the other; the second finds nothing to do."""
    try:
        import fcntl
    except ImportError:  # Windows: the database's own lock makes the second one fail, and lose nothing
        yield
        return
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _copy_aside(settings: Settings, revision: str) -> Path:
    """Copy the database by SQLite's own backup, and sync the copy to the disk.

    A connection of its own reads it: SQLite backs up nothing through one that holds the write lock. As the
    caller holds that lock meanwhile, the copy is exactly what the migration begins with.
    """
    source = sqlite_path(settings.database_url)
    folder = settings.data_dir / "backups"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    path = folder / f"spindel-{stamp}-{revision}.db"
    draft = path.with_suffix(".part")
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with (
        closing(sqlite_module().connect(source)) as origin,
        closing(sqlite_module().connect(draft)) as target,
    ):
        origin.backup(target)
        found = target.execute("PRAGMA quick_check").fetchone()[0]
        if found != "ok":
            raise MigrationError(f"the copy set aside is damaged, and so is the database: {found}")
        target.execute("PRAGMA journal_mode=DELETE")
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(path)
    for old in sorted(folder.glob("spindel-*.db"))[:-KEPT_COPIES]:
        old.unlink()
    return path


def _count_rows(connection: Connection) -> dict[str, int]:
    quote = connection.dialect.identifier_preparer.quote
    return {
        table: int(connection.exec_driver_sql(f"SELECT count(*) FROM {quote(table)}").scalar_one())  # noqa: S608
        for table in inspect(connection).get_table_names()
    }


def _declared_losses(scripts: "ScriptDirectory", before: str | None, after: str | None) -> set[str]:
    """Tables that applied migrations say they take rows from, by ``LOSES_ROWS_OF = {"table"}``."""
    applied = scripts.iterate_revisions(after, before or "base")
    return {table for script in applied for table in getattr(script.module, "LOSES_ROWS_OF", ())}


def _check_rows(connection: Connection, before: dict[str, int], may_lose: set[str]) -> None:
    for table, count in _count_rows(connection).items():
        if count < before.get(table, 0) and table not in may_lose:
            raise MigrationError(f"the migration would lose {before[table] - count} rows of {table}")


def _check_foreign_keys(connection: Connection) -> None:
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if orphans:
        tables = ", ".join(sorted({str(row[0]) for row in orphans}))
        raise MigrationError(
            f"the migration would leave rows without their parents: {len(orphans)} in {tables}"
        )
