"""The smallest legal patience. To write the next one, copy this file and change it bit by bit.

Thirteen spades lie face up in three columns. The ends of the columns go to the foundation, ace first and
king last; an end may also lie on a higher end, or in an empty column. It is won when all are gone. (Nobody
plays this: the registry does not know it, the tests register it for themselves.)

What else a new patience needs: a line in ``registry.py``, a page of rules in docs/, and tests: a line in
tests/patience/test_every_patience.py checks what must hold for all. It can be played at once, in columns; a
name in ``app/i18n/names.py``, a look in ``app/web/presentation.py`` and a page in ``app/web/rules_pages.py``
make it at home.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from app.cards.card import CARDS, RANKS, Card
from app.patience import layout
from app.patience.errors import BadLayout, IllegalMove, MalformedMove
from app.patience.patience import PLAYING, WON, Outcome, Params, PileSpec, Played, Removed, Usual
from app.patience.position import Pile, Position

SIZES = (5, 4, 4)
COLUMNS, FOUNDATION = len(SIZES), len(SIZES)
_MOVE = re.compile(r"([1-3])-([1-3]|f)")


class Template(Usual):
    """The rules. A patience with settings takes them here, and names them in ``choices``."""

    key: ClassVar[str] = "template"
    cards = 13
    piles = (
        *(PileSpec(str(number), "tableau") for number in range(1, COLUMNS + 1)),
        PileSpec("f", "foundation"),
    )
    table = (("f",), ("1", "2", "3"))
    scorings = ("cards",)
    prefix = "template"

    def __init__(self) -> None:
        self.params: Params = {}

    def deck(self) -> tuple[Card, ...]:
        return tuple(CARDS[rank + "S"] for rank in RANKS)

    def start(self, deck: Sequence[Card], _seed: int = 0, /) -> Position:
        """Column by column."""
        ends = [sum(SIZES[: column + 1]) for column in range(COLUMNS)]
        columns = [Pile(tuple(deck[end - size : end])) for end, size in zip(ends, SIZES, strict=True)]
        return Position((*columns, Pile()))

    def parse(self, move: str) -> str:
        if not _MOVE.fullmatch(move):
            raise MalformedMove("malformed_move")
        return move

    def play(self, position: Position, move: str) -> Played:
        source, target = [self._index(name) for name in self.parse(move).split("-")]
        if reason := self._why_not(position, source, target):
            raise IllegalMove(reason)
        pile, onto = position.piles[source], position.piles[target]
        card = pile.cards[-1]
        after = position.with_piles({source: Pile(pile.cards[:-1]), target: Pile((*onto.cards, card))})
        return Played(after, (Removed((card,)),) if target == FOUNDATION else ())

    def legal_moves(self, position: Position) -> tuple[str, ...]:
        return tuple(self._legal(position))

    def outcome(self, position: Position) -> Outcome:
        if self.progress(position) == self.cards:
            return WON
        return PLAYING if next(self._legal(position), None) else Outcome("lost", "no_move")

    def progress(self, position: Position) -> int:
        return len(position.piles[FOUNDATION])

    def to_layout(self, position: Position) -> dict[str, Any]:
        return layout.write(position.piles[:COLUMNS])

    def from_layout(self, document: object) -> Position:
        columns, _ = layout.read(document, COLUMNS, self.cards, ())
        gone = layout.missing(self.deck(), Counter(c for pile in columns for c in pile.cards))
        if any(pile.face_down for pile in columns):
            raise BadLayout("face_down_count")
        if gone != self.deck()[: len(gone)]:
            raise BadLayout("not_the_pack")
        return Position((*columns, Pile(gone)))

    @staticmethod
    def _index(name: str) -> int:
        return FOUNDATION if name == "f" else int(name) - 1

    @staticmethod
    def _why_not(position: Position, source: int, target: int) -> str | None:
        """The rule against a move, if there is one."""
        pile, onto = position.piles[source], position.piles[target]
        if source == target:
            return "same_column"
        if not pile.cards:
            return "empty_column"
        if target == FOUNDATION:
            return None if pile.cards[-1].rank == len(onto) + 1 else "not_next"
        if onto.cards and onto.cards[-1].rank < pile.cards[-1].rank:
            return "not_higher"
        return None

    def _legal(self, position: Position) -> Iterator[str]:
        for source in range(COLUMNS):
            for target in (*range(COLUMNS), FOUNDATION):
                if not self._why_not(position, source, target):
                    yield f"{self.piles[source].id}-{self.piles[target].id}"
