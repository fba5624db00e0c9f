"""PySolFC's numbered deals of one pack, against its own package of deals."""

import pytest
from pysol_cards.cards import CardRenderer, createCards
from pysol_cards.deal_game import Game
from pysol_cards.random import shuffle
from pysol_cards.random_base import RandomBase

from app.cards.card import names
from app.cards.numbered import dealing_order, pysol_dealt

NUMBERS = (1, 24, 617, 11_982, 31_999, 32_001, 123_456_789_012)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_order_of_dealing_is_pysol_cards_own(number):
    theirs = shuffle(createCards(1), number, RandomBase.DEALS_PYSOLFC)[::-1]
    wanted = ["A23456789TJQK"[c.rank - 1] + "CSHD"[c.suit] for c in theirs]
    assert names(pysol_dealt(number, packs=1)) == wanted


@pytest.mark.parametrize("number", NUMBERS)
def test_simple_simon_comes_out_as_pysol_cards_lays_it_out(number):
    layout = Game("simple_simon", number, RandomBase.DEALS_PYSOLFC).calc_layout_string(CardRenderer(True))
    wanted = [line.split() for line in layout.splitlines()]
    order = dealing_order([*(range(n) for n in range(9, 2, -1)), range(10)], 10, 52)
    dealt = pysol_dealt(number, packs=1)
    deck = iter(dealt[theirs].text for theirs in order)
    assert [[next(deck) for _ in column] for column in wanted] == wanted


def test_a_dealing_order_names_every_card_once_and_leaves_the_stock_in_order():
    order = dealing_order([range(3), (0, 2)], 3, 9)
    assert order == (0, 3, 1, 2, 4, 5, 6, 7, 8)
