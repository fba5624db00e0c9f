"""The JSON API of races, under /api/v1 (docs/races.md). Their events are in ``app.web.live``."""

from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from app.db import Database
from app.games.errors import BadScoring
from app.patience.errors import BadParams, UnknownPatience
from app.players import service as players
from app.races import errors
from app.races.documents import race_document
from app.races.race import Race, Wishes
from app.races.service import Races
from app.web import deps
from app.web import race_schemas as schemas
from app.web.api import answered, may_say, may_take, read, takes
from app.web.errors import Problem
from app.web.limits import limit
from app.web.schemas import Taken

router = APIRouter(prefix="/api/v1", tags=["v1"])

Body = TypeVar("Body", bound=Taken)

_STATUS = {
    errors.NoRace: 404,
    errors.NotInRace: 403,
    errors.NotHost: 403,
    errors.RaceFull: 409,
    errors.RaceStarted: 409,
    errors.RaceOver: 409,
    errors.NotEnoughReady: 409,
    errors.NotYet: 409,
    errors.TooManyRaces: 409,
    errors.BadRace: 400,
}


def problem_of(error: Exception) -> Problem:
    """What a refusal is to the one who asked."""
    match error:
        case errors.RaceError():
            return Problem(_STATUS[type(error)], error.code)
        case BadParams():
            return Problem(400, "bad_params")
        case UnknownPatience():
            return Problem(400, "unknown_patience")
        case BadScoring():
            return Problem(400, "bad_scoring")
    raise error


def _ways(*statuses: int) -> dict[str, Any]:
    return {"response_model": schemas.Race, "responses": may_say(*statuses)}


@router.post("/races", status_code=201, openapi_extra=may_take(schemas.NewRace), **_ways(400, 401, 409, 429))
async def new_race(request: Request) -> Response:
    """A race on a fresh sealed deal; who makes it sits in it, and hosts it."""
    body = await _read(request, schemas.NewRace)
    limit(request, "race")
    wishes = Wishes(**body.model_dump())
    return await _change(
        request, lambda races, conn, player_id: races.create(conn, player_id, wishes), status=201
    )


@router.get("/races", response_model=schemas.Races)
def lobby(request: Request) -> Response:
    """The races of the lobby that wait for players, the newest first; at most fifty."""
    races = _races(request)
    player = deps.player_of(request)
    with request.app.state.db.read() as conn:
        found = races.lobby(conn)
    player_id = player.id if player else None
    return answered({"races": [race_document(race, races.now, player_id) for race in found]})


@router.post("/races/join", openapi_extra=takes(schemas.JoinCode), **_ways(400, 401, 404, 409, 429))
async def join_by_code(request: Request) -> Response:
    """Takes a seat in the race of a code."""
    body = await read(request, schemas.JoinCode)
    limit(request, "join-code")
    return await _change(
        request,
        lambda races, conn, player_id: races.join(conn, races.by_code(conn, body.join_code), player_id),
    )


@router.get("/races/{race_id}", **_ways(401, 404))
def race(request: Request, race_id: str) -> Response:
    """A race as it is now."""
    races = _races(request)
    player = deps.player_of(request)
    try:
        found = races.look(race_id)
    except errors.NoRace as error:
        raise problem_of(error) from None
    return answered(race_document(found, races.now, player.id if player else None))


@router.post("/races/{race_id}/join", openapi_extra=may_take(schemas.Nothing), **_ways(400, 401, 404, 409))
async def join(request: Request, race_id: str) -> Response:
    """Takes a seat; who has one keeps it, and is back from having left."""
    await _read(request, schemas.Nothing)
    return await _change(request, lambda races, conn, player_id: races.join(conn, race_id, player_id))


@router.post(
    "/races/{race_id}/ready", openapi_extra=may_take(schemas.Readiness), **_ways(400, 401, 403, 404, 409)
)
async def ready(request: Request, race_id: str) -> Response:
    """Ready, or not. When two or more sit there and all are ready, the count-down begins."""
    body = await _read(request, schemas.Readiness)
    return await _change(
        request, lambda races, conn, player_id: races.ready(conn, race_id, player_id, ready=body.ready)
    )


@router.post("/races/{race_id}/start", openapi_extra=may_take(schemas.Nothing), **_ways(401, 403, 404, 409))
async def start(request: Request, race_id: str) -> Response:
    """The host starts without those who are not ready."""
    await _read(request, schemas.Nothing)
    return await _change(request, lambda races, conn, player_id: races.start(conn, race_id, player_id))


@router.post("/races/{race_id}/leave", openapi_extra=may_take(schemas.Nothing), **_ways(401, 403, 404))
async def leave(request: Request, race_id: str) -> Response:
    """Leaves. While the race runs the seat stays: join again to come back."""
    await _read(request, schemas.Nothing)
    return await _change(request, lambda races, conn, player_id: races.leave(conn, race_id, player_id))


@router.post("/races/{race_id}/go-on", openapi_extra=may_take(schemas.Nothing), **_ways(401, 403, 404, 409))
async def go_on(request: Request, race_id: str) -> Response:
    """Says that nobody need be waited for who is gone."""
    await _read(request, schemas.Nothing)
    return await _change(request, lambda races, conn, player_id: races.go_on(conn, race_id, player_id))


@router.post(
    "/races/{race_id}/rematch",
    openapi_extra=may_take(schemas.Nothing),
    **_ways(401, 403, 404, 409, 429),
)
async def rematch(request: Request, race_id: str) -> Response:
    """The race that follows this one; made by the first who asks."""
    await _read(request, schemas.Nothing)
    limit(request, "race")
    return await _change(request, lambda races, conn, player_id: races.rematch(conn, race_id, player_id))


# ---- who asks, what was sent, and the one transaction


async def change(request: Request, work: Callable[[Races, Connection, str], Race]) -> tuple[Race, str]:
    """Runs ``work(races, connection, player id)`` in one transaction with finding out who asks.

    The race after it, with what has become due done to it, and the player. Raises Problem.
    """
    races, db = _races(request), _db(request)
    sent = deps.token_of(request)

    def run(conn: Connection) -> tuple[Race, str]:
        who = players.authenticate(conn, sent[1], sent[0], to_write=True) if sent else None
        if who is None:
            raise deps.unauthorized("unauthorized" if sent else "not_signed_in")
        return work(races, conn, who.player.id), who.player.id

    try:
        race, player_id = await db.submit(run)
    except (errors.RaceError, BadParams, UnknownPatience, BadScoring) as error:
        raise problem_of(error) from None
    if race.is_due(races.now):  # this was the last thing that it waited for
        race = await run_in_threadpool(races.settle, race.id)
    return race, player_id


async def _change(
    request: Request, work: Callable[[Races, Connection, str], Race], *, status: int = 200
) -> Response:
    found, player_id = await change(request, work)
    return answered(race_document(found, _races(request).now, player_id), status)


async def _read(request: Request, model: type[Body]) -> Body:
    """The body, of which nothing need be said. Strangers are told nothing of what they sent."""
    return await read(request, model) if await request.body() else model()


def _races(request: Request) -> Races:
    races: Races = request.app.state.races
    return races


def _db(request: Request) -> Database:
    db: Database = request.app.state.db
    return db
