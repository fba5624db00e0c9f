"""What a worker carries and what a game takes on the disk: the figures of docs/scaling.md.

``python -m benchmarks.scaling`` plays moves of won games at 16 connections on one worker, once on SQLite and
once on PostgreSQL (both sync to the disk); then whole won games straight into each, whose sizes it looks at.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import psycopg
import uvloop

from app.db import open_database
from app.db.sqlite import sqlite_module
from app.games.service import Games
from app.migrate import migrate
from app.patience.deals import document_deal
from app.players import service as players
from app.ranking import service as ranking
from app.settings import Settings
from benchmarks.client import play
from benchmarks.move import Player, cpu_seconds
from tests.support.server import ROOT, Server
from tests.support.services import Postgres, Redis

KINDS = ("sqlite", "postgresql")
CONNECTIONS = 16

GAMES_A_DAY, ENTRIES = 3, 116
"""Of a player. The games are assumed; the entries are those of the golden won games, on average."""

BUSIEST_HOUR = 0.1
"""Its share of the day, assumed."""

LOADED = 0.5
"""How far cores may be loaded, for answers to stay quick."""


@contextmanager
def stage(kind: str) -> Iterator[tuple[dict[str, str], Postgres | None]]:
    """The settings of a database, and its server if it has one."""
    if kind == "sqlite":
        yield {}, None
        return
    with ExitStack() as stack:
        postgres, redis = Postgres(hasty=False), Redis()
        stack.callback(postgres.remove)
        stack.callback(redis.remove)
        yield {"database_url": postgres.migrated(), "redis_url": redis.url}, postgres


def database_cpu(postgres: Postgres | None) -> float:
    """CPU seconds of a PostgreSQL server: of all its processes, those that have ended included."""
    if postgres is None or postgres.process is None:
        return 0.0
    ticks, server = 0, postgres.process.pid
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if path.parent.name == str(server):
            ticks += sum(int(fields[at]) for at in (11, 12, 13, 14))
        elif fields[1] == str(server):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def moves(kind: str, answer: str, rounds: int, each: int) -> dict[str, float]:
    """Moves played at 16 connections on one worker: the median of the rounds, figure by figure."""
    found: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder, stage(kind) as (settings, postgres):
        server = Server(Path(folder), **settings)
        server.start()
        try:
            assert server.process is not None
            pid, player = server.process.pid, Player(server.port, answer)
            for number in range(rounds + 1):
                prepared = uvloop.run(player.prepare(CONNECTIONS, each))
                cpu, database, began = cpu_seconds(pid), database_cpu(postgres), time.perf_counter()
                sample = uvloop.run(play(server.port, prepared))
                seconds, count = time.perf_counter() - began, len(sample.seconds)
                if sample.errors:
                    raise RuntimeError(f"{sample.errors} moves were refused")
                if number:  # the first is for warming up
                    found.append(
                        {
                            "moves a second": count / seconds,
                            "worker's CPU a move, µs": 1e6 * (cpu_seconds(pid) - cpu) / count,
                            "database's CPU a move, µs": 1e6 * (database_cpu(postgres) - database) / count,
                            "median, ms": 1e3 * median(sample.seconds),
                            "p99, ms": 1e3 * sorted(sample.seconds)[int(0.99 * (count - 1))],
                        }
                    )
        finally:
            server.stop()
    return {name: median(one[name] for one in found) for name in found[0]}


def sizes(kind: str, games: int) -> dict[str, float]:
    """Whole won games, as a player plays them: what they take on the disk, by table."""
    won = json.loads((ROOT / "tests" / "golden" / "won_games.json").read_text())
    with tempfile.TemporaryDirectory() as folder, stage(kind) as (chosen, _):
        settings = Settings(data_dir=Path(folder), **chosen)  # type: ignore[arg-type]
        migrate(settings)
        db = open_database(settings.database_url)
        service = Games(db)
        service.on_end.append(ranking.record)
        before, entries = _by_table(db.url), 0
        with db.write() as conn:
            player = players.new_guest(conn, "benchmark")[0].id
        for number in range(games):
            one = won[number % len(won)]
            with db.write() as conn:
                game = service.create(conn, player, deal=document_deal(one["layout"]).code)
            for ply, move in enumerate(one["moves"]):
                with db.write() as conn:
                    service.act(conn, game.id, player, ply, move)
            entries += len(one["moves"])
        db.close()
        after = _by_table(db.url)
    grown = {name: size - before.get(name, 0) for name, size in after.items()}
    return {
        "games": games,
        "entries": entries,
        "bytes of log an entry": grown["log"] / entries,
        "bytes of log a game": grown["log"] / games,
        "bytes of game and result a game": (grown["games"] + grown["results"]) / games,
    }


def _by_table(url: str) -> dict[str, int]:
    """Bytes of each table with its indexes."""
    if url.startswith("sqlite"):
        return _of_sqlite(Path(url.removeprefix("sqlite:///")))
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("VACUUM FULL")  # what stays: dead rows are used again in a database that lives long
        found = server.execute(
            "SELECT relname, pg_total_relation_size(oid) FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        ).fetchall()
    return {name: int(size) for name, size in found}


def _of_sqlite(path: Path) -> dict[str, int]:
    """By dropping one table after another in a copy."""
    copy = path.with_suffix(".copy")
    copy.unlink(missing_ok=True)
    connection = sqlite_module().connect(path)
    connection.execute(f"VACUUM INTO '{copy}'")
    connection.close()
    connection, found = sqlite_module().connect(copy, isolation_level=None), {}
    for table in ("log", "results", "games"):
        before = copy.stat().st_size
        connection.execute(f"DROP TABLE {table}")
        connection.execute("VACUUM")
        found[table] = before - copy.stat().st_size
    connection.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--moves", type=int, default=100, help="moves of each connection in a round")
    parser.add_argument("--games", type=int, default=200, help="games whose size is taken; 0 for none")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--plan", type=int, metavar="PLAYERS", help="only reckon what so many a day need")
    parser.add_argument(
        "--given", help="for the plan: worker's and database's µs a move, bytes an entry, a game"
    )
    asked = parser.parse_args()
    if asked.plan:
        _print(f"{asked.plan:,} players a day", plan(asked.plan, *map(float, asked.given.split(","))))
        return 0
    for kind in asked.kinds.split(","):
        for answer in ("html", "json") if asked.rounds else ():
            _print(f"{kind}, moves answered as {answer}", moves(kind, answer, asked.rounds, asked.moves))
        if asked.games:
            _print(f"{kind}, sizes", sizes(kind, asked.games))
    return 0


def plan(players: int, worker_us: float, database_us: float, entry: float, game: float) -> dict[str, float]:
    """What so many players a day need: each has so many games of so many entries."""
    entries = players * GAMES_A_DAY * ENTRIES
    busiest = entries * BUSIEST_HOUR / 3600
    return {
        "entries a day, millions": entries / 1e6,
        "entries a second in the busiest hour": busiest,
        "cores of workers": busiest * worker_us / 1e6 / LOADED,
        "cores of the database": busiest * database_us / 1e6 / LOADED,
        "GB of log a day": entries * entry / 1e9,
        "GB of games and results a day": players * GAMES_A_DAY * game / 1e9,
        "TB a year": 365 * players * GAMES_A_DAY * (ENTRIES * entry + game) / 1e12,
    }


def _print(title: str, figures: dict[str, float]) -> None:
    told = ", ".join(f"{name} {figure:,.1f}" for name, figure in figures.items())
    print(f"{title}: {told}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
