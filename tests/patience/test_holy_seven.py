"""The rules of docs/holy-seven.md, each test named for the rule that it holds."""

import random

import pytest

from app.patience.deals import deal_of, layout_deal, seed_deal
from app.patience.errors import BadLayout, IllegalMove
from app.patience.holy_seven import HolySeven
from app.patience.patience import Outcome
from app.patience.position import Position
from app.patience.view import view
from tests.drawings import draw, shows

HOLY = HolySeven()
BLOCKED = """
    1: AS
    2: AH
    3: 2S
    4: 2H
    5: 3S
    6: 3H
    7: 9S
    9: 9H
"""


def refused(position: Position, move: str) -> str:
    with pytest.raises(IllegalMove) as error:
        HOLY.play(position, move)
    assert move not in HOLY.legal_moves(position)
    return error.value.reason


def test_the_opening_is_a_row_of_seven_and_a_stock_of_45() -> None:
    shown = view(HOLY, seed_deal(HOLY, 1).start)
    assert [pile.count for pile in shown.piles] == [1] * 7 + [0] * 8 + [45, 0]
    assert shown.facts == {"turning": 1}


def test_pairs_that_add_up_to_seven_go() -> None:
    """S1: pairs."""
    position = draw(HOLY, "1: AS\n 2: 6H\n 3: 2S\n 4: 5H\n 5: 3S\n 6: 4H\n 7: 6C")
    assert set(HOLY.legal_moves(position)) == {"1+2", "1+7", "3+4", "5+6"}
    assert shows(
        HOLY,
        HOLY.play(position, "1+7").position,
        """
        2: 6H
        3: 2S
        4: 5H
        5: 3S
        6: 4H
        discard: AS 6C
    """,
    )
    assert HOLY.play(position, "7+1") == HOLY.play(position, "1+7")
    assert refused(position, "1+3") == "not_seven"
    assert refused(position, "1") == "goes_in_a_pair"
    assert refused(position, "1+1") == "same_card"
    assert refused(draw(HOLY, "1: AS"), "1+2") == "empty_place"


def test_a_card_from_eight_to_king_goes_to_its_own_place() -> None:
    """S2: the upper row."""
    position = draw(HOLY, "1: 8S\n 2: KH\n 3: TD")
    assert shows(HOLY, HOLY.play(position, "2").position, "1: 8S\n 3: TD\n K: KH")
    assert HOLY.play(position, "1").position.piles[7].cards[0].text == "8S"
    assert [pile.id for pile in HOLY.piles[7:13]] == ["8", "9", "T", "J", "Q", "K"]
    assert refused(position, "1+2") == "not_seven"


def test_each_place_holds_one_card() -> None:
    """S3: one of each at a time."""
    position = draw(HOLY, "1: 8S\n 2: 8H")
    after = HOLY.play(position, "1").position
    assert HOLY.legal_moves(after) == ()
    assert refused(after, "2") == "place_taken"


def test_a_full_set_goes_at_once_and_the_places_are_open_again() -> None:
    """S4: sets."""
    position = draw(HOLY, "1: 8S\n 2: 8H\n 9: 9S\n T: TS\n J: JS\n Q: QS\n K: KH")
    after = HOLY.play(position, "1").position
    assert shows(HOLY, after, "2: 8H\n discard: 8S 9S TS JS QS KH")
    assert HOLY.legal_moves(after) == ("2",)


def test_a_seven_is_laid_out() -> None:
    """S5: sevens."""
    position = draw(HOLY, "1: 7S\n 2: 7H\n sevens: 7D")
    assert shows(HOLY, HOLY.play(position, "2").position, "1: 7S\n sevens: 7D 7H")


def test_the_row_is_filled_from_the_stock_at_once() -> None:
    """S6: filling."""
    position = draw(HOLY, "1: AS\n 2: 6H\n 3: 9S\n stock: 2C 3C 4C")
    after = HOLY.play(position, "1+2").position
    assert [c.text for pile in after.piles[:3] for c in pile.cards] == ["2C", "3C", "9S"]
    assert [c.text for c in after.piles[15].cards] == ["4C"]
    one_left = draw(HOLY, "1: AS\n 2: 6H\n 3: 9S\n stock: 2C")
    assert [len(pile) for pile in HOLY.play(one_left, "1+2").position.piles[:3]] == [1, 0, 1]


def test_the_turning_card_waits_until_nothing_can_go() -> None:
    """S7: when a card may be turned."""
    assert HOLY.legal_moves(draw(HOLY, BLOCKED + "stock: 8C 2C")) == ("turn",)
    can_go = draw(HOLY, BLOCKED.replace("9: 9H", "") + "stock: 8C 2C")
    assert refused(can_go, "turn") == "something_can_go"
    assert "7" in HOLY.legal_moves(can_go)


def test_a_turned_card_for_the_upper_row_leaves_the_right() -> None:
    """S8: turning again."""
    after = HOLY.play(draw(HOLY, BLOCKED + "stock: 8C TC"), "turn").position
    assert shows(HOLY, after, BLOCKED + "8: 8C\n stock: TC")
    assert HOLY.facts(after) == {"turning": 1}
    assert HOLY.legal_moves(after) == ("turn",)


def test_a_turned_card_that_pairs_uses_the_right_up() -> None:
    """S9, S15: the pair, with the leftmost of the aces."""
    after = HOLY.play(draw(HOLY, BLOCKED + "stock: 6C 2C 8D"), "turn").position
    assert shows(HOLY, after, BLOCKED.replace("1: AS", "1: 2C") + "stock: 8D\n discard: AS 6C")
    assert HOLY.facts(after) == {"turning": 0}
    assert refused(after, "turn") == "turning_used"


def test_a_turned_seven_uses_the_right_up() -> None:
    """S10: the seven."""
    after = HOLY.play(draw(HOLY, BLOCKED + "stock: 7C 8D"), "turn").position
    assert shows(HOLY, after, BLOCKED + "stock: 8D\n sevens: 7C")
    assert HOLY.facts(after) == {"turning": 0}


def test_a_turned_card_that_fits_nowhere_loses() -> None:
    """S11: losing by the turning card."""
    after = HOLY.play(draw(HOLY, BLOCKED + "stock: 9C 8D"), "turn").position
    assert shows(HOLY, after, BLOCKED + "turned: 9C\n stock: 8D")
    assert HOLY.outcome(after) == Outcome("lost", "turned_fits_nowhere")
    assert HOLY.legal_moves(after) == ()


def test_without_a_stock_play_goes_on_with_a_short_row() -> None:
    """S12: the end."""
    short = draw(HOLY, "1: AS\n 5: 6H\n 6: 9S\n 9: 9H")
    assert HOLY.legal_moves(short) == ("1+5",)
    after = HOLY.play(short, "1+5").position
    assert refused(after, "turn") == "stock_empty"


def test_only_sevens_left_wins() -> None:
    """S13: winning."""
    gone = " ".join(c.text for c in HOLY.deck() if c.rank != 7)
    assert HOLY.outcome(draw(HOLY, f"discard: {gone}\n sevens: 7S 7H 7D 7C")).status == "won"
    last = draw(HOLY, f"3: 7C\n discard: {gone}\n sevens: 7S 7H 7D")
    assert HOLY.outcome(last).status == "playing"
    assert HOLY.outcome(HOLY.play(last, "3").position).status == "won"


def test_nothing_to_remove_and_no_card_to_turn_is_lost() -> None:
    """S14: losing."""
    assert HOLY.outcome(draw(HOLY, BLOCKED)) == Outcome("lost", "no_move")
    assert HOLY.outcome(draw(HOLY, BLOCKED + "stock: 8C", "turning-used")) == Outcome("lost", "no_move")
    assert HOLY.outcome(draw(HOLY, BLOCKED + "stock: 8C")).status == "playing"


def test_no_choice_makes_a_difference_to_the_result() -> None:
    """The page says so: games of the same deal, played at random, all end alike."""
    for seed in range(40):
        ends = set()
        for way in range(6):
            position, rng = seed_deal(HOLY, seed).start, random.Random(way)
            while HOLY.outcome(position).status == "playing":
                position = HOLY.play(position, rng.choice(HOLY.legal_moves(position))).position
            ends.add((HOLY.outcome(position), HOLY.progress(position), len(position.piles[15])))
        assert len(ends) == 1


def test_layouts_that_cannot_be_are_refused() -> None:
    document = HOLY.to_layout(seed_deal(HOLY, 1).start)
    first, second = document["columns"][:2]
    for change, reason in (
        ({"columns": [[], *document["columns"][1:]], "turned": first}, "gap_in_row"),
        ({"columns": [first + second, [], *document["columns"][2:]]}, "one_card_a_place"),
        ({"face_down": [1, 0, 0, 0, 0, 0, 0]}, "one_card_a_place"),
        ({"stock": []}, "not_gone_in_pairs"),
        ({"stock": document["stock"][:-2], "turned": document["stock"][-2:]}, "upper_row"),
        ({"stock": [*document["stock"][:-1], first[0]]}, "not_the_pack"),
        ({"memory": {"turning": 2}}, "layout_memory"),
        (
            {"stock": document["stock"][:-1], "turned": document["stock"][-1:], "memory": {"turning": 1}},
            "layout_memory",
        ),
    ):
        with pytest.raises(BadLayout) as error:
            HOLY.from_layout(document | change)
        assert error.value.reason == reason


@pytest.mark.parametrize(
    ("row", "turned", "stays"),
    [
        ("AS AH AD 2S 2H 2D 8S", "2C", True),
        ("AS AH AD 2S 2H 2D 8S", "5C", False),  # it pairs with the row
        ("AS AH AD 2S 2H 2D 8S", "7C", False),  # it is a seven
        ("AS AH AD 2S 2H 2D 8S", "9C", False),  # its place above the row is open
        ("AS AH AD 2S 2H 6D 8S", "2C", False),  # a pair of the row could go
        ("AS AH AD 2S 2H 7D 8S", "2C", False),  # a seven of the row could go
    ],
)
def test_a_turned_card_lies_there_only_where_it_fits_nowhere(row: str, turned: str, stays: bool) -> None:
    there = [*row.split(), "8H", turned]
    document = {
        "columns": [[card] for card in row.split()],
        "face_down": [0] * 7,
        "upper": ["8H"],
        "turned": [turned],
        "stock": [c.text for c in HOLY.deck() if c.text not in there],
    }
    if stays:
        assert HOLY.outcome(HOLY.from_layout(document)) == Outcome("lost", "turned_fits_nowhere")
    else:
        with pytest.raises(BadLayout, match="turned_fits"):
            HOLY.from_layout(document)


def test_a_layout_keeps_whether_the_turning_card_was_used() -> None:
    start = seed_deal(HOLY, 1).start
    used = Position(start.piles, ("turning-used",))
    assert HOLY.facts(deal_of(layout_deal(HOLY, used).code).start) == {"turning": 0}
    assert HOLY.facts(deal_of(layout_deal(HOLY, start).code).start) == {"turning": 1}
    assert HOLY.from_layout(HOLY.to_layout(used)) == used
    assert "memory" not in HOLY.to_layout(start)
