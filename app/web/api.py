"""The JSON API, /api/v1 (docs/api.md).

What changes a game is ``async`` and runs in the writer's thread, one transaction with finding out who asks;
what only looks is ``def``. Checked in this order: who asks (401), the form of what was sent (400), whether
there is such a game for that player (404), its ply (409), the rules (422).
"""

import json
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ValidationError
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from app.cards.dealcode import BadDealCode
from app.db import Database
from app.games import errors
from app.games.game import Game, deal_of
from app.games.service import Games, now_ms
from app.i18n import reasons
from app.patience import registry
from app.patience.errors import BadParams, MalformedMove, UnknownPatience
from app.patience.registry import keys
from app.patience.replay import META, REDO, RESTART, UNDO
from app.players import service as players
from app.ranking import service as ranking
from app.web import bank, deps, documents, schemas
from app.web.cookies import device_label
from app.web.documents import Document
from app.web.errors import Problem
from app.web.limits import limit
from app.web.together import lets_watch, movers

T = TypeVar("T")
Work = Callable[[Games, Connection, str], T]
Taken = TypeVar("Taken", bound=schemas.Taken)

REFUSALS = (errors.GameError, MalformedMove, BadDealCode, BadParams, UnknownPatience)

router = APIRouter(prefix="/api/v1", tags=["v1"])


def takes(model: type[BaseModel]) -> dict[str, Any]:
    """For /openapi.json: the body is read here, after it is known who asks, and not by FastAPI."""
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": model.model_json_schema()}},
        }
    }


def may_take(model: type[BaseModel]) -> dict[str, Any]:
    """For /openapi.json: a body that may be left out."""
    return {"requestBody": takes(model)["requestBody"] | {"required": False}}


def may_say(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For /openapi.json: the statuses of the problems that a call answers with."""
    return {status: {"description": "A problem document."} for status in statuses}


_ENTRY: dict[str, Any] = {
    "response_model": schemas.Game,
    "responses": may_say(400, 401, 403, 404, 409, 422),
}


def answered(document: Document, status: int = 200) -> Response:
    """A document as JSON."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Response(text, status, media_type="application/json")


# ---- guests and patiences


@router.post("/guests", status_code=201, response_model=schemas.Guest, responses=may_say(400, 429))
async def new_guest(request: Request) -> Response:
    """A new guest, and the token that speaks for it. Nothing need be sent."""
    if await request.body():
        await read(request, schemas.NewGuest)
    limit(request, "guest")
    db: Database = request.app.state.db
    guest, token = await db.submit(players.new_guest, device_label(request), kind="bearer")
    return answered({"player": guest.id, "token": token}, 201)


@router.get("/patiences", response_model=schemas.Patiences)
async def patiences() -> Response:
    """What can be played, and with which parameters (the default first)."""
    kinds = [(registry.kind(key), registry.get(key)) for key in keys()]
    return answered(
        {
            "patiences": [
                {"key": kind.key, "params": dict(kind.choices), "scorings": one.scorings, "cards": one.cards}
                for kind, one in kinds
            ]
        }
    )


# ---- games


@router.post(
    "/games",
    status_code=201,
    response_model=schemas.Game,
    openapi_extra=takes(schemas.NewGame),
    responses=may_say(400, 401, 422, 429, 503),
)
async def new_game(request: Request) -> Response:
    """A game on a fresh sealed deal, or on the deal of a code."""
    body = await read(request, schemas.NewGame)
    if body.winnable and body.deal is not None:
        raise Problem(400, "invalid_request", extra={"fields": ["deal", "winnable"]})

    def work(games: Games, conn: Connection, player_id: str) -> Game:
        return games.create(
            conn,
            player_id,
            patience=body.patience,
            params=body.params,
            scoring=body.scoring,
            deal=body.deal,
            winnable=body.winnable,
            watchable=lets_watch(players.player(conn, player_id)),
        )

    if body.winnable:
        game = await run_in_threadpool(_dealt_from_bank, request, body, work)
    else:
        game = await _change(request, work)
    return answered(documents.game_document(game), 201)


def _dealt_from_bank(request: Request, body: schemas.NewGame, work: Work[Game]) -> Game:
    """What ``work`` makes of a deal of the bank. Raises Problem."""
    deps.require_player(request)

    def create() -> Game:
        db: Database = request.app.state.db
        with db.write() as conn:
            return _as_player(request, work)(conn)

    try:
        return bank.begin(request, registry.get(body.patience or "", body.params), create)
    except REFUSALS as error:
        raise _refusal(error) from None


@router.get("/games", response_model=schemas.Games, responses=may_say(401))
def unfinished_games(request: Request) -> Response:
    """The player's games that have not ended, the one played last first; at most a hundred."""
    found = _look(request, lambda games, conn, player_id: games.unfinished(conn, player_id, 100))
    return answered({"games": [documents.game_head(game) for game in found]})


@router.get("/games/{game_id}", response_model=schemas.Game, responses=may_say(401, 404))
def game(request: Request, game_id: str) -> Response:
    """A game as it is now."""
    found = _look(request, lambda games, conn, player_id: games.see(conn, game_id, player_id))
    return answered(documents.game_document(found.game, found.role))


@router.post("/games/{game_id}/moves", openapi_extra=takes(schemas.Move), **_ENTRY)
async def move(request: Request, game_id: str) -> Response:
    """Plays a move. The same move at the same ply again is answered, and not played again."""
    body = await read(request, schemas.Move)
    if body.move in META:  # they have addresses of their own
        raise Problem(400, "malformed_move")
    return await _act(request, game_id, body.ply, body.move)


@router.post("/games/{game_id}/undo", openapi_extra=takes(schemas.AtPly), **_ENTRY)
async def undo(request: Request, game_id: str) -> Response:
    """Takes back the last step in force."""
    return await _act(request, game_id, (await read(request, schemas.AtPly)).ply, UNDO)


@router.post("/games/{game_id}/redo", openapi_extra=takes(schemas.AtPly), **_ENTRY)
async def redo(request: Request, game_id: str) -> Response:
    """Puts the step on again that was undone last."""
    return await _act(request, game_id, (await read(request, schemas.AtPly)).ply, REDO)


@router.post("/games/{game_id}/restart", openapi_extra=takes(schemas.AtPly), **_ENTRY)
async def restart(request: Request, game_id: str) -> Response:
    """Puts the cards back to the opening; a step that can be undone."""
    return await _act(request, game_id, (await read(request, schemas.AtPly)).ply, RESTART)


@router.post("/games/{game_id}/give-up", openapi_extra=takes(schemas.AtPly), **_ENTRY)
async def give_up(request: Request, game_id: str) -> Response:
    """Ends the game unwon. Its deal is told from then on."""
    body = await read(request, schemas.AtPly)
    ended = await _change(
        request, lambda games, conn, player_id: games.give_up(conn, game_id, player_id, body.ply)
    )
    return answered(documents.game_document(ended))


@router.get("/games/{game_id}/log", response_model=schemas.Log, responses=may_say(401, 404))
def log(request: Request, game_id: str) -> Response:
    """All entries, whole."""

    def work(games: Games, conn: Connection, player_id: str) -> list[Document]:
        entries = games.log(conn, game_id, player_id)
        found = games.see(conn, game_id, player_id).game
        return documents.log_entries(entries, movers(request, conn, found, entries))

    return answered({"entries": _look(request, work)})


@router.get("/games/{game_id}/hint", response_model=schemas.Hint, responses=may_say(401, 403, 404, 422))
def hint(request: Request, game_id: str) -> Response:
    """A move to consider. A hint given is counted, once for each ply; such a game is not clean."""
    games: Games = request.app.state.games
    try:
        _, given = games.hint(game_id, deps.require_player(request).id)
    except errors.GameError as error:
        raise _refusal(error) from None
    return answered(
        {
            "move": given.move,
            "reason": given.reason,
            "rests_on": given.rests_on,
            "used_hidden": given.used_hidden,
        }
    )


@router.get("/games/{game_id}/replay", response_model=schemas.Replay, responses=may_say(401, 404))
def replay(request: Request, game_id: str) -> Response:
    """A game from its opening on: for anyone once it has ended, before that for its player."""
    player = deps.current_player(request)
    games: Games = request.app.state.games
    try:
        with request.app.state.db.read() as conn:
            found = games.replay(conn, game_id, player.id if player else None)
            names = movers(request, conn, found.game, found.entries)
    except errors.NotFound:
        raise Problem(404, "not_found") from None
    return answered(documents.replay_document(found, names))


# ---- ranking


@router.get("/leaderboards/{table}", response_model=schemas.Leaderboard, responses=may_say(400, 404))
def leaderboard(
    request: Request, table: str, asked: Annotated[schemas.LeaderboardQuery, Query()]
) -> Response:
    """Won games of a table (prefix of deal codes), best first; ties go by ranked time, then to the first."""
    if len(request.query_params) != len(request.query_params.multi_items()):
        raise Problem(400, "invalid_request")
    try:
        patience = registry.by_prefix(table)
        deal = deal_of(asked.deal) if asked.deal is not None else None
    except UnknownPatience:
        raise Problem(404, "not_found") from None
    except BadDealCode as error:
        raise _bad_deal(error) from None
    scoring = asked.scoring or patience.scorings[0]
    if scoring not in patience.scorings:
        raise Problem(400, "bad_scoring")
    if deal is not None and deal.patience.prefix != patience.prefix:
        raise Problem(422, "deal_mismatch")
    with request.app.state.db.read() as conn:
        found = ranking.leaderboard(
            conn,
            patience,
            scoring,
            now=now_ms(),
            deals=asked.deals or ("open" if deal else "sealed"),
            clean=asked.clean == "true",
            period=asked.period,
            deal=deal.code if deal else None,
            version=asked.scoring_version,
            each_player_once=asked.each == "player",
            page=asked.page,
            limit=asked.limit,
        )
    return answered(documents.leaderboard(found))


@router.get("/statistics", response_model=schemas.Statistics, responses=may_say(401))
def statistics(request: Request) -> Response:
    """The player's own ended games, by table and scoring."""
    player = deps.require_player(request)
    with request.app.state.db.read() as conn:
        found = ranking.statistics(conn, player.id)
    return answered({"statistics": [documents.tally(one) for one in found]})


# ---- who asks, what was sent, and the one transaction


async def _act(request: Request, game_id: str, ply: int, text: str) -> Response:
    def work(games: Games, conn: Connection, player_id: str) -> Document:
        game = games.act(conn, game_id, player_id, ply, text).game
        return documents.game_document(game, "owner" if game.player_id == player_id else "play")

    return answered(await _change(request, work))


async def _change(request: Request, work: Work[T]) -> T:
    """Runs ``work(games, connection, player id)`` in one transaction with finding out who asks."""
    db: Database = request.app.state.db
    try:
        return await db.submit(_as_player(request, work))
    except REFUSALS as error:
        raise _refusal(error) from None


def _as_player(request: Request, work: Work[T]) -> Callable[[Connection], T]:
    """``work``, once it is known who asks. Raises Problem 401."""
    games: Games = request.app.state.games
    sent = deps.token_of(request)

    def run(conn: Connection) -> T:
        who = players.authenticate(conn, sent[1], sent[0], to_write=True) if sent else None
        if who is None:
            raise deps.unauthorized("unauthorized" if sent else "not_signed_in")
        return work(games, conn, who.player.id)

    return run


def _look(request: Request, work: Callable[[Games, Connection, str], T]) -> T:
    """Runs ``work(games, connection, player id)`` on what the one who asks may see."""
    player = deps.require_player(request)
    try:
        with request.app.state.db.read() as conn:
            return work(request.app.state.games, conn, player.id)
    except errors.NotFound as error:
        raise _refusal(error) from None


async def read(request: Request, model: type[Taken]) -> Taken:
    """The body as a model. Who asks is looked at first: strangers are told nothing of what they sent."""
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        if model is not schemas.NewGuest:
            await run_in_threadpool(deps.require_player, request)
        raise _invalid(error, model) from None


def _invalid(error: ValidationError, model: type[BaseModel]) -> Problem:
    """What is wrong with a body, in names that are ours."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    if found[0]["type"] == "json_invalid":
        return Problem(400, "bad_json")
    fields = sorted({str(one["loc"][0]) for one in found if one["loc"]} & set(model.model_fields))
    malformed = fields == ["move"] and found[0]["type"].startswith("string_")
    return Problem(400, "malformed_move" if malformed else "invalid_request", extra={"fields": fields})


def _refusal(error: Exception) -> Problem:
    match error:
        case errors.NotFound():
            return Problem(404, "not_found")
        case MalformedMove():
            return Problem(400, "malformed_move")
        case BadDealCode():
            return _bad_deal(error)
        case BadParams():
            return Problem(400, "bad_params", extra={"fields": ["params"]})
        case UnknownPatience():
            return Problem(400, "unknown_patience", extra={"fields": ["patience"]})
        case errors.BadScoring():
            return Problem(400, "bad_scoring", extra={"fields": ["scoring"]})
        case errors.StalePly():
            return Problem(409, "stale_ply", extra={"game": documents.game_document(error.game)})
        case errors.WatchingOnly() | errors.NotOwner():
            return Problem(403, error.code)
        case errors.IllegalMove():
            words = reasons.refusal(error.reason, error.facts)
            return Problem(422, "illegal_move", words, extra={"reason": error.reason, "facts": error.facts})
        case errors.GameError():
            return Problem(422, error.code)
    raise error


def _bad_deal(error: BadDealCode) -> Problem:
    return Problem(400, "bad_deal_code", reasons.bad_deal(error.reason), extra={"reason": error.reason})
