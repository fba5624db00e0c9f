"""The engine with the real solver: whole games, in solver processes of their own."""

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.analysis.process import Command, SolverProcess
from app.analysis.service import GAME_MS, Analysis, banked_patiences
from app.analysis.store import Analysed
from app.db import Database, open_database
from app.games.hint import suggest
from app.migrate import migrate
from app.patience import registry
from app.patience.deals import deal_of, seed_deal
from app.patience.position import Pile, Position, encode
from app.settings import Settings

pytestmark = pytest.mark.slow

SPIDER1 = registry.get("spider", {"suits": 1})
SPIDER2 = registry.get("spider", {"suits": 2})
SPIDER4 = registry.get("spider", {"suits": 4})


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Analysis]]:
    """One engine for the module: its process takes a second to come up."""
    settings = Settings(data_dir=tmp_path_factory.mktemp("house"))
    migrate(settings)
    db = open_database(settings.database_url)
    engine = Analysis(db, bank_size=0, idle_after=0.0, command=Command(niceness=5))
    engine.start()
    yield db, engine
    engine.stop()
    db.close()


@pytest.fixture
def engine(house: tuple[Database, Analysis]) -> Analysis:
    return house[1]


@pytest.fixture
def db(house: tuple[Database, Analysis]) -> Database:
    return house[0]


def patiently(engine: Analysis, position: Position, move: Callable[[], str | None]) -> str | None:
    """A hint; the engine is given more time than a player has, for the machine may be busy."""
    end = time.monotonic() + 60
    while (found := move()) is None and time.monotonic() < end:
        time.sleep(0.1)
    return found


@pytest.mark.parametrize("suits", [1, 4])
@pytest.mark.timeout(240)
def test_hints_alone_win_a_winnable_deal_and_never_go_round(
    db: Database, engine: Analysis, suits: int
) -> None:
    patience = registry.get("spider", {"suits": suits})
    position, seen, played = seed_deal(patience, 17).start, set(), 0
    while patience.outcome(position).status == "playing":
        assert position not in seen
        seen.add(position)

        def hint(at: Position = position) -> str | None:
            advice = engine.advise("game", patience, at, asker="ann")
            return advice.move if advice else None

        move = patiently(engine, position, hint)
        assert move is not None
        position, played = patience.play(position, move).position, played + 1
    assert patience.outcome(position).status == "won"
    assert played < 260


@pytest.mark.timeout(240)
def test_a_winnable_deal_is_made_while_the_player_waits_and_its_line_wins(
    db: Database, engine: Analysis
) -> None:
    end = time.monotonic() + 120
    while not engine.restock(SPIDER2, asker="ann", seconds=4):
        assert time.monotonic() < end
    with db.write() as conn:
        code = engine.take(conn, SPIDER2)
    assert code is not None
    start = deal_of(code).start
    with db.read() as conn:
        found = engine.look(conn, SPIDER2, start).verdict
    assert found is not None
    assert found.line is not None
    position = start
    for move in found.line:
        position = SPIDER2.play(position, move).position
    assert SPIDER2.outcome(position).status == "won"
    with db.write() as conn:
        assert engine.take(conn, SPIDER2) != code


def sensible_game(seed: int, plies: int) -> tuple[Position, list[str]]:
    """A game of so many entries by one who plays what looks good, and sometimes undoes."""
    rng, deal = random.Random(seed), seed_deal(SPIDER4, seed)
    position, entries, steps = deal.start, [], []
    trail = [position]
    while len(entries) < plies and SPIDER4.outcome(position).status == "playing":
        if steps and rng.random() < 0.05:
            entries.append("undo")
            steps.pop()
            trail.pop()
            position = trail[-1]
            continue
        given = suggest(SPIDER4, deal.start, steps).move
        moves = SPIDER4.legal_moves(position)
        move = given if given and rng.random() < 0.8 else rng.choice(moves)
        entries.append(move)
        steps.append(move)
        position = SPIDER4.play(position, move).position
        trail.append(position)
    return deal.start, entries


@pytest.mark.timeout(240)
def test_a_whole_game_is_analysed_within_its_budget(db: Database, engine: Analysis) -> None:
    start, entries = sensible_game(5, 150)
    with db.write() as conn:
        engine.analyse(conn, "a game", SPIDER4, start, entries, asker="ann")
    began = time.monotonic()

    def found() -> Analysed | None:
        with db.read() as conn:
            return engine.analysed(conn, "a game")

    while not ((made := found()) and made.done):
        assert time.monotonic() - began < 120
        time.sleep(0.1)
    assert made.spent_ms <= GAME_MS + 2_000
    plies = made.progress.plies
    assert len(plies) == len(entries) + 1
    assert plies[0] == "w"
    assert "-" not in plies[: plies.rfind("w")].replace("l", "") or "undo" in entries


def test_a_long_search_stays_within_the_memory_of_its_process() -> None:
    piles = list(seed_deal(SPIDER4, 0).start.piles)
    row = piles[10].cards[:-10]
    piles[10] = Pile(row, len(row))  # a row is missing: nothing to find, and too much to look at
    task = {
        "do": "solve",
        "prefix": "spider4",
        "budget_ms": 8_000,
        "position": encode(Position(tuple(piles))),
    }
    process, answers = SolverProcess(Command(memory_mb=600, niceness=5)), []
    try:
        assert process.run(task, answers.append, lambda: False) == "done"
        assert answers[-1]["verdict"]["reason"] == "time"
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        assert next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) <= 600 * 1024
    finally:
        process.kill()


def test_the_bank_holds_every_number_of_suits() -> None:
    assert [one.params["suits"] for one in banked_patiences()] == [1, 2, 4]


def test_the_web_never_loads_the_compiler() -> None:
    program = (
        "import app.main, sys; app.main.create_app; print('numba' in sys.modules, 'numpy' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout.split()[0] == "False"
