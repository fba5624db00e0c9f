"""An arena on a real server: its streams, and twenty players who are cut off while it is killed."""

import asyncio
import json
import random
import re
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from app.arenas import store
from app.arenas.verify import differences
from app.db import Database, open_database
from tests.support.listening import CARD, Player, Stream, listening
from tests.support.server import Server

pytestmark = pytest.mark.slow

V1 = "/api/v1"


def opened(server: Server) -> Database:
    return open_database(server.database_url)


def hold(player: Player, **wishes: Any) -> str:
    wishes = {"params": {"suits": 1}, "starts_in": 0, "seconds": 60} | wishes
    arena: str = player.post("/arenas", wishes)["id"]
    return arena


def test_a_stream_brings_the_table_and_no_secret(start_server: Callable[..., Server]) -> None:
    server = start_server(race_countdown_seconds="0", arena_hours="off")
    players = [Player(server) for _ in range(2)]
    arena = hold(players[0], size=2)

    def racing(stream: Stream) -> bool:
        return bool(stream.events) and bool(stream.events[-1][2]["racing"])

    with listening(server, f"/arenas/{arena}/events", players[0].token) as own:
        for player in players:
            player.post(f"/arenas/{arena}/join")
        own.until(racing)
        race = own.events[-1][2]["racing"][0]["race"]
        with listening(server, f"/races/{race}/events", players[0].token) as of_race:
            for player in players:
                game = player.get(f"/races/{race}")["game"]
                for ply in range(3):
                    move = player.get(f"/games/{game}")["legal_moves"][0]
                    player.post(f"/games/{game}/moves", {"ply": ply, "move": move})
            before = own.data + of_race.data
            for player in players:
                player.post(f"/games/{player.get(f'/races/{race}')['game']}/give-up", {"ply": 3})
            own.until(lambda s: bool(s.events) and not s.events[-1][2]["racing"])
        number, kind, document = own.events[-1]
        assert kind == "arena"
        assert sorted(own.ids) == own.ids
        assert sum(row["races"] for row in document["table"]) == 2
        over = players[0].get(f"/races/{race}")
    for secret in (over["deal"], over["deal"].partition("-")[2], over["salt"], over["join_code"]):
        assert secret.encode() not in own.data
    for secret in (over["deal"], over["deal"].partition("-")[2], over["salt"]):
        assert secret.encode() not in before
    for known in (arena, race, *(player.id for player in players)):
        before = before.replace(known.encode(), b"")
    assert not CARD.search(before)
    # One that was cut off has missed nothing, or gets the whole.
    for player in players:
        player.post(f"/arenas/{arena}/leave")
    newest = players[0].get(f"/arenas/{arena}")["seq"]
    assert newest > number
    with listening(server, f"/arenas/{arena}/events", last=str(newest)) as again:
        again.until(lambda s: b"retry:" in s.data)
        assert again.events == []
    with listening(server, f"/arenas/{arena}/events", last="1") as again:
        again.until(lambda s: len(s.events) == 1)
        assert again.ids == [newest]


def test_an_arena_that_is_not_there_has_no_stream(start_server: Callable[..., Server]) -> None:
    server = start_server(arena_hours="off")
    for arena in ("A" * 22, "x", "%2e%2e"):
        assert httpx.get(f"{server.url}/api/v1/arenas/{arena}/events").status_code == 404


def test_who_has_the_page_open_is_there_whatever_another_process_has_said(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(arena_hours="off")
    player = Player(server)
    arena = hold(player)
    player.post(f"/arenas/{arena}/join")

    def waits() -> bool:
        found: bool = player.get(f"/arenas/{arena}")["you"]["waits"]
        return found

    db = opened(server)
    try:
        with listening(server, f"/arenas/{arena}/events", player.token) as stream:
            stream.until(lambda s: bool(s.events))
            with db.write() as conn:
                store.change_entrant(conn, arena, 1, away_at=1)
            assert not waits()
            stream.until(lambda s: waits(), seconds=60)
    finally:
        db.close()


class Crowd:
    """Players who race in an arena over HTTP as badly as a network, and a server that dies, can make them."""

    def __init__(self, server: Server, count: int, seed: int) -> None:
        self.server = server
        self.rng = random.Random(seed)
        self.players = [Player(server) for _ in range(count)]
        self.arena = hold(self.players[0])
        self.races: set[str] = set()
        self.wanted = 0
        self.latest = time.monotonic() + 150

    def goes_on(self) -> bool:
        """Whether there have been too few races yet."""
        return len(self.races) < self.wanted and time.monotonic() < self.latest

    async def run(self, races: int, kills: list[int]) -> None:
        """So many races; the server is killed when there have been as many as ``kills`` says."""
        self.wanted = races
        async with httpx.AsyncClient(base_url=self.server.url, timeout=10) as http:
            await asyncio.gather(
                *(self._play(http, player, random.Random(at)) for at, player in enumerate(self.players)),
                self._murder(kills),
            )

    async def _murder(self, kills: list[int]) -> None:
        for races in kills:
            while len(self.races) < races and self.goes_on():  # noqa: ASYNC110 - many make them
                await asyncio.sleep(0.1)
            self.server.kill()
            await asyncio.to_thread(self.server.start)

    async def _play(self, http: httpx.AsyncClient, player: Player, rng: random.Random) -> None:
        while self.goes_on():
            arena = await self._ask(http, player, "POST", f"/arenas/{self.arena}/join")
            race = arena and arena["you"]["race"]
            if race:
                await self._race(http, player, rng, race)
            elif rng.random() < 0.02:
                await self._ask(http, player, "POST", f"/arenas/{self.arena}/leave")
            await asyncio.sleep(0.2 + rng.random() / 2)

    async def _race(self, http: httpx.AsyncClient, player: Player, rng: random.Random, race: str) -> None:
        self.races.add(race)
        moves = rng.randrange(4)
        while self.goes_on():
            found = await self._ask(http, player, "GET", f"/races/{race}")
            if found is None or found["status"] == "counting_down":
                await asyncio.sleep(0.2)
                continue
            if found["status"] == "over":
                return
            board = await self._ask(http, player, "GET", f"/games/{found['game']}")
            if board is None:
                continue
            if board["status"] == "given_up":
                return
            path = f"/games/{found['game']}"
            if board["ply"] < moves:
                body = {"ply": board["ply"], "move": rng.choice(board["legal_moves"])}
                call = self._ask(http, player, "POST", f"{path}/moves", body)
                if rng.random() < 0.2:  # cut off before the answer
                    task = asyncio.create_task(call)
                    await asyncio.sleep(0.005)
                    task.cancel()
                    await asyncio.gather(task, return_exceptions=True)
                else:
                    await call
            else:
                await self._ask(http, player, "POST", f"{path}/give-up", {"ply": board["ply"]})

    async def _ask(
        self, http: httpx.AsyncClient, player: Player, method: str, path: str, body: Any = None
    ) -> dict[str, Any] | None:
        """The answer; None where there was none, or it was a refusal."""
        try:
            answer = await http.request(method, V1 + path, json=body or {}, headers=player.headers)
        except httpx.TransportError:  # the server is dead just now
            await asyncio.sleep(0.2)
            return None
        assert answer.status_code < 500 or answer.status_code == 503, answer.text
        return answer.json() if answer.is_success else None


@pytest.mark.timeout(300)
def test_twenty_players_and_two_kills_and_the_table_is_what_the_logs_say(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(race_countdown_seconds="1", arena_hours="off")
    crowd = Crowd(server, 20, seed=3)
    asyncio.run(crowd.run(races=12, kills=[3, 8]))
    arena = crowd.players[0].get(f"/arenas/{crowd.arena}")
    assert len(crowd.races) >= 12
    server.stop()
    db = opened(server)
    try:
        with db.write() as conn:  # an hour is long: it ends now
            store.change(conn, crowd.arena, ends_at=arena["now"] + 1_000, due_at=arena["now"])
        server.start()
        end = time.monotonic() + 90
        while (found := crowd.players[0].get(f"/arenas/{crowd.arena}"))["status"] != "over":
            assert time.monotonic() < end, json.dumps(found)
            time.sleep(0.5)
        with db.read() as conn:
            kept = store.find(conn, crowd.arena)
            assert kept is not None
            assert differences(conn, kept) == []
            assert set(store.races_of(conn, crowd.arena)) >= crowd.races
        table = found["table"]
        assert len(table) == 20
        assert sum(row["points"] for row in table) > 0
        assert [row["rank"] for row in table] == sorted(row["rank"] for row in table)
        assert not re.search("spider1-", json.dumps(found))
    finally:
        db.close()
