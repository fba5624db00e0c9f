"""The solver's door: verdicts, budgets, determinism, and what may not be imported."""

import subprocess
import sys

import pytest

from app.patience.deals import deal_of, seed_deal
from app.patience.position import decode
from app.solver import api
from app.solver.api import Budget, Solved, Unknown, Unsolvable
from tests.builders import spider as drawing
from tests.solver.positions import spider, won_games


def wins(rules, position, line) -> bool:
    for move in line:
        position = rules.play(position, move).position
    return rules.outcome(position).status == "won"


@pytest.mark.parametrize(
    "params",
    [
        {"suits": 1},
        {"suits": 2},
        {"suits": 4},
        {"suits": 4, "rows": "onto-spaces"},
        {"suits": 2, "collecting": "by-hand"},
    ],
    ids=str,
)
def test_deals_are_solved_by_lines_that_the_rules_play_to_a_win(params):
    rules = spider(**params)
    for seed in (3, 4):
        start = seed_deal(rules, seed).start
        verdict = api.solve(rules, start, Budget(seconds=None, nodes=1_000_000))
        assert isinstance(verdict, Solved)
        assert wins(rules, start, verdict.line)
        assert verdict.used_hidden


def test_the_same_nodes_and_seed_give_the_same_verdict():
    rules = spider()
    start = seed_deal(rules, 8).start
    budget = Budget(seconds=None, nodes=60_000, seed=5)
    assert api.solve(rules, start, budget) == api.solve(rules, start, budget)
    lines = [[v.line for v in api.improve(rules, start, budget)] for _ in range(2)]
    assert lines[0] == lines[1]


def test_positions_of_a_game_are_solved_wherever_it_stands():
    rules = spider(2)
    for position in list(won_games(2))[::25]:
        verdict = api.solve(rules, position, Budget(seconds=None, nodes=1_000_000))
        assert isinstance(verdict, Solved)
        assert wins(rules, position, verdict.line)


def test_many_spaces_are_filled_for_a_row():
    position = decode(
        "0:KSQSJSTS9S8S7S|0:|0:QSJSTS|0:|0:|0:|0:7S6S5S4S3S2S|0:7S6S5S4S3S|0:JSTS9S8S7S6S5S4S|0:7S6S5S4S3S2S|"
        "30:9S9SKSKS3SQS9SASKSQS2SJS8SAS3S2S4SQS6SKS5S2SASASAS8SJSTSTS8S|"
        "0:" + 3 * "KSQSJSTS9S8S7S6S5S4S3S2SAS"
    )
    assert isinstance(api.solve(spider(1), position, Budget(None, nodes=30_000)), Solved)


def test_a_budget_of_nodes_ends_the_search():
    # One of the numbered deals that resist longest.
    deal = _numbered(14934)
    verdict = api.solve(deal.patience, deal.start, Budget(seconds=None, nodes=20_000))
    assert verdict == Unknown("nodes", True, verdict.nodes)
    assert 20_000 <= verdict.nodes < 40_000


def test_a_budget_of_seconds_ends_the_search():
    deal = _numbered(14934)
    verdict = api.solve(deal.patience, deal.start, Budget(seconds=0.3))
    assert isinstance(verdict, Unknown)
    assert verdict.out_of == "time"
    assert verdict.seconds < 2


def test_a_search_that_is_asked_to_stop_does():
    deal, asked = _numbered(14934), []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) > 20

    verdict = api.solve(deal.patience, deal.start, Budget(seconds=60), should_stop=should_stop)
    assert isinstance(verdict, Unknown)
    assert verdict.out_of == "stopped"
    assert len(asked) < 40


def test_a_position_without_moves_is_unsolvable_by_the_rules():
    rules = spider()
    position = drawing("\n".join(f"{n}: {c}" for n, c in enumerate(["KS", "KH"] * 5, 1)))
    assert api.solve(rules, position, Budget(1)) == Unsolvable("no_move", False)


def test_a_stuck_position_is_proven_unsolvable():
    rules = spider()
    columns = ["2S KS", "4S KS", "6S KH", "8S KH", "TS KD", "QS KD", "2H KC", "4H KC", "6H 8H", "9H 7S"]
    position = drawing("\n".join(f"{n}: {c}" for n, c in enumerate(columns, 1)))
    assert rules.outcome(position).status == "playing"
    verdict = api.solve(rules, position, Budget(5))
    assert isinstance(verdict, Unsolvable)
    assert not verdict.used_hidden


def test_a_won_position_has_an_empty_line():
    rules = spider()
    won = drawing("collected: S S H H D D C C")
    assert api.solve(rules, won, Budget(1)) == Solved((), False)
    assert list(api.improve(rules, won, Budget(1))) == []
    assert api.lower_bound(rules, won) == 0


def test_lines_get_shorter_and_never_below_the_bound():
    rules = spider()
    start = seed_deal(rules, 5).start
    lengths = [len(v.line) for v in api.improve(rules, start, Budget(seconds=None, nodes=300_000))]
    assert len(lengths) > 1
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == len(lengths)
    assert lengths[-1] >= api.lower_bound(rules, start)
    shortest = api.solve(rules, start, Budget(seconds=None, nodes=300_000, shortest=True))
    assert isinstance(shortest, Solved)
    assert len(shortest.line) == lengths[-1]


def test_only_what_beats_a_known_line_is_yielded():
    rules = spider()
    start = seed_deal(rules, 5).start
    known = api.solve(rules, start, Budget(seconds=None, nodes=300_000))
    assert isinstance(known, Solved)
    budget = Budget(seconds=None, nodes=100_000)
    assert all(len(v.line) < len(known.line) for v in api.improve(rules, start, budget, known=known.line))


def test_a_line_that_the_rules_refuse_is_never_shown(monkeypatch):
    from app.solver import spider as module

    rules = spider()
    start = seed_deal(rules, 5).start
    for wrong in (("1-1x1",), ("deal",)):
        monkeypatch.setattr(module, "search", lambda *_, line=wrong: line)
        with pytest.raises(api.BadLine):
            api.solve(rules, start, Budget(1))


def test_the_door_loads_no_compiled_code():
    code = "import sys, app.solver.api, app.cli_solver; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def _numbered(number: int):
    from app.cards.dealcode import NumberedCode

    return deal_of(str(NumberedCode("spider4", "pysol", number)))
