"""Runs, and what follows of itself when cards have moved: shared by all patiences that build in columns."""

from collections.abc import Iterable

from app.cards.card import ACE, KING
from app.patience.patience import Collected, Event, PileSpec, TurnedUp
from app.patience.position import Pile

RUN = 13
"""The cards of a complete run."""


def run_length(pile: Pile) -> int:
    """How many cards at the end of a pile lie face up, in suit, descending by one."""
    cards = pile.cards
    if not cards:
        return 0
    suit, rank, length = cards[-1].suit, cards[-1].rank, 1
    for below in reversed(cards[pile.face_down : -1]):
        rank += 1
        if below.rank != rank or below.suit != suit:
            break
        length += 1
    return length


def ends_in_complete_run(pile: Pile) -> bool:
    """Whether a run from king to ace in suit lies at the end of a pile."""
    cards = pile.cards
    return (
        len(cards) - pile.face_down >= RUN
        and cards[-1].rank == ACE
        and cards[-RUN].rank == KING
        and run_length(pile) >= RUN
    )


def collect(piles: list[Pile], column: int, foundation: int, specs: tuple[PileSpec, ...]) -> Collected:
    """Takes the complete run at the end of a column off to the foundation."""
    pile = piles[column]
    run = pile.cards[-RUN:]
    piles[column] = Pile(pile.cards[:-RUN], pile.face_down)
    piles[foundation] = Pile(piles[foundation].cards + run)
    return Collected(specs[column].id, run[0].suit)


def turn_up(piles: list[Pile], bared: Iterable[int], specs: tuple[PileSpec, ...]) -> list[Event]:
    """Turns up the end of each bared pile that lies face down."""
    events = list[Event]()
    for index in bared:
        pile = piles[index]
        if pile.cards and pile.face_down == len(pile):
            piles[index] = Pile(pile.cards, pile.face_down - 1)
            events.append(TurnedUp(specs[index].id, pile.cards[-1]))
    return events
