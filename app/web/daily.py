"""The daily deals: today's with their attempts and the time that is left, and the days past."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.games import store as games_store
from app.games.game import Game
from app.races.daily import Attempt, Daily, DailyDeals, Streak, end_of
from app.web import deps, documents
from app.web import race_schemas as schemas
from app.web.api import answered, may_say
from app.web.errors import Problem
from app.web.schemas import Game as GameSchema
from app.web.templating import page

router = APIRouter(include_in_schema=False)
api = APIRouter(prefix="/api/v1", tags=["v1"])

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Shown:
    """A day's deal with its tables, and the attempt of the one who looks."""

    daily: Daily
    ranked: list[Attempt]
    guests: list[Attempt]
    mine: Game | None


@router.get("/daily")
def daily(request: Request, day: str = "") -> Response:
    """A day: today, or one past. Raises Problem 400, 404."""
    days = _daily(request)
    chosen = _day(day, days.today)
    player = deps.player_of(request)
    found, calendar, streak = _look(request, chosen, player.id if player else None)
    if not found and chosen != days.today:
        raise Problem(404, "not_found")
    return page(
        request,
        "races/daily.html",
        day=chosen,
        midnight=end_of(chosen) - 1,
        today=chosen == days.today,
        deals=found,
        calendar=[one for one in calendar if one != chosen],
        streak=streak,
        account=player is not None and player.is_account,
        now=days.now,
        until=days.next_day(),
        at_noon=_noon,
    )


@router.post("/daily/{table}")
def attempt(request: Request, table: str) -> Response:
    """The one attempt at today's deal: begins it, or goes on with it."""
    with deps.acting(request) as (conn, player):
        game = _daily(request).attempt(conn, player.id, table, ranked=player.is_account)
        if game is None:
            raise Problem(404, "not_found")
    return RedirectResponse(f"/g/{game.id}", 303)


@api.get("/daily", response_model=schemas.Day, responses=may_say(400, 401, 404))
def daily_document(request: Request, day: str = "") -> Response:
    """A day's deals as JSON: ``deal`` and ``salt`` are null until the day is over."""
    days = _daily(request)
    player = deps.player_of(request)
    chosen = _day(day, days.today)
    found, _, _ = _look(request, chosen, player.id if player else None)
    document = {
        "day": str(chosen),
        "now": days.now,
        "ends_at": end_of(chosen),
        "deals": [
            {
                "table": one.daily.patience.prefix,
                "patience": one.daily.patience.key,
                "params": dict(one.daily.patience.params),
                "commitment": one.daily.commitment,
                "deal": one.daily.deal,
                "salt": one.daily.salt,
                "proven": one.daily.proven,
                "game": one.mine.id if one.mine else None,
                "rows": [_row(attempt) for attempt in one.ranked],
                "guests": [_row(attempt) for attempt in one.guests],
            }
            for one in found
        ],
    }
    return answered(document)


@api.post("/daily/{table}", response_model=GameSchema, responses=may_say(401, 404))
def attempt_document(request: Request, table: str) -> Response:
    """The one attempt at today's deal, as a game."""
    player = deps.require_player(request)
    with request.app.state.db.write() as conn:
        game = _daily(request).attempt(conn, player.id, table, ranked=player.is_account)
    if game is None:
        raise Problem(404, "not_found")
    return answered(documents.game_document(game))


def _look(
    request: Request, chosen: date, player_id: str | None
) -> tuple[list[Shown], list[date], Streak | None]:
    days = _daily(request)
    with request.app.state.db.read() as conn:
        found = []
        for one in days.of_day(conn, chosen):
            prefix = one.patience.prefix
            game_id = days.game_of(conn, player_id, chosen, prefix) if player_id else None
            found.append(
                Shown(
                    one,
                    days.table(conn, chosen, prefix, ranked=True),
                    days.table(conn, chosen, prefix, ranked=False),
                    games_store.find_any(conn, game_id) if game_id else None,
                )
            )
        streak = days.streak(conn, player_id) if player_id else None
        return found, days.days(conn), streak


def _day(text: str, today: date) -> date:
    """A day as typed; none to come."""
    if not text:
        return today
    try:
        day = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None or not 2020 <= day.year <= 2999:
        raise Problem(400, "invalid_request")
    if day > today:
        raise Problem(404, "not_found")
    return day


def _noon(day: date) -> int:
    """A time on that day, for the formats that write a day from a time."""
    return end_of(day) - 43_200_000


def _row(attempt: Attempt) -> dict[str, Any]:
    return {
        "player": attempt.name,
        "status": attempt.status,
        "score": attempt.score,
        "ply": attempt.ply,
        "ranked_ms": attempt.ranked_ms,
    }


def _daily(request: Request) -> DailyDeals:
    days: DailyDeals = request.app.state.daily
    return days
