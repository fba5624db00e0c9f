import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.patience.deals import seed_deal
from app.patience.replay import frames, replay
from app.patience.scoring import SCORINGS, VERSIONS, score
from app.patience.spider import Spider
from tests.builders import SPIDER4, golden, random_line, spider

RUN_BUT_ACE = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
START = spider(f"1: [9D] {RUN_BUT_ACE}\n2: [5C] AS\n3: KH")


def points(scoring: str, *log: str) -> int:
    frame = replay(SPIDER4, START, log)
    return score(scoring, SPIDER4, START, frame.position, frame.ply)


def test_moves500_starts_at_500_and_every_entry_costs_one() -> None:
    assert points("moves500") == 500
    assert points("moves500", "2-4x1") == 499
    assert points("moves500", "2-4x1", "undo") == 498
    assert points("moves500", "2-4x1", "undo", "redo") == 497
    assert points("moves500", "2-4x1", "restart") == 498


def test_moves500_gives_100_for_a_run_and_undo_takes_them_back() -> None:
    assert points("moves500", "2-1x1") == 599
    assert points("moves500", "2-1x1", "undo") == 498


def test_turns5_counts_the_position_alone() -> None:
    assert points("turns5") == 0
    assert points("turns5", "2-4x1") == 5
    assert points("turns5", "2-1x1") == 110
    assert points("turns5", "2-1x1", "undo") == 0
    assert points("turns5", "2-1x1", "undo", "redo") == 110


def test_cards_dealt_from_the_stock_are_not_turned_up() -> None:
    start = seed_deal(SPIDER4, 17).start
    assert score("turns5", SPIDER4, start, SPIDER4.play(start, "deal").position, 1) == 0


@pytest.mark.parametrize("game", golden("won_games.json"), ids=lambda game: f"{game['suits']} suits")
def test_published_won_games_have_their_scores(game: dict[str, object]) -> None:
    rules = Spider(int(str(game["suits"])))
    start = rules.from_layout(game["layout"])
    moves = game["moves"]
    assert isinstance(moves, list)
    frame = replay(rules, start, moves)
    assert rules.outcome(frame.position).status == "won"
    assert {name: score(name, rules, start, frame.position, frame.ply) for name in rules.scorings} == game[
        "scores"
    ]


@given(st.integers(0, 2**32), st.sampled_from([1, 2, 4]))
@settings(max_examples=30, deadline=None)
def test_no_shuttling_of_cards_earns_points_without_end(seed: int, suits: int) -> None:
    rules = Spider(suits)
    start = seed_deal(rules, seed).start
    rng = random.Random(seed)
    log: list[str] = []
    for move in random_line(rules, start, rng, 60):
        log += [move, *rng.choice([[], ["undo", "redo"], ["restart", "undo"]])]
    for frame in frames(rules, start, log):
        assert score("moves500", rules, start, frame.position, frame.ply) <= 500 + 800 - frame.ply
        assert 0 <= score("turns5", rules, start, frame.position, frame.ply) <= 1020


def test_every_scoring_has_a_version() -> None:
    assert SCORINGS.keys() == VERSIONS.keys()
