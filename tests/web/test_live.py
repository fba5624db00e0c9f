"""Streams on a real server: numbered, resumed without a gap, or read anew; bounded; without secrets."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest

from app.web.live import MOST_OF_SESSION
from tests.support.listening import CARD, Player, Stream, listening
from tests.support.server import Server

pytestmark = pytest.mark.slow


def reading(
    server: Server, race: str, token: str = "", last: str | None = None
) -> AbstractContextManager[Stream]:
    """A reader of a race's events."""
    return listening(server, f"/races/{race}/events", token, last)


QUICK = {"race_countdown_seconds": "0", "solver_processes": "0"}
"""Races start at once."""


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for the tests of this module."""
    server = Server(tmp_path_factory.mktemp("quick"), **QUICK)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def mortal(start_server: Callable[..., Server]) -> Server:
    """A server of a test's own, to be killed."""
    return start_server(**QUICK)


def running(server: Server, count: int = 2, seconds: int = 120) -> tuple[str, list[Player]]:
    players = [Player(server) for _ in range(count)]
    race = players[0].post("/races", {"params": {"suits": 1}, "seconds": seconds})["id"]
    for player in players[1:]:
        player.post(f"/races/{race}/join")
    for player in players:
        player.post(f"/races/{race}/ready")
    assert players[0].get(f"/races/{race}")["status"] == "running"
    return race, players


def move(player: Player, race: str) -> None:
    game = player.get(f"/races/{race}")["game"]
    board = player.get(f"/games/{game}")
    player.post(f"/games/{game}/moves", {"ply": board["ply"], "move": board["legal_moves"][0]})


def test_a_stream_begins_with_the_race_and_brings_every_event_in_order(quick: Server) -> None:
    race, (host, guest) = running(quick)
    with reading(quick, race, guest.token) as stream:
        stream.until(lambda s: len(s.events) >= 1)
        number, kind, document = stream.events[0]
        assert (kind, document["status"], document["you"]) == ("race", "running", 2)
        assert document["game"] == guest.get(f"/races/{race}")["game"]
        for _ in range(5):
            move(host, race)
        stream.until(lambda s: s.ids[-1] >= number + 5)
        assert stream.ids == list(range(number, stream.ids[-1] + 1))
        assert [data["progress"]["ply"] for _, kind, data in stream.events if kind == "seat"][-1] == 5


def test_a_stream_that_was_cut_off_goes_on_without_a_gap(quick: Server) -> None:
    race, (host, _) = running(quick)
    with reading(quick, race) as stream:
        stream.until(lambda s: len(s.events) >= 1)
        last = stream.ids[-1]
    for _ in range(4):
        move(host, race)
    with reading(quick, race, last=str(last)) as stream:
        stream.until(lambda s: len(s.ids) == 4)
        assert stream.ids == list(range(last + 1, last + 5))
        assert {kind for _, kind, _ in stream.events} == {"seat"}


@pytest.mark.parametrize("last", ["-1", "0x1", "999999999999999999", "99999", "'; drop", "", "1.0", "٣"])
def test_a_number_that_was_never_given_out_brings_the_whole(quick: Server, last: str) -> None:
    race, (host, _) = running(quick)
    move(host, race)
    with reading(quick, race, last=last) as stream:
        stream.until(lambda s: len(s.events) >= 1)
        assert stream.events[0][1] == "race"
        assert stream.events[0][0] == host.get(f"/races/{race}")["seq"]


def test_after_a_restart_a_stream_gets_the_whole(mortal: Server) -> None:
    race, (host, _) = running(mortal)
    move(host, race)
    before = host.get(f"/races/{race}")
    with reading(mortal, race, last=str(before["seq"])) as stream:
        mortal.kill()
        stream.until(lambda s: s.ended)
    mortal.start()
    move(host, race)
    with reading(mortal, race, last="1") as stream:
        stream.until(lambda s: len(s.events) >= 1)
        assert stream.events[0][1] == "race"
        assert stream.events[0][2]["players"][0]["progress"]["ply"] == 2
        assert (stream.events[0][2]["starts_at"], stream.events[0][2]["ends_at"]) == (
            before["starts_at"],
            before["ends_at"],
        )


def test_the_end_is_told_on_time_though_nobody_asks(quick: Server) -> None:
    race, _ = running(quick, seconds=10)
    with reading(quick, race) as stream:
        stream.until(lambda s: s.events[-1][1] == "race" and s.events[-1][2]["status"] == "over")
        document = stream.events[-1][2]
        assert 0 <= document["now"] - document["ends_at"] < 2_000
        assert document["deal"].startswith("spider1-")


def test_no_stream_holds_a_card_or_the_deal_before_the_end(quick: Server) -> None:
    race, players = running(quick, 3)
    with reading(quick, race, players[0].token) as own, reading(quick, race) as foreign:
        for _ in range(6):
            for player in players:
                move(player, race)
        last = players[0].get(f"/races/{race}")["seq"]
        own.until(lambda s: s.ids[-1] >= last)
        foreign.until(lambda s: s.ids[-1] >= last)
        before = [own.data, foreign.data]
        for player in players:
            game = player.get(f"/races/{race}")["game"]
            player.post(f"/games/{game}/give-up", {"ply": 6})
        over = players[0].get(f"/races/{race}")
        foreign.until(lambda s: s.events[-1][2].get("status") == "over")
    secrets = (over["deal"], over["deal"].partition("-")[2], over["salt"])
    ids = {race, *(player.id for player in players), *(one["game"] for one in over["players"])}
    for data in before:
        for secret in secrets:
            assert secret.encode() not in data
        for known in ids:
            data = data.replace(known.encode(), b"")
        assert not CARD.search(data)
    assert secrets[0].encode() in foreign.data


def test_who_closes_the_page_is_away_and_back_with_it(quick: Server) -> None:
    race, (host, guest) = running(quick)

    def away() -> bool:
        return host.get(f"/races/{race}")["players"][1]["away_at"] is not None

    with reading(quick, race, guest.token), reading(quick, race, guest.token):
        assert not away()
    with reading(quick, race, host.token) as stream:
        stream.until(lambda s: away(), seconds=30)
        with reading(quick, race, guest.token):
            stream.until(lambda s: not away())


def test_streams_of_one_session_are_bounded_and_free_again_when_closed(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(rate_limits="true", solver_processes="0")
    player = Player(server)
    race = player.post("/races", {})["id"]
    open_ones = [reading(server, race, player.token) for _ in range(MOST_OF_SESSION)]
    for one in open_ones:
        assert one.__enter__().status == 200
    address = f"{server.url}/api/v1/races/{race}/events"
    refused = httpx.get(address, headers=player.headers)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    open_ones[0].__exit__(None, None, None)
    deadline = time.monotonic() + 20
    status = 429
    while status == 429 and time.monotonic() < deadline:
        time.sleep(0.1)
        with httpx.stream("GET", address, headers=player.headers) as answer:
            status = answer.status_code
    assert status == 200
    for one in open_ones[1:]:
        one.__exit__(None, None, None)


def test_a_server_that_is_told_to_stop_does_not_wait_for_streams(mortal: Server) -> None:
    race, _ = running(mortal)
    with reading(mortal, race) as stream:
        stream.until(lambda s: len(s.events) >= 1)
        began = time.monotonic()
        assert mortal.stop() in (0, -signal.SIGTERM)
        assert time.monotonic() - began < 4
        stream.until(lambda s: s.ended)


def test_a_race_that_is_not_there_has_no_stream(quick: Server) -> None:
    for race in ("A" * 22, "x", "%2e%2e"):
        assert httpx.get(f"{quick.url}/api/v1/races/{race}/events").status_code == 404
    token = {"authorization": "Bearer nobody"}
    race, _ = running(quick)
    assert httpx.get(f"{quick.url}/api/v1/races/{race}/events", headers=token).status_code == 401
