"""Spectators of one race on one worker: does every stream get every event, how late, in how much memory?

``python -m benchmarks.streams`` opens 1,000 streams beside 50 moves a second. This process reads them all, on
the same machine, so its own work is in the times: from before a move's request to its event's arrival.
"""

import argparse
import asyncio
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import uvloop

from tests.support.server import Server

V1 = "/api/v1"
_SEAT = re.compile(rb'data: {"seat":(\d+),.*"ply":(\d+),')
_PLAYERS = 10

Move = tuple[int, int]  # seat and ply


@dataclass
class Watched:
    """When each move was told, by stream, and when it was sent."""

    arrived: list[dict[Move, float]]
    sent: dict[Move, float] = field(default_factory=dict)


async def read(port: int, race: str, ready: asyncio.Event, arrived: dict[Move, float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {V1}/races/{race}/events HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode())
    try:
        while line := await reader.readline():
            if line.startswith(b"id:"):
                ready.set()
            elif found := _SEAT.match(line):
                arrived[int(found[1]), int(found[2])] = time.perf_counter()
    finally:
        writer.close()


async def run(url: str, port: int, streams: int, per_second: int, seconds: int) -> Watched:
    watched = Watched([{} for _ in range(streams)])
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
        readers, ready = [], [asyncio.Event() for _ in watched.arrived]
        for there, arrived in zip(ready, watched.arrived, strict=True):
            readers.append(asyncio.create_task(read(port, race, there, arrived)))
            await asyncio.sleep(0.002)
        for there in ready:
            await there.wait()

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
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
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
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), race_countdown_seconds="0", solver_processes="0")
        server.start()
        try:
            assert server.process is not None
            watched = uvloop.run(run(server.url, server.port, asked.streams, asked.per_second, asked.seconds))
            memory, cpu = memory_mb(server.process.pid), cpu_seconds(server.process.pid)
        finally:
            server.stop()
    late = sorted(
        arrived[seq] - sent
        for arrived in watched.arrived
        for seq, sent in watched.sent.items()
        if seq in arrived
    )
    missing = len(watched.arrived) * len(watched.sent) - len(late)
    spent = max(watched.sent.values()) - min(watched.sent.values())
    print(f"{len(watched.arrived)} streams, {len(watched.sent)} moves in {spent:.1f} s, {missing} missing")
    shares = (0.5, 0.95, 0.99, 1.0)
    told = ", ".join(f"{share:.0%} {1000 * late[int(share * (len(late) - 1))]:.0f} ms" for share in shares)
    print(f"from the request to the arrival: {told}; the server has {memory:.0f} MB")
    print(f"the server has used {cpu:.1f} s of CPU in all, its start and the streams' opening included")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
