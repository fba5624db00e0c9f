"""Ever shorter lines: what they start from, and that each is one."""

import itertools

import numpy as np
import pytest

from app.patience.deals import seed_deal
from app.solver import api
from app.solver.encode import DEAL, encode, move_texts, text_moves
from app.solver.meter import Budget, Meter
from app.solver.spider_beam import after
from app.solver.spider_short import shorter_lines
from tests.builders import golden
from tests.solver.positions import spider


def won_line(suits: int):
    game = next(game for game in golden("won_games.json") if game["suits"] == suits)
    rules = spider(suits)
    return rules, rules.from_layout(game["layout"]), game["moves"]


def shorter(start, known, nodes, longest=None, seed=0):
    meter = Meter(Budget(seconds=None, nodes=nodes))
    longest = len(known) - 1 if longest is None else longest
    return list(shorter_lines(start, meter, {}, seed, longest, known))


def test_texts_become_moves_and_moves_texts():
    texts = ("4-10x12", "deal", "10-1x1")
    assert text_moves(texts) == [(3, 9, 12), DEAL, (9, 0, 1)]
    assert move_texts(text_moves(texts)) == texts
    assert text_moves(("4-7x2", "collect-7")) == text_moves(("4-7x2",))


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_the_position_along_a_line_is_that_of_the_rules(suits):
    rules, position, line = won_line(suits)
    start, moves = encode(position), text_moves(line)
    for played, move in enumerate(line):
        there, expected = after(start, moves[:played]), encode(position)
        held = int(expected.ends[-1])
        assert np.array_equal(there.ends, expected.ends)
        assert np.array_equal(there.down, expected.down)
        assert np.array_equal(there.cards[:held], expected.cards[:held])
        assert np.array_equal(there.rows, expected.rows)
        position = rules.play(position, move).position


def test_a_known_line_is_shortened_and_each_line_wins():
    rules, position, line = won_line(4)
    found = shorter(encode(position), text_moves(line), 300_000)
    lengths = [len(line), *map(len, found)]
    assert len(lengths) > 2
    assert all(after < before for before, after in itertools.pairwise(lengths))
    for moves in found:
        end = position
        for move in move_texts(moves):
            end = rules.play(end, move).position
        assert rules.outcome(end).status == "won"


def test_a_known_line_is_where_the_search_goes_on():
    rules = spider()
    start = seed_deal(rules, 5).start
    *_, best = api.improve(rules, start, Budget(seconds=None, nodes=400_000))
    nodes = 80_000
    known = text_moves(best.line)
    without = shorter(encode(start), None, nodes, longest=10_000)
    assert not without or len(without[-1]) > len(known)
    assert all(len(moves) < len(known) for moves in shorter(encode(start), known, nodes))


def test_the_same_seed_gives_the_same_lines_and_another_gives_others():
    rules = spider()
    opening = seed_deal(rules, 5).start
    first = next(api.improve(rules, opening, Budget(seconds=None, nodes=200_000)))
    start, known = encode(opening), text_moves(first.line)
    lines = shorter(start, known, 200_000)
    assert lines
    assert lines == shorter(start, known, 200_000)
    assert lines != shorter(start, known, 200_000, seed=1)


def test_a_line_with_runs_collected_by_hand_is_shortened():
    rules = spider(2, collecting="by-hand")
    start = seed_deal(rules, 3).start
    lengths = [len(v.line) for v in api.improve(rules, start, Budget(seconds=None, nodes=150_000))]
    assert len(lengths) > 1
    known = next(api.improve(rules, start, Budget(seconds=None, nodes=150_000))).line
    again = list(api.improve(rules, start, Budget(seconds=None, nodes=150_000), known=known))
    assert again
    assert all(len(better.line) < len(known) for better in again)
