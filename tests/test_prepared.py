from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import (
    Boolean,
    Column,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError, OperationalError

from app.db import Database, open_database
from app.prepared import Prepared

things = Table(
    "things",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("name", String(10)),
    Column("good", Boolean),
)
ADD = Prepared(insert(things))
FIND = Prepared(select(things).where(things.c.id == bindparam("b_id")))
RENAME = Prepared(update(things).where(things.c.id == bindparam("b_id")).values(name=bindparam("name")))


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(f"sqlite:///{tmp_path / 'test.db'}")
    with database.write() as connection:
        things.create(connection)
        ADD.change(connection, {"id": 1, "name": "one", "good": True})
    yield database
    database.close()


def test_it_finds_what_the_usual_way_finds(db: Database) -> None:
    with db.read() as connection:
        usual = connection.execute(select(things)).one()
        found = FIND.first(connection, {"b_id": 1})
        assert found == tuple(usual) == (1, "one", True)
        assert found is not None
        assert found[2] is True, "booleans come as booleans"
        assert FIND.keys == ("id", "name", "good")
        assert FIND.first(connection, {"b_id": 2}) is None


def test_it_tells_how_many_rows_it_changed(db: Database) -> None:
    with db.write() as connection:
        assert RENAME.change(connection, {"b_id": 1, "name": "eins"}) == 1
        assert RENAME.change(connection, {"b_id": 2, "name": "zwei"}) == 0
    with db.read() as connection:
        assert connection.execute(select(things.c.name)).scalar_one() == "eins"


def test_it_stands_or_falls_with_the_transaction(db: Database) -> None:
    with pytest.raises(KeyError), db.write() as connection:  # noqa: PT012
        RENAME.change(connection, {"b_id": 1, "name": "eins"})
        raise KeyError
    with db.read() as connection:
        assert connection.execute(select(things.c.name)).scalar_one() == "one"


def test_a_reader_sees_one_moment_by_it_too(db: Database) -> None:
    with db.read() as reader:
        assert FIND.first(reader, {"b_id": 1}) == (1, "one", True)
        with db.write() as writer:
            RENAME.change(writer, {"b_id": 1, "name": "eins"})
        assert FIND.first(reader, {"b_id": 1}) == (1, "one", True)


def test_errors_are_those_of_sqlalchemy(db: Database) -> None:
    with pytest.raises(IntegrityError), db.write() as connection:
        ADD.change(connection, {"id": 1, "name": "again", "good": None})
    with pytest.raises(OperationalError, match="readonly"), db.read() as connection:
        RENAME.change(connection, {"b_id": 1, "name": "eins"})
    with db.write() as connection:
        connection.execute(text("SELECT 1"))


def test_a_value_that_is_missing_is_an_error(db: Database) -> None:
    with pytest.raises(KeyError), db.read() as connection:
        FIND.first(connection, {})


def test_values_must_be_bindparams() -> None:
    with pytest.raises(ValueError, match="no bindparam"):
        Prepared(select(things).where(things.c.id == 1))
