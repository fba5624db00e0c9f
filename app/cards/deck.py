"""Packs of cards in their specified order, before any shuffle (docs/deals.md)."""

from app.cards.card import CARDS, RANKS, Card

SUITS_OF = {1: "SSSS", 2: "SHSH", 4: "SHDC"}
"""Which suits stand for the four of a pack, by the number of suits played with."""


def pack(suits: int = 4, packs: int = 2) -> tuple[Card, ...]:
    """``packs`` packs of 52, each suit by suit (spades, hearts, diamonds, clubs), ace to king.

    With fewer suits the same places hold spades and hearts, or spades: one seed is one permutation,
    whatever the number of suits.
    """
    one = tuple(CARDS[rank + suit] for suit in SUITS_OF[suits] for rank in RANKS)
    return one * packs
