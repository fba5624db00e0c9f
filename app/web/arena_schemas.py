"""What the JSON API of arenas takes and gives. As in ``app.web.schemas``: taken strictly."""

from typing import Annotated, Literal

from pydantic import Field

from app.arenas.arena import LATEST, LONGEST, QUICKEST, SHORTEST, SLOWEST
from app.arenas.pairing import LARGEST, SMALLEST
from app.patience import registry
from app.web.schemas import Given, Taken, Word


class NewArena(Taken):
    """``seconds`` of a race, ``size``: its players at most, ``starts_in``: minutes until the arena begins."""

    patience: Word = registry.first()
    params: Annotated[
        dict[Word, Annotated[int, Field(ge=-1000, le=1000)] | Word],
        Field(max_length=10, default_factory=dict),
    ]
    scoring: Word | None = None
    minutes: Annotated[int, Field(ge=SHORTEST, le=LONGEST)] = 60
    seconds: Annotated[int, Field(ge=QUICKEST, le=SLOWEST)] = 300
    size: Annotated[int, Field(ge=SMALLEST, le=LARGEST)] = LARGEST
    starts_in: Annotated[int, Field(ge=0, le=LATEST)] = 5


class Row(Given):
    """A line of the table. ``player`` is null for a guest; ``race``: the one they are in now."""

    rank: int
    number: int
    player: str | None
    points: int
    races: int
    wins: int
    streak: int
    on_fire: bool
    paused: bool
    race: str | None


class OwnRow(Row):
    """``waits``: is to be paired."""

    waits: bool


class Racing(Given):
    """Who is in which race now."""

    number: int
    race: str


class ArenaInShort(Given):
    """An arena without its table. Times in milliseconds since the epoch; ``now`` is the server's.

    ``house``: one of those that are held every day. ``players``: how many have come.
    """

    id: str
    house: bool
    patience: str
    params: dict[str, int | str]
    scoring: str
    seconds: int
    size: int
    status: Literal["waiting", "running", "finishing", "over"]
    reason: Literal["finished", "expired"] | None
    now: int
    created_at: int
    starts_at: int
    ends_at: int
    players: int
    seq: int


class Arena(ArenaInShort):
    """With the first hundred of its table, and ``you``: the line of the one who asks."""

    table: list[Row]
    racing: list[Racing]
    you: OwnRow | None


class Arenas(Given):
    """``open``: those that run or will, the earliest first; ``past``: those that were held."""

    open: list[ArenaInShort]
    past: list[ArenaInShort]
