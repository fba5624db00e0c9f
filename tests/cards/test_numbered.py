"""The numbered deals of other programs, against golden layouts and PySolFC's own package."""

import json
from pathlib import Path

import pytest
from pysol_cards.cards import createCards
from pysol_cards.random import shuffle
from pysol_cards.random_base import RandomBase

from app.cards.numbered import numbered_deck
from app.patience import registry

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "numbered-deals.json").read_text())
NAMES = {"kpat": "kpat", "pysolfc": "pysol"}


@pytest.mark.parametrize("case", GOLDEN, ids=lambda c: f"{c['program']}-{c['number']}-{c['suits']}")
def test_a_numbered_deal_is_the_golden_layout(case):
    spider = registry.get("spider", {"suits": case["suits"]})
    deck = numbered_deck(NAMES[case["program"]], case["number"], case["suits"])
    assert spider.to_layout(spider.start(deck)) == case["layout"]


@pytest.mark.parametrize("number", [1, 2, 777, 31_999, 32_001, 50_000, 123_456_789_012])
def test_pysol_numbers_agree_with_its_own_package(number):
    theirs = shuffle(createCards(2), number, RandomBase.DEALS_PYSOLFC)
    stock = ["A23456789TJQK"[c.rank - 1] + "CSHD"[c.suit] for c in theirs[:10]][::-1]
    ours = [c.text for c in numbered_deck("pysol", number, 4)[-10:]]
    assert ours == [stock[theirs_at] for theirs_at in (0, 3, 6, 9, 1, 2, 4, 5, 7, 8)]


@pytest.mark.parametrize(("program", "suits"), [("kpat", 1), ("kpat", 2), ("kpat", 4), ("pysol", 2)])
def test_every_numbered_deal_is_a_whole_pack(program, suits):
    pack = sorted(c.text for c in registry.get("spider", {"suits": suits}).deck())
    assert all(sorted(c.text for c in numbered_deck(program, n, suits)) == pack for n in (1, 2**31 - 1))


@pytest.mark.parametrize(
    ("program", "number"), [("kpat", 0), ("kpat", 2**31), ("pysol", 0), ("pysol", 10**20 + 1), ("other", 1)]
)
def test_a_number_out_of_range_is_refused(program, number):
    with pytest.raises(ValueError, match=r"numbers go from|not known"):
        numbered_deck(program, number, 4)
