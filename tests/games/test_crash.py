"""What has been answered stands: when the server is killed, and when another process writes too."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from app.db import open_database
from app.games import errors
from app.games.service import Games
from app.games.verify import verify
from tests.support.house import House
from tests.support.server import Server


@pytest.mark.slow
def test_every_answered_move_outlives_a_killed_server(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    server = start_server()
    with httpx.Client(base_url=f"{server.url}/api/v1") as http:
        player, token = http.post("/guests").json().values()
        http.headers["Authorization"] = f"Bearer {token}"
        game = http.post("/games", json={"patience": "spider"}).json()
        path = f"/games/{game['id']}"
        (entry, body), answered = play_until_killed(server, http, path)
        server.start()
        now = http.get(path).json()
        # The entry on its way may have been written or not; sending it again is safe in either case.
        assert now["ply"] in {answered, answered + 1}
        again = http.post(f"{path}/{entry}", json=body)
        assert (again.status_code, again.json()["ply"]) == (200, answered + 1)
    server.kill()
    database = open_database(server.database_url)
    with database.read() as conn:
        found = Games(database).replay(conn, game["id"], player)
    database.close()
    assert verify(found) == ()
    assert found.game.ply == len(found.entries) == answered + 1


def play_until_killed(
    server: Server, http: httpx.Client, path: str
) -> tuple[tuple[str, dict[str, object]], int]:
    """Rows dealt and undone in turn, without a pause, until nobody answers: what was sent last, and the last
    ply that was answered."""
    threading.Timer(0.5, server.kill).start()
    answered = 0
    end = time.monotonic() + 30
    while time.monotonic() < end:
        body: dict[str, object] = {"ply": answered}
        entry, body = ("undo", body) if answered % 2 else ("moves", body | {"move": "deal"})
        try:
            response = http.post(f"{path}/{entry}", json=body)
        except httpx.TransportError:
            return (entry, body), answered
        assert response.status_code == 200
        answered += 1
    pytest.fail("the server was not killed")


def test_two_processes_on_one_database_lose_nothing(house: House, player: str) -> None:
    """Two databases in this process are to SQLite what two processes are: connections that know nothing of
    each other."""
    other = open_database(house.db.url)
    both = [House(db, Games(db), house.clock) for db in (house.db, other)]
    game = house.create(player)
    heard: Counter[str] = Counter()

    def play(mine: House) -> None:
        for _ in range(40):
            now = mine.get(game)
            try:
                mine.act(now, "undo" if now.can_undo else "deal")
            except errors.StalePly:
                heard["stale"] += 1
            except errors.NothingToUndo:
                heard["nothing"] += 1
            else:
                heard["played"] += 1

    threads = [threading.Thread(target=play, args=(mine,)) for mine in both for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    now = house.get(game)
    assert heard["nothing"] == 0
    assert house.differences(game) == ()
    # A repeated entry counts as played for the one who sent it; none is in the log twice.
    assert now.ply == len(house.texts(game)) <= heard["played"]
    assert heard["played"] + heard["stale"] == 160
    other.close()
