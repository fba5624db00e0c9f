"""What a player may see of a position: the only way by which cards leave the server."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.cards.card import Card
from app.patience.patience import Patience, Role
from app.patience.position import Position

CONCEALED: frozenset[Role] = frozenset({"stock"})
"""Piles of which only the number of cards is shown."""


@dataclass(frozen=True, slots=True)
class PileView:
    """A pile as shown: ``face_down`` cards unseen, then ``cards`` from the bottom to the end."""

    id: str
    role: Role
    face_down: int
    cards: tuple[Card, ...]

    @property
    def count(self) -> int:
        return self.face_down + len(self.cards)


@dataclass(frozen=True, slots=True)
class View:
    """A position with everything hidden taken out."""

    piles: tuple[PileView, ...]
    facts: Mapping[str, int] = field(default_factory=dict)

    def pile(self, pile_id: str) -> PileView:
        return next(pile for pile in self.piles if pile.id == pile_id)


def view(patience: Patience, position: Position) -> View:
    """The redacted view. It depends on the number of hidden cards, never on which they are."""
    return View(
        tuple(
            [
                PileView(spec.id, spec.role, len(pile.cards), ())
                if spec.role in CONCEALED
                else PileView(spec.id, spec.role, pile.face_down, pile.cards[pile.face_down :])
                for spec, pile in zip(patience.piles, position.piles, strict=True)
            ]
        ),
        patience.facts(position),
    )
