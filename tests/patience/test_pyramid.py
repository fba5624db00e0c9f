"""The rules of docs/pyramid.md, each test named for the rule that it holds."""

import pytest

from app.patience.deals import deal_of, layout_deal, seed_deal
from app.patience.errors import BadLayout, IllegalMove
from app.patience.patience import Dealt, Redealt, Removed, TurnedUp
from app.patience.position import Position
from app.patience.pyramid import COVERED_BY, COVERS, Pyramid
from app.patience.replay import position_after
from app.patience.view import view
from tests.drawings import draw, shows

PYRAMID = Pyramid()

# The last row alone, and a king over nothing.
LAST_ROW = """
    22: 6S
    23: 7H
    24: KD
    25: AC
    26: QC
    27: 2S
    28: 6H
"""


def refused(rules: Pyramid, position: Position, move: str) -> str:
    with pytest.raises(IllegalMove) as error:
        rules.play(position, move)
    assert move not in rules.legal_moves(position)
    return error.value.reason


def test_the_opening_is_a_pyramid_of_28_and_a_stock_of_24() -> None:
    shown = view(PYRAMID, seed_deal(PYRAMID, 1).start)
    assert [pile.count for pile in shown.piles] == [1] * 28 + [24, 0, 0]
    assert all(len(pile.cards) == 1 for pile in shown.piles[:28])
    assert shown.facts == {"pass": 1, "passes": 3}


def test_two_cards_of_the_next_row_lie_on_every_card_but_those_of_the_last() -> None:
    assert (COVERED_BY[0], COVERED_BY[1], COVERED_BY[20]) == ((1, 2), (3, 4), (26, 27))
    assert (COVERS[27], COVERS[26], COVERS[21]) == ((20,), (19, 20), (15,))
    assert [bool(over) for over in COVERED_BY] == [True] * 21 + [False] * 7


def test_a_card_is_free_when_nothing_lies_on_it() -> None:
    """P1: free cards."""
    position = draw(PYRAMID, "16: 7S\n 17: 8S\n 18: 6D\n 23: 6H\n 24: 5H")
    assert "16+23" not in PYRAMID.legal_moves(position)
    after = PYRAMID.play(draw(PYRAMID, "15: 9S\n 16: 7S\n 20: 4D\n 21: 6H\n 28: KH"), "28").position
    assert "16+21" in PYRAMID.legal_moves(after)
    assert refused(PYRAMID, draw(PYRAMID, "11: 6S\n 16: 7S"), "11+16") == "covered"


def test_two_free_cards_that_add_up_to_thirteen_go_together() -> None:
    """P2: pairs."""
    position = draw(PYRAMID, LAST_ROW + "waste: JC JD")
    played = PYRAMID.play(position, "25+26")
    assert [c.text for e in played.events for c in e.cards] == ["AC", "QC"]
    assert PYRAMID.play(position, "22+23").events[0] == Removed(
        (position.piles[21].cards[0], position.piles[22].cards[0])
    )
    after = PYRAMID.play(position, "27+w").position
    assert [c.text for c in after.piles[29].cards] == ["JC"]
    assert refused(PYRAMID, position, "22+28") == "not_thirteen"
    assert refused(PYRAMID, position, "26+w") == "not_thirteen"
    assert refused(PYRAMID, position, "22") == "no_king"
    assert refused(PYRAMID, position, "22+22") == "same_card"
    assert refused(PYRAMID, position, "1+22") == "empty_place"
    assert refused(PYRAMID, draw(PYRAMID, LAST_ROW), "27+w") == "waste_empty"


def test_a_pair_may_be_named_in_either_order() -> None:
    """P2: the canonical text has the lower place first, the waste last."""
    assert PYRAMID.parse("28+21") == "21+28"
    assert PYRAMID.parse("w+3") == "3+w"
    position = draw(PYRAMID, LAST_ROW)
    assert PYRAMID.play(position, "26+25") == PYRAMID.play(position, "25+26")


def test_a_free_king_goes_by_itself() -> None:
    """P3: kings."""
    position = draw(PYRAMID, LAST_ROW + "waste: 3C KS")
    assert shows(
        PYRAMID,
        PYRAMID.play(position, "24").position,
        LAST_ROW.replace("24: KD", "")
        + """
        waste: 3C KS
        discard: KD
    """,
    )
    assert [c.text for c in PYRAMID.play(position, "w").position.piles[29].cards] == ["3C"]
    assert refused(PYRAMID, position, "22+24") == "not_thirteen"


def test_a_covered_card_stays() -> None:
    """P4: covered cards."""
    position = draw(PYRAMID, "16: KS\n 17: 6S\n 22: 2H\n 23: 7H\n 24: 3H\n waste: 7D")
    assert refused(PYRAMID, position, "16") == "covered"
    assert refused(PYRAMID, position, "17+w") == "covered"
    assert refused(PYRAMID, position, "17+23") == "covered"


def test_cards_are_turned_one_at_a_time_and_the_stock_pairs_with_nothing() -> None:
    """P5: drawing."""
    position = draw(PYRAMID, LAST_ROW + "stock: 5S 8S 2D\n waste: 3C")
    played = PYRAMID.play(position, "draw")
    assert [c.text for c in played.position.piles[29].cards] == ["3C", "5S"]
    assert [c.text for c in played.position.piles[28].cards] == ["8S", "2D"]
    assert isinstance(played.events[0], Dealt)
    # 5 and 8 follow each other, and never lie open side by side.
    twice = PYRAMID.play(played.position, "draw").position
    assert not [move for move in PYRAMID.legal_moves(twice) if move.count("w") > 1]
    assert refused(PYRAMID, draw(PYRAMID, LAST_ROW), "draw") == "stock_empty"


def test_the_waste_is_the_stock_again_while_a_pass_is_left() -> None:
    """P6: passes."""
    position = draw(PYRAMID, LAST_ROW + "waste: KS 3C JD", "pass2")
    played = PYRAMID.play(position, "redeal")
    assert [c.text for c in played.position.piles[28].cards] == ["KS", "3C", "JD"]
    assert played.events == (Redealt(3),)
    assert PYRAMID.facts(played.position) == {"pass": 3, "passes": 3}
    assert refused(PYRAMID, draw(PYRAMID, LAST_ROW + "waste: KS 3C", "pass3"), "redeal") == "no_passes_left"
    assert refused(Pyramid(1), draw(Pyramid(1), LAST_ROW + "waste: KS 3C"), "redeal") == "no_passes_left"
    assert (
        refused(PYRAMID, draw(PYRAMID, LAST_ROW + "stock: 2D\nwaste: KS 3C"), "redeal") == "stock_not_empty"
    )
    assert refused(PYRAMID, draw(PYRAMID, LAST_ROW), "redeal") == "waste_empty"
    unlimited = Pyramid("unlimited")
    assert "redeal" in unlimited.legal_moves(draw(unlimited, LAST_ROW + "waste: KS 3C", "pass77"))


def test_a_redeal_that_can_change_nothing_is_refused() -> None:
    """P7: useless redeals."""
    rules = Pyramid("unlimited")
    useless = draw(rules, "1: 4S\n waste: 8S 3C")
    assert refused(rules, useless, "redeal") == "redeal_changes_nothing"
    assert "redeal" in rules.legal_moves(draw(rules, "1: 4S\n waste: 9S 3C"))
    assert "redeal" in rules.legal_moves(draw(rules, "1: 4S\n waste: KS 3C"))
    # The nine fits a four that is covered now: the card on it can go first, and then the question is new.
    covered = draw(rules, "1: 4S\n 2: KH\n waste: 9S 3C")
    assert refused(rules, covered, "redeal") == "redeal_changes_nothing"
    assert "redeal" in rules.legal_moves(rules.play(covered, "2").position)


def test_a_pyramid_that_is_gone_wins_whatever_else_is_left() -> None:
    """P8: winning."""
    position = draw(PYRAMID, "1: 4S\n stock: 2S 3S\n waste: 8S 9S")
    after = PYRAMID.play(position, "1+w").position
    assert PYRAMID.outcome(position).status == "playing"
    assert PYRAMID.outcome(after).status == "won"
    assert PYRAMID.progress(after) == 28


def test_nothing_to_remove_to_turn_or_to_redeal_is_lost() -> None:
    """P9: losing."""
    assert PYRAMID.outcome(draw(PYRAMID, "1: 4S\n waste: 8S 3C")).reason == "no_move"
    assert PYRAMID.outcome(draw(PYRAMID, "1: 4S\n waste: 9S 3C", "pass3")).reason == "no_move"
    assert PYRAMID.outcome(draw(PYRAMID, "1: 4S\n waste: 9S 3C", "pass2")).status == "playing"
    assert PYRAMID.outcome(draw(PYRAMID, "1: 4S\n stock: 8S\n waste: 3C", "pass3")).status == "playing"


def test_upper_rows_lie_face_down_until_free() -> None:
    """P10: face-down rows."""
    rules = Pyramid(3, "face-down")
    start = seed_deal(rules, 4).start
    assert [pile.face_down for pile in start.piles[:28]] == [1] * 21 + [0] * 7
    assert start.piles[0].cards == seed_deal(PYRAMID, 4).start.piles[0].cards
    position = draw(rules, "16: [6S]\n 17: [9D]\n 22: AS\n 23: QS\n 24: 2S")
    played = rules.play(position, "22+23")
    assert isinstance(played.events[1], TurnedUp)
    assert played.events[1].pile == "16"
    assert shows(rules, played.position, "16: 6S\n 17: [9D]\n 24: 2S\n discard: AS QS")
    assert refused(rules, position, "16+24") == "covered"


COVERED_PAIR = "16: 6S\n 17: 9D\n 23: 7S\n 24: 2S\n 25: 4S"


def test_a_covered_pair_may_go_where_that_is_played() -> None:
    """P11: covered pairs."""
    rules = Pyramid(3, "open", "yes")
    assert refused(PYRAMID, draw(PYRAMID, COVERED_PAIR), "16+23") == "covered"
    after = rules.play(draw(rules, COVERED_PAIR), "16+23").position
    assert shows(rules, after, "17: 9D\n 24: 2S\n 25: 4S\n discard: 6S 7S")
    # Another card lies on the six too; the two that overlap do not add up; the lower one is not free.
    assert refused(rules, draw(rules, COVERED_PAIR + "\n 22: AH"), "16+23") == "covered"
    assert refused(rules, draw(rules, "17: 9D\n 23: 7S"), "17+23") == "not_thirteen"
    assert refused(rules, draw(rules, "11: 6S\n 16: 7S\n 22: AH"), "11+16") == "covered"
    # They must overlap.
    assert refused(rules, draw(rules, "16: 6S\n 22: AH\n 28: 7S"), "16+28") == "covered"
    # A face-down card is not known.
    both = Pyramid(3, "face-down", "yes")
    assert refused(both, draw(both, "16: [6S]\n 23: 7S"), "16+23") == "covered"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"columns": [[]] * 28}, "not_gone_in_pairs"),
        ({"stock": ["KS"] * 25}, "not_the_pack"),
        ({"stock": ["KS"] * 53}, "layout_types"),
        ({"face_down": [1] + [0] * 27}, "face_down_count"),
        ({"columns": [["KS"]]}, "columns_count"),
        *(
            ({"memory": junk}, "layout_memory")
            for junk in (
                None,
                2,
                [2],
                {},
                {"pass": 0},
                {"pass": 4},
                {"pass": -1},
                {"pass": True},
                {"pass": 2.0},
                {"pass": [2]},
                {"pass": "2"},
                {"pass": 2, "redeals": 1},
                {"turning": 0},
            )
        ),
    ],
)
def test_layouts_that_are_no_pyramid_are_refused(change: dict[str, object], reason: str) -> None:
    document = PYRAMID.to_layout(seed_deal(PYRAMID, 1).start) | change
    with pytest.raises(BadLayout) as error:
        PYRAMID.from_layout(document)
    assert error.value.reason == reason


def test_a_layout_keeps_the_pass() -> None:
    start = seed_deal(PYRAMID, 1).start
    position = position_after(PYRAMID, start, ["draw"] * 24 + ["redeal", "draw"])
    assert PYRAMID.to_layout(position)["memory"] == {"pass": 2}
    code = layout_deal(PYRAMID, position).code
    assert deal_of(code).start == position
    in_the_first = layout_deal(PYRAMID, Position(position.piles, ("pass1",)))
    assert "memory" not in PYRAMID.to_layout(in_the_first.start)
    # A digit for the pass, where there is something to tell.
    assert code[:-2] == in_the_first.code[:-1]


def test_unlimited_passes_are_kept_too() -> None:
    rules = Pyramid("unlimited")
    for number in (1, 2, 17, 4096):
        position = Position(seed_deal(rules, 1).start.piles, (f"pass{number}",))
        assert deal_of(layout_deal(rules, position).code).start == position


def test_a_stock_that_has_cards_of_the_pyramid_is_refused() -> None:
    document = PYRAMID.to_layout(seed_deal(PYRAMID, 1).start)
    document["stock"] += document["columns"][27]
    document["columns"][27] = []
    for stock, waste in ((25, 0), (24, 1), (0, 25)):
        cards = {"stock": document["stock"][:stock], "waste": document["stock"][25 - waste :]}
        with pytest.raises(BadLayout, match="stock_too_large"):
            PYRAMID.from_layout(document | cards)


def test_a_card_that_would_hang_in_the_air_is_refused() -> None:
    document = PYRAMID.to_layout(seed_deal(PYRAMID, 1).start)
    document["waste"] = document["columns"][0]
    document["columns"][0] = []
    with pytest.raises(BadLayout, match="hangs_in_the_air"):
        PYRAMID.from_layout(document)
