"""Scripted players race over HTTP through lost, doubled, reordered and stale requests; then the reckoning.

``python -m benchmarks.races`` has 100 players in 200 races on a server of its own, and then holds every
stored log against what its player was told, and every result against its logs. Exit status 1 for a fault.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from app.db import open_database
from app.settings import Settings
from tests.support.racing import Circuit
from tests.support.reckoning import reckon
from tests.support.server import Server


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=100)
    parser.add_argument("--races", type=int, default=200)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--trouble", type=float, default=0.3, help="share of moves that something happens to")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), race_countdown_seconds="0", solver_processes="0")
        server.start()
        try:
            began = time.perf_counter()
            circuit = Circuit(server.url, seed=asked.seed, trouble=asked.trouble)
            found = asyncio.run(circuit.run(asked.players, asked.races, asked.at_once))
            seconds = time.perf_counter() - began
        finally:
            server.stop()
        db = open_database(Settings(data_dir=Path(folder)).database_url)
        faults = reckon(db, found)
        db.close()
    entries = sum(len(texts) for racer in found.racers for texts in racer.played.values())
    posts = sum(found.answers.values())
    print(f"{len(found.races)} races, {asked.players} players, {entries} entries, {posts} posts")
    print(f"in {seconds:.0f} s")
    print("answers:", ", ".join(f"{status} {count}" for status, count in sorted(found.answers.items())))
    print("\n".join(faults) or "no lost, doubled or foreign entry; every result follows from its logs")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
