"""The rules of Spider, each drawn as a small tableau."""

import pytest

from app.cards.card import cards, names
from app.patience.errors import IllegalMove, MalformedMove
from app.patience.patience import Collected, Outcome, RowDealt, TurnedUp
from app.patience.position import Position
from app.patience.spider import Spider
from tests.builders import SPIDER4, same, spider

RUN_BUT_ACE = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
RUN = RUN_BUT_ACE + " AS"


def refused(position: Position, move: str, rules: Spider = SPIDER4) -> tuple[str, dict[str, str | int]]:
    with pytest.raises(IllegalMove) as error:
        rules.play(position, move)
    assert move not in rules.legal_moves(position)
    return error.value.reason, error.value.facts


def played(drawing: str, *moves: str, rules: Spider = SPIDER4) -> Position:
    position = spider(drawing)
    for move in moves:
        assert move in rules.legal_moves(position)
        position = rules.play(position, move).position
    return position


# Building


def test_a_card_goes_onto_any_card_one_rank_higher() -> None:
    assert same(played("1: 9H 7S\n2: 8D", "1-2x1"), "1: 9H\n2: 8D 7S")


def test_a_card_does_not_go_onto_another_rank() -> None:
    for end in ("7D", "9D", "6S", "AS", "KS"):
        reason, facts = refused(spider(f"1: 7S\n2: {end}"), "1-2x1")
        assert (reason, facts) == ("not_one_higher", {"column": 2, "card": "7S", "onto": end})


def test_nothing_goes_onto_an_ace_and_a_king_goes_onto_no_card() -> None:
    assert refused(spider("1: KS\n2: AS"), "1-2x1")[0] == "not_one_higher"
    assert refused(spider("1: KS\n2: AS"), "2-1x1")[0] == "not_one_higher"


def test_a_run_moves_whole_or_in_part() -> None:
    drawing = "1: 9S 8S 7S\n2: TH\n3: 9D\n4: 8C"
    assert same(played(drawing, "1-2x3"), "2: TH 9S 8S 7S\n3: 9D\n4: 8C")
    assert same(played(drawing, "1-3x2"), "1: 9S\n2: TH\n3: 9D 8S 7S\n4: 8C")
    assert same(played(drawing, "1-4x1"), "1: 9S 8S\n2: TH\n3: 9D\n4: 8C 7S")


def test_cards_of_mixed_suits_do_not_move_together() -> None:
    assert refused(spider("1: 9S 8H 7H\n2: TH"), "1-2x3") == ("not_a_run", {"column": 1, "count": 3})


def test_cards_out_of_order_do_not_move_together() -> None:
    assert refused(spider("1: 9S 7S\n2: TH"), "1-2x2") == ("not_a_run", {"column": 1, "count": 2})


def test_face_down_cards_do_not_move() -> None:
    reason, facts = refused(spider("1: [9S] 8S\n2: TH"), "1-2x2")
    assert (reason, facts) == ("not_face_up", {"column": 1, "count": 2})


def test_more_cards_than_lie_there_are_refused_in_the_same_words() -> None:
    assert refused(spider("1: 8S\n2: TH"), "1-2x3") == ("not_face_up", {"column": 1, "count": 3})


def test_a_refusal_tells_nothing_of_the_face_down_cards() -> None:
    answers = [refused(spider(f"1: [{hidden}] 8S\n2: TH"), "1-2x2") for hidden in ("9S", "9H", "KD")]
    assert answers[0] == answers[1] == answers[2]


def test_any_card_and_any_run_goes_into_a_space() -> None:
    assert same(played("1: 9H 7S", "1-2x1"), "1: 9H\n2: 7S")
    assert same(played("1: 9H 4S 3S", "1-10x2"), "1: 9H\n10: 4S 3S")


def test_a_space_has_nothing_to_move() -> None:
    assert refused(spider("1: 8S"), "2-1x1") == ("empty_column", {"column": 2})


def test_a_column_is_no_place_for_its_own_cards() -> None:
    assert refused(spider("1: 9S 8S"), "1-1x1") == ("same_column", {"column": 1})


def test_a_bared_card_is_turned_up() -> None:
    result = SPIDER4.play(spider("1: [4D 9C] 7S\n2: 8D"), "1-2x1")
    assert same(result.position, "1: [4D] 9C\n2: 8D 7S")
    assert result.events == (TurnedUp("1", cards("9C")[0]),)


# Collecting


def test_a_run_that_a_move_completes_is_collected_at_once() -> None:
    result = SPIDER4.play(spider(f"1: [9D] 5H {RUN_BUT_ACE}\n2: KD AS"), "2-1x1")
    assert same(result.position, "1: [9D] 5H\n2: KD\ncollected: S")
    assert result.events == (Collected("1", "S"),)


def test_a_card_bared_by_collecting_is_turned_up() -> None:
    result = SPIDER4.play(spider(f"1: [9D] {RUN_BUT_ACE}\n2: [3C] AS"), "2-1x1")
    assert same(result.position, "1: 9D\n2: 3C\ncollected: S")
    assert result.events == (
        Collected("1", "S"),
        TurnedUp("2", cards("3C")[0]),
        TurnedUp("1", cards("9D")[0]),
    )


def test_a_run_of_mixed_suits_is_not_collected() -> None:
    mixed = RUN_BUT_ACE.replace("7S", "7H")
    assert same(played(f"1: {mixed}\n2: KD AS", "2-1x1"), f"1: {mixed} AS\n2: KD")


def test_a_run_whose_king_lies_face_down_is_not_complete() -> None:
    position = spider(f"1: [KS] {RUN_BUT_ACE.removeprefix('KS ')}\n2: KD AS")
    after = SPIDER4.play(position, "2-1x1").position
    assert same(after, f"1: [KS] {RUN.removeprefix('KS ')}\n2: KD")


def test_runs_that_a_row_completes_are_collected_from_several_columns_at_once() -> None:
    hearts = RUN_BUT_ACE.replace("S", "H")
    position = spider(
        f"1: {RUN_BUT_ACE}\n2: [7D] {hearts}\n3: KD\n4: KD\n5: KC\n6: KC\n7: KS\n8: KS\n9: KH\n10: KH\n"
        "stock: AS AH 2D 2C 3D 3C 4D 4C 5D 5C"
    )
    result = SPIDER4.play(position, "deal")
    assert same(
        result.position,
        "2: 7D\n3: KD 2D\n4: KD 2C\n5: KC 3D\n6: KC 3C\n7: KS 4D\n8: KS 4C\n9: KH 5D\n10: KH 5C\n"
        "collected: S H",
    )
    assert result.events == (
        RowDealt(cards("AS AH 2D 2C 3D 3C 4D 4C 5D 5C")),
        Collected("1", "S"),
        Collected("2", "H"),
        TurnedUp("2", cards("7D")[0]),
    )


def test_the_last_run_wins_the_game() -> None:
    position = spider(f"1: {RUN_BUT_ACE}\n2: AS\ncollected: S H H D D C C")
    after = SPIDER4.play(position, "2-1x1").position
    assert SPIDER4.outcome(after) == Outcome("won")
    assert SPIDER4.progress(after) == 8
    assert SPIDER4.legal_moves(after) == ()


def test_the_last_two_runs_taken_by_one_row_win_the_game() -> None:
    hearts = RUN_BUT_ACE.replace("S", "H")
    rules = Spider(4, rows="onto-spaces")
    position = spider(f"1: {RUN_BUT_ACE}\n2: {hearts}\nstock: AS AH\ncollected: S H D D C C")
    assert rules.outcome(rules.play(position, "deal").position) == Outcome("won")


def test_a_collected_run_does_not_come_back_by_a_move() -> None:
    position = spider("1: AS\n2: 2S\ncollected: S")
    assert all("foundation" not in move for move in SPIDER4.legal_moves(position))
    with pytest.raises(MalformedMove):
        SPIDER4.play(position, "foundation-1x1")


# Dealing a row

FULL = "\n".join(f"{column}: KS" for column in range(1, 11))


def test_a_row_puts_one_card_on_each_column_from_the_left() -> None:
    position = spider(f"{FULL}\nstock: AS 2S 3S 4S 5S 6S 7S 8S 9S TS AH 2H 3H 4H 5H 6H 7H 8H 9H TH")
    after = SPIDER4.play(position, "deal").position
    assert " ".join(names(pile.cards[-1] for pile in after.piles[:10])) == "AS 2S 3S 4S 5S 6S 7S 8S 9S TS"
    assert " ".join(names(after.piles[10].cards)) == "AH 2H 3H 4H 5H 6H 7H 8H 9H TH"


def test_no_row_is_dealt_while_a_column_is_empty_and_the_refusal_names_the_columns() -> None:
    position = spider(
        FULL.replace("3: KS", "3:").replace("7: KS", "7:")
        + "\n1: KS QS JS\nstock: AS 2S 3S 4S 5S 6S 7S 8S 9S TS"
    )
    assert refused(position, "deal") == ("space_on_deal", {"columns": "3 7"})


def test_no_row_comes_from_an_empty_stock() -> None:
    assert refused(spider(FULL), "deal") == ("stock_empty", {})


def test_under_the_house_rule_a_row_is_dealt_onto_spaces() -> None:
    rules = Spider(4, rows="onto-spaces")
    after = played("1: KS\nstock: AS 2S 3S 4S 5S 6S 7S 8S 9S TS", "deal", rules=rules)
    assert same(after, "1: KS AS\n2: 2S\n3: 3S\n4: 4S\n5: 5S\n6: 6S\n7: 7S\n8: 8S\n9: 9S\n10: TS")


# Collecting by hand


def test_under_the_house_rule_a_complete_run_waits_for_the_hand() -> None:
    rules = Spider(4, collecting="by-hand")
    drawing = f"1: [9D] {RUN_BUT_ACE}\n2: KD AS"
    assert same(played(drawing, "2-1x1", rules=rules), f"1: [9D] {RUN}\n2: KD")
    assert same(played(drawing, "2-1x1", "collect-1", rules=rules), "1: 9D\n2: KD\ncollected: S")
    assert refused(spider(drawing), "collect-1", rules) == ("no_complete_run", {"column": 1})


def test_collecting_by_hand_is_no_move_where_runs_are_collected_at_once() -> None:
    with pytest.raises(MalformedMove):
        SPIDER4.play(spider(f"1: {RUN}"), "collect-1")


# How a game stands


def test_a_position_without_any_move_is_lost() -> None:
    assert SPIDER4.outcome(spider("\n".join(f"{column}: 2S" for column in range(1, 11)))) == Outcome(
        "lost", "no_move"
    )


def test_fewer_than_ten_cards_on_the_table_with_cards_in_the_stock_is_the_no_deal_deadlock() -> None:
    position = spider("1: KS QS JS TS 9S\n2: 4H 3H 2H AH\nstock: AS 2S 3S 4S 5S 6S 7S 8S 9S TS")
    assert SPIDER4.outcome(position) == Outcome("lost", "no_deal")


def test_ten_cards_on_the_table_are_no_deadlock() -> None:
    position = spider("1: KS QS JS TS 9S 8S\n2: 4H 3H 2H AH\nstock: AS 2S 3S 4S 5S 6S 7S 8S 9S TS")
    assert SPIDER4.outcome(position) == Outcome("playing")


def test_few_cards_without_a_stock_are_no_deadlock() -> None:
    assert SPIDER4.outcome(spider("1: KS\n2: QS")) == Outcome("playing")


def test_few_cards_are_no_deadlock_where_a_row_goes_onto_spaces() -> None:
    rules = Spider(4, rows="onto-spaces")
    assert rules.outcome(spider("1: KS\nstock: AS 2S 3S 4S 5S 6S 7S 8S 9S TS")) == Outcome("playing")


def test_a_game_in_which_cards_can_only_go_to_and_fro_is_not_called_lost() -> None:
    assert SPIDER4.outcome(spider("1: 9S 5H\n2: 2D")) == Outcome("playing")


# Texts of moves


@pytest.mark.parametrize(
    "move",
    [
        "", "deal ", " deal", "Deal", "DEAL", "1-2", "1-2x", "1-2x0", "0-1x1", "11-1x1", "1-11x1", "-1-2x1",
        "1-2x-1", "01-2x1",
        "1-2x01", "1-2X1", "1-2x1\n", "1–2x1", "1-2x1000", "1_0-2x1", "+1-2x1", "1.0-2x1", "١-2x1",
        "9223372036854775808-1x1", "1-2x1;deal", "undo", "redo", "restart", "\x00", "deal\x00", "x" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_move_is_malformed(move: str) -> None:
    with pytest.raises(MalformedMove):
        SPIDER4.play(spider("1: 7S\n2: 8S"), move)
    with pytest.raises(MalformedMove):
        SPIDER4.parse(move)
