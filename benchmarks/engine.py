"""Measure the engine at work: a move beside a full pool, whole games analysed, what a difficulty says.

``python -m benchmarks.engine moves`` plays moves in short bursts while every solver process is by turns at a
search that does not end, and stopped (SIGSTOP), so that whatever else the machine does hits both alike.

``python -m benchmarks.engine games`` analyses games of 150 plies by one who plays what looks good and
sometimes something else, on one process.

``python -m benchmarks.engine difficulty`` asks how well a deal's difficulty, made with four seeds of the
search, predicts the mean of four other seeds.
"""

import argparse
import asyncio
import os
import random
import signal
import tempfile
import time
from pathlib import Path
from statistics import correlation, fmean, median

from app.analysis import results, store
from app.analysis.process import Command, SolverProcess
from app.db import Database, open_database
from app.games.hint import suggest
from app.patience import registry
from app.patience.deals import seed_deal
from app.patience.position import Pile, Position, encode
from benchmarks.client import play
from benchmarks.move import Player
from tests.support.server import Server

SPIDER4 = registry.get("spider", {"suits": 4})
ENDLESS_MS = 3_600_000


def children(pid: int) -> list[int]:
    """The process's children, whichever of its threads began them."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return sorted({int(child) for one in lists for child in one.read_text().split()})


def moves(processes: int, bursts: int, length: int) -> None:
    """The median of a move with the pool at rest, and full."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), solver_processes=str(processes), bank_size="0")
        server.start()
        try:
            db = open_database(f"sqlite:///{folder}/spindel.db")
            _fill_pool(db, processes)
            assert server.process is not None
            pids: list[int] = []
            while len(pids) < processes or any(_ticks(pid) < 100 for pid in pids):
                time.sleep(0.2)
                pids = children(server.process.pid)
            medians: dict[bool, list[float]] = {True: [], False: []}
            asyncio.run(_bursts(server, pids, bursts, length, medians))
            db.close()
        finally:
            server.kill()
    quiet, full = (median(medians[busy]) * 1e3 for busy in (False, True))
    ratios = [busy / rest for busy, rest in zip(medians[True], medians[False], strict=True)]
    print(f"{processes} processes: move median {quiet:.2f} ms at rest, {full:.2f} ms with the pool full, "
          f"ratio {full / quiet:.2f} (median of {bursts} pairs {median(ratios):.2f})")  # fmt: skip


def _fill_pool(db: Database, processes: int) -> None:
    """Searches that find nothing: a table that lacks a row of its stock cannot be won."""
    for seed in range(processes):
        piles = list(seed_deal(SPIDER4, seed).start.piles)
        row = piles[10].cards[:-10]
        piles[10] = Pile(row, len(row))
        job = results.solve_job(SPIDER4, Position(tuple(piles)), store.LOW, ENDLESS_MS, f"bench {seed}")
        with db.write() as conn:
            store.add_job(conn, job, time.time_ns() // 1_000_000)


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11])


async def _bursts(
    server: Server, pids: list[int], bursts: int, length: int, medians: dict[bool, list[float]]
) -> None:
    player = Player(server.port, "html")
    for _ in range(bursts):
        for busy in (False, True):
            for pid in pids:
                os.kill(pid, signal.SIGCONT if busy else signal.SIGSTOP)
            lines = await player.prepare(1, length)
            sample = await play(server.port, lines)
            assert not sample.errors
            medians[busy].append(median(sample.seconds))
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def sensible_game(seed: int, plies: int = 150) -> tuple[Position, list[str]]:
    """A game of so many entries, a twentieth of them undone, a fifth of them anything legal."""
    draw, deal = random.Random(seed), seed_deal(SPIDER4, seed)
    trail, entries, steps = [deal.start], [], []
    while len(entries) < plies and SPIDER4.outcome(trail[-1]).status == "playing":
        if steps and draw.random() < 0.05:
            entries.append("undo")
            steps.pop()
            trail.pop()
            continue
        hint = suggest(SPIDER4, deal.start, steps).move if draw.random() < 0.8 else None
        move = hint or draw.choice(SPIDER4.legal_moves(trail[-1]))
        entries.append(move)
        steps.append(move)
        trail.append(SPIDER4.play(trail[-1], move).position)
    return deal.start, entries


def games(count: int, first: int) -> None:
    process = SolverProcess(Command())
    seconds, open_plies, plies = [], 0, 0
    try:
        for seed in range(first, first + count):
            start, entries = sensible_game(seed)
            answers: list[dict[str, object]] = []
            task = {
                "do": "game", "prefix": "spider4", "position": encode(start), "entries": entries,
                "budget_ms": 18_000, "known": {}, "spent_ms": 0, "tried": 0,
            }  # fmt: skip
            assert process.run(task, answers.append, lambda: False) == "done"
            last = answers[-2]
            seconds.append(int(str(last["spent_ms"])) / 1000)
            marks = str(last["plies"])
            open_plies, plies = open_plies + marks.count("-"), plies + len(marks)
            print(f"seed {seed}: {len(entries)} entries, {seconds[-1]:.1f} s, {last['tried']} searches, "
                  f"won up to {marks.rfind('w')}, {marks.count('-')} not known")  # fmt: skip
    finally:
        process.kill()
    print(
        f"median {median(seconds):.1f} s, longest {max(seconds):.1f} s, {1 - open_plies / plies:.1%} settled"
    )


def difficulty(count: int, first: int, suits: int) -> None:
    from app.analysis import engine

    patience = registry.get("spider", {"suits": suits})
    engine.SOLVER.warm()
    here, others = [], []
    for seed in range(first, first + count):
        start = seed_deal(patience, seed).start
        here.append(engine.SOLVER.difficulty(patience, start, lambda: False))
        others.append(engine.width_of(patience, start, range(201, 205), lambda: False))
    ranks = [[sorted(values).index(value) for value in values] for values in (here, others)]
    told = f"correlation {correlation(here, others):.2f}, of ranks {correlation(*ranks):.2f}"
    print(f"{suits} suits, {count} deals: mean {fmean(here):.2f}, {told}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["moves", "games", "difficulty"])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--bursts", type=int, default=20)
    parser.add_argument("--length", type=int, default=120)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=70_000)
    parser.add_argument("--suits", type=int, default=4)
    asked = parser.parse_args()
    if asked.what == "moves":
        moves(asked.processes, asked.bursts, asked.length)
    elif asked.what == "games":
        games(asked.count, asked.first)
    else:
        difficulty(asked.count, asked.first, asked.suits)


if __name__ == "__main__":
    main()
