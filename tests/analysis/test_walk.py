import random

import pytest

from app.analysis.canonical import canonical
from app.analysis.verdict import Verdict
from app.analysis.walk import LOST, OPEN, WON, Walk
from app.patience.position import Position
from app.patience.replay import frames
from tests.analysis import tables
from tests.analysis.stand_in import reach
from tests.analysis.tables import SPIDER1, SPIDER4, TWO_MOVES
from tests.builders import random_line


def ticks() -> int:
    return 0


def never(position: Position, budget_ms: int) -> Verdict:
    raise AssertionError("nothing needs to be searched")


def test_a_won_game_is_settled_without_a_search() -> None:
    entries = ["3-4x1", "4-3x1", "3-2x2", "2-1x6"]
    *_, last = Walk(SPIDER1, TWO_MOVES, entries).run(never, 1000, ticks)
    assert last.plies == WON * 5
    # The first two entries lead back: from the opening the best line known is the last two.
    assert last.to_go == (2, 3, 2, 1, 0)
    assert last.best == ("3-2x2", "2-1x6")


def test_what_was_undone_is_told_apart_from_what_was_played() -> None:
    entries = ["3-4x1", "undo", "3-2x2", "undo", "redo", "2-1x6"]
    *_, last = Walk(SPIDER1, TWO_MOVES, entries).run(lambda *_: Verdict("unknown", "time"), 1000, ticks)
    assert last.plies == WON + OPEN + WON * 5
    assert last.to_go == (2, None, 2, 1, 2, 1, 0)


def test_a_restart_is_no_move_from_the_position_before_it() -> None:
    entries = ["3-4x1", "restart"]
    walk = Walk(SPIDER1, TWO_MOVES, entries)
    line = Verdict("solved", line=("3-2x2", "2-1x6"))
    searched: list[Position] = []

    def search(position: Position, budget_ms: int) -> Verdict:
        searched.append(position)
        return line if position == TWO_MOVES else Verdict("unknown", "time")

    *_, last = walk.run(search, 1000, ticks)
    # Knowing the opening's line says nothing of where the restart came from.
    assert last.plies == WON + OPEN + WON


def test_what_comes_of_a_position_that_cannot_be_won_cannot_be_won() -> None:
    position = tables.CANNOT
    entries = random_line(SPIDER4, position, random.Random(1), 5)
    known = {canonical(SPIDER4, position).key: Verdict("unsolvable", "exhausted")}
    *_, last = Walk(SPIDER4, position, entries, known).run(never, 1000, ticks)
    assert set(last.plies) == {LOST}


def test_a_line_that_was_found_settles_the_plies_that_follow_it() -> None:
    searched: list[Position] = []

    def search(position: Position, budget_ms: int) -> Verdict:
        searched.append(position)
        return reach(SPIDER1, position)

    *_, last = Walk(SPIDER1, TWO_MOVES, ["3-2x2"]).run(search, 1000, ticks)
    assert last.plies == WON * 2
    assert len(searched) == 1


@pytest.mark.parametrize("seed", range(6))
def test_verdicts_never_contradict_a_full_search(seed: int) -> None:
    patience, start = [(SPIDER1, TWO_MOVES), (SPIDER4, tables.CANNOT), (SPIDER4, tables.TIGHT)][seed % 3]
    entries = random_line(patience, start, random.Random(seed), 3 if start is TWO_MOVES else 12)
    truths: dict[Position, Verdict] = {}

    def truth(position: Position) -> Verdict:
        if position not in truths:
            truths[position] = reach(patience, position, 400)
        return truths[position]

    *_, last = Walk(patience, start, entries).run(lambda position, _: truth(position), 10_000, ticks)
    for frame, mark, to_go in zip(frames(patience, start, entries), last.plies, last.to_go, strict=True):
        kinds = {WON: {"solved", "unknown"}, LOST: {"unsolvable"}, OPEN: {"unknown"}}
        assert truth(frame.position).kind in kinds[mark]
        assert (to_go is None) == (mark != WON)


def test_the_best_line_is_legal_and_wins_whatever_columns_it_went_through() -> None:
    entries = ["3-4x1", "2-5x4", "4-7x1", "3-8x1", "7-8x1", "8-5x2", "5-1x6"]
    *_, last = Walk(SPIDER1, TWO_MOVES, entries).run(never, 1000, ticks)
    position = TWO_MOVES
    for move in last.best:
        position = SPIDER1.play(position, move).position
    assert SPIDER1.outcome(position).status == "won"
    assert len(last.best) < len(entries)


def test_the_budget_is_kept_and_progress_comes_after_every_search() -> None:
    now = [0]

    def search(position: Position, budget_ms: int) -> Verdict:
        now[0] += budget_ms
        return Verdict("unknown", "time", spent_ms=budget_ms)

    entries = ["3-4x1", "4-3x1"] * 40
    reports = list(Walk(SPIDER1, TWO_MOVES, [*entries, "3-4x1", "3-5x1"]).run(search, 1_000, lambda: now[0]))
    assert now[0] <= 1_000
    assert len(reports) > 2
    assert [report.tried for report in reports] == list(range(len(reports)))


def test_a_stopped_search_ends_the_walk_and_leaves_its_ply_open() -> None:
    *_, last = Walk(SPIDER1, TWO_MOVES, ["3-4x1"]).run(lambda *_: Verdict("unknown", "stopped"), 1000, ticks)
    assert last.plies == OPEN * 2
    assert last.tried == 0
