from collections.abc import Iterator
from pathlib import Path

import pytest

from app.db import Base, Database
from app.players import tables  # noqa: F401 - so that Base knows them


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'players.db'}")
    with database.write() as conn:
        Base.metadata.create_all(conn)
    yield database
    database.close()
