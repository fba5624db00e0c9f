"""How many moves every win from a Spider position takes at least.

The argument. A move has one head: the bottom card of the run that it moves. Call a card *loose* if it is no
king and does not lie in suit on a card one rank higher.

1. A win collects every card as part of a run in suit. A loose card must therefore be the head of a move at
   least once: it comes to lie on another card in no other way, but for the stock's cards, which may land
   where they belong when they are dealt (so a stock card counts as nothing here).
2. A loose card under which, in its own column, lie *all* cards that it could belong on, must be the head
   of a move twice: none of those is at the end of a column before it has gone, so its first move brings it
   onto no card that it belongs on, and only a move with itself as head takes it off that one again.
3. Each row left takes an entry of its own.

Different cards are heads of different moves, so the counts add up. No search makes this bound larger; it is
meant to show how much is open between it and the best line known, not to close that gap.
"""

from collections import Counter

from app.cards.card import KING, Card
from app.patience.position import Pile, Position

COLUMNS = 10


def lower_bound(position: Position) -> int:
    """Moves and rows of every win from this position, at least."""
    columns, stock = position.piles[:COLUMNS], position.piles[COLUMNS].cards
    everywhere = Counter(c for pile in (*columns, position.piles[COLUMNS]) for c in pile.cards)
    return len(stock) // COLUMNS + sum(_heads(pile, everywhere) for pile in columns)


def _heads(pile: Pile, everywhere: Counter[Card]) -> int:
    """How many moves a column's cards must be heads of."""
    moves = 0
    below: Counter[Card] = Counter()
    under: Card | None = None
    for c in pile.cards:
        belongs_on = None if c.rank == KING else Card(c.rank + 1, c.suit)
        if belongs_on and under != belongs_on:
            moves += 1 + (below[belongs_on] == everywhere[belongs_on])
        below[c] += 1
        under = c
    return moves
