"""The search that says no, against a naive search by the rules alone, with every prune on."""

import random
from collections import Counter

import numpy as np
import pytest

from app.patience.deals import seed_deal
from app.patience.position import decode
from app.solver.api import Budget
from app.solver.encode import encode, move_texts
from app.solver.meter import Meter
from app.solver.spider_blocked_kernel import no_space_ever
from app.solver.spider_bound import lower_bound
from app.solver.spider_proof import Exhaustion
from tests.builders import golden
from tests.builders import spider as drawing
from tests.solver.positions import naive_verdict, near_blocked, small, spider

MOST = 600
WORK = 400_000


def blocked(start):
    return no_space_ever(start.cards, start.ends, start.rows, 0, np.zeros(10, np.int64))


def exhausted(position, *, prune=True, onto_spaces=False):
    """Length of the line found, -1 if none can be, None if the search did not end."""
    proof = Exhaustion(encode(position, onto_spaces=onto_spaces), prune=prune)
    moves = proof.go_on(WORK, Meter(Budget(None)))
    if moves is not None:
        rules, at = spider(rows="onto-spaces") if onto_spaces else spider(), position
        for text in move_texts(moves):
            at = rules.play(at, text).position
        assert rules.outcome(at).status == "won"
        return len(moves)
    return -1 if proof.is_unsolvable else None


@pytest.mark.parametrize(("runs", "rows", "most_moves"), [(4, 0, 3), (6, 0, 3), (8, 0, 3), (7, 1, 1)])
@pytest.mark.parametrize("house_rule", ["full-only", "onto-spaces"])
@pytest.mark.slow
def test_near_blocked_positions_get_the_verdict_of_a_naive_search(runs, rows, most_moves, house_rule):
    rules, draw, known = spider(rows=house_rule), random.Random(runs), 0
    for _ in range(20):
        position = near_blocked(draw, runs, rows, most_moves)
        truth = naive_verdict(rules, position, MOST)
        if truth is not None:
            known += 1
            assert exhausted(position, onto_spaces=house_rule == "onto-spaces") == truth
    assert known >= 3


def ends_of_won_games():
    """Positions two moves before the end of golden games, with the moves that are left."""
    for game in golden("won_games.json"):
        rules = spider(game["suits"])
        position = rules.from_layout(game["layout"])
        for move in game["moves"][:-2]:
            position = rules.play(position, move).position
        yield rules, position


@pytest.mark.slow
def test_the_ends_of_won_games_are_won_in_as_few_moves_as_a_naive_search_finds():
    for rules, position in ends_of_won_games():
        truth = naive_verdict(rules, position, 30_000)
        assert truth in (1, 2)
        assert exhausted(position) == truth
        assert lower_bound(position) <= truth


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_where_no_space_can_ever_come_a_search_without_that_prune_finds_no_win(rows):
    draw, hopeless = random.Random(rows), 0
    for _ in range(600):
        position = small(draw, 8 if rows == 0 else 7, rows=rows)
        start = encode(position)
        if blocked(start):
            hopeless += 1
            assert exhausted(position, prune=False) in (-1, None)
        if hopeless == 30:
            break
    assert hopeless >= (10 if rows == 0 else 0)


def test_kings_on_everything_block_the_table():
    columns = ["2S KS", "4S KS", "6S KH", "8S KH", "TS KD", "QS KD", "2H KC", "4H KC", "6H 8H", "9H TH"]
    position = drawing("\n".join(f"{n}: {c}" for n, c in enumerate(columns, 1)))
    start = encode(position)
    assert blocked(start)
    assert naive_verdict(spider(), position, MOST) == -1


def test_the_search_gives_up_when_its_room_is_full_and_says_nothing():
    draw = random.Random(4)
    proof = Exhaustion(encode(small(draw, 6)), most=3_000, prune=False)
    assert proof.go_on(10**6, Meter(Budget(None))) is None
    assert not proof.is_unsolvable


def test_growing_room_changes_nothing():
    draw = random.Random(11)
    for _ in range(5):
        start = encode(small(draw, 3))
        little, much = (Exhaustion(start, most=30_000, first_room=room) for room in (1_500, 30_000))
        lines = [proof.go_on(10**6, Meter(Budget(None))) for proof in (little, much)]
        assert lines[0] == lines[1]
        assert (little.state, little.count) == (much.state, much.count)


@pytest.mark.parametrize(("rows", "most_moves", "least"), [(0, 6, 20), (1, 2, 8)])
def test_what_is_pruned_changes_no_verdict(rows, most_moves, least):
    draw, seen = random.Random(rows), Counter()
    for _ in range(60):
        position = near_blocked(draw, 8 - rows, rows, most_moves)
        pruned = exhausted(position)
        if pruned is not None:
            truth = exhausted(position, prune=False)
            assert truth in (pruned, None)
            seen[truth] += 1
    assert seen[-1] >= least


def test_a_search_whose_end_is_in_sight_is_promising():
    lost, open_end = (decode(golden("lost_positions.json")[0]["position"]), seed_deal(spider(4), 1).start)
    near, far = (Exhaustion(encode(position)) for position in (lost, open_end))
    for proof in (near, far):
        assert proof.go_on(40_000, Meter(Budget(None))) is None
    assert near.is_promising
    assert not far.is_promising


@pytest.mark.parametrize("case", golden("lost_positions.json"), ids=lambda case: case["position"][:12])
def test_positions_of_mid_game_that_long_were_unknown_are_lost(case):
    proof = Exhaustion(encode(decode(case["position"])))
    assert proof.go_on(2_000_000, Meter(Budget(None))) is None
    assert proof.is_unsolvable
