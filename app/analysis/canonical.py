"""Positions that are the same to a solver share one key.

After the last row has been dealt nothing in Spider depends on where a column stands, so the columns are
sorted before the key is taken. While rows are left each has its columns, and the order stays. What has been
collected or discarded is what is missing, and says nothing new. The key names the patience with its
parameters and the version of its rules, so that a verdict never outlives them.
"""

import hashlib
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass

from app.patience.patience import Patience
from app.patience.position import Pile, Position, encode
from app.patience.spider_family import SpiderFamily

_SHIFT = re.compile(r"([0-9]+)-([0-9]+)x([0-9]+)")
_COLLECT = re.compile(r"collect-([0-9]+)")


@dataclass(frozen=True, slots=True)
class Canonical:
    """``order[i]`` is the column (from 0) that stands at place ``i`` of the canonical position.

    Empty where no column was moved.
    """

    key: str
    order: tuple[int, ...] = ()

    def to_canonical(self, moves: Iterable[str]) -> tuple[str, ...]:
        """Moves on the position, as moves on the canonical one."""
        places = {column: place for place, column in enumerate(self.order)}
        return tuple(_renamed(move, places) for move in moves)

    def from_canonical(self, moves: Iterable[str]) -> tuple[str, ...]:
        """Moves on the canonical position, as moves on this one."""
        columns = dict(enumerate(self.order))
        return tuple(_renamed(move, columns) for move in moves)


def canonical(patience: Patience, position: Position) -> Canonical:
    """The key of a position (43 characters), and how its columns were sorted for it."""
    piles = [
        Pile() if spec.role == "discard" else pile
        for spec, pile in zip(patience.piles, position.piles, strict=True)
    ]
    order: tuple[int, ...] = ()
    if isinstance(patience, SpiderFamily):
        piles[patience.foundation] = Pile()
        if not (patience.row and piles[patience.stock].cards):
            order = tuple(sorted(range(patience.columns), key=[_text(pile) for pile in piles].__getitem__))
            piles[: patience.columns] = [piles[column] for column in order]
    text = f"{patience.prefix} {patience.rules_version} {encode(Position(tuple(piles), position.memory))}"
    digest = hashlib.sha256(text.encode()).digest()
    return Canonical(urlsafe_b64encode(digest).decode().rstrip("="), order)


def _text(pile: Pile) -> tuple[int, str]:
    return pile.face_down, "".join([card.text for card in pile.cards])


def _renamed(move: str, columns: dict[int, int]) -> str:
    if not columns:
        return move
    if shift := _SHIFT.fullmatch(move):
        source, target, count = (int(part) for part in shift.groups())
        return f"{columns[source - 1] + 1}-{columns[target - 1] + 1}x{count}"
    if collect := _COLLECT.fullmatch(move):
        return f"collect-{columns[int(collect[1]) - 1] + 1}"
    return move
