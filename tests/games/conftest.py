"""Games on a real database."""

import pytest

from app.db import Database
from tests.support.house import Clock, House


@pytest.fixture
def house(db: Database) -> House:
    return House.on(db)


@pytest.fixture
def clock(house: House) -> Clock:
    return house.clock


@pytest.fixture
def player(house: House) -> str:
    return house.player()
