"""Spectators of one race on one worker: does every stream get every event, how late, in how much memory?

``python -m benchmarks.streams`` opens 1,000 streams beside 50 moves a second. This process reads them all, on
the same machine, so its own work is in the times: from before a move's request to its event's arrival. What
the server's processor has done is told for each event that was delivered, the moves themselves included.
"""

import argparse
import asyncio
import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import httpx
import uvloop

from tests.support.server import Server

V1 = "/api/v1"
_SEAT = re.compile(rb'^id: (\d+)\r?\nevent: seat\r?\ndata: {"seat":(\d+),.*?"ply":(\d+),', re.MULTILINE)
_PLAYERS = 10

Move = tuple[int, int]  # seat and ply


@lru_cache(maxsize=4096)
def moves_of(text: bytes) -> tuple[tuple[int, Move], ...]:
    """The moves that some bytes of a stream tell of, each with its event's number; read once for all."""
    return tuple((int(number), (int(seat), int(ply))) for number, seat, ply in _SEAT.findall(text))


class Reader(asyncio.Protocol):
    """One stream, read for as little as can be: what came together is looked at together."""

    def __init__(self, race: str) -> None:
        self.request = f"GET {V1}/races/{race}/events HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode()
        self.ready = asyncio.Event()
        self.came: list[tuple[float, tuple[tuple[int, Move], ...]]] = []
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        transport.write(self.request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        whole, end, rest = (self._rest + data).rpartition(b"\n\n")
        self._rest = rest.lstrip(b"\r\n")
        if end:
            self.came.append((time.perf_counter(), moves_of(whole)))
            self.ready.set()

    def arrived(self) -> Iterator[tuple[int, Move, float]]:
        """Number, move and time of each event."""
        for at, moves in self.came:
            for number, move in moves:
                yield number, move, at


@dataclass
class Watched:
    """The streams, when each move was sent, and what the server used from then on: CPU seconds."""

    readers: list[Reader]
    sent: dict[Move, float] = field(default_factory=dict)
    used: float = 0.0


async def run(server: Server, streams: int, per_second: int, seconds: int) -> Watched:
    assert server.process is not None
    pid, url = server.process.pid, server.url
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        players = []
        for _ in range(_PLAYERS):
            token = (await http.post(f"{V1}/guests")).json()["token"]
            players.append({"authorization": f"Bearer {token}"})
        wishes = {"params": {"suits": 1}, "seconds": 3600, "undo": True}
        race = (await http.post(f"{V1}/races", json=wishes, headers=players[0])).json()["id"]
        for what in ("join", "ready"):
            for player in players:
                await http.post(f"{V1}/races/{race}/{what}", headers=player)
        games = [(await http.get(f"{V1}/races/{race}", headers=one)).json()["game"] for one in players]
        loop = asyncio.get_running_loop()
        watched = Watched([Reader(race) for _ in range(streams)])
        for reader in watched.readers:
            await loop.create_connection(lambda reader=reader: reader, "127.0.0.1", server.port)
            await asyncio.sleep(0.002)
        for reader in watched.readers:
            await reader.ready.wait()
        before = cpu_seconds(pid)

        async def play(seat: int) -> None:
            """Deals a row and undoes it, over and over, at this player's share of the pace."""
            began = time.perf_counter() + seat / per_second
            for ply in range(per_second * seconds // _PLAYERS):
                await asyncio.sleep(max(0.0, began + ply * _PLAYERS / per_second - time.perf_counter()))
                body = {"ply": ply} | ({} if ply % 2 else {"move": "deal"})
                watched.sent[seat, ply + 1] = time.perf_counter()
                address = f"{V1}/games/{games[seat - 1]}/{'undo' if ply % 2 else 'moves'}"
                (await http.post(address, json=body, headers=players[seat - 1])).raise_for_status()

        await asyncio.gather(*(play(seat) for seat in range(1, _PLAYERS + 1)))
        await asyncio.sleep(2)
        watched.used = cpu_seconds(pid) - before
        for reader in watched.readers:
            reader.transport.close()
    return watched


def cpu_seconds(pid: int) -> float:
    """What a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    """Resident memory of a process."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024  # type: ignore[index]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--per-second", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=20)
    asked = parser.parse_args()
    # Each stream is a file at either end; the server inherits what is allowed here.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), race_countdown_seconds="0", solver_processes="0")
        server.start()
        try:
            assert server.process is not None
            watched = uvloop.run(run(server, asked.streams, asked.per_second, asked.seconds))
            memory = memory_mb(server.process.pid)
        finally:
            server.stop()
    return tell(watched, memory)


def tell(watched: Watched, memory: float) -> int:
    """Prints what was found; 1 if a stream missed an event, or had one twice or out of order."""
    late: list[float] = []
    wrong = 0
    for reader in watched.readers:
        came = [one for one in reader.arrived() if one[1] in watched.sent]
        numbers = [number for number, _, _ in came]
        wrong += len(came) != len(watched.sent) or numbers != sorted(set(numbers))
        late += [at - watched.sent[move] for _, move, at in came]
    late.sort()
    spent = max(watched.sent.values()) - min(watched.sent.values())
    streams, moves = len(watched.readers), len(watched.sent)
    print(f"{streams} streams, {moves} moves in {spent:.1f} s, {len(late)} events; {wrong} streams are wrong")
    shares = (0.5, 0.95, 0.99, 1.0)
    told = ", ".join(f"{share:.0%} {1000 * late[int(share * (len(late) - 1))]:.0f} ms" for share in shares)
    print(f"from the request to the arrival: {told}; the server has {memory:.0f} MB")
    each, writes = 1e6 * watched.used / len(late), sum(len(reader.came) for reader in watched.readers)
    print(f"the server has used {watched.used:.1f} s of CPU, {each:.1f} us for each event that was delivered")
    pace, cost = writes / streams / spent, 1e6 * watched.used / writes
    print(f"{writes} writes, {cost:.0f} us for each; {pace:.1f} a second to a stream")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
