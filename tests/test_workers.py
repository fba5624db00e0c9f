"""Several workers on one database: two programs as on two machines, and one program with two processes."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.db import open_database
from app.games.service import Games
from app.games.verify import verify
from tests.support.listening import Player, Stream, listening
from tests.support.server import Server
from tests.support.services import Redis, postgres
from tests.support.workers import SETTINGS, Two, two_workers

SOON = 20.0
"""Seconds in which an event must be there while the relay works: generous, for a busy machine."""


@pytest.fixture(params=["redis", "notify"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Two]:
    with two_workers(tmp_path, relay=request.param) as both:
        yield both


def race_on(two: Two) -> tuple[str, Player, Player]:
    """A race that runs, with a player at each worker."""
    host, guest = Player(two.first), Player(two.second)
    race = host.post("/races", {"params": {"suits": 1}, "seconds": 300})["id"]
    guest.post(f"/races/{race}/join")
    host.post(f"/races/{race}/ready")
    guest.post(f"/races/{race}/ready")
    end = time.monotonic() + 30
    while host.get(f"/races/{race}")["status"] != "running":
        assert time.monotonic() < end
        time.sleep(0.1)
    return race, host, guest


def move(player: Player, race: str) -> dict[str, Any]:
    """Plays the first legal move."""
    board = player.get(f"/games/{player.get(f'/races/{race}')['game']}")
    return player.post(f"/games/{board['id']}/moves", {"ply": board["ply"], "move": board["legal_moves"][0]})


def give_up(player: Player, race: str) -> None:
    game = player.get(f"/games/{player.get(f'/races/{race}')['game']}")
    player.post(f"/games/{game['id']}/give-up", {"ply": game["ply"]})


def plies(stream: Stream) -> dict[int, int]:
    """The ply of each seat, as the stream has it by now."""
    found: dict[int, int] = {}
    for _, kind, document in stream.events:
        for seat in document["players"] if kind == "race" else [document]:
            if seat.get("progress"):
                found[seat["seat"]] = seat["progress"]["ply"]
    return found


def is_over(stream: Stream) -> bool:
    return any(kind == "race" and document["status"] == "over" for _, kind, document in stream.events)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_race_whose_players_are_at_two_workers(two: Two) -> None:
    host, guest = Player(two.first), Player(two.second)
    race = host.post("/races", {"params": {"suits": 1}, "seconds": 300})["id"]
    with (
        listening(two.first, f"/races/{race}/events", host.token) as at_first,
        listening(two.second, f"/races/{race}/events", guest.token) as at_second,
    ):
        both = (at_first, at_second)
        guest.post(f"/races/{race}/join")
        at_first.until(lambda s: len(s.last("race")["players"]) == 2, SOON)
        host.post(f"/races/{race}/ready")
        guest.post(f"/races/{race}/ready")
        for stream in both:  # nobody looks: the one that keeps the time starts it
            stream.until(lambda s: any(d.get("status") == "running" for _, _, d in s.events), SOON)
        for _ in range(6):
            move(host, race)
            move(guest, race)
        for stream in both:
            stream.until(lambda s: plies(s) == {1: 6, 2: 6}, SOON)
            assert stream.ids == sorted(set(stream.ids))
        give_up(host, race)
        give_up(guest, race)
        for stream in both:
            stream.until(is_over, SOON)
    results = [player.get(f"/races/{race}") for player in (host, guest)]
    assert [result["status"] for result in results] == ["over", "over"]
    assert [p["result"] for p in results[0]["players"]] == [p["result"] for p in results[1]["players"]]
    assert results[0]["deal"] == results[1]["deal"] is not None
    assert sorted(player["place"] for player in results[0]["players"]) in ([1, 1], [1, 2])


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_with_the_relay_lost_nothing_is_lost_only_late(two: Two) -> None:
    race, host, guest = race_on(two)
    with (
        listening(two.first, f"/races/{race}/events", host.token) as at_first,
        listening(two.second, f"/races/{race}/events", guest.token) as at_second,
    ):
        both = (at_first, at_second)
        move(host, race)
        for stream in both:
            stream.until(lambda s: plies(s).get(1) == 1, SOON)
        two.cut()
        for _ in range(3):
            move(host, race)
            move(guest, race)
        for stream in both:  # each worker's own at once, the other's by looking
            stream.until(lambda s: plies(s) == {1: 4, 2: 3}, 3 * SOON)
        two.mend()
        time.sleep(0.5)
        move(guest, race)
        for stream in both:
            stream.until(lambda s: plies(s) == {1: 4, 2: 4}, 3 * SOON)
        two.cut()
        give_up(host, race)
        give_up(guest, race)
        two.mend()
        for stream in both:
            stream.until(is_over, 3 * SOON)
            assert stream.ids == sorted(set(stream.ids))
    assert host.get(f"/races/{race}")["players"] == guest.get(f"/races/{race}")["players"]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_of_two_workers_at_one_ply_exactly_one_plays(two: Two) -> None:
    """The same player at both workers, a different move at each."""
    player = Player(two.first)
    game = player.post("/games", {"deal": "spider4-H3"})
    path = f"/games/{game['id']}"
    addresses = [f"{server.url}/api/v1{path}/moves" for server in (two.first, two.second)]
    met = threading.Barrier(2)
    played: list[str] = []
    with httpx.Client(headers=player.headers, timeout=60) as http:
        for ply in range(25):
            moves = game["legal_moves"][:2]
            if len(moves) < 2:
                break
            answers: list[httpx.Response] = [httpx.Response(0)] * 2

            def send(at: int, ply: int = ply, move: str = "", answers: Any = answers) -> None:
                met.wait(30)
                answers[at] = http.post(addresses[at], json={"ply": ply, "move": move})

            threads = [threading.Thread(target=send, args=(at, ply, moves[at])) for at in (0, 1)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert sorted(answer.status_code for answer in answers) == [200, 409]
            loser = next(answer for answer in answers if answer.status_code == 409).json()
            assert (loser["code"], loser["game"]["ply"]) == ("stale_ply", ply + 1), "as it is now"
            at = next(at for at in (0, 1) if answers[at].status_code == 200)
            played.append(moves[at])
            game = answers[at].json()
        again = [http.post(one, json={"ply": len(played) - 1, "move": played[-1]}) for one in addresses]
        assert [(answer.status_code, answer.json()["ply"]) for answer in again] == [(200, len(played))] * 2
    assert len(played) > 5
    database = open_database(two.first.database_url)
    with database.read() as conn:
        found = Games(database).replay(conn, game["id"], player.id)
    database.close()
    assert [entry.text for entry in found.entries] == played
    assert verify(found) == ()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_one_program_with_two_workers(tmp_path: Path) -> None:
    redis, url = Redis(), postgres().migrated()
    server = Server(tmp_path, workers=2, **SETTINGS, database_url=url, redis_url=redis.url)
    try:
        server.start(timeout=150)
        assert server.process is not None
        until(lambda: "is served at" in server.log.read_text(), "not all of them began")
        found = children(server.process.pid)
        assert len(found) == 2
        player = Player(server)
        game = player.post("/games", {"patience": "spider"})
        os.kill(found[0], signal.SIGKILL)
        pid = server.process.pid
        until(lambda: len(set(children(pid)) - {found[0]}) == 2, "no other took its place")
        now = children(pid)
        assert found[1] in now
        for _ in range(20):
            assert player.get(f"/games/{game['id']}")["ply"] == 0
        assert server.stop() == 0
        assert not any(is_alive(pid) for pid in now)
        server.start(timeout=150)
        assert server.process is not None
        now = children(server.process.pid)
        server.kill()
        until(lambda: not any(is_alive(pid) for pid in now), "they outlive the one that started them")
    finally:
        server.kill()
        redis.remove()
        postgres().give_back(url)


def until(done: Callable[[], bool], complaint: str) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end, complaint
        time.sleep(0.1)


def children(pid: int) -> list[int]:
    """Processes that another has started, but for those that have ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(folder.name))
    return sorted(found)


def is_alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
