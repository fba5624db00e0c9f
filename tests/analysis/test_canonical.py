import random

import pytest

from app.analysis.canonical import canonical
from app.patience import registry
from app.patience.deals import seed_deal
from app.patience.position import Pile, Position
from app.patience.spider import Spider
from tests.analysis.tables import SPIDER1, SPIDER4, TWO_MOVES
from tests.builders import random_line


def shuffled(position: Position, seed: int) -> Position:
    columns = list(position.piles[:10])
    random.Random(seed).shuffle(columns)
    return Position((*columns, *position.piles[10:]))


def test_the_order_of_columns_does_not_matter_after_the_last_row() -> None:
    keys = {canonical(SPIDER1, shuffled(TWO_MOVES, seed)).key for seed in range(20)}
    assert len(keys) == 1


def test_a_line_found_for_one_order_of_columns_wins_in_every_other() -> None:
    one = canonical(SPIDER1, TWO_MOVES)
    line = one.to_canonical(["3-2x2", "2-1x6"])
    for seed in range(20):
        position = shuffled(TWO_MOVES, seed)
        for move in canonical(SPIDER1, position).from_canonical(line):
            position = SPIDER1.play(position, move).position
        assert SPIDER1.outcome(position).status == "won"


def test_moves_go_to_canonical_columns_and_back_unchanged() -> None:
    one = canonical(SPIDER1, shuffled(TWO_MOVES, 3))
    moves = ("1-10x13", "10-2x1", "deal", "collect-7")
    assert one.from_canonical(one.to_canonical(moves)) == moves


def test_while_rows_are_left_every_column_keeps_its_place() -> None:
    start = seed_deal(SPIDER4, 17).start
    assert canonical(SPIDER4, start).order == ()
    assert canonical(SPIDER4, start).key != canonical(SPIDER4, shuffled(start, 1)).key


def test_other_parameters_and_other_positions_have_other_keys() -> None:
    start = seed_deal(SPIDER4, 17).start
    keys = {canonical(Spider(4, rows), start).key for rows in ("full-only", "onto-spaces")}
    line = random_line(SPIDER4, start, random.Random(5), 30)
    position = start
    for move in line:
        keys.add(canonical(SPIDER4, position).key)
        position = SPIDER4.play(position, move).position
    assert len(keys) >= 2
    assert canonical(SPIDER4, start).key in keys


def test_a_card_face_down_is_not_the_same_as_face_up() -> None:
    from tests.drawings import draw

    up = draw(SPIDER4, "1: KS QS")
    down = draw(SPIDER4, "1: [KS] QS")
    assert canonical(SPIDER4, up).key != canonical(SPIDER4, down).key


@pytest.mark.parametrize("prefix", ["pyramid3", "holy-seven"])
def test_the_order_of_what_was_discarded_says_nothing_new(prefix: str) -> None:
    patience = registry.by_prefix(prefix)
    position = seed_deal(patience, 17).start
    for move in random_line(patience, position, random.Random(1), 25):
        position = patience.play(position, move).position
    (at,) = [number for number, spec in enumerate(patience.piles) if spec.role == "discard"]
    assert len(position.piles[at].cards) > 1
    piles = list(position.piles)
    piles[at] = Pile(piles[at].cards[::-1])
    other = Position(tuple(piles), position.memory)
    assert canonical(patience, other) == canonical(patience, position)
