import pytest

from app.cards.card import CARDS, Card, card, cards, names


def test_a_pack_has_52_faces_named_by_rank_and_suit() -> None:
    assert len(CARDS) == 52
    assert card("TS") == Card(10, "S")
    assert card("AH").rank == 1
    assert card("KD").rank == 13


def test_names_read_back_as_the_same_cards() -> None:
    assert all(card(name) is CARDS[name] for name in CARDS)
    assert names(cards("KS QH AD")) == ["KS", "QH", "AD"]


@pytest.mark.parametrize("text", ["", "T", "10S", "ts", "1S", "TX", "TS ", "\x00S", "ТS", None, 7, ["TS"]])
def test_anything_else_is_no_card(text: object) -> None:
    with pytest.raises(ValueError, match="not a card"):
        card(text)  # type: ignore[arg-type]
