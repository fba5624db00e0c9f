"""Measure a move beside a bare endpoint: CPU per request, median at 1 connection, p99 at 16, errors at 64.

Both are served by uvicorn with one worker and the same settings, each in a process of its own; this process
sends, and runs of the one and of the other take turns, so that whatever else the machine does hits both. The
moves are those of won games (tests/golden), each connection playing games of its own. See benchmarks/bare.py
for what the bare endpoint does.
"""

import argparse
import asyncio
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from urllib.parse import quote

import uvloop
from rich.console import Console
from rich.table import Table

from app.patience.deals import document_deal
from benchmarks.client import Connection, Sample, play, request
from tests.support.server import ROOT, Server, free_port

LIMITS = {"cpu": 3.0, "median": 3.0, "p99": 4.0}
STRETCH_CPU = 1.35
TICKS = os.sysconf("SC_CLK_TCK")
FORM = {"Content_Type": "application/x-www-form-urlencoded"}
JSON = {"Content_Type": "application/json"}


@dataclass
class Runs:
    """All runs of one endpoint with one number of connections."""

    samples: list[Sample] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def cpu_us(self) -> float:
        """CPU microseconds for each request, over all runs."""
        return sum(self.cpu) / sum(len(sample.seconds) for sample in self.samples) * 1e6

    def percentile_ms(self, share: float) -> float:
        """The median over the runs of each run's percentile: one disturbed run does not decide."""
        return 1e3 * median(sorted(s.seconds)[int(share * (len(s.seconds) - 1))] for s in self.samples)

    @property
    def errors(self) -> int:
        return sum(sample.errors for sample in self.samples)


def cpu_seconds(pid: int) -> float:
    """User and system time that a process has used, all threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


# Games to play


def lines() -> Iterator[tuple[str, list[str]]]:
    """Deal codes with lines that nearly win (a game that ends is measured elsewhere), round and round."""
    won = json.loads((ROOT / "tests" / "golden" / "won_games.json").read_text())
    return cycle([(document_deal(game["layout"]).code, game["moves"][:-1]) for game in won])


class Player:
    """Makes guests and games on a server, and the requests that play them."""

    def __init__(self, port: int, kind: str) -> None:
        self.port, self.kind, self.lines = port, kind, lines()

    async def prepare(self, connections: int, moves: int) -> list[list[bytes]]:
        """For each connection the requests for so many moves, in as many games as they take."""
        make: Callable[[Connection, int], asyncio.Future[list[bytes]]] = getattr(self, f"_{self.kind}")
        connection = Connection(self.port)
        try:
            return [await make(connection, moves) for _ in range(connections)]
        finally:
            await connection.close()

    async def _html(self, connection: Connection, moves: int) -> list[bytes]:
        cookie, found = "", []
        while len(found) < moves:
            code, line = next(self.lines)
            known = {"Cookie": cookie} if cookie else {}
            form = f"deal={quote(code)}"
            made = await connection.send(request("POST", self.port, "/play/spider", form, **FORM, **known))
            assert made.status == 303, made
            headers = dict(
                header.split(": ", 1) for header in made.headers.decode().split("\r\n")[1:] if header
            )
            headers = {name.lower(): value for name, value in headers.items()}
            cookie = cookie or SimpleCookie(headers["set-cookie"]).output([], "", "; ").strip()
            for ply, move in enumerate(line):
                more = {**FORM, "Cookie": cookie, "HX_Request": "true", "Accept": "text/html"}
                body = f"ply={ply}&move={move}"
                found.append(request("POST", self.port, headers["location"] + "/act", body, **more))
        return found[:moves]

    async def _json(self, connection: Connection, moves: int) -> list[bytes]:
        guest = json.loads((await connection.send(request("POST", self.port, "/api/v1/guests"))).body)
        more = {**JSON, "Authorization": f"Bearer {guest['token']}"}
        found: list[bytes] = []
        while len(found) < moves:
            code, line = next(self.lines)
            new = json.dumps({"patience": "spider", "deal": code})
            made = await connection.send(request("POST", self.port, "/api/v1/games", new, **more))
            assert made.status == 201, made
            path = f"/api/v1/games/{json.loads(made.body)['id']}/moves"
            found += [
                request("POST", self.port, path, json.dumps({"ply": ply, "move": move}), **more)
                for ply, move in enumerate(line)
            ]
        return found[:moves]


class Bare:
    """The same for the bare endpoint: ``kind`` chooses how many bytes it answers."""

    def __init__(self, port: int, kind: str) -> None:
        self.port, self.kind, self.made = port, kind, 0

    async def prepare(self, connections: int, moves: int) -> list[list[bytes]]:
        connection = Connection(self.port)
        found = []
        for _ in range(connections):
            self.made += 1
            game = f"{self.kind}-game-{self.made:012}"
            await connection.send(request("POST", self.port, f"/games/{game}"))
            more = {**FORM, "Cookie": "spindel=" + "x" * 70, "HX_Request": "true", "Accept": "text/html"}
            path = f"/games/{game}/{self.kind}"
            found.append(
                [request("POST", self.port, path, f"ply={ply}&move=4-7x2", **more) for ply in range(moves)]
            )
        await connection.close()
        return found


# Servers


@contextmanager
def product(folder: Path) -> Iterator[Server]:
    server = Server(folder / "product")
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def bare(folder: Path, sizes: dict[str, int]) -> Iterator[tuple[int, int]]:
    """The bare endpoint's server: its port and process id."""
    port = free_port()
    told = ",".join(f"{kind}:{size}" for kind, size in sizes.items())
    environment = {**os.environ, "BARE_FOLDER": str(folder), "BARE_SIZES": told}
    command = [sys.executable, "-m", "uvicorn", "benchmarks.bare:app", "--port", str(port), "--no-access-log"]
    command += ["--no-server-header", "--ws", "none", "--log-level", "warning"]
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            _wait(port, process)
            yield port, process.pid
        finally:
            process.terminate()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1000):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
        except OSError:
            assert process.poll() is None, "the bare server did not start"
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("the bare server did not answer")


# Measuring


async def run(player: Player | Bare, pid: int, connections: int, moves: int) -> tuple[Sample, float]:
    """One run: its sample, and the CPU seconds that the server used meanwhile."""
    prepared = await player.prepare(connections, moves)
    before = cpu_seconds(pid)
    sample = await play(player.port, prepared)
    await asyncio.sleep(0.05)  # what the server does after its last answer counts too
    return sample, cpu_seconds(pid) - before


async def measure(rounds: int, moves: int, kinds: list[str]) -> dict[str, dict[int, Runs]]:
    """All runs by endpoint (``html``, ``bare-html``, ...) and number of connections."""
    plan = {1: moves, 16: max(20, moves // 4), 64: max(10, moves // 16)}
    with tempfile.TemporaryDirectory() as scratch, product(Path(scratch)) as server:
        assert server.process is not None
        players = {kind: Player(server.port, kind) for kind in kinds}
        sizes = {}
        for kind, player in players.items():
            sample, _ = await run(player, server.process.pid, 4, 100)
            assert not sample.errors, f"{kind}: {sample.errors} errors before measuring began"
            sizes[kind] = round(median(len(body) for body in sample.bodies))
        with bare(Path(scratch), sizes) as (port, pid):
            both: list[tuple[str, Player | Bare, int]] = []
            for kind in kinds:
                both += [(kind, players[kind], server.process.pid), (f"bare-{kind}", Bare(port, kind), pid)]
            for _, player, process in both:
                await run(player, process, 4, 100)
            found = {name: {connections: Runs() for connections in plan} for name, _, _ in both}
            for number in range(rounds):
                print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
                for connections, each in plan.items():
                    for name, player, process in both:
                        sample, cpu = await run(player, process, connections, each)
                        found[name][connections].samples.append(sample)
                        found[name][connections].cpu.append(cpu)
        return found


def report(found: dict[str, dict[int, Runs]], kinds: list[str]) -> dict[str, dict[str, float]]:
    """Print the tables; the figures by kind."""
    console = Console(width=100)
    figures = {}
    for kind in kinds:
        ours, its = found[kind], found[f"bare-{kind}"]
        rows = {
            "cpu": ("CPU a request at 16 connections, µs", ours[16].cpu_us, its[16].cpu_us),
            "median": ("median at 1 connection, ms", ours[1].percentile_ms(0.5), its[1].percentile_ms(0.5)),
            "p99": ("p99 at 16 connections, ms", ours[16].percentile_ms(0.99), its[16].percentile_ms(0.99)),
        }
        table = Table("figure", "move", "bare", "ratio", "at most", title=f"a move, answered as {kind}")
        figures[kind] = {}
        for name, (words, mine, other) in rows.items():
            ratio = mine / other
            figures[kind] |= {name: mine, f"bare_{name}": other, f"{name}_ratio": ratio}
            mark = "[green]" if ratio <= LIMITS[name] else "[red]"
            limit = f"{LIMITS[name]:g}" + (f" (wished: {STRETCH_CPU})" if name == "cpu" else "")
            table.add_row(words, f"{mine:.3g}", f"{other:.3g}", f"{mark}{ratio:.2f}", limit)
        errors = {
            name: sum(runs.errors for runs in one.values()) for name, one in (("move", ours), ("bare", its))
        }
        table.add_row("errors at 1, 16 and 64 connections", str(errors["move"]), str(errors["bare"]), "", "0")
        bodies = [body for sample in ours[1].samples for body in sample.bodies]
        plain, packed = (
            median(map(len, bodies)),
            median(len(gzip.compress(body)) for body in islice(bodies, 300)),
        )
        table.add_row("bytes answered, median", f"{plain:.0f}", "", "", "")
        table.add_row("the same gzipped", f"{packed:.0f}", "", "", "4096")
        figures[kind] |= {"errors": errors["move"], "bytes": plain, "gzipped": packed}
        console.print(table)
    return figures


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--moves", type=int, default=400, help="moves a run at one connection")
    arguments.add_argument("--kinds", default="html,json")
    arguments.add_argument("--json", type=Path, help="write the figures to this file")
    arguments.add_argument("--check", action="store_true", help="exit with 1 when a limit is passed")
    given = arguments.parse_args()
    kinds = given.kinds.split(",")
    figures = report(uvloop.run(measure(given.rounds, given.moves, kinds)), kinds)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1))
    missed = [
        f"{kind} {name}"
        for kind, one in figures.items()
        for name in LIMITS
        if one[f"{name}_ratio"] > LIMITS[name] or one["errors"]
    ]
    return 1 if given.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
