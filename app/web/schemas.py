"""What the JSON API takes and gives.

Taken strictly: no ``1.0``, ``"1"`` or ``true`` for a number, and no unknown fields.

The models of answers are for /openapi.json; the answers themselves are built in ``app.web.documents``.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from app.games.game import Action, Status

LARGEST_PLY = 99_999

PlyNumber = Annotated[
    int, Field(ge=0, le=LARGEST_PLY, description="The ply of the game that this is meant for.")
]
Word = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
MoveText = Annotated[str, Field(pattern=r"^[a-z0-9+-]{1,40}$")]


class Taken(BaseModel):
    """A body that is taken."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class NewGuest(Taken):
    """Nothing need be said."""


class NewGame(Taken):
    """``deal`` null deals a fresh one. Parameters left out take their defaults, or those of the code."""

    patience: Word | None = None
    params: Annotated[dict[Word, Annotated[int, Field(ge=-1000, le=1000)] | Word], Field(max_length=10)] = {}
    scoring: Word | None = None
    deal: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    winnable: bool = False


class AtPly(Taken):
    """An entry without a text of its own."""

    ply: PlyNumber


class Move(AtPly):
    """A move, in the notation of its patience."""

    move: MoveText


def _digits(value: object) -> object:
    """A number in a query: digits and nothing else."""
    if isinstance(value, str):
        if not re.fullmatch(r"[0-9]{1,6}", value):
            raise ValueError("not a number")
        return int(value)
    return value


class LeaderboardQuery(BaseModel):
    """Which table, and which page of it. ``each`` ``player``: only the best game of each player."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scoring: Word | None = None
    scoring_version: Annotated[int, Field(ge=1, le=1000), BeforeValidator(_digits)] | None = None
    deals: Literal["sealed", "open", "assisted"] | None = None
    clean: Literal["true", "false"] = "false"
    period: Literal["today", "week", "month", "all"] = "all"
    deal: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    each: Literal["game", "player"] = "game"
    page: Annotated[int, Field(ge=1, le=1000), BeforeValidator(_digits)] = 1
    limit: Annotated[int, Field(ge=1, le=100), BeforeValidator(_digits)] = 20


class Given(BaseModel):
    """A document that is given."""


class Problem(Given):
    """RFC 9457. ``stale_ply`` brings the game as it is, ``illegal_move`` the rule and its facts."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    reason: str | None = None
    facts: dict[str, int | str] | None = None
    fields: list[str] | None = None
    game: "Game | None" = None


class Guest(Given):
    player: str
    token: str


class Pile(Given):
    """``count`` is for a pile none of whose cards are shown; else ``face_down`` cards lie under ``cards``."""

    id: str
    role: str
    count: int | None = None
    face_down: int | None = None
    cards: list[str] | None = None


class GameHead(Given):
    """A game without its cards. Times in milliseconds since the epoch, ``ranked_ms`` in milliseconds."""

    id: str
    patience: str
    params: dict[str, int | str]
    deal: str | None
    commitment: str | None
    salt: str | None
    scoring: str
    status: Status
    reason: str | None
    ply: int
    score: int
    clean: bool
    assisted: bool
    shared: bool
    watchable: bool
    created_at: int
    first_at: int | None
    last_at: int
    ended_at: int | None
    ranked_ms: int


class Game(GameHead):
    """A game as one may see it. Who only watches has no ``actions`` and no ``legal_moves``."""

    actions: list[Action]
    piles: list[Pile]
    facts: dict[str, int]
    legal_moves: list[str]
    can_undo: bool
    can_redo: bool


class Games(Given):
    games: list[GameHead]


class LogEntry(Given):
    """``player`` and ``name`` (null for a guest) are there in a game that several have played."""

    ply: int
    text: str
    at: int
    player: str | None = None
    name: str | None = None


class Log(Given):
    entries: list[LogEntry]


class Hint(Given):
    """``move`` is null where nothing can be suggested: ``reason`` is then ``no_move`` or ``no_gain``."""

    move: str | None
    reason: str | None
    rests_on: str
    used_hidden: bool


class Replay(GameHead):
    """``start``: the opening as its player saw it; ``layout``: all its cards, once the game has ended."""

    rules_version: int
    scoring_version: int
    start: list[Pile]
    layout: dict[str, Any] | None
    entries: list[LogEntry]


class PatienceKind(Given):
    key: str
    params: dict[str, list[int | str]]
    scorings: list[str]
    cards: int


class Patiences(Given):
    patiences: list[PatienceKind]


class Place(Given):
    """``player`` is null for a guest."""

    rank: int
    player: str | None
    game: str
    deal: str
    score: int
    ply: int
    ranked_ms: int
    ended_at: int
    clean: bool


class Leaderboard(Given):
    """``since``: when the period began, in milliseconds since the epoch; null for all time."""

    table: str
    scoring: str
    scoring_version: int
    deals: Literal["sealed", "open", "assisted"]
    since: int | None
    page: int
    more: bool
    rows: list[Place]


class Tally(Given):
    table: str
    scoring: str
    ended: int
    won: int
    best_score: int | None
    fewest_ply: int | None
    best_ms: int | None
    streak: int
    longest_streak: int


class Statistics(Given):
    statistics: list[Tally]
