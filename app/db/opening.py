"""Which database an address names."""

from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from app.db.database import Database

_DRIVERS = {"postgresql", "postgresql+psycopg", "postgres"}


def is_sqlite(url: str) -> bool:
    """Whether an address names a SQLite database, which one process alone writes to."""
    return url.startswith("sqlite")


def sqlite_path(url: str) -> Path:
    """The file that an address of SQLite names. Raises ValueError for one in memory alone."""
    address = make_url(url)
    if address.database in {None, "", ":memory:"} or "mode" in address.query:
        raise ValueError("the database must be a file: reading and writing use connections of their own")
    return Path(str(address.database))


def check_address(url: str) -> None:
    """Raises ValueError for an address of no database that the program can use."""
    try:
        address = make_url(url)
    except ArgumentError as error:
        raise ValueError(str(error)) from None
    if address.get_backend_name() == "sqlite":
        sqlite_path(url)
    elif address.drivername not in _DRIVERS:
        raise ValueError(
            f"{address.drivername} is not a database that can be used; sqlite and postgresql are"
        )
    elif not address.database:
        raise ValueError("it names no database: postgresql://USER:PASSWORD@HOST/DATABASE")
    elif find_spec("psycopg") is None:
        raise ValueError("PostgreSQL needs the package psycopg, which the extra [scale] brings")


def open_database(url: str) -> Database:
    """The database of an address. Raises ValueError as ``check_address`` does."""
    check_address(url)
    if is_sqlite(url):
        from app.db.sqlite import SqliteDatabase

        return SqliteDatabase(url)
    from app.db.postgresql import PostgresDatabase

    return PostgresDatabase(url)
