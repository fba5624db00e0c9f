"""A game as the server knows it. What may be shown of it, ``app.patience.view`` and the properties tell."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NewType

from app.patience import deals
from app.patience.deals import Deal
from app.patience.patience import Params, Patience
from app.patience.position import Position

GameId = NewType("GameId", str)
Ply = NewType("Ply", int)
Status = Literal["playing", "won", "lost", "given_up"]
Role = Literal["owner", "play", "watch"]
"""What one is at a game: its owner, one who plays along, or one who looks on."""
Action = Literal["move", "undo", "redo", "restart", "give-up", "hint"]

ENDED: frozenset[Status] = frozenset({"won", "given_up"})
"""Nothing can be played, undone or gained any more. A lost game is not ended: undo takes it back."""

PAUSE_CAP = 60_000
"""How much of a pause between two entries counts for ranking, in milliseconds."""

MAX_PLY = 10_000
"""How many entries a log takes: far more than a game needs, few enough to be replayed at any time."""


TIME_UP = "time_up"
"""The reason of a game that ended because its time was up."""


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms a game is played, where others play the same deal at the same time.

    ``held``: its deal stays sealed after its end too, until it is released. ``closes_at``: it takes no
    entry from then on (ms since the epoch).
    """

    held: bool = False
    undo_off: bool = False
    help_off: bool = False
    closes_at: int | None = None


@lru_cache(maxsize=1024)
def deal_of(code: str) -> Deal:
    """The deal of a canonical code; the shuffle is not done anew for every move."""
    return deals.deal_of(code)


@dataclass(frozen=True, slots=True)
class Game:
    """One sitting at one deal. ``code``, ``sealing`` and ``position`` are for the server alone.

    ``shared``: another than its owner has had a hand in it, so it ranks nowhere. ``invited``: somebody may
    come by a link; ``watchable``: anybody may look on.
    """

    id: GameId
    player_id: str
    patience: Patience
    code: str = field(repr=False)
    sealed: bool
    commitment: str | None
    sealing: str | None = field(repr=False)  # the salt of the commitment, hexadecimal
    rules_version: int
    scoring: str
    scoring_version: int
    created_at: int
    status: Status
    reason: str | None
    ply: Ply
    position: Position = field(repr=False)
    score: int
    steps: int
    undone: int
    undos: int
    hints: int
    first_at: int | None
    last_at: int
    ended_at: int | None
    ranked_ms: int
    assisted: bool = False
    held: bool = False
    undo_off: bool = False
    help_off: bool = False
    closes_at: int | None = None
    shared: bool = False
    invited: bool = False
    watchable: bool = False

    @property
    def params(self) -> Params:
        return self.patience.params

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def told(self) -> bool:
        """Whether all of the game may be told to anyone: it has ended, and nobody can gain by its deal."""
        return self.ended and not self.held

    @property
    def live(self) -> bool:
        """Whether others may look on, and are told of each change."""
        return self.invited or self.watchable

    @property
    def number(self) -> int:
        """How many changes there have been: each entry is one, and so is an end without an entry."""
        return self.ply + (self.status == "given_up")

    @property
    def deal(self) -> str | None:
        """The deal code, once the player may know it."""
        return self.code if self.told or not self.sealed else None

    @property
    def salt(self) -> str | None:
        return self.sealing if self.told else None

    @property
    def start(self) -> Position:
        """The opening."""
        return deal_of(self.code).start

    @property
    def clean(self) -> bool:
        """Nothing was undone, redone or restarted, no hint was given, and the engine was not asked."""
        return not (self.undos or self.hints or self.assisted)

    @property
    def can_undo(self) -> bool:
        return self.steps > 0 and not self.ended and not self.undo_off

    @property
    def can_redo(self) -> bool:
        return self.undone > 0 and not self.ended and not self.undo_off

    @property
    def can_restart(self) -> bool:
        return self.can_undo and self.position != self.start

    def legal_moves(self) -> tuple[str, ...]:
        """Every move that may be played now, none once the game has ended."""
        return () if self.ended else self.patience.legal_moves(self.position)

    def actions(self, legal_moves: tuple[str, ...]) -> tuple[Action, ...]:
        """What may be asked of the game now, given its legal moves."""
        if self.ended:
            return ()
        offered: tuple[tuple[Action, bool], ...] = (
            ("move", bool(legal_moves)),
            ("undo", self.can_undo),
            ("redo", self.can_redo),
            ("restart", self.can_restart),
            ("give-up", True),
            ("hint", not self.help_off),
        )
        return tuple([action for action, may in offered if may])


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a game's log; ``ply`` counts from 1, ``at`` is milliseconds since the epoch."""

    ply: Ply
    text: str
    at: int
    player_id: str = ""
