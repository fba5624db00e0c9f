"""A race as the server knows it, and what follows from it and the time. Times are ms since the epoch."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NewType

from app.games.game import Game
from app.patience.errors import MalformedMove
from app.patience.patience import Params, Patience
from app.patience.position import Position
from app.patience.registry import by_prefix, first
from app.patience.scoring import score

RaceId = NewType("RaceId", str)
Status = Literal["waiting", "counting_down", "running", "over"]
Reason = Literal["finished", "time_up", "given_up", "expired"]

FEWEST, MOST = 2, 16
"""Players of a race."""

SHORTEST, LONGEST = 10, 7200
"""Seconds that a race may be given."""

WAITS = 30 * 60_000
"""How long a race waits for its players, counted from the last thing that one of them did there."""

GONE = 60_000
"""After so long without a page open, a player is gone and need not be waited for."""

CODE_SYMBOLS = 6
"""Of a join code: 30 bits, behind a rate limit, for as long as a race waits."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a host chooses."""

    patience: str = field(default_factory=first)
    params: Params | None = None
    scoring: str | None = None
    seconds: int = 900
    max_players: int = MOST
    undo: bool = False
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a player is, as everyone may see it: counts only, never cards.

    ``status``: of the game, or "waiting" before there is one. ``runs``: how much is done, as the patience
    counts it. ``face_down``: cards on the table.
    ``stock``: cards in the stock, and ``rows`` the rows that can be dealt of them. ``time_ms``: from the
    start to the last entry.
    """

    status: str
    runs: int
    face_down: int
    stock: int
    rows: int
    score: int
    ply: int
    time_ms: int


@dataclass(frozen=True, slots=True)
class Result:
    """How a player's log came out; ``place`` 1 is the first, equals share one."""

    place: int
    won: bool
    runs: int
    score: int
    ply: int
    time_ms: int


@dataclass(frozen=True, slots=True)
class Seat:
    """A player in a race. ``name`` is None for a guest; ``game`` is there once the race runs."""

    seat: int
    player_id: str
    name: str | None
    ready: bool
    away_at: int | None
    left: bool
    goes_on: bool
    fresh: bool
    game: Game | None = field(default=None, repr=False)
    result: Result | None = None

    @property
    def finished(self) -> bool:
        """Nothing more will come of this player's game."""
        game = self.game
        return game is not None and (game.ended or (game.status == "lost" and game.undo_off))

    def is_gone(self, now: int) -> bool:
        return self.left or (self.away_at is not None and now - self.away_at >= GONE)


@dataclass(frozen=True, slots=True)
class Race:
    """A race with its seats. ``code`` and ``sealing`` (the salt) are the server's alone until it is over."""

    id: RaceId
    join_code: str
    patience: Patience
    scoring: str
    seconds: int
    max_players: int
    undo: bool
    listed: bool
    code: str = field(repr=False)
    sealing: str = field(repr=False)
    commitment: str
    created_at: int
    status: Status
    reason: Reason | None
    seq: int
    due_at: int | None
    starts_at: int | None
    ends_at: int | None
    closed_at: int | None
    next_id: str | None
    arena_id: str | None
    seats: tuple[Seat, ...] = ()

    @property
    def is_over(self) -> bool:
        return self.status == "over"

    @property
    def deal(self) -> str | None:
        """The deal's code, once everybody may know it."""
        return self.code if self.is_over else None

    @property
    def salt(self) -> str | None:
        return self.sealing if self.is_over else None

    @property
    def host(self) -> int | None:
        """The seat of the one who may start it: the host, or who has sat there longest; none in an arena."""
        return None if self.arena_id else min((seat.seat for seat in self.seats), default=None)

    def seat_of(self, player_id: str | None) -> Seat | None:
        return next((seat for seat in self.seats if seat.player_id == player_id), None)

    def is_due(self, now: int) -> bool:
        """Whether something has to be done, by whoever notices it first."""
        return self.due_at is not None and now >= self.due_at


def progress_of(game: Game, starts_at: int) -> Progress:
    """What everyone may see of a game in a race."""
    face_down, stock = _hidden(game.patience, game.position)
    row = _row(game.patience)
    return Progress(
        status=game.status,
        runs=game.patience.progress(game.position),
        face_down=face_down,
        stock=stock,
        rows=stock // row if row else 0,
        score=game.score,
        ply=game.ply,
        time_ms=max(game.last_at - starts_at, 0) if game.ply else 0,
    )


@lru_cache(maxsize=256)
def opening_progress(prefix: str, scoring: str) -> Progress:
    """Where everyone begins: what is counted of any deal of a patience, which says nothing of this one."""
    patience = by_prefix(prefix)
    opening = patience.start(patience.deck(), 0)
    face_down, stock = _hidden(patience, opening)
    row = _row(patience)
    return Progress(
        status="waiting",
        runs=patience.progress(opening),
        face_down=face_down,
        stock=stock,
        rows=stock // row if row else 0,
        score=score(scoring, patience, opening, opening, 0),
        ply=0,
        time_ms=0,
    )


def _row(patience: Patience) -> int:
    """Cards that come onto the table at once; 0 where the stock is not dealt by rows."""
    try:
        patience.parse("deal")
    except MalformedMove:
        return 0
    row: int = getattr(patience, "row", 0)
    return row


def _hidden(patience: Patience, position: Position) -> tuple[int, int]:
    """Cards face down on the table, and cards in the stock."""
    piles = list(zip(patience.piles, position.piles, strict=True))
    return (
        sum(pile.face_down for spec, pile in piles if spec.role != "stock"),
        sum(len(pile) for spec, pile in piles if spec.role == "stock"),
    )
