"""A playing card, and its two-letter name."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from types import MappingProxyType

RANKS = "A23456789TJQK"
SUITS = "SHDC"

ACE, KING = 1, 13


@dataclass(frozen=True, slots=True)
class Card:
    """One card of a pack: ``rank`` from 1 (ace) to 13 (king), ``suit`` one of ``SUITS``.

    The 52 faces are made once, below; take them from ``CARDS`` or ``card()``. Two packs hold the same
    face twice, and nothing ever tells the two apart.
    """

    rank: int
    suit: str
    text: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", RANKS[self.rank - 1] + self.suit)

    def __str__(self) -> str:
        return self.text


CARDS = MappingProxyType({c.text: c for c in (Card(rank, suit) for suit in SUITS for rank in range(1, 14))})


def card(text: str) -> Card:
    """The card of a name such as ``TS``. Raises ``ValueError`` for anything else."""
    try:
        return CARDS[text]
    except (KeyError, TypeError):
        raise ValueError("not a card: a rank of A23456789TJQK and a suit of SHDC are wanted") from None


def cards(text: str) -> tuple[Card, ...]:
    """The cards of names set apart by spaces: ``cards("KS QH")``."""
    return tuple(card(name) for name in text.split())


def names(some: Iterable[Card]) -> list[str]:
    """The names of cards, in their order."""
    return [c.text for c in some]
