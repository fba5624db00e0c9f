from app.cards.card import cards
from app.patience.view import PileView, view
from tests.builders import SPIDER4, spider


def test_face_down_cards_are_counted_and_not_shown() -> None:
    shown = view(SPIDER4, spider("1: [KS 4H] 7S 6S\nstock: 2S 3S\ncollected: D"))
    assert shown.pile("1") == PileView("1", "tableau", 2, cards("7S 6S"))
    assert shown.pile("2") == PileView("2", "tableau", 0, ())


def test_of_the_stock_only_the_number_of_cards_is_shown() -> None:
    stock = view(SPIDER4, spider("1: KS\nstock: 2S 3S")).pile("stock")
    assert (stock.count, stock.cards) == (2, ())


def test_collected_runs_are_shown() -> None:
    foundation = view(SPIDER4, spider("1: KS\ncollected: D")).pile("foundation")
    assert len(foundation.cards) == 13
    assert {c.suit for c in foundation.cards} == {"D"}
