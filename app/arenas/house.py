"""The house's own arenas: every day at the same hours, in UTC by the server's clock. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from app.patience import registry
from app.patience.patience import Patience
from app.races.almanac import EVERY_DAY

HOUR = 3_600_000
AHEAD = 24
"""Hours ahead for which they are made, so that there is always a next one."""

MINUTES, SECONDS, SIZE = 60, 300, 4
"""How long one lasts, what its races are given, and players of a race."""


@dataclass(frozen=True, slots=True)
class Slot:
    """An arena of the house. ``name`` is that hour's alone."""

    name: str
    patience: Patience
    starts_at: int
    seconds: int = SECONDS
    size: int = SIZE

    @property
    def ends_at(self) -> int:
        return self.starts_at + 60_000 * MINUTES


def coming(now: int, hours: Sequence[int]) -> list[Slot]:
    """The arenas of the next hours, the one that runs now included: the first hour has the first of what is
    dealt every day, the next hour the next, and so on. ``hours``: of the day, in UTC; ``now`` in ms.
    """
    turns = {hour: EVERY_DAY[at % len(EVERY_DAY)] for at, hour in enumerate(sorted(set(hours)))}
    this = next_hour(now) - HOUR
    found = []
    for at in range(this, this + AHEAD * HOUR, HOUR):
        when = datetime.fromtimestamp(at / 1000, UTC)
        if when.hour in turns:
            found.append(Slot(f"{when:%Y-%m-%dT%H}", registry.by_prefix(turns[when.hour]), at))
    return found


def next_hour(now: int) -> int:
    """The next full hour, in ms since the epoch."""
    return now - now % HOUR + HOUR
