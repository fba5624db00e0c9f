"""The numbered Spider deals of other programs: their shuffles, written again (docs/deals.md).

Both answers are decks in our own order of dealing: six cards for each of columns 1 to 4, five for each of
the others, bottom to end, then the stock by rows, left column first. ``Spider.start`` takes them so.

Sources: KPat 25.04 (its win/loss pattern over deals 1 to 100 agrees), and PySolFC with ``pysol_cards``
(Shlomi Fish, MIT), whose deal 14934 agrees with a printed copy. ``tests/golden/numbered-deals.json`` holds
layouts of both.
"""

import random
from collections.abc import Callable, Iterator, Sequence

from app.cards.card import CARDS, RANKS, Card

ON_TABLE, COLUMNS, LONG_COLUMNS = 54, 10, 4
#: PySolFC draws its numbers from 32,000 on by Python's Mersenne Twister (pysol_cards from 32,001 on)
FIRST_TWISTED = 32_000
MOST_PYSOL, MOST_KPAT = 10**20, 2**31 - 1


def numbered_deck(program: str, number: int, suits: int) -> tuple[Card, ...]:
    """The 104 cards of deal ``number`` of ``kpat`` or ``pysol`` with 1, 2 or 4 suits, as we deal them.

    Raises ``ValueError`` for a number that the program does not deal, or another program.
    """
    if program == "kpat":
        return _kpat(number, suits)
    if program == "pysol":
        return _pysol(number, suits)
    raise ValueError("a program whose deals are not known")


def _kpat(number: int, suits: int) -> tuple[Card, ...]:
    _check(number, MOST_KPAT)
    faces = {1: "SSSS", 2: "HSHS", 4: "CDHS"}[suits]
    deck = [CARDS[rank + suit] for rank in RANKS for suit in faces] * 2
    stream = _microsoft(number)
    _fisher_yates(deck, lambda bound: next(stream) % bound)
    deck.reverse()
    rows = [deck[at : at + COLUMNS][::-1] for at in range(ON_TABLE, len(deck), COLUMNS)]
    return _by_column([deck[column:ON_TABLE:COLUMNS] for column in range(COLUMNS)], rows)


def _pysol(number: int, suits: int) -> tuple[Card, ...]:
    deck = pysol_dealt(number, suits)
    return tuple(deck[theirs] for theirs in PYSOL_SPIDER)


def pysol_dealt(number: int, suits: int = 4, packs: int = 2) -> tuple[Card, ...]:
    """The cards of PySolFC's deal ``number`` in the order in which it deals them.

    Raises ``ValueError`` for a number that it does not deal.
    """
    _check(number, MOST_PYSOL)
    # PySolFC counts its suits CSHD and plays two suits as (0, 0, 2, 2): clubs and hearts there, spades here.
    faces = {1: "SSSS", 2: "SSHH", 4: "CSHD"}[suits]
    deck = [CARDS[rank + suit] for suit in faces for rank in RANKS] * packs
    if number < FIRST_TWISTED:
        if packs == 1:
            # As in Microsoft's FreeCell, whose deals these are: rank by rank, in the order CDHS.
            deck = [deck[suit + rank] for rank in range(13) for suit in (0, 39, 26, 13)]
        stream = _microsoft(number)
        _fisher_yates(deck, lambda bound: next(stream) % bound)
    else:
        twister = random.Random(number)
        _fisher_yates(deck, lambda bound: int(twister.random() * bound))
    deck.reverse()
    return tuple(deck)


def dealing_order(rounds: Sequence[Sequence[int]], columns: int, cards: int) -> tuple[int, ...]:
    """Where each card of a deck that we deal column by column comes in a deal by rounds.

    A round names the columns that get a card, one after the other; what is left is the stock, in order.
    """
    piles: list[list[int]] = [[] for _ in range(columns)]
    for place, column in enumerate(column for round_ in rounds for column in round_):
        piles[column].append(place)
    dealt = [place for pile in piles for place in pile]
    return (*dealt, *range(len(dealt), cards))


def _pysol_spider() -> tuple[int, ...]:
    # Four rows, a card on columns 1, 4, 7 and 10, a row again; those long columns are our first four.
    ours = (0, 3, 6, 9, 1, 2, 4, 5, 7, 8)
    full = [range(at, at + COLUMNS) for at in (0, 10, 20, 30, 44)]
    columns = [[row[theirs] for row in full] for theirs in ours]
    for place, column in enumerate(columns[:LONG_COLUMNS], 40):
        column.insert(LONG_COLUMNS, place)
    rows = [[at + theirs for theirs in ours] for at in range(ON_TABLE, 104, COLUMNS)]
    return tuple(place for part in (*columns, *rows) for place in part)


PYSOL_SPIDER = _pysol_spider()
"""Where each card of our Spider deck comes in PySolFC's dealing."""


def _check(number: int, most: int) -> None:
    if not 1 <= number <= most:
        raise ValueError(f"numbers go from 1 to {most}")


def _by_column(columns: Sequence[Sequence[Card]], rows: Sequence[Sequence[Card]]) -> tuple[Card, ...]:
    return tuple(c for part in (*columns, *rows) for c in part)


def _microsoft(seed: int) -> Iterator[int]:
    """The generator of Microsoft's C library, 15 bits at a time."""
    while True:
        seed = (214013 * seed + 2531011) % 2**32
        yield seed >> 16 & 0x7FFF


def _fisher_yates(deck: list[Card], below: Callable[[int], int]) -> None:
    for last in range(len(deck) - 1, 0, -1):
        other = below(last + 1)
        deck[last], deck[other] = deck[other], deck[last]
