"""The rules of docs/spider-family.md, each test named for the rule that it holds."""

import pytest

from app.cards.card import card
from app.patience.deals import seed_deal
from app.patience.errors import BadLayout, IllegalMove, MalformedMove
from app.patience.patience import Collected, Outcome, RowDealt, TurnedUp
from app.patience.position import Position
from app.patience.spider import Spider
from app.patience.spider_family import (
    RelaxedSpider,
    Scorpion,
    SimpleSimon,
    Spiderette,
    SpiderFamily,
    Wasp,
    WillOTheWisp,
)
from tests.drawings import draw, shows

RELAXED, SPIDERETTE, WISP, SIMON, SCORPION, WASP = (
    RelaxedSpider(),
    Spiderette(),
    WillOTheWisp(),
    SimpleSimon(),
    Scorpion(),
    Wasp(),
)
ALL = (RELAXED, SPIDERETTE, WISP, SIMON, SCORPION, WASP)
LIKE_SPIDER = (RELAXED, SPIDERETTE, WISP, SIMON)
LIKE_SCORPION = (SCORPION, WASP)
TO_TWO = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"

each = pytest.mark.parametrize("rules", ALL, ids=lambda rules: rules.prefix)
each_like_spider = pytest.mark.parametrize("rules", LIKE_SPIDER, ids=lambda rules: rules.prefix)
each_like_scorpion = pytest.mark.parametrize("rules", LIKE_SCORPION, ids=lambda rules: rules.prefix)


def refused(rules: SpiderFamily, position: Position, move: str) -> str:
    with pytest.raises(IllegalMove) as error:
        rules.play(position, move)
    assert move not in rules.legal_moves(position)
    return error.value.reason


@pytest.mark.parametrize(
    ("rules", "sizes", "face_down", "stock"),
    [
        (RELAXED, [6, 6, 6, 6, 5, 5, 5, 5, 5, 5], [5, 5, 5, 5, 4, 4, 4, 4, 4, 4], 50),
        (SPIDERETTE, [1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6], 24),
        (WISP, [3] * 7, [2] * 7, 31),
        (SIMON, [8, 8, 8, 7, 6, 5, 4, 3, 2, 1], [0] * 10, None),
        (SCORPION, [7] * 7, [3, 3, 3, 3, 0, 0, 0], 3),
        (WASP, [7] * 7, [3, 3, 3, 0, 0, 0, 0], 3),
    ],
    ids=lambda value: getattr(value, "prefix", ""),
)
def test_the_openings(rules: SpiderFamily, sizes: list[int], face_down: list[int], stock: int | None) -> None:
    start = seed_deal(rules, 1).start
    assert [len(pile) for pile in start.piles[: len(sizes)]] == sizes
    assert [pile.face_down for pile in start.piles[: len(sizes)]] == face_down
    others = {spec.id: len(pile) for spec, pile in zip(rules.piles, start.piles, strict=True)}
    assert others.get("stock") == stock
    assert rules.cards == (104 if rules is RELAXED else 52)


@each
def test_a_complete_run_is_collected_at_once(rules: SpiderFamily) -> None:
    """F1: collecting."""
    played = rules.play(draw(rules, f"1: {TO_TWO}\n 2: 5H AS\n 3: 9D"), "2-1x1")
    assert played.events == (Collected("1", "S"),)
    assert shows(rules, played.position, f"2: 5H\n 3: 9D\n foundation: {TO_TWO} AS")


@each_like_scorpion
def test_a_complete_run_under_another_is_collected_with_it(rules: SpiderFamily) -> None:
    """F1: the ace of a lower run can bring a whole run but its own ace along (F12)."""
    hearts = TO_TWO.replace("S", "H")
    position = draw(rules, f"1: [4C] {TO_TWO}\n 2: 9D AS {hearts}\n 3: 7C AH")
    position = rules.play(position, "2-1x13").position
    played = rules.play(position, "3-1x1")
    assert played.events == (Collected("1", "H"), Collected("1", "S"), TurnedUp("1", card("4C")))
    assert shows(rules, played.position, f"1: 4C\n 2: 9D\n 3: 7C\n foundation: {hearts} AH {TO_TWO} AS")


@each
def test_a_bared_card_is_turned_up_at_once(rules: SpiderFamily) -> None:
    """F2: turning up."""
    played = rules.play(draw(rules, f"1: [4D 5H] {TO_TWO}\n 2: [6H 7C] AS\n 3: 9D"), "2-1x1")
    assert [type(event) for event in played.events] == [Collected, TurnedUp, TurnedUp]
    assert shows(rules, played.position, f"1: [4D] 5H\n 2: [6H] 7C\n 3: 9D\n foundation: {TO_TWO} AS")


@each
def test_all_cards_collected_wins(rules: SpiderFamily) -> None:
    """F3: winning."""
    runs = " ".join(f"{rank}{suit}" for suit in "HDC" for rank in "KQJT98765432A")
    twice = f"{runs} {TO_TWO} AS {runs}" if rules.cards == 104 else runs
    position = draw(rules, f"1: {TO_TWO}\n 2: AS\n foundation: {twice}")
    assert rules.outcome(position).status == "playing"
    assert rules.outcome(rules.play(position, "2-1x1").position).status == "won"


@each
def test_no_move_at_all_is_lost(rules: SpiderFamily) -> None:
    """F4: losing."""
    stuck = "\n".join(
        f"{column}: {c}" for column, c in enumerate(["2S", "4H", "6S", "8H", "TS", "QH", "2D"], 1)
    )
    rest = "\n8: 4C\n 9: 6D\n 10: 8D" if len(rules.opening) == 10 else ""
    assert rules.outcome(draw(rules, stuck + rest)) == Outcome("lost", "no_move")


def test_too_few_cards_to_fill_the_columns_is_lost_where_a_row_wants_them_full() -> None:
    """F4: the no-deal deadlock."""
    few = "1: 9S\n 2: 8S\n stock: 2S 3S 4S"
    assert SPIDERETTE.outcome(draw(SPIDERETTE, few)) == Outcome("lost", "no_deal")
    assert WISP.outcome(draw(WISP, few)) == Outcome("lost", "no_deal")
    assert RELAXED.outcome(draw(RELAXED, few)).status == "playing"
    assert SCORPION.outcome(draw(SCORPION, few)).status == "playing"


@each_like_spider
def test_a_card_goes_onto_any_card_one_higher(rules: SpiderFamily) -> None:
    """F5: building by rank."""
    position = draw(rules, "1: 9S\n 2: 8H\n 3: 8S\n 4: TD")
    assert shows(rules, rules.play(position, "2-1x1").position, "1: 9S 8H\n 3: 8S\n 4: TD")
    assert refused(rules, position, "3-4x1") == "not_one_higher"
    assert refused(rules, position, "1-2x1") == "not_one_higher"


@each_like_spider
def test_only_runs_move_together(rules: SpiderFamily) -> None:
    """F6: runs."""
    position = draw(rules, "1: TH\n 2: 9S 8S\n 3: TD 9S 8H\n 4: 9C")
    assert "2-1x2" in rules.legal_moves(position)
    assert "2-4x1" in rules.legal_moves(position)
    assert refused(rules, position, "3-1x2") == "not_a_run"


@each_like_spider
def test_any_run_goes_into_a_space(rules: SpiderFamily) -> None:
    """F7: spaces."""
    position = draw(rules, "1: 9S 8S\n 2: TD")
    assert {"1-3x1", "1-3x2", "2-3x1"} <= set(rules.legal_moves(position))


def test_relaxed_spider_deals_onto_spaces() -> None:
    """F8: rows at any time."""
    position = draw(RELAXED, "1: 9S\n stock: AS 2S 3S 4S 5S 6S 7S 8S 9S TS")
    played = RELAXED.play(position, "deal")
    assert isinstance(played.events[0], RowDealt)
    assert [len(pile) for pile in played.position.piles] == [2, *[1] * 9, 0, 0]
    strict = Spider()
    assert (
        refused(strict, draw(strict, "1: 9S\n stock: AS 2S 3S 4S 5S 6S 7S 8S 9S TS"), "deal")
        == "space_on_deal"
    )


@pytest.mark.parametrize("rules", [SPIDERETTE, WISP], ids=lambda rules: rules.prefix)
def test_a_row_wants_full_columns_and_the_last_has_three_cards(rules: SpiderFamily) -> None:
    """F9: rows of seven."""
    full = "1: 2S\n 2: 4H\n 3: 6S\n 4: 8H\n 5: TS\n 6: QH\n 7: 2D\n"
    after = rules.play(draw(rules, full + "stock: AH AD AC 3H 3D 3C 5H KS KH KD"), "deal").position
    assert [len(pile) for pile in after.piles[:7]] == [2] * 7
    last = rules.play(after, "deal").position
    assert [len(pile) for pile in last.piles[:8]] == [3, 3, 3, 2, 2, 2, 2, 0]
    assert refused(rules, last, "deal") == "stock_empty"
    space = draw(rules, full.replace("7: 2D", "") + "stock: KS KH KD")
    assert refused(rules, space, "deal") == "space_on_deal"


def test_simple_simon_has_nothing_to_deal() -> None:
    """F10: no stock."""
    with pytest.raises(MalformedMove):
        SIMON.play(seed_deal(SIMON, 1).start, "deal")
    assert [spec.role for spec in SIMON.piles] == ["tableau"] * 10 + ["foundation"]
    assert SIMON.scorings == ("moves500",)


@each_like_scorpion
def test_scorpion_and_wasp_build_in_suit_only(rules: SpiderFamily) -> None:
    """F11: building in suit."""
    position = draw(rules, "1: 9S\n 2: 8H\n 3: 8S\n 4: 9H TD")
    assert set(rules.legal_moves(position)) >= {"3-1x1"}
    assert refused(rules, position, "2-1x1") == "not_in_suit"
    assert refused(rules, position, "4-1x1") == "not_one_higher"


@each_like_scorpion
def test_any_face_up_card_moves_with_all_on_it(rules: SpiderFamily) -> None:
    """F12: moving in any order."""
    position = draw(rules, "1: 9S\n 2: [KD] 8S 2H QC\n 3: 5D")
    assert shows(rules, rules.play(position, "2-1x3").position, "1: 9S 8S 2H QC\n 2: KD\n 3: 5D")
    assert refused(rules, position, "2-1x4") == "not_face_up"


def test_a_space_takes_a_king_in_scorpion_and_any_card_in_wasp() -> None:
    """F13: spaces."""
    drawing = "1: 9S KH 3D\n 2: 8S"
    assert shows(
        SCORPION, SCORPION.play(draw(SCORPION, drawing), "1-3x2").position, "1: 9S\n 2: 8S\n 3: KH 3D"
    )
    assert refused(SCORPION, draw(SCORPION, drawing), "2-3x1") == "kings_only"
    assert refused(SCORPION, draw(SCORPION, drawing), "1-3x3") == "kings_only"
    assert {"2-3x1", "1-3x1", "1-3x2", "1-3x3"} <= set(WASP.legal_moves(draw(WASP, drawing)))


@each_like_scorpion
def test_the_three_cards_are_dealt_once_onto_the_first_columns(rules: SpiderFamily) -> None:
    """F14: the stock."""
    played = rules.play(draw(rules, "1: 9S\n 3: 2H\n 7: 2S\n stock: AH 4D 8S"), "deal")
    assert shows(rules, played.position, "1: 9S AH\n 2: 4D\n 3: 2H 8S\n 7: 2S")
    assert refused(rules, played.position, "deal") == "stock_empty"


@each
def test_columns_that_are_not_there_are_malformed(rules: SpiderFamily) -> None:
    columns = len(rules.opening)
    with pytest.raises(MalformedMove):
        rules.parse(f"1-{columns + 1}x1")
    assert rules.parse(f"1-{columns}x1") == f"1-{columns}x1"


@each
def test_layouts_of_another_shape_are_refused(rules: SpiderFamily) -> None:
    document = rules.to_layout(seed_deal(rules, 1).start)
    columns, face_down = document["columns"], document["face_down"]
    changes: list[tuple[dict[str, object], str]] = [
        ({"columns": [*columns, []], "face_down": [*face_down, 0]}, "seven_columns ten_columns"),
        ({"columns": [["KS", "KS", "KS"], *columns[1:]]}, "not_the_pack face_down_count"),
        ({"face_down": [9, *face_down[1:]]}, "face_down_count"),
    ]
    if "stock" in document:
        changes.append(({"stock": document["stock"][:2]}, "stock_not_in_rows"))
    for change, reasons in changes:
        with pytest.raises(BadLayout) as error:
            rules.from_layout(document | change)
        assert error.value.reason in reasons.split()
