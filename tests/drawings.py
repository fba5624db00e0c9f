"""Positions of any patience drawn as small text tableaux."""

from app.cards.card import cards, names
from app.patience.patience import Patience
from app.patience.position import Pile, Position
from app.patience.view import CONCEALED


def draw(patience: Patience, drawing: str, *memory: str) -> Position:
    """A position from a drawing: a line a pile, bottom to end, face-down cards in brackets.

        1: [KS 4H] 7S 6S
        stock: 2S 3S

    Piles that are not drawn are empty, and the pack need not be whole. Without memory words the position
    remembers what an opening does.
    """
    places = {spec.id: index for index, spec in enumerate(patience.piles)}
    piles = [Pile()] * len(places)
    for line in filter(None, map(str.strip, drawing.splitlines())):
        name, _, rest = line.partition(":")
        down, bracket, up = rest.replace("[", "").rpartition("]")
        hidden = cards(down) if bracket else ()
        whole = hidden + cards(up)
        concealed = patience.piles[places[name]].role in CONCEALED
        piles[places[name]] = Pile(whole, len(whole) if concealed else len(hidden))
    return Position(tuple(piles), memory or patience.start(patience.deck()).memory)


def drawn(patience: Patience, position: Position) -> str:
    """The drawing of a position, the other way round from ``draw``."""
    lines = []
    for spec, pile in zip(patience.piles, position.piles, strict=True):
        if pile.cards:
            hidden = 0 if spec.role in CONCEALED else pile.face_down
            down = f"[{' '.join(names(pile.cards[:hidden]))}] " if hidden else ""
            lines.append(f"{spec.id}: {down}{' '.join(names(pile.cards[hidden:]))}".rstrip())
    return "\n".join(lines)


def shows(patience: Patience, position: Position, drawing: str) -> bool:
    """Whether a position is the one drawn; shows both when it is not."""
    wanted = drawn(patience, draw(patience, drawing))
    assert drawn(patience, position) == wanted
    return True
