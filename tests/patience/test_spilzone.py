"""The rules of docs/spilzone.md, each test named for the rule that it holds."""

import itertools
import random
import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.cards.shuffle import shuffle
from app.patience import spilzone
from app.patience.building import ends_in_complete_run, run_length
from app.patience.deals import deal_of, document_deal, layout_deal, seed_deal
from app.patience.errors import BadLayout, IllegalMove, MalformedMove
from app.patience.patience import Collected, Dealt, Outcome, Redealt, TurnedUp
from app.patience.position import Position, encode
from app.patience.replay import replay
from app.patience.spilzone import Spilzone
from tests.builders import golden
from tests.drawings import draw, shows

SPILZONE = Spilzone()
ONE_SUIT = Spilzone(1)
TO_TWO = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"


def spil(drawing: str, seed: int = 5, rules: Spilzone = SPILZONE) -> Position:
    """A drawing in which a star marks the cards that were drawn; only the tableau itself has been seen."""
    masks = []
    lines = {
        line.split(":")[0].strip(): line.split(":")[1].split() for line in drawing.splitlines() if ":" in line
    }
    for column in range(1, 11):
        names = lines.get(str(column), [])
        masks.append(sum(1 << at for at, name in enumerate(names) if name.endswith("*")))
    position = draw(rules, drawing.replace("*", ""))
    return spilzone._remember(position, spilzone._Memory(seed, drawn=tuple(masks)))


def refused(position: Position, move: str, rules: Spilzone = SPILZONE) -> str:
    with pytest.raises(IllegalMove) as error:
        rules.play(position, move)
    assert move not in rules.legal_moves(position)
    return error.value.reason


STUCK = """
    1: 2S
    2: 4H
    3: 6C
    4: 8H
    5: TC
    6: QH
    7: 2D
    8: 4C
    9: 6D
    10: 8C
"""


def test_the_opening() -> None:
    start = seed_deal(SPILZONE, 1).start
    assert [len(pile) for pile in start.piles] == [4, 4, 4, 4, 6, 6, 6, 6, 7, 7, 50, 0]
    assert [len(pile.face_up) for pile in start.piles[:10]] == [1] * 10
    assert {c.suit for c in ONE_SUIT.deck()} == {"S"}


def test_a_card_goes_onto_the_next_higher_of_its_suit_only() -> None:
    """Z1: building in suit."""
    position = spil("1: 9S\n 2: 8S\n 3: 8H\n 4: TS")
    assert shows(SPILZONE, SPILZONE.play(position, "2-1x1").position, "1: 9S 8S\n 3: 8H\n 4: TS")
    assert refused(position, "3-1x1") == "not_in_suit"
    assert refused(position, "2-4x1") == "not_one_higher"


def test_a_run_moves_together_or_its_end() -> None:
    """Z2: runs."""
    position = spil("1: 9S 8S 7S\n 2: TS\n 3: 9S\n 4: 8S\n 5: 6H 5D")
    moves = SPILZONE.legal_moves(position)
    assert {"1-2x3", "1-3x2", "1-4x1"} <= set(moves)
    assert refused(position, "5-6x2") == "not_a_run"


def test_any_card_or_run_goes_into_a_space() -> None:
    """Z3: spaces."""
    position = spil("1: 9S 8S 7S\n 2: 2H")
    assert {"1-3x1", "1-3x2", "1-3x3", "2-3x1"} <= set(SPILZONE.legal_moves(position))


def test_a_bared_card_is_turned_up_at_once() -> None:
    """Z4: turning up."""
    played = SPILZONE.play(spil("1: 9S\n 2: [5D 3C] 8S"), "2-1x1")
    assert [type(event) for event in played.events] == [TurnedUp]
    assert shows(SPILZONE, played.position, "1: 9S 8S\n 2: [5D] 3C")


def test_complete_runs_are_taken_off_and_eight_of_them_win() -> None:
    """Z5: complete runs, also by a drawn card."""
    runs = " ".join(f"{rank}{suit}" for suit in "SHDC" for rank in "KQJT98765432A")
    without_spades = f"{runs} {runs[39:]}"
    position = spil(f"1: {TO_TWO}\n 2: AS\n foundation: {without_spades}")
    assert SPILZONE.progress(position) == 7
    after = SPILZONE.play(position, "2-1x1")
    assert after.events == (Collected("1", "S"),)
    assert SPILZONE.outcome(after.position).status == "won"
    drawing = STUCK.replace("1: 2S", f"1: {TO_TWO}", 1) + "stock: AS"
    drawn = SPILZONE.play(spil(drawing), "stock-1")
    assert [type(event) for event in drawn.events] == [Dealt, Collected]


def test_one_card_is_drawn_onto_any_column() -> None:
    """Z6: drawing."""
    position = spil(STUCK + "stock: KH AD")
    assert SPILZONE.legal_moves(position) == tuple(f"stock-{column}" for column in range(1, 11))
    played = SPILZONE.play(position, "stock-7")
    assert [c.text for c in played.position.piles[6].cards] == ["2D", "KH"]
    assert [c.text for c in played.position.piles[10].cards] == ["AD"]
    assert refused(spil(STUCK), "stock-7") == "stock_empty"
    for text in ("stock", "stock-11", "stock-0", "stock-1x1", "deal"):
        with pytest.raises(MalformedMove):
            SPILZONE.play(position, text)


def test_a_card_is_drawn_onto_a_space_when_all_else_is_done() -> None:
    """Z6: a space is a column too."""
    # The two, alone in its column, can only change places with the space: the same tableau.
    position = spil(STUCK.replace("10: 8C", "") + "stock: KH")
    assert "1-10x1" in SPILZONE.legal_moves(position)
    assert "stock-10" in SPILZONE.legal_moves(position)


def test_nothing_is_drawn_while_a_move_leads_to_something_new() -> None:
    """Z7: all else first."""
    position = spil(STUCK.replace("10: 8C", "10: 3H") + "stock: KH")
    assert refused(position, "stock-1") == "something_new"
    after = SPILZONE.play(position, "10-2x1").position
    # Now the three can go into the space, which is the tableau from before; so nothing new is left.
    assert "2-10x1" in SPILZONE.legal_moves(after)
    assert "stock-1" in SPILZONE.legal_moves(after)


def test_seen_tableaux_are_forgotten_at_a_draw_and_come_back_by_undo() -> None:
    """Z7: since the last draw."""
    before = spil(STUCK.replace("10: 8C", "10: 3H") + "stock: KH 9D")
    moved = SPILZONE.play(before, "10-2x1").position
    drawn = SPILZONE.play(moved, "stock-2").position
    assert "10: 3H" not in drawn.memory
    # The king holds the three down now. Moving the king into the space is new, and must be done first.
    assert refused(drawn, "stock-1") == "something_new"
    assert refused(before, "stock-1") == "something_new"


def test_columns_count_in_any_order_and_face_down_cards_as_unknown() -> None:
    """Z7: what a tableau is."""
    # The eight may change from one nine to the other; both columns look alike under it.
    drawing = STUCK.replace("1: 2S", "1: [KD] 9S 8S").replace("2: 4H", "2: [KC] 9S") + "stock: 9H"
    assert "1-2x1" in SPILZONE.legal_moves(spil(drawing))
    assert "stock-1" in SPILZONE.legal_moves(spil(drawing))
    # Where the columns differ to the eye, the change is new.
    other = drawing.replace("[KC] 9S", "[KC QC] 9S")
    assert refused(spil(other), "stock-1") == "something_new"


def test_a_move_that_turns_a_card_up_is_always_new() -> None:
    """Z7: the answer does not depend on the hidden card."""
    for hidden in ("KD", "5D", "2S"):
        position = spil(STUCK.replace("10: 8C", f"10: [{hidden}] 3H") + "stock: KH")
        assert refused(position, "stock-1") == "something_new"


def test_a_move_may_lead_to_a_seen_tableau_and_to_and_fro_is_not_lost() -> None:
    """Z11, Z14: going to and fro."""
    position = spil(STUCK.replace("10: 8C", ""))
    there = SPILZONE.play(position, "1-10x1").position
    back = SPILZONE.play(there, "10-1x1").position
    assert back == position
    assert SPILZONE.outcome(back).status == "playing"


def test_undo_takes_back_what_was_seen() -> None:
    """Z12: undo."""
    position = spil(STUCK.replace("10: 8C", "10: 3H") + "stock: KH")
    moved = replay(SPILZONE, position, ["10-2x1"]).position
    assert "stock-1" in SPILZONE.legal_moves(moved)
    undone = replay(SPILZONE, position, ["10-2x1", "undo"]).position
    assert refused(undone, "stock-1") == "something_new"


def test_loose_drawn_cards_become_the_stock_again() -> None:
    """Z8, Z13: the redeal, of one card at most of each column."""
    position = spil("""
        1: 2S KD*
        2: 4H 9D* JS*
        3: 6S 5S*
        4: 8H AC*
        5: TC
        6: QH
        7: 2C KC*
        8: 4C
        9: 6D
        10: 9H 8C
    """)
    played = SPILZONE.play(position, "redeal")
    # The five is joined in suit to the six, the nine lies under another card, the eight was never drawn.
    assert Counter(c.text for c in played.position.piles[10].cards) == Counter(["KD", "JS", "AC", "KC"])
    assert played.events == (Redealt(4),)
    assert [c.text for c in played.position.piles[1].cards] == ["4H", "9D"]
    assert SPILZONE._gathered(played.position) == [1]  # the nine, next time
    assert SPILZONE.facts(position) == {"redeals": 0, "drawn": 6}
    assert SPILZONE.facts(played.position) == {"redeals": 1, "drawn": 2}


def test_the_redeal_is_shuffled_by_the_deals_seed() -> None:
    """Z8: replay gives the same order, each redeal its own."""
    gathered = [f"{rank}{suit}" for rank, suit in ("KH", "JC", "AC", "9H", "QD", "3H", "7D", "5C")]
    lines = [
        f"{i}: {own} {card}*"
        for i, (own, card) in enumerate(
            zip(["2S", "4H", "6S", "8H", "TS", "QH", "2D", "4C"], gathered, strict=True), 1
        )
    ]
    drawing = "\n".join([*lines, "9: 4D", "10: 8C"])
    orders = set()
    for seed in (5, 6):
        stock = SPILZONE.play(spil(drawing, seed), "redeal").position.piles[10].cards
        position = spil(drawing, seed)
        loose = tuple(position.piles[column].cards[-1] for column in range(8))
        assert stock == shuffle(loose, seed, domain="spilzone-redeal-1")
        orders.add(stock)
        second = spilzone._remember(position, spilzone._Memory(seed, 1, spilzone._Memory.of(position).drawn))
        orders.add(SPILZONE.play(second, "redeal").position.piles[10].cards)
    assert len(orders) == 4


def test_a_redeal_waits_until_stock_and_moves_are_done() -> None:
    """Z8: when."""
    stuck = STUCK.replace("1: 2S", "1: 2S KH*")
    assert refused(spil(stuck + "stock: 3D"), "redeal") == "stock_not_empty"
    assert refused(spil(STUCK), "redeal") == "nothing_to_gather"
    assert refused(spil(stuck.replace("10: 8C", "10: 3H")), "redeal") == "something_new"


def test_a_drawn_card_stays_drawn_wherever_it_goes() -> None:
    """Z8: loose in a space too, and no longer loose when joined."""
    position = spil("1: 5S 4S*\n 2: 5S\n 3: 6H\n 4: 8H")
    in_space = SPILZONE.play(position, "1-5x1").position
    assert SPILZONE._gathered(in_space) == [4]
    joined = SPILZONE.play(in_space, "5-2x1").position
    assert SPILZONE._gathered(joined) == []
    again = SPILZONE.play(joined, "2-6x1").position
    assert SPILZONE._gathered(again) == [5]
    # A run taken along keeps the marks of its cards.
    run = SPILZONE.play(spil("1: 5S 4S*\n 2: 6S*"), "1-2x2").position
    assert spilzone._Memory.of(run).drawn[:2] == (0, 0b101)


def test_a_redeal_that_can_change_nothing_is_refused() -> None:
    """Z9: useless redeals."""
    useless = STUCK.replace("1: 2S", "1: 2S KC*").replace("2: 4H", "2: 4H KD* KS*")
    assert refused(spil(useless), "redeal") == "redeal_changes_nothing"
    assert SPILZONE.outcome(spil(useless)) == Outcome("lost", "no_move")
    # A loose card under another counts, and so does one that another loose card would take.
    for two, three, changes in (
        ("KD*", "JS*", False),
        ("3S* KD*", "", True),
        ("3H* KD*", "", False),
        ("KD*", "QD* JS*", True),
    ):
        position = spil(STUCK.replace("2: 4H", f"2: 4H {two}").replace("3: 6C", f"3: 6C {three}"))
        assert ("redeal" in SPILZONE.legal_moves(position)) == changes
    # A column of loose cards alone becomes a space.
    assert "redeal" in SPILZONE.legal_moves(spil(STUCK.replace("1: 2S", "1: KD*")))


def test_no_move_no_draw_and_no_redeal_is_lost() -> None:
    """Z10: losing."""
    assert SPILZONE.outcome(spil(STUCK)) == Outcome("lost", "no_move")
    assert SPILZONE.outcome(spil(STUCK + "stock: KH")).status == "playing"
    assert SPILZONE.outcome(spil(STUCK.replace("10: 8C", "10: 3H"))).status == "playing"


@pytest.mark.slow
def test_useless_redeals_are_useless_and_no_others_are_refused() -> None:
    """Z9: against playing all ways of putting the cards, redeal after redeal, on small tableaux."""
    rng, refused_ones, offered = random.Random(1), 0, 0
    for _ in range(600):
        names = rng.sample([f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "SHDC"], 13)
        lines = [f"{column}: {name}" for column, name in enumerate(names[:10], 1)]
        for extra in names[10 : 10 + rng.randint(1, 3)]:
            at = rng.randrange(10)
            lines[at] += f" {extra}*"
        position = spil("\n".join(lines))
        joined = any(pile.cards and run_length(pile) > 1 for pile in position.piles[:10])
        if joined or SPILZONE._leads_on(position) or not SPILZONE._gathered(position):
            continue
        ever = comes_to_a_move(position)
        if ever:
            offered += 1
        else:
            refused_ones += 1
        assert SPILZONE._may_change(position) == ever
    assert refused_ones > 20
    assert offered > 20


def comes_to_a_move(position: Position) -> bool:
    """Whether redeals, in whatever order and wherever the cards are put, ever bring a move about."""
    drawn = spilzone._Memory.of(position).drawn
    start = tuple(tuple(c.text for c in pile.cards) for pile in position.piles[:10])
    sizes = [len(column) - mask.bit_count() for column, mask in zip(start, drawn, strict=True)]

    def fits(card: str, end: str) -> bool:
        ranks = "A23456789TJQK"
        return card[1] == end[1] and ranks.index(end[0]) == ranks.index(card[0]) + 1

    def lively(state: tuple[tuple[str, ...], ...]) -> bool:
        if not all(state):
            return True
        return any(
            fits(a[-1], b[-1]) or any(fits(over, under) for under, over in itertools.pairwise(a))
            for i, a in enumerate(state)
            for j, b in enumerate(state)
            if i != j
        )

    seen, queue = {start}, [start]
    while queue:
        state = queue.pop()
        gathered = [column[-1] for column, size in zip(state, sizes, strict=True) if len(column) > size]
        left = tuple(c[:-1] if len(c) > size else c for c, size in zip(state, sizes, strict=True))
        # Whatever the shuffle, the cards come one by one onto any columns.
        for state_after in placings(left, gathered):
            if lively(state_after):
                return True
            if state_after not in seen:
                seen.add(state_after)
                queue.append(state_after)
    return False


def placings(state: tuple[tuple[str, ...], ...], cards: list[str]) -> list[tuple[tuple[str, ...], ...]]:
    """All ways of putting cards, in all orders, onto columns that show different ends."""
    if not cards:
        return [state]
    found = []
    for card in set(cards):
        rest = [*cards]
        rest.remove(card)
        for column in range(4):
            after = (*state[:column], (*state[column], card), *state[column + 1 :])
            found += placings(after, rest)
    return found


def test_a_layout_that_tells_no_seed_has_its_own_for_redeals() -> None:
    """Z8: a deal without a seed."""
    document = SPILZONE.to_layout(seed_deal(SPILZONE, 9).start)
    assert document.pop("memory")["seed"] == 9
    deal = document_deal({"patience": "spilzone", "layout": document})
    assert deal.start.piles == seed_deal(SPILZONE, 9).start.piles
    assert spilzone._Memory.of(deal.start).seed > 9
    assert deal.start == deal_of(deal.code).start
    assert SPILZONE.to_layout(deal.start) == document


def test_a_layout_keeps_the_seed_the_redeals_and_which_cards_were_drawn() -> None:
    """Z8: a position written down redeals as the game would have; only what was seen begins afresh."""
    game = next(game for game in golden("patience_games.json") if game["code"] == "spilzone4-VG")
    position, redeals = deal_of(game["code"]).start, 0
    for move in game["moves"]:
        if move == "redeal":
            written = deal_of(layout_deal(SPILZONE, position).code).start
            assert SPILZONE.facts(written) == SPILZONE.facts(position)
            told, memory = spilzone._Memory.of(written), spilzone._Memory.of(position)
            assert len(told.seen) == 1
            there = spilzone._remember(written, replace(told, seen=memory.seen))
            assert SPILZONE.play(there, "redeal") == SPILZONE.play(position, "redeal")
            redeals += 1
        position = SPILZONE.play(position, move).position
    assert redeals == 3


def test_a_layout_whose_drawn_cards_cannot_be_is_refused() -> None:
    document = SPILZONE.to_layout(seed_deal(SPILZONE, 9).start)
    for drawn in ([1, *[0] * 9], [16, *[0] * 9], [8] * 9, [-8, *[0] * 9], [8.0, *[0] * 9], 8):
        document["memory"] = {"seed": 9, "redeals": 0, "drawn": drawn}
        with pytest.raises(BadLayout, match="layout_memory"):
            SPILZONE.from_layout(document)
    document["memory"]["drawn"] = [8, *[0] * 9]
    assert SPILZONE.facts(SPILZONE.from_layout(document))["drawn"] == 1


@given(st.sampled_from([SPILZONE, ONE_SUIT]), st.integers(0, 2**32))
@settings(max_examples=12, deadline=None)
@pytest.mark.slow
def test_long_games_keep_every_rule(rules: Spilzone, seed: int) -> None:
    rng = random.Random(seed)
    position = seed_deal(rules, seed).start
    whole = Counter(rules.deck())
    for _ in range(300):
        moves = rules.legal_moves(position)
        if not moves or rules.outcome(position).status == "won":
            break
        columns = position.piles[:10]
        kinds = {re.sub(r"\d+", "", move) for move in moves}
        shifts = [move for move in moves if "x" in move]
        new = [move for move in shifts if is_new(rules, position, move)]
        assert ("stock-" in kinds) == (bool(position.piles[10].cards) and not new)
        assert not ("redeal" in kinds and (new or position.piles[10].cards))
        position = rules.play(position, rng.choice(new or moves)).position
        assert Counter(c for pile in position.piles for c in pile.cards) == whole
        assert all(not pile.cards or pile.face_down < len(pile) for pile in columns)
        assert not any(ends_in_complete_run(pile) for pile in columns)
        assert len(encode(position)) < 20_000


def is_new(rules: Spilzone, position: Position, move: str) -> bool:
    """Whether a move leads to a tableau not seen since the last draw, found out by playing it."""
    memory = spilzone._Memory.of(position)
    after = rules.play(position, move)
    columns = [spilzone._shown(pile) for pile in after.position.piles[:10]]
    return bool(after.events) or spilzone._digest(columns) not in memory.seen
