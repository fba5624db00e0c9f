"""A published two-suit game, played card by card on completions of its unknown cards."""

import random
from collections import Counter
from typing import Any

import pytest

from app.cards.deck import pack
from app.patience.patience import TurnedUp
from app.patience.replay import frames
from app.patience.spider import Spider
from tests.builders import golden

GAME: dict[str, Any] = golden("worked_game_2_suits.json")


def completion(seed: int) -> dict[str, Any]:
    """A layout with the published cards in their places and the others dealt at random."""
    known = {int(column): names for column, names in GAME["known_from_the_end"].items()}
    rest = list(
        (Counter(c.text for c in pack(2)) - Counter(n for names in known.values() for n in names)).elements()
    )
    random.Random(seed).shuffle(rest)
    sizes = GAME["column_sizes"]
    columns = []
    for number, size in enumerate(sizes, 1):
        names = known.get(number, [])
        columns.append([*(rest.pop() for _ in range(size - len(names))), *reversed(names)])
    return {"columns": columns, "face_down": [size - 1 for size in sizes], "stock": rest}


@pytest.mark.parametrize("seed", range(8))
def test_the_published_game_plays_card_by_card(seed: int) -> None:
    rules = Spider(GAME["suits"])
    start = rules.from_layout(completion(seed))
    turned_up, last = [], None
    for last in frames(rules, start, GAME["moves"]):
        turned_up += [event.card.text for event in last.events if isinstance(event, TurnedUp)]
    assert last is not None
    assert turned_up == GAME["turned_up"]
    for number, names in GAME["ends_of_columns_after"].items():
        end = last.position.piles[int(number) - 1].cards[-len(names) :]
        assert [c.text for c in end] == names
    legal = rules.legal_moves(last.position)
    # The notes: 4S 3S 2S move together and 5H does not come along; column 10 is down to its king.
    assert any(move.startswith("1-") and move.endswith("x1") for move in legal)
    assert not any(move.startswith("1-") and move.endswith("x4") for move in legal)
    assert len(last.position.piles[9]) == 1
    assert "deal" in legal
