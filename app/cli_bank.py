"""The bank's commands: ``spindel bank fill | show``."""

import sys
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from app.analysis import results, store
from app.analysis.process import Command, SolverProcess
from app.analysis.service import BANK_MS, ready_deals
from app.analysis.work import from_json
from app.cli_shared import AsJson, BadInput, Failure, bring_up_to_date, emit, read_settings
from app.db import Database, open_database
from app.patience import registry
from app.patience.deals import deal_of
from app.patience.patience import Patience
from app.settings import Settings

commands = typer.Typer(rich_markup_mode=None)
bank = typer.Typer(rich_markup_mode=None, help="Deals that are sure to be winnable, ready to be played.")
commands.add_typer(bank, name="bank")

MOST_FAILURES = 3
"""How many times in a row a process may come to nothing before the command gives up."""


@bank.command()
def fill(
    deals: Annotated[int, typer.Option(min=1, max=100_000, help="How many to have ready of each.")] = 100,
    suits: Annotated[list[int] | None, typer.Option(help="Only for so many suits; may be repeated.")] = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Processes that search at the same time.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Make winnable deals from the system's random source until so many are ready. May be broken off."""
    chosen = suits or [1, 2, 4]
    if set(chosen) - {1, 2, 4}:
        raise BadInput("Spider is played with 1, 2 or 4 suits")
    patiences = [registry.get("spider", {"suits": one}) for one in sorted(set(chosen))]
    settings = read_settings()
    bring_up_to_date(settings)
    db = open_database(settings.database_url)
    try:
        with db.read() as conn:
            stored = ready_deals(conn)
        missing = {one.prefix: max(0, deals - stored.get(one.prefix, 0)) for one in patiences}
        began = time.monotonic()
        made = _fill(db, settings, patiences, missing, jobs)
        with db.read() as conn:
            stored = ready_deals(conn)
    finally:
        db.close()
    document = {"made": made, "in_store": stored, "seconds": round(time.monotonic() - began, 1)}
    ready = ", ".join(f"{count} of {prefix}" for prefix, count in sorted(stored.items()))
    emit(document, f"{sum(made.values())} made in {document['seconds']} s; ready: {ready}", as_json)


@bank.command()
def show(as_json: AsJson = False) -> None:
    """Say how many deals are ready, and how hard they are. Tells no deal."""
    settings = read_settings()
    bring_up_to_date(settings)
    db = open_database(settings.database_url)
    try:
        with db.read() as conn:
            stored = ready_deals(conn)
            hard = {prefix: store.difficulties(conn, prefix) for prefix in stored}
    finally:
        db.close()
    document = {
        prefix: {
            "ready": stored[prefix],
            "difficulty": {"least": known[0], "median": round(median(known), 2), "most": known[-1]},
        }
        for prefix, known in sorted(hard.items())
    }
    text = "\n".join(f"{prefix}: {one['ready']} ready" for prefix, one in document.items())
    emit(document, text or "the bank is empty", as_json)


def _fill(
    db: Database, settings: Settings, patiences: list[Patience], missing: dict[str, int], jobs: int
) -> dict[str, int]:
    """Has the deals made, in processes of its own beside those of a server; how many were made of each."""
    wanted: SimpleQueue[Patience] = SimpleQueue()
    for patience in patiences:
        for _ in range(missing[patience.prefix]):
            wanted.put(patience)
    made = dict.fromkeys(missing, 0)
    failed = threading.Event()
    with Progress(
        TextColumn("Filling"),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    ) as progress:
        bar = progress.add_task("", total=sum(missing.values()))

        def one_more(prefix: str) -> None:
            made[prefix] += 1
            progress.advance(bar)

        threads = [
            threading.Thread(target=_work, args=(db, settings, wanted, one_more, failed), daemon=True)
            for _ in range(jobs)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failed.is_set():
        raise Failure("the solver's processes do not come up; try `spindel solve spider4-H3` to see why")
    return made


def _work(
    db: Database,
    settings: Settings,
    wanted: "SimpleQueue[Patience]",
    one_more: Callable[[str], None],
    failed: threading.Event,
) -> None:
    process, failures = SolverProcess(Command(memory_mb=settings.solver_memory_mb)), 0
    try:
        while not failed.is_set():
            try:
                patience = wanted.get_nowait()
            except Empty:
                return
            answers: list[dict[str, Any]] = []
            task = {"do": "bank", "prefix": patience.prefix, "budget_ms": BANK_MS}
            how = process.run(task, answers.append, failed.is_set)
            failures = 0 if how == "done" else failures + 1
            if failures >= MOST_FAILURES:
                failed.set()
            if not (answers and answers[-1]["deal"]):
                wanted.put(patience)  # that one was not solved in time: another
                continue
            answer = answers[-1]
            with db.write() as conn:
                deal, verdict = deal_of(answer["deal"]), from_json(answer["verdict"])
                results.keep_banked(conn, deal, verdict, answer["difficulty"], time.time_ns() // 1_000_000)
            one_more(patience.prefix)
    finally:
        process.kill()
