"""The JSON API of arenas, under /api/v1 (docs/arenas.md). Their events are in ``app.web.arena_live``."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from app.arenas import errors
from app.arenas.documents import arena_document, own_document
from app.arenas.service import Arenas, Wishes
from app.arenas.steward import Look, look_document
from app.db import Database
from app.games.errors import BadScoring
from app.patience.errors import BadParams, UnknownPatience
from app.players import service as players
from app.races.documents import Document
from app.web import arena_schemas as schemas
from app.web import deps, race_api
from app.web.api import answered, may_say, may_take, read
from app.web.errors import Problem
from app.web.limits import limit
from app.web.race_schemas import Nothing

router = APIRouter(prefix="/api/v1", tags=["v1"])

Work = Callable[[Arenas, Connection, str], str]
"""Does something for a player; the id of the arena."""

_STATUS = {
    errors.NoArena: 404,
    errors.NotInArena: 403,
    errors.ArenaOver: 409,
    errors.TooManyArenas: 409,
    errors.BadArena: 400,
}


def problem_of(error: Exception) -> Problem:
    """What a refusal is to the one who asked."""
    if isinstance(error, errors.ArenaError):
        return Problem(_STATUS[type(error)], error.code)
    return race_api.problem_of(error)  # the wishes of an arena's races


def document_of(look: Look, now: int) -> Document:
    """An arena as the one who asks may see it."""
    return {**look_document(look, now), "you": own_document(look.mine)}


@router.get("/arenas", response_model=schemas.Arenas)
def arenas(request: Request) -> Response:
    """The arenas that run or will, and those that were held last."""
    found = arenas_of(request)
    with request.app.state.db.read() as conn:
        coming, past = found.open_ones(conn), found.past(conn)
    now = found.now
    return answered(
        {
            "open": [arena_document(arena, now, players) for arena, players in coming],
            "past": [arena_document(arena, now, players) for arena, players in past],
        }
    )


@router.post(
    "/arenas",
    status_code=201,
    response_model=schemas.Arena,
    responses=may_say(400, 401, 409, 429),
    openapi_extra=may_take(schemas.NewArena),
)
async def new_arena(request: Request) -> Response:
    """An arena; who makes it has to join it too, to race in it."""
    body = await read(request, schemas.NewArena) if await request.body() else schemas.NewArena(params={})
    limit(request, "race")
    wishes = Wishes(**body.model_dump())
    return await _change(
        request, lambda arenas, conn, player_id: arenas.create(conn, player_id, wishes).id, status=201
    )


@router.get("/arenas/{arena_id}", response_model=schemas.Arena, responses=may_say(401, 404))
def arena(request: Request, arena_id: str) -> Response:
    """An arena with its table as it is now."""
    player = deps.player_of(request)
    found = arenas_of(request)
    try:
        with request.app.state.db.read() as conn:
            look = found.look(conn, arena_id, player.id if player else None)
    except errors.NoArena as error:
        raise problem_of(error) from None
    return answered(document_of(look, found.now))


_WAYS: dict[str, Any] = {"response_model": schemas.Arena, "openapi_extra": may_take(Nothing)}


@router.post("/arenas/{arena_id}/join", responses=may_say(400, 401, 404, 409), **_WAYS)
async def join(request: Request, arena_id: str) -> Response:
    """Comes in, or back from a pause; again is once."""

    def work(arenas: Arenas, conn: Connection, player_id: str) -> str:
        arenas.join(conn, arena_id, player_id)
        return arena_id

    await _nothing(request)
    return await _change(request, work)


@router.post("/arenas/{arena_id}/leave", responses=may_say(400, 401, 403, 404), **_WAYS)
async def leave(request: Request, arena_id: str) -> Response:
    """Pauses: is not paired any more, until they join again. The race that goes on is not touched by it."""

    def work(arenas: Arenas, conn: Connection, player_id: str) -> str:
        arenas.leave(conn, arena_id, player_id)
        return arena_id

    await _nothing(request)
    return await _change(request, work)


async def _nothing(request: Request) -> None:
    if await request.body():
        await read(request, Nothing)


async def _change(request: Request, work: Work, *, status: int = 200) -> Response:
    """Runs the work in one transaction with finding out who asks; the arena after it. Raises Problem."""
    found, db, sent = arenas_of(request), _db(request), deps.token_of(request)

    def run(conn: Connection) -> Look:
        who = players.authenticate(conn, sent[1], sent[0]) if sent else None
        if who is None:
            raise deps.unauthorized("unauthorized" if sent else "not_signed_in")
        return found.look(conn, work(found, conn, who.player.id), who.player.id)

    try:
        look = await db.submit(run)
    except (errors.ArenaError, BadParams, UnknownPatience, BadScoring) as error:
        raise problem_of(error) from None
    return answered(document_of(look, found.now), status)


def arenas_of(request: Request) -> Arenas:
    """The arenas of the program that was asked."""
    arenas: Arenas = request.app.state.arenas
    return arenas


def _db(request: Request) -> Database:
    db: Database = request.app.state.db
    return db
