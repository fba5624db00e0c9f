"""Statements of the hot path: written with SQLAlchemy Core, made into text once, run by the driver itself.

Each run through SQLAlchemy costs some 50 µs of bookkeeping, several times what SQLite takes for the work, and
a move has four of them. Everything off that path goes the usual way, by ``connection.execute``.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Delete, Dialect, Insert, Select, Update
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect
from sqlalchemy.exc import DBAPIError

Statement = Select[Any] | Insert | Update | Delete

_DIALECTS: dict[str, Dialect] = {
    "sqlite": sqlite_dialect(paramstyle="qmark"),  # type: ignore[no-untyped-call, unused-ignore]
    "postgresql": PGDialect_psycopg(paramstyle="format"),  # type: ignore[no-untyped-call, unused-ignore]
}


class _Text:
    """A statement in one database's words."""

    __slots__ = ("binds", "results", "sql")

    def __init__(self, statement: Statement, dialect: Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        fixed = [
            name for name, bind in compiled.binds.items() if not bind.required and bind.value is not None
        ]
        if fixed:
            raise ValueError(f"values that are no bindparam: {fixed}")
        self.sql = str(compiled)
        self.binds = [
            (name, compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect))
            for name in compiled.positiontup or ()
        ]
        columns = list(statement.selected_columns) if isinstance(statement, Select) else []
        processors = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns]
        self.results = [(at, process) for at, process in enumerate(processors) if process is not None]


class Prepared:
    """One statement. Every value in it must be a ``bindparam``; ``keys`` names the columns of its rows.

    It sees and does the same as ``connection.execute`` would in the same transaction: types are converted,
    and the driver's errors come as SQLAlchemy's.
    """

    __slots__ = ("_texts", "keys", "statement")

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self._texts = {"sqlite": _Text(statement, _DIALECTS["sqlite"])}
        columns = list(statement.selected_columns) if isinstance(statement, Select) else []
        self.keys = tuple(str(column.key) for column in columns)

    def first(self, connection: Connection, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first row, in the order of ``keys``."""
        text = self._text(connection)
        row = self._run(connection, text, values).fetchone()
        if row is None or not text.results:
            found: tuple[Any, ...] | None = row
            return found
        cells = list(row)
        for at, process in text.results:
            cells[at] = process(cells[at])
        return tuple(cells)

    def change(self, connection: Connection, values: Mapping[str, Any]) -> int:
        """Run it; how many rows it touched."""
        return int(self._run(connection, self._text(connection), values).rowcount)

    def _text(self, connection: Connection) -> _Text:
        name = connection.dialect.name
        text = self._texts.get(name)
        if text is None:
            text = self._texts[name] = _Text(self.statement, _DIALECTS[name])
        return text

    @staticmethod
    def _run(connection: Connection, text: _Text, values: Mapping[str, Any]) -> Any:
        if not connection.in_transaction():
            connection.begin()  # a reader begins by its first statement; here nobody would notice
        parameters = [
            values[name] if process is None else process(values[name]) for name, process in text.binds
        ]
        driver: Any = connection.connection.driver_connection
        try:
            return driver.execute(text.sql, parameters)
        except Exception as error:
            wrong = connection.dialect.dbapi
            if wrong is None or not isinstance(error, wrong.Error):
                raise
            if getattr(driver, "broken", False):
                connection.invalidate(error)
            raised = DBAPIError.instance(
                text.sql, parameters, error, wrong.Error, hide_parameters=True, dialect=connection.dialect
            )
            raise raised from error
