"""A position: where every card lies. Immutable; a move makes a new one."""

from dataclasses import dataclass, replace

from app.cards.card import CARDS, Card


@dataclass(frozen=True, slots=True)
class Pile:
    """Cards from the bottom to the end (the last card, on top); the first ``face_down`` lie face down."""

    cards: tuple[Card, ...] = ()
    face_down: int = 0

    def __len__(self) -> int:
        return len(self.cards)

    @property
    def face_up(self) -> tuple[Card, ...]:
        return self.cards[self.face_down :]


@dataclass(frozen=True, slots=True)
class Position:
    """The piles, in the order of the patience's ``piles``.

    ``memory`` holds, in words of the patience's own, what its rules must know and the piles cannot tell
    (the pass through the stock, say). Most patiences leave it empty.
    """

    piles: tuple[Pile, ...]
    memory: tuple[str, ...] = ()

    def with_piles(self, changed: dict[int, Pile]) -> "Position":
        """This position with the piles at some indices replaced."""
        piles = list(self.piles)
        for index, pile in changed.items():
            piles[index] = pile
        return replace(self, piles=tuple(piles))


def encode(position: Position) -> str:
    """The position as one line of ASCII: ``face_down:cards`` for each pile, ``|`` between piles, then
    ``|#word`` for each word of memory."""
    piles = [f"{pile.face_down}:{''.join([c.text for c in pile.cards])}" for pile in position.piles]
    return "|".join(piles + [f"#{word}" for word in position.memory])


def decode(text: str) -> Position:
    """The position of ``encode``. Raises ``ValueError`` for anything else."""
    piles, memory = [], []
    for part in text.split("|"):
        if part.startswith("#"):
            memory.append(part[1:])
            continue
        face_down, _, names = part.partition(":")
        try:
            cards = tuple([CARDS[names[at : at + 2]] for at in range(0, len(names), 2)])
        except KeyError:
            raise ValueError("not an encoded position") from None
        piles.append(Pile(cards, int(face_down)))
    return Position(tuple(piles), tuple(memory))
