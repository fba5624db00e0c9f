"""How many sequences of legal moves there are, by length, from fixed deals (tests/perft/*.txt)."""

from pathlib import Path

import pytest

from app.patience.deals import deal_of
from app.patience.patience import Patience
from app.patience.position import Position
from app.patience.replay import position_after
from tests.patience.ready import READY_TO_REGISTER

FILES = Path(__file__).parents[1] / "perft"
KEYS = [kind.key for kind in READY_TO_REGISTER if kind.key != "template"]


def perft(rules: Patience, position: Position, depth: int) -> int:
    moves = rules.legal_moves(position)
    if depth == 1:
        return len(moves)
    return sum(perft(rules, rules.play(position, move).position, depth - 1) for move in moves)


@pytest.mark.parametrize("key", KEYS)
def test_sequences_of_moves_are_as_many_as_ever(key: str, all_registered: None) -> None:
    lines = [line for line in (FILES / f"{key}.txt").read_text().splitlines() if not line.startswith("#")]
    assert lines
    for line in lines:
        code, played, counts = [part.strip() for part in line.split("|")]
        deal = deal_of(code)
        assert deal.patience.key == key
        moves = [] if played == "-" else played.split()
        position = position_after(deal.patience, deal.start, moves)
        wanted = [int(count) for count in counts.split()]
        assert [perft(deal.patience, position, depth) for depth in range(1, len(wanted) + 1)] == wanted
