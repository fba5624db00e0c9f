"""Leaderboards and statistics. Results come from the server's own log alone: ``record`` listens to games.

Like is compared with like: one patience with its parameters, one scoring and its version, and the
present rules. Deals that were known by their code (open) are apart from those that nobody knew (sealed).
The tables of all deals take whole openings only; a table half cleared, written as a layout, counts in the
table of its own deal.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, Row

from app.games.game import Game
from app.patience.patience import Patience
from app.patience.position import Position
from app.patience.scoring import LOWEST_FIRST, RESULTS, VERSIONS
from app.ranking import store

Period = Literal["today", "week", "month", "all"]
Deals = Literal["sealed", "open", "assisted"]

PAGE = 20
MOST_ON_PAGE = 100


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a leaderboard. ``name`` is None for a guest; times in milliseconds."""

    rank: int
    game_id: str
    player_id: str
    name: str | None
    deal: str
    score: int
    ply: int
    ranked_ms: int
    ended_at: int
    clean: bool


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A page of places; ``since`` is when the period began (ms since the epoch), None for all time."""

    places: tuple[Place, ...]
    more: bool
    since: int | None
    page: int
    prefix: str
    scoring: str
    scoring_version: int
    deals: Deals


@dataclass(frozen=True, slots=True)
class Statistics:
    """A player's ended games of one patience with its parameters, in one scoring.

    Fewest entries and shortest time are those of won games; so is the best score, unless the scoring tells
    how far a game came.
    """

    prefix: str
    scoring: str
    ended: int
    won: int
    best_score: int | None
    fewest_ply: int | None
    best_ms: int | None
    streak: int
    longest_streak: int


def record(conn: Connection, game: Game) -> None:
    """Keeps a game's result; registered as a listener for its end.

    A game of no entries is none: a deal was looked at. Nor does one count in which others had a hand.
    """
    if game.ply == 0 or game.shared:
        return
    assert game.ended_at is not None
    store.add(
        conn,
        {
            "game_id": game.id,
            "player_id": game.player_id,
            "prefix": game.patience.prefix,
            "rules_version": game.rules_version,
            "scoring": game.scoring,
            "scoring_version": game.scoring_version,
            "deal": game.code,
            "sealed": game.sealed,
            "opening": is_opening(game.patience, game.start),
            "clean": game.clean,
            "assisted": game.assisted,
            "won": game.status == "won",
            "score": game.score,
            "ply": game.ply,
            "ranked_ms": game.ranked_ms,
            "ended_at": game.ended_at,
        },
    )


def is_opening(patience: Patience, start: Position) -> bool:
    """Whether a start is as the patience is dealt: nothing is cleared, turned up or gone through yet."""
    opening = patience.start(patience.deck(), 0)
    return _shape(start) == _shape(opening) and patience.facts(start) == patience.facts(opening)


def leaderboard(
    conn: Connection,
    patience: Patience,
    scoring: str,
    *,
    now: int,
    deals: Deals = "sealed",
    clean: bool = False,
    period: Period = "all",
    deal: str | None = None,
    version: int | None = None,
    each_player_once: bool = False,
    page: int = 1,
    limit: int = PAGE,
) -> Leaderboard:
    """One page of won games, the best first; ties go by ranked time, then to who was first.

    Where a scoring tells how far a game came, games that were given up stand there too.

    ``deal`` (a canonical code) narrows it to one deal, ``clean`` to games without undo and hint; ``version``
    is the scoring's, the present one if None.
    """
    version = version or VERSIONS[scoring]
    equal: dict[str, object] = {
        "prefix": patience.prefix,
        "rules_version": patience.rules_version,
        "scoring": scoring,
        "scoring_version": version,
        "assisted": deals == "assisted",
    }
    equal |= {} if deals == "assisted" else {"sealed": deals == "sealed"}
    equal |= {"clean": True} if clean else {}
    equal |= {"opening": True} if deal is None else {"deal": deal}
    since = period_start(period, now)
    offset = (page - 1) * limit
    rows = store.best(
        conn,
        equal,
        since=since,
        won_only=scoring not in RESULTS,
        lowest_first=scoring in LOWEST_FIRST,
        each_player_once=each_player_once,
        limit=limit + 1,
        offset=offset,
    )
    places = tuple(_place(rank, row) for rank, row in enumerate(rows[:limit], offset + 1))
    more = len(rows) > limit
    return Leaderboard(places, more, since, page, patience.prefix, scoring, version, deals)


def period_start(period: Period, now: int) -> int | None:
    """When a period began: the server's day, week (from Monday) or month, in UTC; None for all time."""
    if period == "all":
        return None
    day = datetime.fromtimestamp(now / 1000, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if period == "week":
        day -= timedelta(days=day.weekday())
    elif period == "month":
        day = day.replace(day=1)
    return int(day.timestamp()) * 1000


def statistics(conn: Connection, player_id: str) -> tuple[Statistics, ...]:
    """A player's statistics, by patience and scoring. A game given up ends a streak of wins."""
    kinds: dict[tuple[str, str], list[Row[Any]]] = {}
    for row in store.of_player(conn, player_id):
        kinds.setdefault((row.prefix, row.scoring), []).append(row)
    return tuple(_statistics(prefix, scoring, rows) for (prefix, scoring), rows in sorted(kinds.items()))


def _statistics(prefix: str, scoring: str, rows: list[Row[Any]]) -> Statistics:
    won = [row for row in rows if row.won]
    streaks = [0, *_streaks(row.won for row in rows)]
    best = min if scoring in LOWEST_FIRST else max
    scores = [row.score for row in (rows if scoring in RESULTS else won)]
    return Statistics(
        prefix=prefix,
        scoring=scoring,
        ended=len(rows),
        won=len(won),
        best_score=best(scores, default=None),
        fewest_ply=min((row.ply for row in won), default=None),
        best_ms=min((row.ranked_ms for row in won), default=None),
        streak=streaks[-1],
        longest_streak=max(streaks),
    )


def _streaks(won: Iterable[bool]) -> Iterator[int]:
    """The wins in a row after each game."""
    streak = 0
    for one in won:
        streak = streak + 1 if one else 0
        yield streak


def _place(rank: int, row: Row[Any]) -> Place:
    return Place(
        rank=rank,
        game_id=row.game_id,
        player_id=row.player_id,
        name=row.name,
        deal=row.deal,
        score=row.score,
        ply=row.ply,
        ranked_ms=row.ranked_ms,
        ended_at=row.ended_at,
        clean=row.clean,
    )


def _shape(position: Position) -> list[tuple[int, int]]:
    return [(len(pile), pile.face_down) for pile in position.piles]
