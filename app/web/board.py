"""The board: a game's page, and the fragments that a move, a hint or giving up is answered with.

A form is answered with 303 for those who play without scripts, and with fragments for htmx: the status,
and the piles that changed. Refusals are fragments too (409 with the whole board, 422 with the reason).
Every word in them is ours: nothing that was sent comes back.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Concatenate, ParamSpec, TypeVar
from urllib.parse import parse_qsl

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from jinja2 import Environment
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.analysis.service import Analysis
from app.db import Database
from app.games import errors
from app.games.game import TIME_UP, Game, Role
from app.games.service import Games
from app.i18n import reasons
from app.patience.errors import MalformedMove
from app.patience.scoring import RESULTS
from app.patience.view import PileView, view
from app.players import service as players
from app.players.players import Player
from app.races.service import Races
from app.solver.api import has_solver
from app.web import deps, races, render, together, words
from app.web.errors import Problem
from app.web.presentation import Look, look_of
from app.web.templating import page

router = APIRouter(include_in_schema=False)

P = ParamSpec("P")
T = TypeVar("T")

_PLY = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Status:
    """What the board shows beside the piles. ``over``: won, given_up, lost, or ""; ``tone`` is a class.

    ``number``: of the newest change, of a game with company; ``owner``: whether it is shown to its owner.
    ``race``: to which the player of an ended game goes back.
    """

    game: str
    patience: str
    table: str
    scoring: str
    deal: str | None
    ply: int
    score: int
    clock: int
    running: bool
    legal: str
    can_undo: bool
    can_redo: bool
    deals: str = "sealed"  # the leaderboard on which the game stands, or will stand
    over: str = ""
    why: str = ""
    say: str = ""
    tone: str = ""
    lit: str = ""
    hint: str = ""
    poll: str = ""
    collect: tuple[str, ...] = ()  # columns whose complete run may be collected by hand
    can_finish: bool = False
    time_up: bool = False
    figures: tuple[words.Figure, ...] = ()
    won: str = ""
    counts: bool = False  # a game that was not won has a result too
    shared: bool = False
    number: int | None = None
    owner: bool = True
    race: str = ""


def status_of(
    game: Game,
    say: str = "",
    tone: str = "",
    *,
    lit: str = "",
    hint: str = "",
    poll: str = "",
    owner: bool = True,
) -> Status:
    """The status of a game, with a word to its player; ``poll`` is where a better word will be."""
    over = "" if game.status == "playing" else game.status
    legal = game.legal_moves()
    return Status(
        game=game.id,
        patience=game.patience.key,
        table=game.patience.prefix,
        scoring=game.scoring,
        deal=game.deal,
        ply=game.ply,
        score=game.score,
        clock=game.ranked_ms,
        running=game.first_at is not None and not over,
        legal=" ".join(legal),
        can_undo=game.can_undo,
        can_redo=game.can_redo,
        deals="assisted" if game.assisted else "sealed" if game.sealed else "open",
        over=over,
        why=reasons.outcome(game.reason) if over == "lost" and game.reason else "",
        say=say,
        tone=tone,
        lit=lit,
        hint=hint,
        poll=poll,
        collect=tuple([move.removeprefix("collect-") for move in legal if move.startswith("collect-")]),
        can_finish=game.status == "playing"
        and not game.help_off
        and look_of(game.patience).runs > 0
        and has_solver(game.patience.key)
        and not any(pile.face_down for pile in game.position.piles),
        time_up=game.reason == TIME_UP,
        figures=words.figures(game.patience, game.position),
        won=words.won(game.patience) if over == "won" else "",
        counts=game.scoring in RESULTS,
        shared=game.shared,
        number=game.number if game.live else None,
        owner=owner,
    )


# Playing


@router.post("/g/{game_id}/act")
async def act(request: Request, game_id: str) -> Response:
    """Plays an entry: a move, ``undo``, ``redo`` or ``restart``, at the ply for which it was meant."""
    fields = await _fields(request, "ply", "move")
    ply, move = _ply(fields), fields["move"]
    try:
        player, acted = await _write(request, Games.act, game_id, ply, move)
    except errors.Refused as refused:
        return await _refused(request, refused)
    game, before = acted.game, acted.before
    if not _by_htmx(request):
        return _to(game)
    now = view(game.patience, game.position)
    was = None if before is None else view(game.patience, before)
    said = "" if acted.repeated else words.happened(game.patience, move, acted.events, game.position)
    said = f"{said} {words.closing(game.status, game.reason)}".strip()
    piles = render.changed(was, now)
    status = status_of(game, said, "quiet", owner=player.id == game.player_id)
    return _fragments(
        request,
        await run_in_threadpool(_back_to_race, request, game, status) if game.ended else status,
        piles,
        look_of(game.patience),
        render.dress_for(game.patience, player.preferences.dress),
    )


@router.post("/g/{game_id}/give-up")
async def give_up(request: Request, game_id: str) -> Response:
    """Ends the game unwon."""
    ply = _ply(await _fields(request, "ply"))
    try:
        _, game = await _write(request, Games.give_up, game_id, ply)
    except errors.Refused as refused:
        return await _refused(request, refused)
    if not _by_htmx(request):
        return _to(game)
    return _fragments(request, await run_in_threadpool(_back_to_race, request, game, status_of(game)))


@router.post("/g/{game_id}/hint")
async def hint(request: Request, game_id: str) -> Response:
    """Suggests a move, in words and by lighting it up. The ply is not needed: a hint changes nothing."""
    _ply(await _fields(request, "ply"))
    return await run_in_threadpool(_hint, request, game_id)


def _hint(request: Request, game_id: str) -> Response:
    games: Games = request.app.state.games
    player = deps.player_of(request)
    if player is None:
        raise Problem(404, "not_found")
    try:
        game, given = games.hint(game_id, player.id)
    except errors.NotFound:
        raise Problem(404, "not_found") from None
    except errors.Refused as refused:
        return say_no(request, refused)
    said = words.suggestion(game.patience, game.position, given.move, given.reason)
    status = status_of(game, said, hint=given.move or "", owner=player.id == game.player_id)
    return _fragments(request, status) if _by_htmx(request) else _board(request, game, status)


# Looking


@router.get("/g/{game_id}")
def board(request: Request, game_id: str, pick: str = "") -> Response:
    """The whole page. ``pick`` (``4x2``) picks up cards without scripts: their targets become buttons."""
    seen = together.see(request, game_id)
    game = seen.game
    if seen.role == "watch":
        return _watched(request, game)
    owner = seen.role == "owner"
    status = status_of(game, owner=owner)
    if pick and not game.ended and render.picked(pick, status.legal.split()) is None:
        status = status_of(game, words.nowhere(look_of(game.patience)), "bad", owner=owner)
    return _board(request, game, status, pick=pick)


@router.get("/g/{game_id}/now")
def now(request: Request, game_id: str, ply: str = "") -> Response:
    """The board if it has moved on from a ply, for a window that was away; 204 if it has not."""
    seen = together.see(request, game_id)
    game = seen.game
    if ply == str(game.ply) and not game.ended:
        return Response(status_code=204)
    said = tone = ""
    if ply != str(game.ply):
        said, tone = together.moved(together.shown(request, game, seen.role)), "quiet"
        if not said and seen.role != "watch":
            said, tone = reasons.problem("stale_ply"), ""
    status = status_of(game, said, tone, owner=seen.role == "owner")
    return _whole(request, game, status, live=seen.role != "watch")


def _watched(request: Request, game: Game) -> Response:
    """The page of one who looks on: the same cards, and nothing to play them by."""
    dress = render.dress_for(game.patience, deps.preferences_of(request).dress)
    piles = render.table(game.patience, view(game.patience, game.position), dress=dress)
    return page(
        request,
        "board/watch.html",
        game=game,
        piles=piles,
        lay=look_of(game.patience),
        s=status_of(game, owner=False),
        t=together.shown(request, game, "watch"),
    )


def _board(request: Request, game: Game, status: Status, code: int = 200, *, pick: str = "") -> Response:
    dress = render.dress_for(game.patience, deps.preferences_of(request).dress)
    picked = render.picked(pick, game.legal_moves())
    seen = view(game.patience, game.position)
    piles = render.table(game.patience, seen, dress=dress, pick=picked, hint=status.hint)
    role: Role = "owner" if status.owner else "play"
    analysis: Analysis = request.app.state.analysis
    return page(
        request,
        "board/game.html",
        code,
        game=game,
        piles=piles,
        lay=look_of(game.patience),
        s=_back_to_race(request, game, status),
        asks=not game.help_off and analysis.knows(game.patience),
        r=_race(request, game),
        t=together.shown(request, game, role),
        live=True,
        oob="",
    )


def _race(request: Request, game: Game) -> races.Shown | None:
    """The race in which the game is played, if it is one."""
    race = _race_id(request, game)
    return races.shown(request, request.app.state.races.look(race)) if race else None


def _race_id(request: Request, game: Game) -> str:
    """The id of a game's race, or ""; only games on terms are looked for."""
    if game.closes_at is None:
        return ""
    found: Races = request.app.state.races
    with request.app.state.db.read() as conn:
        race = found.race_of(conn, game)
    return race.id if race else ""


def _back_to_race(request: Request, game: Game, status: Status) -> Status:
    """A status with the way back from an ended game to its race."""
    return replace(status, race=_race_id(request, game)) if game.ended else status


# Answers


def _fragments(
    request: Request,
    status: Status,
    piles: Sequence[PileView] = (),
    look: Look | None = None,
    dress: str = "",
    code: int = 200,
    *,
    live: bool = True,
) -> Response:
    env: Environment = request.app.state.templates
    shown = [render.shown(pile, look, dress=dress) for pile in piles]
    return HTMLResponse(env.get_template("board/_answer.html").render(s=status, piles=shown, live=live), code)


async def _refused(request: Request, refused: errors.Refused) -> Response:
    """The reason in words; 409 with the board as it is now, for an entry that was meant for another ply."""
    return await run_in_threadpool(say_no, request, refused)


def say_no(request: Request, refused: errors.Refused) -> Response:
    game, owner = refused.game, _is_owner(request, refused.game)
    stale = isinstance(refused, errors.StalePly)
    if isinstance(refused, errors.IllegalMove):
        say = reasons.refusal(refused.reason, refused.facts)
        lit = words.lit(refused.reason, refused.facts)
        status = status_of(game, say, "bad", lit=lit, owner=owner)
    elif stale and (say := together.outrun(together.shown(request, game, "owner" if owner else "play"))):
        status = status_of(game, say, owner=owner)
    else:
        status = status_of(game, reasons.problem(refused.code), "bad", owner=owner)
    code = 409 if stale else 422
    if not _by_htmx(request):
        return _board(request, game, status, code)
    return _whole(request, game, status, code) if stale else _fragments(request, status, code=code)


def word(
    request: Request, game: Game, say: str, tone: str = "", code: int = 200, *, poll: str = ""
) -> Response:
    """The status with a word to the player, for the board's other helpers; without scripts the whole page."""
    status = status_of(game, say, tone, poll=poll, owner=_is_owner(request, game))
    if _by_htmx(request):
        return _fragments(request, status, code=code)
    return _board(request, game, status, code)


def played_on(request: Request, game: Game) -> Response:
    """A game that has gone on by several entries: all its piles; without scripts, the way to its page."""
    if not _by_htmx(request):
        return _to(game)
    said = words.closing(game.status, game.reason)
    return _whole(request, game, status_of(game, said, "quiet", owner=_is_owner(request, game)))


def _is_owner(request: Request, game: Game) -> bool:
    """Whether a game is the one's own who plays it; only a game with company has others."""
    return not game.live or game.player_id == getattr(deps.player_of(request), "id", None)


def _whole(request: Request, game: Game, status: Status, code: int = 200, *, live: bool = True) -> Response:
    """All piles, as fragments."""
    dress = render.dress_for(game.patience, deps.preferences_of(request).dress)
    piles = view(game.patience, game.position).piles
    status = _back_to_race(request, game, status)
    return _fragments(request, status, piles, look_of(game.patience), dress, code, live=live)


def _by_htmx(request: Request) -> bool:
    return "hx-request" in request.headers


def _to(game: Game) -> Response:
    return RedirectResponse(f"/g/{game.id}", 303)


# Reading what was sent, and the one transaction


async def _fields(request: Request, *names: str) -> dict[str, str]:
    """A form of exactly these fields, each once. Raises Problem 400."""
    try:
        text = (await request.body()).decode("ascii")
        pairs = parse_qsl(
            text, keep_blank_values=True, strict_parsing=True, max_num_fields=len(names), errors="strict"
        )
    except ValueError:
        raise Problem(400, "bad_form") from None
    if sorted(name for name, _ in pairs) != sorted(names):
        raise Problem(400, "bad_form")
    return dict(pairs)


def _ply(fields: dict[str, str]) -> int:
    if not _PLY.fullmatch(fields["ply"]):
        raise Problem(400, "bad_form")
    return int(fields["ply"])


async def _write(
    request: Request,
    work: Callable[Concatenate[Games, Connection, str, str, P], T],
    game_id: str,
    *args: P.args,
    **kwargs: P.kwargs,
) -> tuple[Player, T]:
    """Lets ``work`` change a game of the one who asks, in one transaction with finding out who that is."""
    games: Games = request.app.state.games
    db: Database = request.app.state.db
    sent = deps.token_of(request)

    def run(conn: Connection) -> tuple[Player, T]:
        who = players.authenticate(conn, sent[1], sent[0], to_write=True) if sent else None
        if who is None:
            raise errors.NotFound
        return who.player, work(games, conn, game_id, who.player.id, *args, **kwargs)

    try:
        return await db.submit(run)
    except errors.NotFound:
        raise Problem(404, "not_found") from None
    except MalformedMove:
        raise Problem(400, "malformed_move") from None
