import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.patience.deals import seed_deal
from app.patience.errors import BadLog, IllegalMove
from app.patience.replay import Line, frames, line_of, position_after, replay
from app.patience.spider import Spider
from tests.builders import SPIDER4, random_line, spider

START = spider("1: 9H 7S 6S\n2: 8D\n3: 7C")


def test_undo_takes_back_the_last_step_and_redo_plays_it_again() -> None:
    moved = replay(SPIDER4, START, ["1-2x2"]).position
    assert replay(SPIDER4, START, ["1-2x2", "undo"]).position == START
    assert replay(SPIDER4, START, ["1-2x2", "undo", "redo"]).position == moved


def test_a_new_move_forgets_what_was_undone() -> None:
    assert replay(SPIDER4, START, ["1-2x2", "undo", "1-3x1"]).line == Line(("1-3x1",))


def test_a_restart_puts_the_cards_back_and_can_be_undone() -> None:
    before = replay(SPIDER4, START, ["1-2x2", "1-4x1"]).position
    assert replay(SPIDER4, START, ["1-2x2", "1-4x1", "restart"]).position == START
    assert replay(SPIDER4, START, ["1-2x2", "1-4x1", "restart", "undo"]).position == before
    assert replay(SPIDER4, START, ["1-2x2", "1-4x1", "restart", "undo", "redo"]).position == START


def test_moves_after_a_restart_are_undone_before_the_restart_is() -> None:
    log = ["1-2x2", "restart", "1-3x1", "undo", "undo", "undo"]
    assert [frame.line.steps for frame in frames(SPIDER4, START, log)] == [
        (),
        ("1-2x2",),
        ("1-2x2", "restart"),
        ("1-2x2", "restart", "1-3x1"),
        ("1-2x2", "restart"),
        ("1-2x2",),
        (),
    ]


@pytest.mark.parametrize(
    ("log", "reason", "ply"),
    [
        (["undo"], "nothing_to_undo", 1),
        (["1-2x2", "redo"], "nothing_to_redo", 2),
        (["restart"], "nothing_to_restart", 1),
        (["1-2x2", "restart", "restart"], "nothing_to_restart", 3),
        (["1-2x2", "undo", "2-1x1"], "not_one_higher", 3),
        (["1-2x2", "nonsense"], "malformed_move", 2),
    ],
)
def test_an_entry_that_cannot_be_is_named_by_its_ply(log: list[str], reason: str, ply: int) -> None:
    with pytest.raises(BadLog) as error:
        replay(SPIDER4, START, log)
    assert (error.value.reason, error.value.facts["ply"]) == (reason, ply)


def test_nothing_follows_a_won_game() -> None:
    start = spider("1: KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S\n2: AS\ncollected: S H H D D C C")
    for entry in ("undo", "restart", "1-2x1"):
        with pytest.raises(BadLog) as error:
            replay(SPIDER4, start, ["2-1x1", entry])
        assert (error.value.reason, error.value.facts["ply"]) == ("game_over", 2)


@given(st.integers(0, 2**32), st.integers(1, 80), st.integers(0, 80))
@settings(max_examples=40, deadline=None)
def test_undoing_some_moves_and_redoing_them_is_the_identity(seed: int, plies: int, back: int) -> None:
    rules = Spider(2)
    start = seed_deal(rules, seed).start
    moves = random_line(rules, start, random.Random(seed), plies)
    back = min(back, len(moves))
    frame = replay(rules, start, [*moves, *["undo"] * back])
    assert frame.position == position_after(rules, start, moves[: len(moves) - back])
    assert replay(rules, start, [*moves, *["undo"] * back, *["redo"] * back]).position == position_after(
        rules, start, moves
    )


def test_a_line_can_be_read_off_a_log_without_the_rules() -> None:
    assert line_of(["a", "b", "undo", "c", "restart", "undo"]) == Line(("a", "c"), ("restart",))
    with pytest.raises(IllegalMove):
        line_of(["redo"])
