from collections import Counter

import pytest

from app.cards.card import names
from app.cards.deck import pack


def test_a_pack_runs_suit_by_suit_from_ace_to_king() -> None:
    assert " ".join(names(pack(4, packs=1))) == " ".join(
        rank + suit for suit in "SHDC" for rank in "A23456789TJQK"
    )


@pytest.mark.parametrize(("suits", "copies"), [(1, 8), (2, 4), (4, 2)])
def test_two_packs_hold_every_face_equally_often(suits: int, copies: int) -> None:
    counts = Counter(pack(suits))
    assert sum(counts.values()) == 104
    assert set(counts.values()) == {copies}
    assert {c.suit for c in counts} == set("SHDC"[:suits])
