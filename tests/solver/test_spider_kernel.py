"""The kernel's copy of the rules, tied to the rules themselves over positions of random games."""

from dataclasses import replace
from itertools import chain
from random import Random

import numpy as np
import pytest

from app.solver import spider_kernel as kernel
from app.solver import spider_level_kernel as level
from app.solver import spider_stage_kernel as stage
from app.solver.encode import Start, encode, move_text
from app.solver.spider_beam import Room
from app.solver.spider_blocked_kernel import no_space_ever
from app.solver.spider_weights import Taste, weights
from tests.solver.positions import random_game, spider, won_games

PARAMS = [{"suits": 1}, {"suits": 2}, {"suits": 4}, {"suits": 4, "rows": "onto-spaces"}]
WEIGHTS = weights(replace(Taste(), king_at_bottom=70, broken_in_suit=50, single=90), Random(1))._replace(
    bottom=np.random.default_rng(1).integers(-500, 500, 64, np.int32)
)


def same(position, start: Start, cards, ends, down) -> bool:
    expected = encode(position, onto_spaces=start.onto_spaces)
    held = int(ends[-1])
    return (
        np.array_equal(expected.ends, ends)
        and np.array_equal(expected.down, down)
        and np.array_equal(expected.cards[:held], cards[:held])
    )


def known_of(beam: level.Beam, i: int) -> list[list[int]]:
    """What `fill_in` works out from nothing."""
    known = (beam.value, beam.hash, beam.loose, beam.sums, beam.lengths)
    return [np.atleast_1d(one[i]).tolist() for one in known]


@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_every_move_leads_where_the_rules_say(params):
    rules, seen = spider(**params), 0
    cards, ends, down = np.zeros(104, np.uint8), np.zeros(10, np.uint8), np.zeros(10, np.uint8)
    collected = 0
    random_ones = chain.from_iterable(random_game(rules, seed, 90) for seed in range(4))
    for position in chain(random_ones, won_games(rules.suits)):
        start = encode(position, onto_spaces="rows" in params)
        for move in rules.legal_moves(position):
            after = rules.play(position, move).position
            where = (start.cards, start.ends, start.down)
            if move == "deal":
                got = kernel.play_row(*where, start.rows[0], cards, ends, down)
            else:
                source, rest = move.split("-")
                to, count = rest.split("x")
                got = kernel.play_move(*where, int(source) - 1, int(to) - 1, int(count), cards, ends, down)
            assert same(after, start, cards, ends, down), move
            assert got == rules.progress(after) - rules.progress(position)
            seen, collected = seen + 1, collected + got
    assert seen > 1_000
    assert collected >= 8


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_children_are_legal_and_valued_and_hashed_as_if_from_nothing(suits):
    rules, checked = spider(suits), 0
    width = 400
    room = Room(width)
    for position in chain(random_game(rules, 1, 60), list(won_games(suits))[::2]):
        if rules.outcome(position).status == "playing":
            start = encode(position)
            where = (start.cards, start.ends, start.down)
            room.now.cards[0], room.now.ends[0], room.now.down[0] = where
            room.now.runs[0] = room.now.depth[0] = room.now.node[0] = 0
            stage.fill_in(room.now, 0, WEIGHTS)
            room.seen[:] = 0
            held = level.expand(
                room.now, 1, width, 10_000, len(start.rows), room.candidates, room.notes, room.picked,
                room.seen, room.fresh, WEIGHTS, np.uint64(1), stage.NOTHING,
            )  # fmt: skip
            out = room.then
            level.build(room.now, room.candidates, held, out, room.seen, room.history, 1)
            for i in range(held):
                move = move_text(tuple(int(part) for part in room.history.move[1 + i]))
                child = (out.cards[i], out.ends[i], out.down[i])
                assert same(rules.play(position, move).position, start, *child)
                told = known_of(out, i)
                stage.fill_in(out, i, WEIGHTS)
                assert told == known_of(out, i)
                checked += 1
    assert checked > 300


@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_a_row_is_offered_exactly_when_the_rules_deal_one(params):
    rules, offered, blocked = spider(**params), 0, 0
    room = Room(10)
    for position in random_game(rules, 3, 150):
        if not position.piles[10].cards:
            break
        start = encode(position, onto_spaces="rows" in params)
        room.now.cards[0], room.now.ends[0], room.now.down[0] = start.cards, start.ends, start.down
        room.offered[:] = 0
        room.now.runs[0] = room.now.depth[0] = 0
        stage.fill_in(room.now, 0, WEIGHTS)
        rules_now = stage.Rules(start.rows[0], 2, start.onto_spaces, 10, 8, 10_000, np.uint64(1))
        waiting, _, _ = stage.offer(room.now, 1, room.pool, 0, stage.NOTHING, room.tools(WEIGHTS), rules_now)
        assert bool(waiting) == ("deal" in rules.legal_moves(position))
        if waiting:
            after = rules.play(position, "deal").position
            child = (room.pool.cards[0], room.pool.ends[0], room.pool.down[0])
            assert same(after, start, *child)
            told = known_of(room.pool, 0)
            stage.fill_in(room.pool, 0, WEIGHTS)
            assert told == known_of(room.pool, 0)
            offered += 1
            # As if it were the last row: then a blocked table is none to begin with.
            hopeless = no_space_ever(*child[:2], start.rows[:0], 0, np.zeros(10, np.int64))
            last = rules_now._replace(rows_left=1)
            room.offered[:] = 0
            waiting, _, _ = stage.offer(room.now, 1, room.pool, 0, stage.NOTHING, room.tools(WEIGHTS), last)
            assert bool(waiting) == (not hopeless)
            blocked += hopeless
    assert offered > 5
    assert offered > blocked >= 2


def test_the_best_are_kept_in_their_order_and_of_equals_the_first():
    draw = np.random.default_rng(1)
    for size in (1, 2, 7, 100, 400):
        for keep in {1, size // 2 or 1, size}:
            candidates, picked = Room(100).candidates, np.zeros(size, np.int32)
            drawn = draw.integers(-20, 20, size).tolist()
            candidates.key[:size], candidates.parent[:size] = drawn, range(size)
            best = sorted(sorted(range(size), key=lambda i: -drawn[i])[:keep])
            assert level.shrink(candidates, size, keep, picked) == min(drawn[i] for i in best)
            assert candidates.parent[:keep].tolist() == best
            assert candidates.key[:keep].tolist() == [drawn[i] for i in best]
