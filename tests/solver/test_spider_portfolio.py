"""Pools: what a beam leaves for the next one to begin with."""

from itertools import islice

import numpy as np
import pytest

from app.patience.deals import seed_deal
from app.solver.encode import encode, move_text
from app.solver.meter import Budget, Meter
from app.solver.spider_beam import FIRST_TURNED, MORE_TURNED, Pool, Room, after, attempt
from app.solver.spider_portfolio import KEPT, Portfolio
from tests.solver.positions import spider


def play_beams(portfolio: Portfolio, start, count: int, rooms: dict[int, Room]) -> list[Pool]:
    """Run some beams of a portfolio, and return every pool that they came upon."""
    pools: list[Pool] = []

    def keep(pool: Pool) -> None:
        pools.append(pool)
        portfolio.keep(pool)

    for how, begin in islice(portfolio.beams(), count):
        attempt(start, how, Meter(Budget(None)), rooms, begin, keep)
    return pools


@pytest.mark.parametrize("suits", [1, 4])
def test_each_position_of_a_pool_is_where_its_line_leads(suits):
    start = encode(seed_deal(spider(suits), 5).start)
    pools = play_beams(Portfolio(1), start, 8, {})
    assert {pool.rows_left for pool in pools} == {0, 1, 2, 3, 4}
    assert any(pool.before and pool.before.before for pool in pools)  # some began with a pool of another
    for pool in pools[::3]:
        for i in range(0, len(pool.runs), 29):
            there = after(start, pool.line(i))
            held = there.ends[-1]
            assert len(pool.line(i)) == pool.depth[i]
            assert len(there.rows) == pool.rows_left
            assert np.array_equal(there.cards[:held], pool.cards[i, :held])
            assert np.array_equal(there.ends, pool.ends[i])
            assert np.array_equal(there.down, pool.down[i])
            assert pool.runs[i] == 8 - there.left // 13


def test_a_beam_is_kept_each_time_that_it_has_turned_up_some_cards_after_the_last_row():
    start = encode(seed_deal(spider(4), 1).start)
    far_on = [pool for pool in play_beams(Portfolio(1), start, 30, {}) if pool.turned]
    assert all(pool.rows_left == 0 and pool.turned >= FIRST_TURNED for pool in far_on)
    assert len({pool.turned // MORE_TURNED for pool in far_on}) > 3
    from_others = [pool for pool in far_on if pool.before and pool.before.turned]
    assert from_others
    for pool in from_others:
        assert pool.turned >= pool.before.turned + MORE_TURNED
        # where one begins, another position may look best to the weights of the next
        most, least = pool.before.down.sum(1).max(), pool.before.down.sum(1).min()
        assert least <= pool.down[0].sum() + pool.turned - pool.before.turned <= most


def test_a_line_found_from_a_pool_wins_from_the_start():
    rules, wins, rooms = spider(4), 0, {}
    for seed in range(40, 52):
        deal = seed_deal(rules, seed)
        start = encode(deal.start)
        portfolio = Portfolio(seed)
        for how, begin in islice(portfolio.beams(), 12):
            moves = attempt(start, how, Meter(Budget(None)), rooms, begin, portfolio.keep)
            if moves is not None and begin is not None:
                position = deal.start
                for move in moves:
                    position = rules.play(position, move_text(move)).position
                assert rules.outcome(position).status == "won"
                wins += 1
    assert wins >= 20


def test_the_same_seed_gives_the_same_beams_and_another_gives_others():
    start = encode(seed_deal(spider(4), 5).start)
    first, again, other = (play_beams(Portfolio(seed), start, 9, {}) for seed in (1, 1, 2))
    assert all(np.array_equal(a.cards, b.cards) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a.cards, b.cards) for a, b in zip(first, other, strict=False))


def test_a_pool_that_was_tried_makes_room_for_the_next_and_the_worst_are_left():
    start = encode(seed_deal(spider(4), 5).start)
    portfolio = Portfolio(1)
    pool = play_beams(portfolio, start, 1, {})[-1]
    portfolio = Portfolio(1)
    like_it = [Pool(0, pool.cards, pool.ends, pool.down, pool.runs, pool.depth) for _ in range(KEPT + 5)]
    for one in like_it:
        portfolio.keep(one)
    chosen = [portfolio._choose() for _ in range(KEPT + 1)]
    assert len({id(one) for one in chosen[:-1]}) == KEPT
    assert chosen[-1] is chosen[0]
