"""Holy Seven's solver: one way of playing tells all."""

import random

from app.patience.deals import seed_deal
from app.patience.holy_seven import HolySeven
from app.solver.api import Budget, Solved, Unsolvable, lower_bound, solve

HOLY = HolySeven()


def test_the_verdict_is_the_end_of_any_game_however_it_is_played() -> None:
    solved = 0
    for seed in range(150):
        start = seed_deal(HOLY, seed).start
        verdict = solve(HOLY, start, Budget())
        for way in range(4):
            position, rng, plies = start, random.Random(way), 0
            while HOLY.outcome(position).status == "playing":
                position = HOLY.play(position, rng.choice(HOLY.legal_moves(position))).position
                plies += 1
            won = HOLY.outcome(position).status == "won"
            assert isinstance(verdict, Solved if won else Unsolvable)
            if isinstance(verdict, Solved):
                assert len(verdict.line) == plies == lower_bound(HOLY, start)
        solved += isinstance(verdict, Solved)
    assert solved > 5
