"""The rules of docs/hypyt.md, each test named for the rule that it holds."""

import pytest

from app.patience.deals import seed_deal
from app.patience.errors import BadLayout, IllegalMove, MalformedMove
from app.patience.hypyt import Hypyt
from app.patience.patience import Dealt
from app.patience.position import Position
from app.patience.scoring import LOWEST_FIRST, score
from app.patience.view import view
from tests.drawings import draw, shows

HYPYT = Hypyt()
ACCORDION = Hypyt(52, "left")
SHORT = Hypyt(13)


def refused(rules: Hypyt, position: Position, move: str) -> str:
    with pytest.raises(IllegalMove) as error:
        rules.play(position, move)
    assert move not in rules.legal_moves(position)
    return error.value.reason


def test_a_card_hops_onto_one_of_its_rank_or_suit_with_its_pile() -> None:
    """H1: rank or suit, of the top cards alone."""
    position = draw(HYPYT, "1: 5S\n 2: 5D 8H\n 3: 8C\n 4: KC")
    assert shows(HYPYT, HYPYT.play(position, "3-2").position, "1: 5S\n 2: 5D 8H 8C\n 3: KC")
    assert shows(HYPYT, HYPYT.play(position, "4-3").position, "1: 5S\n 2: 5D 8H\n 3: 8C KC")
    # The five of diamonds lies under the eight and does not count.
    assert refused(HYPYT, position, "2-1") == "no_match"
    moved = HYPYT.play(draw(HYPYT, "1: 5S\n 2: 2D 5H"), "2-1").position
    assert shows(HYPYT, moved, "1: 5S 2D 5H")


def test_a_hop_onto_the_left_neighbour() -> None:
    """H2: one to the left."""
    position = draw(HYPYT, "1: 2S\n 2: 3S\n 3: 9D")
    assert HYPYT.legal_moves(position) == ("2-1",)
    assert refused(HYPYT, position, "3-2") == "no_match"


def test_a_hop_over_two_piles_to_the_right() -> None:
    """H3: three to the right."""
    position = draw(HYPYT, "1: 2S\n 2: 3D\n 3: 9H\n 4: 2C")
    assert HYPYT.legal_moves(position) == ("1-4",)
    assert shows(HYPYT, HYPYT.play(position, "1-4").position, "1: 3D\n 2: 9H\n 3: 2C 2S")


def test_there_is_no_other_hop() -> None:
    """H4: no other distance or direction, and not past the ends."""
    spades = draw(HYPYT, "1: 2S\n 2: 3S\n 3: 9S\n 4: JS\n 5: KS")
    assert set(HYPYT.legal_moves(spades)) == {"2-1", "3-2", "4-3", "5-4", "1-4", "2-5"}
    for move in ("1-2", "4-1", "5-2", "1-3", "3-1", "1-5", "5-1", "2-2"):
        assert refused(HYPYT, spades, move) == "not_a_hop"
    assert refused(HYPYT, spades, "3-6") == "empty_place"
    assert refused(HYPYT, spades, "6-5") == "empty_place"
    for text in ("0-1", "1-0", "53-52", "1-53", "1", "1-2x1"):
        with pytest.raises(MalformedMove):
            HYPYT.play(spades, text)
    with pytest.raises(MalformedMove):
        SHORT.parse("14-13")


def test_the_row_closes_up_to_the_left() -> None:
    """H5: no gaps."""
    position = draw(HYPYT, "1: 2S\n 2: 3S\n 3: 9D\n 4: JC")
    assert shows(HYPYT, HYPYT.play(position, "2-1").position, "1: 2S 3S\n 2: 9D\n 3: JC")


def test_each_hop_brings_a_card_of_the_stock_to_the_end() -> None:
    """H6: a shorter row."""
    start = seed_deal(SHORT, 1).start
    shown = view(SHORT, start)
    assert (shown.pile("stock").count, shown.pile("stock").cards) == (39, ())
    whole = seed_deal(HYPYT, 1).start
    assert [pile.cards for pile in start.piles[:13]] == [pile.cards for pile in whole.piles[:13]]
    hop = SHORT.legal_moves(start)[0]
    played = SHORT.play(start, hop)
    assert played.position.piles[12].cards == whole.piles[13].cards
    assert played.events == (Dealt("13", whole.piles[13].cards[0]),)
    assert len(played.position.piles[13]) == 38


def test_one_pile_of_the_whole_pack_wins() -> None:
    """H7: winning."""
    deck = " ".join(c.text for c in HYPYT.deck())
    assert HYPYT.outcome(draw(HYPYT, f"1: {deck}")).status == "won"
    rest = " ".join(c.text for c in HYPYT.deck()[1:])
    assert HYPYT.outcome(draw(HYPYT, f"1: AS\n 2: {rest}")).status == "lost"
    assert HYPYT.outcome(draw(HYPYT, f"1: AC\n 2: {rest}")).status == "playing"


def test_without_a_hop_the_piles_are_counted_the_stock_too() -> None:
    """H8: the result."""
    stuck = draw(HYPYT, "1: 2S 3S\n 2: 9D\n 3: JC")
    assert HYPYT.outcome(stuck).reason == "no_move"
    deck = HYPYT.deck()
    position = draw(
        SHORT, f"1: {' '.join(c.text for c in deck[:40])}\n stock: " + " ".join(c.text for c in deck[40:])
    )
    assert score("piles", SHORT, position, position, 99) == 13
    assert "piles" in LOWEST_FIRST
    assert score("piles", HYPYT, seed_deal(HYPYT, 1).start, seed_deal(HYPYT, 1).start, 0) == 52


def test_accordion_hops_to_the_left_only() -> None:
    """H9: the other setting."""
    spades = draw(ACCORDION, "1: 2S\n 2: 3S\n 3: 9S\n 4: JS\n 5: KS")
    assert set(ACCORDION.legal_moves(spades)) == {"2-1", "3-2", "4-3", "5-4", "4-1", "5-2"}
    assert refused(ACCORDION, spades, "1-4") == "not_a_hop"
    assert (ACCORDION.prefix, HYPYT.prefix, SHORT.prefix) == ("hypyt52l", "hypyt52", "hypyt13")


def test_layouts_with_gaps_or_face_down_cards_are_refused() -> None:
    document = HYPYT.to_layout(seed_deal(HYPYT, 1).start)
    columns = document["columns"]
    gap = [[], columns[0] + columns[1], *columns[2:]]
    for change, reason in (
        ({"columns": gap}, "gap_in_row"),
        ({"columns": [*columns[:51], []]}, "not_the_pack"),
        ({"columns": [*columns[:50], [], columns[50] + columns[51]]}, "gap_in_row"),
        ({"face_down": [1] + [0] * 51}, "face_down_count"),
    ):
        with pytest.raises(BadLayout) as error:
            HYPYT.from_layout(document | change)
        assert error.value.reason == reason
