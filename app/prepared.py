"""Statements of the hot path: written with SQLAlchemy Core, made into text once, run by the driver itself.

Each run through SQLAlchemy costs some 50 µs of bookkeeping, several times what SQLite takes for the work, and
a move has four of them. Everything off that path goes the usual way, by ``connection.execute``.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Delete, Insert, Select, Update
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect
from sqlalchemy.exc import DBAPIError

_DIALECT = sqlite_dialect(paramstyle="qmark")  # type: ignore[no-untyped-call, unused-ignore]


class Prepared:
    """One statement. Every value in it must be a ``bindparam``; ``keys`` names the columns of its rows.

    It sees and does the same as ``connection.execute`` would in the same transaction: types are converted,
    and the driver's errors come as SQLAlchemy's.
    """

    __slots__ = ("_binds", "_results", "keys", "sql", "statement")

    def __init__(self, statement: Select[Any] | Insert | Update | Delete) -> None:
        compiled = statement.compile(dialect=_DIALECT)
        fixed = [
            name for name, bind in compiled.binds.items() if not bind.required and bind.value is not None
        ]
        if fixed:
            raise ValueError(f"values that are no bindparam: {fixed}")
        self.statement = statement
        self.sql = str(compiled)
        self._binds = [
            (name, compiled.binds[name].type.dialect_impl(_DIALECT).bind_processor(_DIALECT))
            for name in compiled.positiontup or ()
        ]
        columns = list(statement.selected_columns) if isinstance(statement, Select) else []
        self.keys = tuple(str(column.key) for column in columns)
        processors = [
            column.type.dialect_impl(_DIALECT).result_processor(_DIALECT, None) for column in columns
        ]
        self._results = [(at, process) for at, process in enumerate(processors) if process is not None]

    def first(self, connection: Connection, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first row, in the order of ``keys``."""
        row = self._run(connection, values).fetchone()
        if row is None or not self._results:
            found: tuple[Any, ...] | None = row
            return found
        cells = list(row)
        for at, process in self._results:
            cells[at] = process(cells[at])
        return tuple(cells)

    def change(self, connection: Connection, values: Mapping[str, Any]) -> int:
        """Run it; how many rows it touched."""
        return int(self._run(connection, values).rowcount)

    def _run(self, connection: Connection, values: Mapping[str, Any]) -> Any:
        if not connection.in_transaction():
            connection.begin()  # a reader begins by its first statement; here nobody would notice
        parameters = [
            values[name] if process is None else process(values[name]) for name, process in self._binds
        ]
        driver: Any = connection.connection.driver_connection
        try:
            return driver.execute(self.sql, parameters)
        except Exception as error:
            wrong = connection.dialect.dbapi
            if wrong is None or not isinstance(error, wrong.Error):
                raise
            raised = DBAPIError.instance(self.sql, parameters, error, wrong.Error, dialect=connection.dialect)
            raise raised from error
