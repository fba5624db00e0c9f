import pytest

from app.cards.card import CARDS
from app.i18n import LANGUAGES, using
from app.i18n.cards import card_index, card_name, indices, suit_name


@pytest.mark.parametrize(
    ("code", "letters"),
    [("en", "A J Q K"), ("fi", "A J Q K"), ("sv", "E Kn D K"), ("da", "Es Kn D K"), ("pl", "A W D K")],
)
def test_the_corners_of_cards_follow_the_language(code, letters):
    with using(code):
        assert [card_index(f"{rank}H") for rank in "AJQK"] == letters.split()
        assert "".join(indices()[rank] for rank in "23456789T") == "2345678910"


@pytest.mark.parametrize(
    ("code", "names"),
    [
        (
            "en",
            "ace of spades, seven of hearts, ten of diamonds, jack of clubs, queen of spades, king of hearts",
        ),
        ("fi", "pataässä, herttaseiska, ruutukymppi, ristisotamies, patarouva, herttakuningas"),
        ("sv", "spader ess, hjärter sju, ruter tio, klöver knekt, spader dam, hjärter kung"),
        ("da", "spar es, hjerter syv, ruder ti, klør knægt, spar dame, hjerter konge"),
        ("pl", "as pik, siódemka kier, dziesiątka karo, walet trefl, dama pik, król kier"),
    ],
)
def test_cards_are_spoken_in_the_language(code, names):
    with using(code):
        assert [card_name(text) for text in ("AS", "7H", "TD", "JC", "QS", "KH")] == names.split(", ")


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_card_has_a_name_of_its_own(code):
    with using(code):
        assert len({card_name(text) for text in CARDS}) == 52
        assert len({suit_name(suit) for suit in "SHDC"}) == 4


def test_a_card_itself_is_as_good_as_its_text():
    assert card_name(CARDS["TS"]) == "ten of spades"
    assert card_index(CARDS["TS"]) == "10"


def test_no_card_has_no_name():
    with pytest.raises(KeyError):
        card_name("1S")
