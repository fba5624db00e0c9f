"""The JSON API of company, under /api/v1 (docs/together.md). The events are in ``app.web.company_live``."""

from collections.abc import Callable
from typing import Literal, TypeVar

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from app.company import errors
from app.company.people import Watched
from app.company.service import Companies
from app.db import Database
from app.games.errors import NotFound
from app.games.game import Game
from app.games.service import Games, Seen
from app.players import service as players
from app.races.documents import race_document
from app.races.service import Races
from app.web import company_schemas as schemas
from app.web import deps, documents
from app.web.api import answered, may_say, read, takes
from app.web.documents import Document
from app.web.errors import Problem
from app.web.limits import limit
from app.web.race_schemas import Nothing
from app.web.schemas import Game as GameSchema
from app.web.watch import MOST

router = APIRouter(prefix="/api/v1", tags=["v1"])

T = TypeVar("T")

_STATUS = {
    errors.NoInvitation: 404,
    errors.NotShareable: 422,
    errors.HasEnded: 422,
    errors.TableFull: 409,
}


@router.get("/games/{game_id}/company", response_model=schemas.Company, responses=may_say(401, 404))
def company(request: Request, game_id: str) -> Response:
    """Who is or was at a game, and who has a page of it open."""
    player, games = deps.require_player(request), _games(request)
    try:
        with _db(request).read() as conn:
            seen = games.see(conn, game_id, player.id)
            return answered(_document(request, conn, seen, player.id))
    except NotFound:
        raise Problem(404, "not_found") from None


@router.post(
    "/games/{game_id}/links",
    status_code=201,
    response_model=schemas.Link,
    openapi_extra=takes(schemas.NewLink),
    responses=may_say(400, 401, 403, 404, 422, 429),
)
async def new_link(request: Request, game_id: str) -> Response:
    """A link to play along or to watch. Asked again, it is the same until it is withdrawn."""
    body = await read(request, schemas.NewLink)
    limit(request, "invite")
    token = await _change(request, lambda c, conn, player_id: c.link(conn, game_id, player_id, body.role))
    url = f"{deps.origin_of(request)}/t/{token}"
    return answered({"role": body.role, "token": token, "url": url}, 201)


@router.delete(
    "/games/{game_id}/links/{role}",
    response_model=schemas.Company,
    responses=may_say(400, 401, 403, 404),
)
async def withdraw(request: Request, game_id: str, role: Literal["play", "watch"]) -> Response:
    """Takes a link back. Those who came by it are there no more."""
    return await _change_company(
        request, game_id, lambda c, conn, player_id: c.withdraw(conn, game_id, player_id, role)
    )


@router.post(
    "/games/{game_id}/watchable",
    response_model=schemas.Company,
    openapi_extra=takes(schemas.Watchable),
    responses=may_say(400, 401, 403, 404, 422),
)
async def watchable(request: Request, game_id: str) -> Response:
    """Lets anybody watch, and lists the game; or nobody but those who came by a link."""
    body = await read(request, schemas.Watchable)
    return await _change_company(
        request,
        game_id,
        lambda c, conn, player_id: c.let_watch(conn, game_id, player_id, anybody=body.watchable),
    )


@router.post(
    "/games/join",
    response_model=GameSchema,
    openapi_extra=takes(schemas.Coming),
    responses=may_say(400, 401, 404, 409, 429),
)
async def join(request: Request) -> Response:
    """Comes to a game by the token of a link. Again is once; to play is more than to watch."""
    body = await read(request, schemas.Coming)
    limit(request, "join-code")

    def work(companies: Companies, conn: Connection, player_id: str) -> Document:
        game = companies.join(conn, body.token, player_id)
        seen = _games(request).see(conn, game.id, player_id)
        return documents.game_document(seen.game, seen.role)

    return answered(await _change(request, work))


@router.post(
    "/games/{game_id}/leave",
    status_code=204,
    openapi_extra={"requestBody": takes(Nothing)["requestBody"] | {"required": False}},
    responses=may_say(400, 401, 404),
)
async def leave(request: Request, game_id: str) -> Response:
    """Goes from the game of another. The link leads back."""
    if await request.body():
        await read(request, Nothing)
    await _change(request, lambda c, conn, player_id: c.leave(conn, game_id, player_id))
    return Response(status_code=204)


@router.get("/watch", response_model=schemas.Watch)
def watch(request: Request) -> Response:
    """What can be watched now: listed races that run, and games that anybody may watch."""
    races: Races = request.app.state.races
    with _db(request).read() as conn:
        running = races.under_way(conn, MOST)
        games = _companies(request).watchable(conn, MOST)
    return answered(
        {
            "races": [race_document(race, races.now) for race in running],
            "games": [_watched(one) for one in games],
        }
    )


# ---- documents


def _document(request: Request, conn: Connection, seen: Seen, player_id: str) -> Document:
    companies, game = _companies(request), seen.game
    found = companies.of(conn, game)
    links = list(companies.links(conn, game.id, player_id)) if seen.role == "owner" else None
    return {
        "game": game.id,
        "you": seen.role,
        "shared": game.shared,
        "watchable": game.watchable,
        "links": links,
        "people": [
            {
                "number": one.number,
                "player": one.player_id,
                "name": one.name,
                "role": one.role,
                "here": one.player_id in found.here.players,
            }
            for one in found.people
        ],
        "watching": found.here.watching,
    }


def _watched(one: Watched) -> Document:
    game: Game = one.game
    return {
        "game": game.id,
        "patience": game.patience.key,
        "params": dict(game.params),
        "name": one.name,
        "status": game.status,
        "scoring": game.scoring,
        "ply": game.ply,
        "score": game.score,
        "progress": game.patience.progress(game.position),
        "watching": one.watching,
        "created_at": game.created_at,
        "last_at": game.last_at,
    }


# ---- who asks, and the one transaction


async def _change(request: Request, work: Callable[[Companies, Connection, str], T]) -> T:
    """Runs ``work(companies, connection, player id)`` in one transaction with finding out who asks."""
    companies, sent = _companies(request), deps.token_of(request)

    def run(conn: Connection) -> T:
        who = players.authenticate(conn, sent[1], sent[0]) if sent else None
        if who is None:
            raise deps.unauthorized("unauthorized" if sent else "not_signed_in")
        return work(companies, conn, who.player.id)

    try:
        return await _db(request).submit(run)
    except NotFound:
        raise Problem(404, "not_found") from None
    except errors.CompanyError as error:
        raise Problem(_STATUS[type(error)], error.code) from None


async def _change_company(
    request: Request, game_id: str, work: Callable[[Companies, Connection, str], None]
) -> Response:
    """The same, answered with the company after it."""

    def run(companies: Companies, conn: Connection, player_id: str) -> Document:
        work(companies, conn, player_id)
        return _document(request, conn, _games(request).see(conn, game_id, player_id), player_id)

    return answered(await _change(request, run))


def _games(request: Request) -> Games:
    games: Games = request.app.state.games
    return games


def _companies(request: Request) -> Companies:
    companies: Companies = request.app.state.companies
    return companies


def _db(request: Request) -> Database:
    db: Database = request.app.state.db
    return db
