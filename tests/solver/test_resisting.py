"""PySolFC's deals 1 to 32,000 with four suits, and the deals that long resisted the solver."""

import lzma
from pathlib import Path

import pytest

from app.cards.dealcode import NumberedCode
from app.patience.deals import Deal, deal_of, seed_deal
from app.solver import api
from app.solver.api import Budget, Solved
from tests.builders import golden
from tests.solver.positions import spider

pytestmark = pytest.mark.slow

RESISTING = golden("resisting_deals.json")
CROWN = Path(__file__).parents[2] / "docs/crown/spider4-pysol.xz"


def test_every_number_has_a_line_but_those_that_are_named():
    lines = lzma.decompress(CROWN.read_bytes()).decode("ascii").splitlines()
    numbers = [int(line.partition("\t")[0]) for line in lines]
    assert sorted({*numbers, *RESISTING["open"]}) == list(range(1, 32_001))
    assert len(numbers) + len(RESISTING["open"]) == 32_000
    for line in lines[::800]:  # `spindel crown FILE --check` replays them all
        number, _, moves = line.partition("\t")
        assert wins(numbered(number), moves)


def numbered(number: str) -> Deal:
    return deal_of(str(NumberedCode("spider4", "pysol", int(number))))


@pytest.mark.parametrize("number", RESISTING["pysol"])
def test_the_line_of_a_numbered_deal_wins(number):
    deal, line = numbered(number), RESISTING["pysol"][number]
    assert wins(deal, line)


@pytest.mark.parametrize("seed", RESISTING["seeds"])
def test_the_line_of_a_seeds_deal_wins(seed):
    assert wins(seed_deal(spider(4), int(seed)), RESISTING["seeds"][seed])


@pytest.mark.parametrize("seed", ["50297", "50562"])
def test_other_weights_win_what_the_usual_ones_did_not(seed):
    start = seed_deal(spider(4), int(seed)).start
    verdict = api.solve(spider(4), start, Budget(seconds=None, nodes=1_500_000, seed=1))
    assert isinstance(verdict, Solved)


def wins(deal: Deal, line: str) -> bool:
    position = deal.start
    for move in line.split():
        position = deal.patience.play(position, move).position
    return deal.patience.outcome(position).status == "won"
