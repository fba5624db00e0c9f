"""What the JSON API of races takes and gives. As in ``app.web.schemas``: taken strictly."""

from typing import Annotated, Literal

from pydantic import Field

from app.games.game import Status
from app.patience import registry
from app.races.race import LONGEST, MOST, SHORTEST
from app.web.schemas import Given, Taken, Word


class NewRace(Taken):
    """Parameters left out take their defaults. ``listed`` races stand in the lobby for anyone to join."""

    patience: Word = registry.first()
    params: Annotated[
        dict[Word, Annotated[int, Field(ge=-1000, le=1000)] | Word],
        Field(max_length=10, default_factory=dict),
    ]
    scoring: Word | None = None
    seconds: Annotated[int, Field(ge=SHORTEST, le=LONGEST)] = 900
    max_players: Annotated[int, Field(ge=2, le=MOST)] = MOST
    undo: bool = False
    listed: bool = False


class JoinCode(Taken):
    """The code of a race, as read aloud."""

    join_code: Annotated[str, Field(min_length=1, max_length=40)]


class Readiness(Taken):
    ready: bool = True


class Nothing(Taken):
    """Nothing need be said."""


class Progress(Given):
    """Counts, never cards. ``time_ms``: from the start to the last entry."""

    status: str
    runs: int
    face_down: int
    stock: int
    rows: int
    score: int
    ply: int
    time_ms: int


class Result(Given):
    """How a player's log came out."""

    won: bool
    runs: int
    score: int
    ply: int
    time_ms: int


class Seat(Given):
    """A player in a race. ``name`` is null for a guest; ``game`` is told when the race is over."""

    player: str
    name: str | None
    seat: int
    ready: bool
    away_at: int | None
    left: bool
    goes_on: bool
    finished: bool
    progress: Progress
    place: int | None
    result: Result | None
    game: str | None


class Race(Given):
    """A race as the one who asks may see it. Times in milliseconds since the epoch; ``now`` is the server's.

    ``host``: the seat that may start it. ``you``: the seat of the one who asks, and ``game`` their game.
    ``arena``: the arena that paired its players.
    """

    id: str
    join_code: str
    patience: str
    params: dict[str, int | str]
    scoring: str
    seconds: int
    max_players: int
    undo: bool
    listed: bool
    status: Literal["waiting", "counting_down", "running", "over"]
    reason: Literal["finished", "time_up", "given_up", "expired"] | None
    now: int
    created_at: int
    starts_at: int | None
    ends_at: int | None
    commitment: str
    deal: str | None
    salt: str | None
    host: int | None
    players: list[Seat]
    rematch: str | None
    arena: str | None
    seq: int
    you: int | None
    game: str | None


class Races(Given):
    races: list[Race]


class Attempt(Given):
    """``player`` is null for a guest."""

    player: str | None
    status: Status
    score: int
    ply: int
    ranked_ms: int


class DailyDeal(Given):
    """A day's deal with its tables: ``rows`` of accounts, and ``guests``. ``game``: your own attempt."""

    table: str
    patience: str
    params: dict[str, int | str]
    commitment: str
    deal: str | None
    salt: str | None
    proven: bool
    game: str | None
    rows: list[Attempt]
    guests: list[Attempt]


class Day(Given):
    """A day's deals; ``deal`` and ``salt`` are null until the day is over, at ``ends_at`` by the server."""

    day: str
    now: int
    ends_at: int
    deals: list[DailyDeal]


class Rated(Given):
    """``provisional``: the ``deviation`` is still large. ``events``: how often it was rated."""

    player: str
    rating: int
    deviation: int
    provisional: bool
    events: int


class Ratings(Given):
    table: str
    rows: list[Rated]
