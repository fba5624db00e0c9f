"""From a position of `patience/` to the arrays of a kernel, and from a kernel's moves back to move texts.

No rule lives here, and no compiled code: reading this costs NumPy and nothing else.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.cards.card import SUITS, Card
from app.patience.position import Position

COLUMNS = 10
TABLE = 104
#: `to` of a dealt row, where a move has its column
ROW = 255

Move = tuple[int, int, int]
"""From column, to column (0 to 9 each) and count of cards; (ROW, ROW, ROW) for a dealt row."""

DEAL: Move = (ROW, ROW, ROW)


@dataclass(frozen=True, slots=True)
class Start:
    """A Spider position as a kernel reads it (the layout of the arrays: `spider_kernel`)."""

    cards: NDArray[np.uint8]  # (104,)
    ends: NDArray[np.uint8]  # (10,)
    down: NDArray[np.uint8]  # (10,)
    rows: NDArray[np.uint8]  # (rows left, 10), the next one first
    onto_spaces: bool = False

    @property
    def left(self) -> int:
        """How many cards have not been collected."""
        return int(self.ends[-1]) + self.rows.size


def card_number(card: Card) -> int:
    """16 × suit + rank: a card lies in suit on the card whose number is one higher."""
    return 16 * SUITS.index(card.suit) + card.rank


def encode(position: Position, *, onto_spaces: bool = False) -> Start:
    """The arrays of a position whose first ten piles are columns and whose eleventh is the stock.

    Raises ``ValueError`` if there are more cards than two packs have, or the stock is not in rows.
    """
    columns, stock = position.piles[:COLUMNS], position.piles[COLUMNS].cards
    on_table = [card_number(c) for pile in columns for c in pile.cards]
    if len(on_table) + len(stock) > TABLE or len(stock) % COLUMNS:
        raise ValueError("not a position of Spider")
    cards = np.zeros(TABLE, dtype=np.uint8)
    cards[: len(on_table)] = on_table
    ends = np.cumsum([len(pile) for pile in columns]).astype(np.uint8)
    down = np.array([pile.face_down for pile in columns], dtype=np.uint8)
    rows = np.array([card_number(c) for c in stock], dtype=np.uint8).reshape(-1, COLUMNS)
    return Start(cards, ends, down, rows, onto_spaces)


def move_text(move: Move) -> str:
    """The move as a log writes it: ``4-7x2`` or ``deal``."""
    source, to, count = move
    return "deal" if source == ROW else f"{source + 1}-{to + 1}x{count}"


def move_texts(moves: Iterable[Move]) -> tuple[str, ...]:
    return tuple(move_text(move) for move in moves)


def text_moves(texts: Iterable[str]) -> list[Move]:
    """The other way. Entries that collect a run by hand are left out: a kernel collects at once."""
    return [_move(text) for text in texts if not text.startswith("collect")]


def _move(text: str) -> Move:
    if text == "deal":
        return DEAL
    source, to, count = (int(part) for part in re.split("[-x]", text))
    return source - 1, to - 1, count
