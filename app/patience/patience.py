"""What a patience is: the protocol that every file of rules fills, and what a move brings about.

Games, undo, links, tables, replays and views are written once against this protocol.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from app.cards.card import Card
from app.patience.position import Position

Role = Literal["tableau", "stock", "waste", "foundation", "discard", "reserve"]
Status = Literal["playing", "won", "lost"]
Params = Mapping[str, int | str]


@dataclass(frozen=True, slots=True)
class PileSpec:
    """A place for cards: its name in moves and fragments, and what kind of place it is."""

    id: str
    role: Role


@dataclass(frozen=True, slots=True)
class TurnedUp:
    """A face-down card at the end of a pile was turned up."""

    pile: str
    card: Card


@dataclass(frozen=True, slots=True)
class Collected:
    """A complete run left the table from a pile."""

    pile: str
    suit: str


@dataclass(frozen=True, slots=True)
class RowDealt:
    """Cards of the stock came onto the tableau, one a pile."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Dealt:
    """A card of the stock came onto a pile, face up."""

    pile: str
    card: Card


@dataclass(frozen=True, slots=True)
class Removed:
    """Cards left the layout."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Redealt:
    """So many cards became the stock again."""

    count: int


Event = TurnedUp | Collected | RowDealt | Dealt | Removed | Redealt


@dataclass(frozen=True, slots=True)
class Played:
    """A move's result: the position after it, and what happened on the way, in order."""

    position: Position
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a position stands. ``reason`` says why a game is lost (``no_move``, ``no_deal``)."""

    status: Status
    reason: str | None = None


PLAYING = Outcome("playing")
WON = Outcome("won")


class Patience(Protocol):
    """The rules of one patience with its parameters chosen. Immutable, and free of I/O.

    A move is a short printable text without spaces. ``undo``, ``redo`` and ``restart`` are never moves:
    the log gives them their meaning for every patience alike (``app.patience.replay``).
    """

    key: ClassVar[str]
    """The name in addresses and in the API: ``spider``."""
    rules_version: ClassVar[int]
    """Goes up when the same log could come to another position."""
    choices: ClassVar[Mapping[str, tuple[int | str, ...]]]
    """Each parameter's allowed values, the default first."""

    remembers: ClassVar[Mapping[str, int]]
    """What a layout tells besides its piles when they alone would be taken for another position: names, and
    how many numbers each has. They stand under ``memory`` in the document, in this order in a layout code."""

    @property
    def params(self) -> Params: ...
    @property
    def prefix(self) -> str:
        """Key and parameters run together: the first part of deal codes, the name of tables."""

    @property
    def cards(self) -> int:
        """How many cards are in play, wherever they lie."""

    @property
    def piles(self) -> tuple[PileSpec, ...]: ...
    @property
    def scorings(self) -> tuple[str, ...]:
        """The scorings that may be chosen, the default first."""

    @property
    def table(self) -> tuple[tuple[str, ...], ...]:
        """How the piles lie on the table: rows from the far side to the near, of ids from left to right."""

    @property
    def pysol_order(self) -> tuple[int, ...]:
        """Where each card of our deck, as dealt, comes among the cards as PySolFC deals them; empty if it
        deals no such patience."""

    def deck(self) -> tuple[Card, ...]:
        """All cards in their specified order, before the shuffle."""

    def start(self, deck: Sequence[Card], _seed: int = 0, /) -> Position:
        """The opening: the shuffled deck dealt out. The seed is for patiences that shuffle again."""

    def play(self, position: Position, move: str) -> Played:
        """Plays a move. Raises ``MalformedMove`` or ``IllegalMove``; the position given never changes."""

    def parse(self, move: str) -> str:
        """The canonical text of a move. Raises ``MalformedMove``."""

    def legal_moves(self, position: Position) -> tuple[str, ...]:
        """Every move that ``play`` takes, in a fixed order."""

    def outcome(self, position: Position) -> Outcome: ...

    def progress(self, position: Position) -> int:
        """How much is done, as scorings and tables count it (Spider: runs collected)."""

    def facts(self, position: Position) -> Mapping[str, int]:
        """What the player may know of a position besides its piles: the pass through the stock, say."""

    def to_layout(self, position: Position) -> dict[str, Any]:
        """The position as a document for people and programs, hidden cards and all. Never for a player."""

    def from_layout(self, document: object) -> Position:
        """The position of such a document. Raises ``BadLayout``."""


class Usual:
    """What a patience answers that has nothing special to say; for its class to inherit."""

    rules_version: ClassVar[int] = 1
    choices: ClassVar[Mapping[str, tuple[int | str, ...]]] = {}
    remembers: ClassVar[Mapping[str, int]] = {}
    cards = 52
    pysol_order: tuple[int, ...] = ()

    def facts(self, _position: Position) -> Mapping[str, int]:
        return {}
