"""Many players in many races at once over a bad network: nothing lost, nothing doubled, nothing foreign.

The full size (100 players, 200 races) is ``python -m benchmarks.races``.
"""

import asyncio
from collections.abc import Callable

import pytest

from app.db import open_database
from tests.support.racing import Circuit
from tests.support.reckoning import reckon
from tests.support.server import Server


@pytest.mark.slow
def test_scripted_players_race_through_lost_doubled_and_stale_requests(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(race_countdown_seconds="0", solver_processes="0")
    found = asyncio.run(Circuit(server.url, seed=5).run(players=12, races=12, at_once=4))
    assert len(found.races) == 12
    assert found.answers["409"] > 0
    server.stop()
    db = open_database(server.database_url)
    try:
        assert reckon(db, found) == []
    finally:
        db.close()
