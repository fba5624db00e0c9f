"""The engine around a stand-in for the solver: the queue, its order, and what happens if things go wrong."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import select

from app.analysis import results, service, store
from app.analysis.canonical import canonical
from app.analysis.service import Analysis, Busy, Off
from app.analysis.store import IDLE, LOW, WAITING
from app.analysis.tables import JobRow
from app.analysis.verdict import Verdict
from app.db import Database
from app.patience import registry
from app.patience.position import Position, encode
from tests.analysis.tables import CANNOT, LOST, SPIDER1, SPIDER4, TIGHT, TWO_MOVES

T = TypeVar("T")
Mood = Callable[[str], None]


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, a hint is waited for."""
    monkeypatch.setattr(service, "HINT_WAIT", 30.0)


def until(probe: Callable[[], T], seconds: float = 20) -> T:
    """What the probe finds, once it finds something."""
    end = time.monotonic() + seconds
    while True:
        found = probe()
        if found:
            return found
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def ask(db: Database, engine: Analysis, position: Position, who: str = "ann", **more: int) -> service.Look:
    patience = SPIDER1 if position is TWO_MOVES else SPIDER4
    with db.write() as conn:
        return engine.ask(conn, patience, position, asker=who, **more)


def look(db: Database, engine: Analysis, position: Position) -> service.Look:
    patience = SPIDER1 if position is TWO_MOVES else SPIDER4
    with db.read() as conn:
        return engine.look(conn, patience, position)


def verdict(db: Database, engine: Analysis, position: Position) -> Verdict:
    found = until(lambda: one if (one := look(db, engine, position)).state == "known" else None)
    assert found.verdict is not None
    return found.verdict


def pid(engine: Analysis) -> int:
    return until(lambda: engine.runners.processes[0].pid) or 0


def jobs(db: Database) -> list[str]:
    with db.read() as conn:
        return list(conn.execute(select(JobRow.subject).order_by(JobRow.priority, JobRow.turn)).scalars())


# ---- verdicts


def test_a_verdict_is_found_kept_and_not_sought_again(db: Database, engine: Analysis, mood: Mood) -> None:
    assert look(db, engine, TWO_MOVES).state == "not_asked"
    assert ask(db, engine, TWO_MOVES).state == "waiting"
    found = verdict(db, engine, TWO_MOVES)
    assert (found.kind, found.moves) == ("solved", 2)
    assert jobs(db) == []
    mood("die")
    again = ask(db, engine, TWO_MOVES)
    assert again.state == "known"
    assert again.verdict == found


def test_a_position_that_cannot_be_won_is_said_to_be_so(db: Database, engine: Analysis) -> None:
    ask(db, engine, LOST)
    assert verdict(db, engine, LOST).kind == "unsolvable"


def test_a_verdict_serves_the_same_table_with_its_columns_in_another_order(
    db: Database, engine: Analysis
) -> None:
    ask(db, engine, TWO_MOVES)
    verdict(db, engine, TWO_MOVES)
    turned = Position((*TWO_MOVES.piles[9::-1], *TWO_MOVES.piles[10:]))
    with db.read() as conn:
        found = engine.look(conn, SPIDER1, turned)
    assert found.verdict is not None
    assert found.verdict.line is not None
    position = turned
    for move in found.verdict.line:
        position = SPIDER1.play(position, move).position
    assert SPIDER1.outcome(position).status == "won"


def test_an_unknown_is_sought_again_only_with_a_greater_budget(
    db: Database, engine: Analysis, mood: Mood
) -> None:
    mood("sleep")
    ask(db, engine, TIGHT, budget_ms=200)
    assert verdict(db, engine, TIGHT).reason == "time"
    assert ask(db, engine, TIGHT, budget_ms=200).state == "known"
    mood("")
    assert ask(db, engine, TIGHT, budget_ms=5_000).state == "waiting"
    until(lambda: look(db, engine, TIGHT).verdict.kind == "unsolvable")  # type: ignore[union-attr]


def test_a_worse_answer_never_takes_a_better_ones_place(db: Database, engine: Analysis) -> None:
    one = canonical(SPIDER1, TWO_MOVES)
    long = Verdict("solved", line=("3-4x1", "4-3x1", "3-2x2", "2-1x6"))
    short = Verdict("solved", line=("3-2x2", "2-1x6"))
    for kept in (
        Verdict("unknown", "time", spent_ms=9),
        long,
        short,
        long,
        Verdict("unknown", "time", spent_ms=99),
    ):
        with db.write() as conn:
            store.keep_verdict(conn, one.key, "spider1", kept, 1)
    with db.read() as conn:
        found = store.verdict(conn, canonical(SPIDER1, TWO_MOVES))
    assert found is not None
    assert found.moves == 2


# ---- when things go wrong


def test_a_process_killed_in_mid_job_gives_it_back_as_unknown_and_is_replaced(
    db: Database, engine: Analysis, mood: Mood
) -> None:
    mood("sleep")
    ask(db, engine, TIGHT)
    first = pid(engine)
    time.sleep(0.2)
    os.kill(first, signal.SIGKILL)
    found = verdict(db, engine, TIGHT)
    assert (found.kind, found.reason) == ("unknown", "crashed")
    mood("")
    ask(db, engine, TWO_MOVES)
    assert verdict(db, engine, TWO_MOVES).kind == "solved"
    assert pid(engine) != first


@pytest.mark.parametrize(("word", "reason"), [("die", "crashed"), ("memory", "memory"), ("fail", "failed")])
def test_what_fails_is_unknown_with_the_reason_and_can_be_asked_again(
    db: Database, engine: Analysis, mood: Mood, word: str, reason: str
) -> None:
    mood(word)
    ask(db, engine, TIGHT)
    found = verdict(db, engine, TIGHT)
    assert (found.kind, found.reason) == ("unknown", reason)
    mood("")
    assert ask(db, engine, TIGHT).state == "waiting"
    until(lambda: look(db, engine, TIGHT).verdict.kind == "unsolvable")  # type: ignore[union-attr]


def test_the_process_goes_when_the_server_is_killed(tmp_path: Path) -> None:
    program = (
        "import time; from app.analysis.process import Command, SolverProcess;"
        "p = SolverProcess(Command(module='tests.analysis.stand_in')); p.start(); print(p.pid, flush=True);"
        "time.sleep(60)"
    )
    server = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    child = int(server.stdout.readline())
    server.kill()
    server.wait()
    server.stdout.close()
    until(lambda: not Path(f"/proc/{child}").exists() or " Z " in Path(f"/proc/{child}/stat").read_text())


def test_what_was_being_done_goes_back_into_the_queue_at_the_end(
    db: Database, engine_of: Callable[..., Analysis], mood: Mood
) -> None:
    mood("sleep")
    engine = engine_of()
    ask(db, engine, TIGHT)
    pid(engine)
    time.sleep(0.2)
    engine.stop()
    assert len(jobs(db)) == 1
    mood("")
    assert verdict(db, engine_of(), TIGHT).kind == "unsolvable"


def test_a_job_whose_machine_has_vanished_is_taken_by_another(
    db: Database, engine_of: Callable[..., Analysis]
) -> None:
    ask(db, engine_of(start=False), TIGHT)
    with db.write() as conn:
        assert store.claim(conn, "a machine that has vanished", 1, 1)
    assert verdict(db, engine_of(), TIGHT).kind == "unsolvable"


def test_who_takes_the_place_of_a_killed_server_does_not_wait_for_the_end_of_its_lease(
    db: Database, engine_of: Callable[..., Analysis], tmp_path: Path
) -> None:
    dead, other = (engine_of(start=False, lock=tmp_path / name).runners.machine for name in ("one", "two"))
    for machine, position in [(dead, TIGHT), (other, CANNOT)]:
        ask(db, engine_of(start=False), position)
        with db.write() as conn:
            assert store.claim(conn, machine, time.time_ns() // 1_000_000, 600_000)
    engine = engine_of(lock=tmp_path / "one")
    assert verdict(db, engine, TIGHT).kind == "unsolvable"
    assert look(db, engine, CANNOT).state == "waiting"


def test_a_runner_that_failed_goes_on_and_leaves_nothing_behind(
    db: Database, engine: Analysis, mood: Mood, monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("sleep")
    ask(db, engine, TIGHT, priority=LOW, budget_ms=60_000)
    first = pid(engine)
    failures, release = [RuntimeError()], store.release

    def fails_once(*args: Any) -> None:
        if failures:
            raise failures.pop()
        release(*args)

    monkeypatch.setattr(store, "release", fails_once)
    ask(db, engine, CANNOT, priority=WAITING, budget_ms=60_000)
    until(lambda: not failures)
    mood("")
    assert verdict(db, engine, CANNOT).kind == "unsolvable"
    assert pid(engine) != first
    assert engine.runners._yielding == 0


def test_a_job_that_several_machines_have_lost_is_given_back(
    db: Database, engine_of: Callable[..., Analysis]
) -> None:
    ask(db, engine_of(start=False), TIGHT)
    with db.write() as conn:
        assert store.claim(conn, "one", 10, 1)
        assert store.claim(conn, "another", 20, 1)
    assert verdict(db, engine_of(), TIGHT).reason == "crashed"


def test_two_machines_never_take_the_same_job(db: Database, engine_of: Callable[..., Analysis]) -> None:
    engine = engine_of(start=False)
    ask(db, engine, TIGHT)
    with db.write() as conn:
        first = store.claim(conn, "one", 1_000, 30_000)
        second = store.claim(conn, "another", 1_001, 30_000)
    assert first is not None
    assert second is None


# ---- the queue


def test_whoever_takes_back_what_they_asked_for_frees_the_process(
    db: Database, engine: Analysis, mood: Mood
) -> None:
    mood("sleep")
    ask(db, engine, TIGHT, budget_ms=60_000)
    pid(engine)
    time.sleep(0.3)
    with db.write() as conn:
        assert engine.cancel(conn, SPIDER4, TIGHT, asker="ann")
    assert look(db, engine, TIGHT).state == "not_asked"
    mood("")
    ask(db, engine, CANNOT)
    assert verdict(db, engine, CANNOT).kind == "unsolvable"


def test_nobody_takes_back_what_another_waits_for_too(
    db: Database, engine_of: Callable[..., Analysis]
) -> None:
    engine = engine_of(start=False)
    ask(db, engine, TIGHT, "ann")
    with db.write() as conn:
        assert not engine.cancel(conn, SPIDER4, TIGHT, asker="bob")
    ask(db, engine, TIGHT, "bob")
    with db.write() as conn:
        assert not engine.cancel(conn, SPIDER4, TIGHT, asker="ann")
    assert len(jobs(db)) == 1


def test_one_who_waits_goes_first_and_stops_what_nobody_waits_for(
    db: Database, engine: Analysis, mood: Mood
) -> None:
    mood("sleep")
    ask(db, engine, TIGHT, priority=LOW, budget_ms=60_000)
    pid(engine)
    time.sleep(0.3)
    mood("")
    began = time.monotonic()
    ask(db, engine, CANNOT, priority=WAITING)
    assert verdict(db, engine, CANNOT).kind == "unsolvable"
    assert time.monotonic() - began < 3
    # The other was not lost: it went on when its turn came again.
    assert verdict(db, engine, TIGHT).kind == "unsolvable"


def test_one_who_asks_for_much_waits_for_one_who_asks_for_little(
    db: Database, engine_of: Callable[..., Analysis]
) -> None:
    engine = engine_of(start=False)
    keys = {}
    for who, position in [
        ("ann", TIGHT),
        ("ann", CANNOT),
        ("ann", LOST),
        ("bob", TWO_MOVES),
    ]:
        ask(db, engine, position, who)
        keys[position] = canonical(SPIDER1 if position is TWO_MOVES else SPIDER4, position).key
    with db.write() as conn:
        order = []
        while job := store.claim(conn, "one", 1_000, 1_000):
            order.append(job.subject)
            store.finish(conn, job.id)
    assert order == [keys[one] for one in (TIGHT, CANNOT, TWO_MOVES, LOST)]


def test_whoever_asks_for_too_much_is_told_so_and_others_are_not(
    db: Database, engine_of: Callable[..., Analysis], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_of(start=False)
    monkeypatch.setattr(service, "MOST_JOBS_EACH", 2)
    ask(db, engine, TIGHT)
    ask(db, engine, CANNOT)
    with pytest.raises(Busy) as busy:
        ask(db, engine, LOST)
    assert busy.value.own
    assert ask(db, engine, TIGHT).state == "waiting"  # that one waits already
    assert ask(db, engine, LOST, "bob").state == "waiting"


def test_a_full_queue_is_busy_to_everyone(
    db: Database, engine_of: Callable[..., Analysis], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_of(start=False)
    monkeypatch.setattr(service, "MOST_JOBS", 1)
    ask(db, engine, TIGHT)
    with pytest.raises(Busy) as busy:
        ask(db, engine, LOST, "bob")
    assert not busy.value.own


def test_without_processes_the_engine_says_that_it_is_off(
    db: Database, engine_of: Callable[..., Analysis]
) -> None:
    engine = engine_of(processes=0)
    assert look(db, engine, TIGHT).state == "off"
    with pytest.raises(Off):
        ask(db, engine, TIGHT)
    assert engine.advise("game", SPIDER4, TIGHT, asker="ann") is None


def test_one_program_of_a_machine_runs_the_processes_and_another_takes_over(
    db: Database, engine_of: Callable[..., Analysis], tmp_path: Path
) -> None:
    one, two = (engine_of(lock=tmp_path / "lock") for _ in range(2))
    ask(db, two, TWO_MOVES)
    verdict(db, two, TWO_MOVES)
    first = one if one.runners.processes[0].pid else two
    other = two if first is one else one
    assert other.runners.processes[0].pid is None
    first.stop()
    ask(db, other, TIGHT)
    assert verdict(db, other, TIGHT).kind == "unsolvable"


# ---- hints


def test_advice_goes_along_one_line_to_the_win(db: Database, engine: Analysis, mood: Mood) -> None:
    position = TWO_MOVES
    for _ in range(2):
        advice = engine.advise("game", SPIDER1, position, asker="ann")
        assert advice is not None
        assert advice.move is not None
        position = SPIDER1.play(position, advice.move).position
        mood("die")  # what is left of the line needs no search
    assert SPIDER1.outcome(position).status == "won"


def test_advice_finds_its_line_again_when_the_player_comes_back_to_it(
    db: Database, engine: Analysis, mood: Mood
) -> None:
    first = engine.advise("game", SPIDER1, TWO_MOVES, asker="ann")
    mood("die")
    assert engine.advise("game", SPIDER1, TWO_MOVES, asker="ann") == first


def test_advice_says_when_a_position_cannot_be_won_and_when_it_is_not_known(
    db: Database, engine: Analysis, mood: Mood, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = engine.advise("game", SPIDER4, CANNOT, asker="ann")
    assert found is not None
    assert (found.kind, found.move) == ("unsolvable", None)
    mood("sleep")
    monkeypatch.setattr(service, "HINT_MS", 100)
    unknown = engine.advise("other", SPIDER4, TIGHT, asker="ann")
    assert unknown is not None
    assert unknown.kind == "unknown"


# ---- ended games


def test_an_analysis_is_made_once_and_shown_as_it_comes(db: Database, engine: Analysis) -> None:
    entries = ["3-4x1", "undo", "3-2x2", "2-1x6"]
    with db.write() as conn:
        engine.analyse(conn, "game", SPIDER1, TWO_MOVES, entries, asker="ann")

    def made() -> store.Analysed | None:
        with db.read() as conn:
            found = engine.analysed(conn, "game")
        return found if found and found.done else None

    found = until(made)
    assert found.progress.plies == "wwwww"
    assert found.progress.best == ("3-2x2", "2-1x6")
    with db.write() as conn:
        engine.analyse(conn, "game", SPIDER1, TWO_MOVES, entries, asker="ann")
        assert not engine.is_at_work(conn, "game")


def test_an_analysis_that_gives_way_goes_on_where_it_was(db: Database, engine: Analysis, mood: Mood) -> None:
    mood("sleep")
    entries = [move for _ in range(10) for move in ("3-4x1", "4-3x1")]
    with db.write() as conn:
        engine.analyse(conn, "game", SPIDER1, TWO_MOVES, entries, asker="ann", budget_ms=1_500)

    def tried() -> int:
        with db.read() as conn:
            found = engine.analysed(conn, "game")
        return found.progress.tried if found else 0

    until(lambda: tried() >= 1)
    ask(db, engine, TIGHT, "bob", priority=WAITING, budget_ms=100)
    assert verdict(db, engine, TIGHT).kind == "unknown"

    def done() -> store.Analysed | None:
        with db.read() as conn:
            found = engine.analysed(conn, "game")
        return found if found and found.done else None

    found = until(done)
    assert found.progress.tried >= 2
    assert found.spent_ms <= 2_500


# ---- the bank


def test_who_may_not_wait_for_a_deal_is_told_so_at_once(
    db: Database, engine_of: Callable[..., Analysis], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_WAITERS", 0)
    engine = engine_of(start=False)
    began = time.monotonic()
    with pytest.raises(Busy) as busy:
        engine.restock(SPIDER1, asker="ann", seconds=60)
    assert not busy.value.own
    assert time.monotonic() - began < 30


def test_deals_of_other_rules_are_none(
    db: Database, engine_of: Callable[..., Analysis], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_of(start=False)
    stocked(db, engine)
    monkeypatch.setattr(type(SPIDER1), "rules_version", SPIDER1.rules_version + 1)
    with db.write() as conn:
        assert service.ready_deals(conn) == {}
        assert engine.take(conn, SPIDER1) is None
    assert not engine.restock(SPIDER1, asker="ann", seconds=0.1)


def stocked(db: Database, engine: Analysis, count: int = 1) -> list[str]:
    from app.patience.deals import seed_deal

    codes = []
    for seed in range(count):
        deal = seed_deal(registry.get("spider", {"suits": 1}), seed)
        with db.write() as conn:
            results.keep_banked(conn, deal, Verdict("solved", line=("deal",)), 1.0, seed + 1)
        codes.append(deal.code)
    return codes


def test_a_banked_deal_is_given_out_once(db: Database, engine_of: Callable[..., Analysis]) -> None:
    engine = engine_of(start=False)
    codes = stocked(db, engine, 2)
    with db.write() as conn:
        assert [engine.take(conn, SPIDER1) for _ in range(3)] == [*codes, None]


def test_a_deal_taken_by_a_game_that_failed_is_in_the_bank_again(
    db: Database, engine_of: Callable[..., Analysis]
) -> None:
    engine = engine_of(start=False)
    (code,) = stocked(db, engine)

    def fail() -> None:
        with db.write() as conn:
            engine.take(conn, SPIDER1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with db.write() as conn:
        assert engine.take(conn, SPIDER1) == code


def test_a_difficulty_is_set_against_those_of_other_deals(
    db: Database, engine_of: Callable[..., Analysis]
) -> None:
    from app.patience.deals import seed_deal

    engine = engine_of(start=False)
    codes = []
    for seed in range(11):
        deal = seed_deal(registry.get("spider", {"suits": 1}), seed)
        codes.append(deal.code)
        with db.write() as conn:
            results.keep_banked(conn, deal, Verdict("solved", line=("deal",)), seed / 10, seed + 1)
        with db.read() as conn:
            if seed < 9:
                assert engine.harder_than(conn, deal.code) is None
    with db.read() as conn:
        assert [engine.harder_than(conn, code) for code in (codes[0], codes[5], codes[10])] == [0.0, 0.5, 1.0]
        assert engine.harder_than(conn, "spider4-H3") is None


def test_a_banked_deals_line_is_known_to_its_hints(db: Database, engine_of: Callable[..., Analysis]) -> None:
    engine = engine_of(start=False)
    (code,) = stocked(db, engine)
    from app.patience.deals import deal_of

    advice = engine.advise("game", SPIDER1, deal_of(code).start, asker="ann")
    assert advice is not None
    assert advice.move == "deal"


def test_a_row_of_the_queue_is_not_left_behind_by_idle_work(
    db: Database, engine_of: Callable[..., Analysis]
) -> None:
    """Shortening a line nobody waits for is done when nothing else is, and leaves the better line."""
    engine = engine_of()
    with db.write() as conn:
        long = ("3-4x1", "4-3x1", "3-2x2", "2-1x6")
        one = canonical(SPIDER1, TWO_MOVES)
        store.keep_verdict(conn, one.key, "spider1", Verdict("solved", line=one.to_canonical(long)), 1)
        store.add_job(conn, results.shorten_job(SPIDER1, TWO_MOVES, 100), 1)
    until(lambda: not jobs(db))
    found = look(db, engine, TWO_MOVES).verdict
    assert found is not None
    assert (found.moves, found.bound) == (2, 1)
    assert IDLE > LOW > WAITING


def test_nothing_that_is_asked_repeats_a_card_in_its_words(db: Database, engine: Analysis) -> None:
    ask(db, engine, TWO_MOVES)
    verdict(db, engine, TWO_MOVES)
    shown = repr(look(db, engine, TWO_MOVES))
    assert "3-2x2" not in shown
    assert encode(TWO_MOVES) not in shown
