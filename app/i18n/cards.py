"""Cards in the language of now: what stands in their corners, and how they are spoken.

A name is put together by one pattern a language has (``%(rank)s of %(suit)s``), because languages put it
together differently: Finnish writes one word (pataseiska), Swedish names the suit first (spader sju), Polish
last (siódemka pik). It is the dictionary form: sentences must leave a card in the nominative.
"""

from functools import cache
from types import MappingProxyType

from app.i18n.languages import language, using
from app.i18n.words import pgettext

RANKS = "A23456789TJQK"
SUITS = "SHDC"


def card_name(text: str) -> str:
    """A card as it is spoken, "seven of spades" for ``7S``. Raises ``KeyError`` for no card."""
    return _names(language())[str(text)]


def card_index(text: str) -> str:
    """What the corner of a card says for its rank: ``A``, ``2`` … ``10``, ``J``, ``Q``, ``K`` in English."""
    return _indices(language())[str(text)[0]]


def indices() -> MappingProxyType[str, str]:
    """What stands in the corners, by the rank's letter."""
    return _indices(language())


def suit_name(suit: str) -> str:
    """A suit by itself, "spades" for ``S``."""
    return _suits(language())[suit]


@cache
def _indices(code: str) -> MappingProxyType[str, str]:
    with using(code):
        letters = {
            # i18n: the letter in a card's corner, as printed on cards in your country
            "A": pgettext("card index", "A"),
            # i18n: the letter in a card's corner, as printed on cards in your country
            "J": pgettext("card index", "J"),
            # i18n: the letter in a card's corner, as printed on cards in your country
            "Q": pgettext("card index", "Q"),
            # i18n: the letter in a card's corner, as printed on cards in your country
            "K": pgettext("card index", "K"),
        }
    return MappingProxyType({rank: letters.get(rank, "10" if rank == "T" else rank) for rank in RANKS})


@cache
def _suits(code: str) -> MappingProxyType[str, str]:
    with using(code):
        return MappingProxyType(
            {
                "S": pgettext("suit", "spades"),
                "H": pgettext("suit", "hearts"),
                "D": pgettext("suit", "diamonds"),
                "C": pgettext("suit", "clubs"),
            }
        )


@cache
def _names(code: str) -> MappingProxyType[str, str]:
    with using(code):
        ranks = _rank_words()
        suits = {
            "S": pgettext("suit in the name of a card", "spades"),
            "H": pgettext("suit in the name of a card", "hearts"),
            "D": pgettext("suit in the name of a card", "diamonds"),
            "C": pgettext("suit in the name of a card", "clubs"),
        }
        return MappingProxyType(
            {
                # i18n: the name of a card, "seven of spades"; the order and the spaces are yours
                rank + suit: pgettext("card", "%(rank)s of %(suit)s", rank=ranks[rank], suit=suits[suit])
                for suit in SUITS
                for rank in RANKS
            }
        )


def _rank_words() -> dict[str, str]:
    words = (
        pgettext("card rank", "ace"),
        pgettext("card rank", "two"),
        pgettext("card rank", "three"),
        pgettext("card rank", "four"),
        pgettext("card rank", "five"),
        pgettext("card rank", "six"),
        pgettext("card rank", "seven"),
        pgettext("card rank", "eight"),
        pgettext("card rank", "nine"),
        pgettext("card rank", "ten"),
        pgettext("card rank", "jack"),
        pgettext("card rank", "queen"),
        pgettext("card rank", "king"),
    )
    return dict(zip(RANKS, words, strict=True))
