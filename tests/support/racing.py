"""Scripted players who race over HTTP as badly as a network can make them: for tests and the benchmark.

They play all at once, in one event loop: each race has its players, and each player sends moves that are lost
on the way (the answer is never read), sent twice, sent out of order, or meant for a ply long past.
"""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx

V1 = "/api/v1"


@dataclass
class Racer:
    """A player with a token, and what it believes it has played: the server's log must agree."""

    token: str
    player: str
    rng: random.Random
    played: dict[str, list[str]] = field(default_factory=dict)  # game -> texts that were answered with 200

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}


@dataclass
class Meeting:
    """What came of it: how often the server answered what, and each race's last document."""

    answers: Counter[str] = field(default_factory=Counter)
    races: list[dict[str, Any]] = field(default_factory=list)
    racers: list[Racer] = field(default_factory=list)


class Circuit:
    """Races on one server. ``trouble`` is the share of requests that something goes wrong with."""

    def __init__(self, url: str, *, seed: int, trouble: float = 0.3, moves: int = 12) -> None:
        self.rng = random.Random(seed)
        self.trouble = trouble
        self.moves = moves
        self.found = Meeting()
        limits = httpx.Limits(max_connections=60, max_keepalive_connections=60)
        self.http = httpx.AsyncClient(base_url=url, timeout=60, limits=limits)

    async def run(
        self, players: int, races: int, at_once: int, sizes: tuple[int, ...] = (2, 3, 4)
    ) -> Meeting:
        async with self.http:
            self.found.racers = [await self._racer() for _ in range(players)]
            gate = asyncio.Semaphore(at_once)

            async def one(number: int) -> None:
                async with gate:
                    chosen = self.rng.sample(self.found.racers, self.rng.choice(sizes))
                    self.found.races.append(await self._race(number, chosen))

            await asyncio.gather(*(one(number) for number in range(races)))
        return self.found

    async def _racer(self) -> Racer:
        answer = (await self.http.post(f"{V1}/guests")).json()
        return Racer(answer["token"], answer["player"], random.Random(self.rng.random()))

    async def _race(self, number: int, racers: list[Racer]) -> dict[str, Any]:
        made = await self._post(
            racers[0], "/races", {"params": {"suits": 1}, "seconds": 600, "undo": number % 2 == 0}
        )
        race = made.json()["id"]
        for racer in racers[1:]:
            await asyncio.gather(*(self._post(racer, f"/races/{race}/join") for _ in range(2)))
        await asyncio.gather(
            *(self._post(racer, f"/races/{race}/ready") for racer in racers for _ in range(2))
        )
        document = await self._get(racers[0], f"/races/{race}")
        if document["status"] == "counting_down":
            await asyncio.sleep((document["starts_at"] - document["now"]) / 1000)
            document = await self._get(racers[0], f"/races/{race}")
        assert document["status"] == "running"
        await asyncio.gather(*(self._play(racer, race, document["undo"]) for racer in racers))
        over = await self._get(racers[0], f"/races/{race}")
        assert over["status"] == "over", over["status"]
        return over

    async def _play(self, racer: Racer, race: str, undo: bool) -> None:
        game = (await self._get(racer, f"/races/{race}"))["game"]
        racer.played[game] = []
        for _ in range(racer.rng.randrange(self.moves // 2, self.moves + 1)):
            board = await self._get(racer, f"/games/{game}")
            if not board["legal_moves"]:
                break
            ply, move = board["ply"], racer.rng.choice(board["legal_moves"])
            await self._move(racer, game, ply, move)
        if undo:
            ply = len(racer.played[game])
            both = [self._post(racer, f"/games/{game}/undo", {"ply": ply}) for _ in range(2)]
            answers = await asyncio.gather(*both)
            assert {answer.status_code for answer in answers} == {200}
            racer.played[game].append("undo")
        await self._post(racer, f"/games/{game}/give-up", {"ply": len(racer.played[game])})

    async def _move(self, racer: Racer, game: str, ply: int, move: str) -> None:
        """Plays a move, through whatever trouble; afterwards it has been played just once."""
        path, body = f"/games/{game}/moves", {"ply": ply, "move": move}
        if racer.rng.random() < self.trouble:
            match racer.rng.randrange(4):
                case 0:  # twice at once
                    await asyncio.gather(*(self._post(racer, path, body) for _ in range(2)))
                case 1:  # cut off before the answer came
                    task = asyncio.create_task(self._post(racer, path, body))
                    await asyncio.sleep(racer.rng.random() * 0.01)
                    task.cancel()
                    await asyncio.gather(task, return_exceptions=True)
                case 2:  # a later one first
                    late = await self._post(racer, path, {"ply": ply + 1, "move": move})
                    assert late.status_code in (409, 200), late.text
                    if late.status_code == 200:
                        raise AssertionError("a move for a ply to come was played")
                case 3 if ply:  # one for a ply long past
                    stale = await self._post(racer, path, {"ply": ply - 1, "move": "10-1x1"})
                    assert stale.status_code in (200, 409), stale.text
        answer = await self._post(racer, path, body)
        assert answer.status_code == 200, answer.text
        racer.played[game].append(move)

    async def _post(self, racer: Racer, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
        answer = await self.http.post(V1 + path, json=body or {}, headers=racer.headers)
        self.found.answers[str(answer.status_code)] += 1
        assert answer.status_code < 500, answer.text
        return answer

    async def _get(self, racer: Racer, path: str) -> dict[str, Any]:
        answer = await self.http.get(V1 + path, headers=racer.headers)
        assert answer.status_code == 200, answer.text
        document: dict[str, Any] = answer.json()
        return document
