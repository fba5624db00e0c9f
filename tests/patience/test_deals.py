import copy
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.cards.dealcode import BadDealCode
from app.patience import registry
from app.patience.deals import deal_of, document_deal, layout_deal, seed_deal
from app.patience.errors import BadLayout
from app.patience.replay import position_after
from app.patience.spider import Spider
from tests.builders import golden, random_line

SEEDS = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize("vector", golden("deal_vectors.json"), ids=lambda v: v["code"])
def test_a_deal_code_means_the_same_deal_for_ever(vector: dict[str, Any]) -> None:
    deal = deal_of(vector["code"])
    assert deal.code == vector["code"]
    assert deal.patience.to_layout(deal.start) == vector["layout"]


@given(SEEDS, st.sampled_from([1, 2, 4]))
def test_the_code_of_a_seed_names_its_deal(seed: int, suits: int) -> None:
    deal = seed_deal(Spider(suits), seed)
    assert deal_of(deal.code.lower()).start == deal.start
    assert deal_of(deal.code).code == deal.code


def test_the_opening_is_six_cards_on_four_columns_and_five_on_six_the_last_face_up() -> None:
    start = seed_deal(Spider(4), 17).start
    assert [len(pile) for pile in start.piles[:10]] == [6] * 4 + [5] * 6
    assert all(len(pile.face_up) == 1 for pile in start.piles[:10])
    assert len(start.piles[10]) == 50


@given(SEEDS, st.sampled_from(list(registry.settings(Spider))), st.integers(0, 150))
@settings(max_examples=60, deadline=None)
def test_any_position_can_be_written_down_as_an_explicit_layout(seed: int, patience: Any, plies: int) -> None:
    start = seed_deal(patience, seed).start
    position = position_after(patience, start, random_line(patience, start, random.Random(seed), plies))
    assert patience.from_layout(patience.to_layout(position)) == position
    deal = layout_deal(patience, position)
    assert deal_of(deal.code.lower()).start == position


@given(SEEDS, st.integers(0, 10_000), st.integers(0, 31))
@settings(max_examples=60, deadline=None)
def test_one_wrong_symbol_of_an_explicit_layout_is_caught(seed: int, place: int, symbol: int) -> None:
    code = layout_deal(Spider(4), seed_deal(Spider(4), seed).start).code
    place %= len(code)
    wrong = code[:place] + "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[symbol] + code[place + 1 :]
    if wrong.lower() != code.lower():
        with pytest.raises(BadDealCode):
            deal_of(wrong)


@pytest.mark.parametrize("game", golden("won_games.json"), ids=lambda game: f"{game['suits']} suits")
def test_a_bare_layout_is_a_spider_deal_with_as_many_suits_as_it_shows(game: dict[str, Any]) -> None:
    deal = document_deal(game["layout"])
    assert deal.patience.prefix == f"spider{game['suits']}"
    whole = {
        "patience": "spider",
        "params": {"suits": game["suits"]},
        "layout": game["layout"],
        "code": "any",
    }
    assert document_deal(whole) == deal


def test_one_suit_may_be_any_suit() -> None:
    layout = Spider(1).to_layout(seed_deal(Spider(1), 5).start)
    hearts = {
        "columns": [[name[0] + "H" for name in column] for column in layout["columns"]],
        "face_down": layout["face_down"],
        "stock": [name[0] + "H" for name in layout["stock"]],
    }
    assert document_deal(hearts).patience.prefix == "spider1"


def broken(change: str) -> Any:
    layout: Any = copy.deepcopy(golden("won_games.json")[4]["layout"])
    exec(change, {"layout": layout})
    return layout


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("layout['columns'][0][0] = 'ZZ'", "not_a_card"),
        ("layout['columns'][0][0] = 7", "not_a_card"),
        ("layout['columns'][0][0] = layout['columns'][0][1]", "not_the_pack"),
        ("layout['columns'][0].pop()", "face_down_count"),
        ("layout['columns'].pop()", "ten_columns"),
        ("layout['face_down'].pop()", "ten_columns"),
        ("layout['face_down'][3] = -1", "face_down_count"),
        ("layout['face_down'][3] = 6", "face_down_count"),
        ("layout['face_down'][3] = True", "face_down_count"),
        ("layout['face_down'][3] = 1.0", "face_down_count"),
        ("layout['stock'].pop()", "stock_not_in_rows"),
        ("layout['stock'].clear()", "not_the_pack"),
        ("layout['stock'] = 'AS'", "layout_types"),
        ("layout['columns'] = {}", "layout_types"),
        ("del layout['stock']", "layout_keys"),
        ("layout['more'] = 1", "layout_keys"),
        ("layout['columns'][0] = ['AS'] * 10**5", "layout_types"),
    ],
)
def test_a_layout_that_is_no_position_is_refused_with_the_reason(change: str, reason: str) -> None:
    with pytest.raises(BadLayout) as error:
        document_deal(broken(change))
    assert error.value.reason == reason


@pytest.mark.parametrize("document", [None, 7, "text", [], {"layout": 7}, {"layout": {}, "patience": 7}])
def test_a_document_of_another_form_is_refused(document: object) -> None:
    with pytest.raises(BadLayout):
        document_deal(document)


def test_a_layout_in_which_a_complete_run_lies_uncollected_is_refused() -> None:
    run = [rank + "S" for rank in "KQJT98765432A"]
    rest = [rank + suit for suit in "SHHDDCC" for rank in "23456789TJQKA"]
    columns = [run, *[rest[at::9][:] for at in range(9)]]
    layout = {"columns": columns, "face_down": [0] * 10, "stock": []}
    with pytest.raises(BadLayout) as error:
        Spider(4).from_layout(layout)
    assert error.value.reason == "complete_run_on_table"
    assert Spider(4, collecting="by-hand").from_layout(layout)
