"""Perft files, counted by the kernel, and by the rules: two copies of Spider that must be one."""

from pathlib import Path

import pytest

from app.patience.deals import Deal, deal_of
from app.solver.perft import by_kernel, by_rules

FILE = Path(__file__).parents[1] / "perft" / "spider.txt"
CASES = [line.split("|") for line in FILE.read_text().splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize(("code", "played", "counts"), CASES, ids=lambda part: part.strip()[:24])
def test_both_copies_of_the_rules_count_what_the_file_says(code, played, counts):
    deal = deal_of(code.strip())
    position = deal.start
    for move in played.split():
        if move != "-":
            position = deal.patience.play(position, move).position
    at = Deal(deal.code, deal.patience, position)
    for depth, count in enumerate(map(int, counts.split()), 1):
        assert by_kernel(at, depth) == count
        if count < 10_000:
            assert by_rules(deal.patience, position, depth) == count
