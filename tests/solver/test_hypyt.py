"""Hypyt's solver against playing everything, and on whole deals."""

import random

import pytest

from app.patience.deals import seed_deal
from app.patience.hypyt import Hypyt, matches
from app.patience.position import Pile, Position
from app.solver import hypyt
from app.solver.api import Budget, Solved, Unknown, Unsolvable, lower_bound, solve

ALL = [Hypyt(row, jump) for row in (52, 26, 13) for jump in ("right", "left")]
each = pytest.mark.parametrize("rules", ALL, ids=lambda rules: rules.prefix)


def small(rules: Hypyt, rng: random.Random, piles: int, stock: int = 0) -> Position:
    """A position of the whole pack: what is not on top or in the stock lies under the first pile."""
    deck = list(rules.deck())
    rng.shuffle(deck)
    # Of three suits on top, or hardly any row could be won.
    deck.sort(key=lambda c: c.suit == "C")
    tops, left = deck[:piles], deck[piles : piles + stock]
    first = Pile((*deck[piles + stock :], tops[0]))
    row = [first, *(Pile((c,)) for c in tops[1:])]
    return Position((*row, *[Pile()] * (rules.row - piles), Pile(tuple(left), len(left))))


def can_be_won(rules: Hypyt, start: Position) -> bool:
    seen, queue = set(), [start]
    while queue:
        position = queue.pop()
        if rules.outcome(position).status == "won":
            return True
        for move in rules.legal_moves(position):
            after = rules.play(position, move).position
            key = (tuple(pile.cards[-1:] for pile in after.piles[:-1]), after.piles[-1])
            if key not in seen:
                seen.add(key)
                queue.append(after)
    return False


@each
def test_with_few_cards_left_the_verdict_is_that_of_playing_everything(rules: Hypyt) -> None:
    rng, answers = random.Random(3), []
    for _ in range(200):
        piles = rng.randint(2, 7)
        position = small(rules, rng, piles)
        wanted = can_be_won(rules, position)
        verdict = solve(rules, position, Budget(None))
        assert isinstance(verdict, Solved if wanted else Unsolvable)
        answers.append(wanted)
    assert 3 < sum(answers) < 197


def test_the_stock_moves_up_as_the_rules_deal_it() -> None:
    """A short row made for the test, so that a few cards fill it and a few more wait."""
    rng, answers = random.Random(5), []
    rules = Hypyt(4)
    for _ in range(400):
        position = small(rules, rng, 4, rng.randint(1, 4))
        wanted = can_be_won(rules, position)
        assert isinstance(solve(rules, position, Budget(None)), Solved if wanted else Unsolvable)
        answers.append(wanted)
    assert 3 < sum(answers) < 397


@pytest.mark.slow
@each
def test_whole_deals_are_solved_by_lines_that_win_or_said_to_be_unknown(rules: Hypyt) -> None:
    verdicts = [solve(rules, seed_deal(rules, seed).start, Budget(None, nodes=8_000)) for seed in (1,)]
    assert all(isinstance(verdict, Solved | Unknown) for verdict in verdicts)
    for verdict in verdicts:
        if isinstance(verdict, Solved):
            assert len(verdict.line) == 51 == lower_bound(rules, seed_deal(rules, 1).start)


@pytest.mark.slow
def test_most_whole_deals_are_solved() -> None:
    rules = Hypyt(26)
    verdicts = [solve(rules, seed_deal(rules, seed).start, Budget(None, nodes=20_000)) for seed in range(3)]
    assert sum(isinstance(verdict, Solved) for verdict in verdicts) >= 2


def test_a_row_in_two_parts_that_do_not_match_is_lost() -> None:
    rng = random.Random(1)
    parted = 0
    rules = Hypyt()
    for _ in range(300):
        position = small(rules, rng, 5)
        tops = [pile.cards[-1] for pile in position.piles[:5]]
        row = hypyt._row(rules, position)
        groups = [{0}, {1}, {2}, {3}, {4}]
        for a in range(5):
            for b in range(a):
                if matches(tops[a], tops[b]):
                    one = next(g for g in groups if a in g)
                    other = next(g for g in groups if b in g)
                    if one is not other:
                        groups.remove(other)
                        one |= other
        assert hypyt.is_connected(row) == (len(groups) == 1)
        if len(groups) > 1:
            parted += 1
            assert not can_be_won(rules, position)
    assert parted > 30
