"""Pages of arenas: those of now, of next and of before, and one with its table.

Everything works by links and forms; with scripts the table follows the arena's events (static/js/arena.js).
"""

from fastapi import APIRouter
from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.arenas import errors
from app.arenas.arena import ROWS
from app.arenas.service import Wishes
from app.arenas.steward import Look
from app.i18n import reasons
from app.web import deps
from app.web.arena_api import arenas_of
from app.web.errors import Problem
from app.web.limits import limit
from app.web.races import Fields, chosen, patience_of, tables
from app.web.templating import page

router = APIRouter(include_in_schema=False)

LENGTHS = (20, 30, 60, 90, 120)
MINUTES = (3, 5, 10, 15)
SIZES = (2, 3, 4)
DELAYS = (0, 5, 15, 30, 60)


@router.get("/arenas")
def arenas(request: Request) -> Response:
    """The arenas that run, the next ones and the last ones, and the way to make one."""
    return _list(request)


def _list(request: Request, say: str = "", status: int = 200) -> Response:
    found = arenas_of(request)
    with request.app.state.db.read() as conn:
        coming, past = found.open_ones(conn), found.past(conn)
    now = found.now
    return page(
        request,
        "arenas/arenas.html",
        status,
        say=say,
        running=[one for one in coming if one[0].starts_at <= now],
        coming=[one for one in coming if one[0].starts_at > now],
        past=past,
        now=now,
        tables=tables(),
        lengths=LENGTHS,
        minutes=MINUTES,
        sizes=SIZES,
        delays=DELAYS,
    )


@router.post("/arenas")
def create(request: Request, form: Fields) -> Response:
    """Makes an arena and goes to its page."""
    if set(form) - {"table", "length", "minutes", "players", "delay"}:
        raise Problem(400, "bad_form")
    patience = patience_of(form)
    wishes = Wishes(
        patience=patience.key,
        params=patience.params,
        minutes=chosen(form, "length", LENGTHS, 60),
        seconds=60 * chosen(form, "minutes", MINUTES, 5),
        size=chosen(form, "players", SIZES, 4),
        starts_in=chosen(form, "delay", DELAYS, 5),
    )
    limit(request, "race")
    try:
        with deps.acting(request) as (conn, player):
            arena = arenas_of(request).create(conn, player.id, wishes)
    except errors.ArenaError as error:
        return _list(request, reasons.problem(error.code), 409)
    return RedirectResponse(f"/arenas/{arena.id}", 303)


@router.get("/arenas/{arena_id}")
def arena(request: Request, arena_id: str) -> Response:
    """An arena: its table, and the way in."""
    return _page(request, arena_id)


@router.get("/arenas/{arena_id}/now")
def now(request: Request, arena_id: str) -> Response:
    """The same without the page around it."""
    env: Environment = request.app.state.templates
    look = _look(request, arena_id)
    return HTMLResponse(
        env.get_template("arenas/_arena.html").render(a=look, now=arenas_of(request).now, most=ROWS)
    )


@router.post("/arenas/{arena_id}/{what}")
def do(request: Request, arena_id: str, what: str) -> Response:
    """Comes in, or pauses."""
    if what not in {"join", "leave"}:
        raise Problem(404, "not_found")
    found = arenas_of(request)
    try:
        with deps.acting(request) as (conn, player):
            (found.join if what == "join" else found.leave)(conn, arena_id, player.id)
    except errors.NoArena:
        raise Problem(404, "not_found") from None
    except errors.ArenaError as error:
        return _page(request, arena_id, reasons.problem(error.code), 409)
    return RedirectResponse(f"/arenas/{arena_id}", 303)


def _page(request: Request, arena_id: str, say: str = "", status: int = 200) -> Response:
    look = _look(request, arena_id)
    return page(request, "arenas/arena.html", status, a=look, now=arenas_of(request).now, most=ROWS, say=say)


def _look(request: Request, arena_id: str) -> Look:
    player = deps.player_of(request)
    try:
        with request.app.state.db.read() as conn:
            return arenas_of(request).look(conn, arena_id, player.id if player else None)
    except errors.NoArena:
        raise Problem(404, "not_found") from None
