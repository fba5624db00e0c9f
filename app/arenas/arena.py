"""An arena as the server knows it. Times are ms since the epoch."""

from dataclasses import dataclass
from typing import Literal, NewType

from app.arenas.points import Score
from app.patience.patience import Patience

ArenaId = NewType("ArenaId", str)
Status = Literal["waiting", "running", "finishing", "over"]
Reason = Literal["finished", "expired"]

SHORTEST, LONGEST = 20, 120
"""Minutes that an arena may last."""

QUICKEST, SLOWEST = 60, 1200
"""Seconds that one of its races may be given."""

LATEST = 24 * 60
"""Minutes after which it must begin at the latest."""

EMPTY = 30 * 60_000
"""An arena expires if it has had no race so long after its start. The house's stay open."""


def scoring_of(patience: Patience) -> str:
    """What its races are scored by, unless its maker chooses: not by a scoring in which every entry costs.

    In a short race few collect a run, and by such a scoring the one who moves least would come first.
    """
    return next((one for one in patience.scorings if one != "moves500"), patience.scorings[0])


ROWS = 100
"""Rows of its table that everyone is sent."""


@dataclass(frozen=True, slots=True)
class Arena:
    """An arena without its players. ``host_id`` is None for one of the house."""

    id: ArenaId
    host_id: str | None
    slot: str | None
    patience: Patience
    scoring: str
    seconds: int
    size: int
    created_at: int
    starts_at: int
    ends_at: int
    status: Status
    reason: Reason | None
    seq: int
    due_at: int | None

    @property
    def is_over(self) -> bool:
        return self.status == "over"

    def is_due(self, now: int) -> bool:
        """Whether something has to be done, by whoever notices it first."""
        return self.due_at is not None and now >= self.due_at

    def counts(self, race_starts_at: int) -> bool:
        """Whether a race counts: it began before the arena's end, however late it is over."""
        return race_starts_at < self.ends_at


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player in an arena. ``name`` is None for a guest; ``race_id``: the race they are in now."""

    number: int
    player_id: str
    name: str | None
    paused: bool
    away_at: int | None
    since: int
    race_id: str | None
    score: Score
    rank: int | None

    @property
    def waits(self) -> bool:
        """Whether they are to be paired."""
        return not self.paused and self.away_at is None and self.race_id is None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: a player and their rank now, or for good once the arena is over."""

    rank: int
    entrant: Entrant
