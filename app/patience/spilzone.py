"""Spilzone: a Danish house-rule Spider, built in suit only, whose stock is drawn card by card.

The rules as played here, and where the source leaves gaps, stand in docs/spilzone.md.
"""

import hashlib
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from app.cards.card import Card
from app.cards.shuffle import shuffle
from app.patience import layout
from app.patience.building import ends_in_complete_run, run_length, turn_up
from app.patience.errors import BadLayout, IllegalMove, MalformedMove
from app.patience.patience import PLAYING, WON, Dealt, Event, Outcome, Played, Redealt
from app.patience.position import Pile, Position, encode
from app.patience.spider_family import SHIFT, SpiderFamily

REDEAL = "redeal"
_DRAW = re.compile(r"stock-(10|[1-9])")
_DIGEST = 12
"""Letters of a seen tableau's digest: 72 bits, so that no two will ever be taken for each other."""


class Spilzone(SpiderFamily):
    """The rules of Spilzone with one suit, or with all four."""

    key = "spilzone"
    choices: ClassVar[Mapping[str, tuple[int | str, ...]]] = {"suits": (4, 1)}
    opening = ((4, 3),) * 4 + ((6, 5),) * 4 + ((7, 6),) * 2
    row = 1
    in_suit = True
    remembers: ClassVar[Mapping[str, int]] = {"seed": 1, "redeals": 1, "drawn": len(opening)}

    def start(self, deck: Sequence[Card], seed: int = 0, /) -> Position:
        """Column by column, bottom to end; what is left is the stock. Redeals are shuffled by the seed."""
        return _remember(super().start(deck), _Memory(seed))

    def parse(self, move: str) -> str:
        if not (move == REDEAL or SHIFT.fullmatch(move) or _DRAW.fullmatch(move)):
            raise MalformedMove("malformed_move")
        return move

    def play(self, position: Position, move: str) -> Played:
        if shift := SHIFT.fullmatch(move):
            return self._move(position, int(shift[1]) - 1, int(shift[2]) - 1, int(shift[3]))
        if self.parse(move) == REDEAL:
            return self._redeal(position)
        return self._draw(position, int(move.removeprefix("stock-")) - 1)

    def outcome(self, position: Position) -> Outcome:
        if len(position.piles[self.foundation]) == self.cards:
            return WON
        return PLAYING if next(self._legal(position), None) else Outcome("lost", "no_move")

    def facts(self, position: Position) -> Mapping[str, int]:
        """``redeals``: how often the drawn cards have become the stock again; ``drawn``: how many drawn cards
        lie on the table."""
        memory = _Memory.of(position)
        return {"redeals": memory.redeals, "drawn": sum(mask.bit_count() for mask in memory.drawn)}

    # Moves

    def _move(self, position: Position, source: int, target: int, count: int) -> Played:
        played = self._shift(position, source, target, count)
        memory = _Memory.of(position)
        drawn = list(memory.drawn)
        left, at = len(position.piles[source]) - count, len(position.piles[target])
        drawn[target] |= drawn[source] >> left << at
        # What a card turned up or a run collected left behind never comes back.
        seen = () if played.events else memory.seen
        return _with_memory(played, replace(memory, drawn=tuple(drawn), seen=seen))

    def _draw(self, position: Position, column: int) -> Played:
        stock = position.piles[self.stock].cards
        if reason := self._why_no_draw(position):
            raise IllegalMove(reason)
        memory = _Memory.of(position)
        drawn = list(memory.drawn)
        pile = position.piles[column]
        drawn[column] |= 1 << len(pile)
        piles = list(position.piles)
        piles[column] = Pile((*pile.cards, stock[0]), pile.face_down)
        piles[self.stock] = Pile(stock[1:], len(stock) - 1)
        played = self._settle(piles, [], [Dealt(self.piles[column].id, stock[0])])
        return _with_memory(played, replace(memory, drawn=tuple(drawn), seen=()))

    def _redeal(self, position: Position) -> Played:
        if reason := self._why_no_redeal(position):
            raise IllegalMove(reason)
        memory = _Memory.of(position)
        piles, columns = list(position.piles), self._gathered(position)
        cards = tuple(piles[column].cards[-1] for column in columns)
        for column in columns:
            piles[column] = Pile(piles[column].cards[:-1], piles[column].face_down)
        redeals = memory.redeals + 1
        stock = shuffle(cards, memory.seed, domain=f"spilzone-redeal-{redeals}")
        piles[self.stock] = Pile(stock, len(stock))
        events: list[Event] = [Redealt(len(stock)), *turn_up(piles, columns, self.piles)]
        played = Played(Position(tuple(piles)), tuple(events))
        return _with_memory(played, replace(memory, redeals=redeals, seen=()))

    def _why_no_draw(self, position: Position) -> str | None:
        if not position.piles[self.stock].cards:
            return "stock_empty"
        return "something_new" if self._leads_on(position) else None

    def _why_no_redeal(self, position: Position) -> str | None:
        if position.piles[self.stock].cards:
            return "stock_not_empty"
        if not self._gathered(position):
            return "nothing_to_gather"
        if self._leads_on(position):
            return "something_new"
        return None if self._may_change(position) else "redeal_changes_nothing"

    def _leads_on(self, position: Position) -> bool:
        """Whether a move leads to a tableau that was not seen since the last draw.

        A tableau is what the player sees of the columns, in any order. Which cards lie face down makes no
        difference to it, so neither answer tells anything about them.
        """
        columns = position.piles[: self.columns]
        seen = frozenset(_Memory.of(position).seen)
        texts = [_shown(pile) for pile in columns]
        for move in self._shifts(columns):
            source, target, count = _read(move)
            pile, onto = columns[source], columns[target]
            left = Pile(pile.cards[:-count], pile.face_down)
            joined = Pile(onto.cards + pile.cards[-count:], onto.face_down)
            bares = left.face_down and left.face_down == len(left)
            if bares or ends_in_complete_run(joined):
                return True
            after = [*texts]
            after[source], after[target] = _shown(left), _shown(joined)
            if _digest(after) not in seen:
                return True
        return False

    def _gathered(self, position: Position) -> list[int]:
        """The columns that end in a drawn card with no card of its suit, one higher, under it."""
        drawn = _Memory.of(position).drawn
        return [column for column in range(self.columns) if _is_loose(position.piles[column], drawn[column])]

    def _may_change(self, position: Position) -> bool:
        """Whether a redeal, or further ones, could ever bring a move about, wherever the cards are put.

        Take all loose drawn cards off the columns' ends, as redeal after redeal can. If no column is then
        empty, and among the columns' ends and runs and the loose cards none fits another, then no such card
        will ever join or take anything: every redeal comes back to the same columns and the same cards.
        """
        loose, ends = list[Card](), list[Card]()
        runs = list[Card]()
        drawn = _Memory.of(position).drawn
        for column in range(self.columns):
            pile = position.piles[column]
            while _is_loose(pile, drawn[column]):
                loose.append(pile.cards[-1])
                pile = Pile(pile.cards[:-1], pile.face_down)
            if not pile.cards:
                return True
            ends.append(pile.cards[-1])
            runs += pile.cards[-run_length(pile) :]
        heads = {(c.suit, c.rank + 1) for c in (*runs, *loose)}
        return any((c.suit, c.rank) in heads for c in (*ends, *loose))

    def _legal(self, position: Position) -> Iterator[str]:
        yield from self._shifts(position.piles[: self.columns])
        if not self._why_no_draw(position):
            yield from (f"stock-{column + 1}" for column in range(self.columns))
        elif not self._why_no_redeal(position):
            yield REDEAL

    def to_layout(self, position: Position) -> dict[str, Any]:
        """As for Spider, with the seed of the redeals, their number and the cards that were drawn, if these
        are not what they would be of these piles alone. Which tableaux were seen is not told."""
        document = super().to_layout(position)
        if not position.memory:
            return document
        memory = replace(_Memory.of(position), seen=())
        if memory == _afresh(position):
            return document
        told = {"seed": (memory.seed,), "redeals": (memory.redeals,), "drawn": memory.drawn}
        return document | layout.write_memory(told)

    def from_layout(self, document: object) -> Position:
        """As for Spider. If the document does not say otherwise no card counts as drawn, and redeals are
        shuffled by a seed made of the layout. No tableau but its own counts as seen."""
        document, told = layout.read_memory(document, self.remembers)
        position = super().from_layout(document)
        if not told:
            return _remember(position, _afresh(position))
        columns = position.piles[: self.columns]
        # A drawn card lies face up for good.
        if any(
            mask >> len(pile) or mask & ((1 << pile.face_down) - 1)
            for mask, pile in zip(told["drawn"], columns, strict=True)
        ):
            raise BadLayout("layout_memory")
        return _remember(position, _Memory(told["seed"][0], told["redeals"][0], told["drawn"]))


@dataclass(frozen=True, slots=True)
class _Memory:
    """What the piles cannot tell: the deal's seed and the number of redeals, so that each redeal has its
    own order; which cards of each column were drawn (a bit each, the bottom card's first); and the digests
    of the tableaux seen since the last draw, or since the last card turned up or run collected."""

    seed: int
    redeals: int = 0
    drawn: tuple[int, ...] = (0,) * len(Spilzone.opening)
    seen: tuple[str, ...] = ()

    @classmethod
    def of(cls, position: Position) -> "_Memory":
        seed, redeals, drawn, seen = position.memory
        digests = tuple(seen[at : at + _DIGEST] for at in range(1, len(seen), _DIGEST))
        return cls(
            int(seed[1:], 16), int(redeals[1:]), tuple(int(m, 16) for m in drawn[1:].split(".")), digests
        )

    def words(self) -> tuple[str, ...]:
        masks = ".".join(f"{mask:x}" for mask in self.drawn)
        return f"s{self.seed:x}", f"r{self.redeals}", f"d{masks}", f"t{''.join(self.seen)}"


def _afresh(position: Position) -> _Memory:
    """What is remembered where the piles are all that is known: the seed is made of them."""
    digest = hashlib.sha256(encode(Position(position.piles)).encode("ascii")).digest()
    return _Memory(int.from_bytes(digest[:8], "big"))


def _remember(position: Position, memory: _Memory) -> Position:
    """The position with its memory: its own tableau counts as seen, and no card that left as drawn."""
    columns = position.piles[: len(memory.drawn)]
    drawn = tuple(mask & ((1 << len(pile)) - 1) for mask, pile in zip(memory.drawn, columns, strict=True))
    now = _digest([_shown(pile) for pile in columns])
    seen = memory.seen if now in memory.seen else (*memory.seen, now)
    return replace(position, memory=replace(memory, drawn=drawn, seen=seen).words())


def _with_memory(played: Played, memory: _Memory) -> Played:
    return Played(_remember(played.position, memory), played.events)


def _is_loose(pile: Pile, drawn: int) -> bool:
    """Whether a pile ends in a drawn card that is not joined in suit to the card under it."""
    return len(pile) > 0 and bool(drawn >> len(pile) - 1 & 1) and run_length(pile) == 1


def _shown(pile: Pile) -> str:
    """A column as the player sees it."""
    return f"{pile.face_down}{''.join([c.text for c in pile.face_up])}"


def _digest(columns: list[str]) -> str:
    """A short text for a tableau, the same in whatever order its columns lie."""
    text = "|".join(sorted(columns)).encode("ascii")
    return urlsafe_b64encode(hashlib.blake2b(text, digest_size=9).digest()).decode("ascii")


def _read(move: str) -> tuple[int, int, int]:
    columns, count = move.split("x")
    source, target = columns.split("-")
    return int(source) - 1, int(target) - 1, int(count)
