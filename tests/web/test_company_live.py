"""Streams of a game with company on a real server: each change once, in order; who is there; no card ever."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest

from tests.support.listening import CARD, Player, Stream, listening
from tests.support.server import Server

pytestmark = pytest.mark.slow

ALONE = {"solver_processes": "0"}


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for the tests of this module."""
    server = Server(tmp_path_factory.mktemp("quick"), **ALONE)
    server.start()
    yield server
    server.kill()


def reading(
    server: Server, game: str, token: str = "", last: str | None = None
) -> AbstractContextManager[Stream]:
    """A reader of a game's events."""
    return listening(server, f"/games/{game}/events", token, last)


def table(server: Server, *roles: str) -> tuple[str, list[Player]]:
    """A game to which others have come by links: its id, and the players, the owner first."""
    owner = Player(server)
    game = owner.post("/games", {"patience": "spider", "params": {"suits": 1}})["id"]
    players = [owner]
    for role in roles:
        player = Player(server)
        token = owner.post(f"/games/{game}/links", {"role": role})["token"]
        player.post("/games/join", {"token": token})
        players.append(player)
    return game, players


def move(player: Player, game: str) -> None:
    board = player.get(f"/games/{game}")
    player.post(f"/games/{game}/moves", {"ply": board["ply"], "move": board["legal_moves"][0]})


def test_a_change_reaches_all_within_a_second_and_says_who_played(quick: Server) -> None:
    game, (owner, guest, watcher) = table(quick, "play", "watch")
    with reading(quick, game, guest.token) as one, reading(quick, game, watcher.token) as two:
        for ply, player in enumerate((owner, guest, owner, guest), 1):
            move(player, game)
            began = time.monotonic()
            for stream in (one, two):
                stream.until(lambda s, ply=ply: s.ids[-1:] == [ply], seconds=10)
            assert time.monotonic() - began < 1
            assert one.last("game") == {"ply": ply, "status": "playing", "by": player.id}
        owner.post(f"/games/{game}/give-up", {"ply": 4})
        for stream in (one, two):
            stream.until(lambda s: s.ids[-1:] == [5])
            assert stream.ids == [1, 2, 3, 4, 5]
        assert one.last("game") == {"ply": 4, "status": "given_up", "by": owner.id}


def test_a_stream_that_was_cut_off_goes_on_without_a_gap(quick: Server) -> None:
    game, (owner, guest) = table(quick, "play")
    move(owner, game)
    with reading(quick, game, guest.token) as stream:
        stream.until(lambda s: s.ids == [1])
    for _ in range(3):
        move(owner, game)
    with reading(quick, game, guest.token, last="1") as stream:
        stream.until(lambda s: len(s.ids) >= 3)
        assert stream.ids == [2, 3, 4]


@pytest.mark.parametrize("last", ["-1", "0x1", "999999999999999999", "99999", "'; drop", "", "1.0", "٣"])
def test_a_number_that_was_never_given_out_brings_the_whole(quick: Server, last: str) -> None:
    game, (owner, _) = table(quick, "play")
    move(owner, game)
    with reading(quick, game, owner.token, last=last) as stream:
        stream.until(lambda s: len(s.events) >= 2)
        assert [kind for _, kind, _ in stream.events[:2]] == ["game", "here"]
        assert stream.ids == [1]


def test_after_a_restart_a_stream_gets_the_whole_and_the_numbers_go_on(
    start_server: Callable[..., Server],
) -> None:
    mortal = start_server(**ALONE)
    game, (owner, guest) = table(mortal, "play")
    move(owner, game)
    with reading(mortal, game, guest.token) as stream:
        stream.until(lambda s: s.ids == [1])
        mortal.kill()
        stream.until(lambda s: s.ended)
    mortal.start()
    move(guest, game)
    with reading(mortal, game, guest.token, last="1") as stream:
        stream.until(lambda s: s.ids[-1:] == [2])
        move(owner, game)
        stream.until(lambda s: s.ids[-1:] == [3])


def test_who_is_here_is_told_as_they_come_and_go(quick: Server) -> None:
    game, (owner, guest, watcher) = table(quick, "play", "watch")

    def here(count: int, watching: int) -> Callable[[Stream], bool]:
        def is_so(stream: Stream) -> bool:
            last = stream.last("here")
            return (len(last.get("players", ())), last.get("watching")) == (count, watching)

        return is_so

    with reading(quick, game, owner.token) as stream:
        stream.until(here(1, 0))
        with reading(quick, game, guest.token), reading(quick, game, guest.token):
            stream.until(here(2, 0))
            with reading(quick, game, watcher.token):
                stream.until(here(2, 1))
                people = owner.get(f"/games/{game}/company")
                assert [one["here"] for one in people["people"]] == [True, True, False]
                assert people["watching"] == 1
        stream.until(here(1, 0), seconds=40)
        assert 0 not in stream.ids  # these have no numbers of their own


def test_who_is_put_out_is_told_so_and_hears_no_more(quick: Server) -> None:
    game, (owner, guest, watcher) = table(quick, "play", "watch")
    with reading(quick, game, guest.token) as one, reading(quick, game, watcher.token) as two:
        httpx.delete(f"{owner.address}/games/{game}/links/play", headers=owner.headers)
        one.until(lambda s: s.ended)
        assert one.events[-1][1] == "closed"
        move(owner, game)
        two.until(lambda s: s.ids[-1:] == [1])
        assert 1 not in one.ids
    answer = httpx.get(f"{quick.url}/api/v1/games/{game}/events", headers=guest.headers)
    assert answer.status_code == 404


def test_anybody_may_hear_a_game_that_anybody_may_watch(quick: Server) -> None:
    game, (owner,) = table(quick)
    owner.post(f"/games/{game}/watchable", {"watchable": True})
    with reading(quick, game) as one, reading(quick, game) as two:
        one.until(lambda s: s.last("here").get("watching") == 2)
        two.until(lambda s: s.last("here").get("watching") == 2)
        move(owner, game)
        one.until(lambda s: s.ids[-1:] == [1])
        listed = owner.get("/watch")["games"]
        assert [one["watching"] for one in listed if one["game"] == game] == [2]


def test_no_stream_holds_a_card_or_the_deal(quick: Server) -> None:
    game, (owner, guest, watcher) = table(quick, "play", "watch")
    owner.post(f"/games/{game}/watchable", {"watchable": True})
    with (
        reading(quick, game, guest.token) as one,
        reading(quick, game, watcher.token) as two,
        reading(quick, game) as three,
    ):
        for player in (owner, guest) * 6:
            move(player, game)
        ended = owner.post(f"/games/{game}/give-up", {"ply": 12})
        streams = (one, two, three)
        for stream in streams:
            stream.until(lambda s: s.ids[-1:] == [13])
        sent = [stream.data for stream in streams]
    assert ended["deal"]
    for data in sent:
        for secret in (ended["deal"], ended["deal"].partition("-")[2], ended["salt"]):
            assert secret.encode() not in data
        for known in (game, *(player.id for player in (owner, guest, watcher))):
            data = data.replace(known.encode(), b"")
        assert not CARD.search(data)


def test_many_streams_of_one_table_get_every_change(quick: Server) -> None:
    game, (owner, _) = table(quick, "play")
    owner.post(f"/games/{game}/watchable", {"watchable": True})
    open_ones = [reading(quick, game) for _ in range(60)]
    streams = [one.__enter__() for one in open_ones]
    for _ in range(10):
        move(owner, game)
    for stream in streams:
        stream.until(lambda s: s.ids[-1:] == [10])
        assert stream.ids == list(range(stream.ids[0], 11))
    for one in open_ones:
        one.__exit__(None, None, None)
