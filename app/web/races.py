"""Pages of races: the lobby, a race from its link to its result, its replays side by side.

Everything works by links and forms; with scripts the pages follow the race's events (static/js/race.js).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends
from jinja2 import Environment
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.games import store as games_store
from app.games.game import deal_of
from app.i18n import gettext, reasons
from app.i18n.names import scoring_name
from app.patience import registry
from app.patience.errors import UnknownPatience
from app.patience.patience import Patience
from app.patience.scoring import RESULTS
from app.patience.view import view
from app.races import errors
from app.races.race import Progress, Race, Result, Seat, Wishes, progress_of
from app.races.service import Races
from app.ranking import ratings
from app.ranking.ratings import Change
from app.web import deps, render
from app.web.errors import Problem
from app.web.forms import Form, form_of
from app.web.limits import limit
from app.web.presentation import look_of, settings
from app.web.race_api import problem_of
from app.web.render import PileShown
from app.web.replaying import position_at
from app.web.templating import page

router = APIRouter(include_in_schema=False)
Fields = Annotated[Form, Depends(form_of)]
Work = Callable[[Races, Connection, str], Race]

MINUTES = (5, 10, 15, 30, 60)
SIZES = (2, 3, 4, 6, 8, 16)


@dataclass(frozen=True, slots=True)
class Row:
    """A player as a page shows them."""

    seat: Seat
    name: str
    you: bool
    progress: Progress | None
    result: Result | None
    gone: bool
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of ``Progress`` that a patience has, and what it is called. The strip leaves ``rest`` out."""

    figure: str
    name: str
    css: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A race as a page shows it to one who looks: ``mine`` is their row, if they take part."""

    race: Race
    rows: tuple[Row, ...]
    mine: Row | None
    now: int
    link: str
    say: str = ""

    @property
    def code(self) -> str:
        """The join code as it is read aloud."""
        half = len(self.race.join_code) // 2
        return f"{self.race.join_code[:half]}-{self.race.join_code[half:]}"

    @property
    def columns(self) -> tuple[Column, ...]:
        """What is counted of each player."""
        return columns_of(self.race.patience, self.race.scoring)

    @property
    def may_start(self) -> bool:
        """Whether the host may start without those who are not ready."""
        ready = [row.seat.ready for row in self.rows]
        hosts = self.mine is not None and self.mine.seat.seat == self.race.host
        return hosts and sum(ready) > 1 and not all(ready)

    @property
    def may_go_on(self) -> bool:
        missing = any(row.gone and not row.seat.finished for row in self.rows)
        return missing and self.mine is not None and not self.mine.seat.goes_on


def shown(request: Request, race: Race, say: str = "") -> Shown:
    """What a page shows of a race to the one who asks."""
    now, player = _races(request).now, deps.player_of(request)
    changes: dict[str, Change] = {}
    if race.is_over:
        with request.app.state.db.read() as conn:
            changes = ratings.of_event(conn, race.id)
    me = player.id if player else None
    rows = [_row(seat, race, now, me, changes.get(seat.player_id)) for seat in race.seats]
    if race.is_over:
        rows.sort(key=lambda row: (row.result.place if row.result else 99, row.seat.seat))
    return Shown(
        race,
        tuple(rows),
        next((row for row in rows if row.you), None),
        now,
        f"{deps.origin_of(request)}/r/{race.id}",
        say,
    )


def columns_of(patience: Patience, scoring: str) -> tuple[Column, ...]:
    """The figures that tell how far a player is. Where the score tells just that, it says what it counts."""
    look, result = look_of(patience), scoring in RESULTS
    opening = view(patience, patience.start(patience.deck(), 0))
    found = [] if result else [Column("runs", gettext(look.done))]
    if any(pile.face_down for pile in opening.piles if pile.role != "stock"):
        found.append(Column("face_down", gettext("Face down"), "down"))
    if any(pile.count for pile in opening.piles if pile.role == "stock"):
        figure, name = ("rows", gettext("Rows")) if look.word == "deal" else ("stock", gettext("Stock"))
        found.append(Column(figure, name, "rest"))
    points = Column("score", scoring_name(scoring)) if result else Column("score", gettext("Score"), "points")
    return (*found, points, Column("ply", gettext("Moves"), "rest"))


def _row(seat: Seat, race: Race, now: int, player_id: str | None, change: Change | None) -> Row:
    return Row(
        seat=seat,
        name=seat.name or gettext("Guest %(number)s", number=seat.seat),
        you=seat.player_id == player_id,
        progress=progress_of(seat.game, race.starts_at or 0) if seat.game else None,
        result=seat.result,
        gone=race.status == "running" and seat.is_gone(now),
        change=change,
    )


# The lobby


@router.get("/races")
def lobby(request: Request) -> Response:
    """Where races begin: make one, join one, or go back to one's own."""
    return _lobby(request)


@router.get("/races/now")
def lobby_now(request: Request) -> Response:
    """The list of races that wait, for a page that is open."""
    env: Environment = request.app.state.templates
    with request.app.state.db.read() as conn:
        waiting = _races(request).lobby(conn)
    return HTMLResponse(env.get_template("races/_waiting.html").render(waiting=waiting))


def _lobby(request: Request, say: str = "", status: int = 200) -> Response:
    races, player = _races(request), deps.player_of(request)
    with request.app.state.db.read() as conn:
        waiting = races.lobby(conn)
        own = races.of_player(conn, player.id) if player else []
    return page(
        request,
        "races/lobby.html",
        status,
        waiting=waiting,
        own=own,
        say=say,
        tables=tables(),
        minutes=MINUTES,
        sizes=SIZES,
    )


@router.post("/races")
def create(request: Request, form: Fields) -> Response:
    """Makes a race and goes to its page."""
    if set(form) - {"table", "minutes", "players", "undo", "listed"}:
        raise Problem(400, "bad_form")
    patience = patience_of(form)
    wishes = Wishes(
        patience=patience.key,
        params=patience.params,
        seconds=60 * chosen(form, "minutes", MINUTES, 15),
        max_players=chosen(form, "players", SIZES, 16),
        undo=form.get("undo") == "yes",
        listed=form.get("listed") == "yes",
    )
    limit(request, "race")
    try:
        with deps.acting(request) as (conn, player):
            race = _races(request).create(conn, player.id, wishes)
    except errors.RaceError as error:
        return _lobby(request, reasons.problem(error.code), 409)
    return RedirectResponse(f"/r/{race.id}", 303)


def tables() -> dict[str, tuple[Patience, ...]]:
    """The tables to choose from, by the key of their patience."""
    return {key: settings(registry.kind(key)) for key in registry.keys()}  # noqa: SIM118 - no mapping


def patience_of(form: Form) -> Patience:
    """The patience of the table that was chosen. Raises Problem 400 for one that there is not."""
    try:
        return registry.by_prefix(form["table"]) if "table" in form else registry.get(registry.first())
    except UnknownPatience as error:
        raise problem_of(error) from None


def chosen(form: Form, name: str, allowed: tuple[int, ...], otherwise: int) -> int:
    """A number that was chosen from a list. Raises Problem 400 for one that is not on it."""
    if name not in form:
        return otherwise
    found = next((value for value in allowed if str(value) == form[name]), None)
    if found is None:
        raise Problem(400, "bad_form")
    return found


@router.post("/races/join")
def join_by_code(request: Request, form: Fields) -> Response:
    """Leads to the race of a code, and takes a seat there."""
    if set(form) != {"code"}:
        raise Problem(400, "bad_form")
    limit(request, "join-code")
    races = _races(request)
    try:
        with request.app.state.db.read() as conn:
            race_id = races.by_code(conn, form["code"])
    except errors.NoRace:
        return _lobby(request, gettext("There is no race of that code."), 404)
    return _do(request, race_id, lambda races, conn, player_id: races.join(conn, race_id, player_id))


# A race


@router.get("/r/{race_id}")
def race(request: Request, race_id: str) -> Response:
    """A race: who is there, how far they are, who came first."""
    return _page(request, _look(request, race_id))


@router.get("/r/{race_id}/now")
def now(request: Request, race_id: str) -> Response:
    """The same without the page around it."""
    return _fragment(request, "races/_race.html", _look(request, race_id))


@router.get("/r/{race_id}/strip")
def strip(request: Request, race_id: str) -> Response:
    """How far the others are, for the board."""
    return _fragment(request, "races/_strip.html", _look(request, race_id))


@router.get("/r/{race_id}/play")
def play(request: Request, race_id: str) -> Response:
    """The way to one's own board."""
    found = shown(request, _look(request, race_id))
    game = found.mine.seat.game if found.mine else None
    return RedirectResponse(f"/g/{game.id}" if game else f"/r/{race_id}", 303)


@router.post("/r/{race_id}/{what}")
def do(request: Request, race_id: str, what: str) -> Response:
    """Joins, is ready, starts, leaves, goes on, or asks for a rematch."""
    work = _WORK.get(what)
    if work is None:
        raise Problem(404, "not_found")
    if what == "rematch":
        limit(request, "race")
    return _do(request, race_id, lambda races, conn, player_id: work(races, conn, race_id, player_id))


_WORK: dict[str, Callable[[Races, Connection, str, str], Race]] = {
    "join": lambda races, conn, race_id, player_id: races.join(conn, race_id, player_id),
    "ready": lambda races, conn, race_id, player_id: races.ready(conn, race_id, player_id),
    "wait": lambda races, conn, race_id, player_id: races.ready(conn, race_id, player_id, ready=False),
    "start": lambda races, conn, race_id, player_id: races.start(conn, race_id, player_id),
    "leave": lambda races, conn, race_id, player_id: races.leave(conn, race_id, player_id),
    "go-on": lambda races, conn, race_id, player_id: races.go_on(conn, race_id, player_id),
    "rematch": lambda races, conn, race_id, player_id: races.rematch(conn, race_id, player_id),
}


def _do(request: Request, race_id: str, work: Work) -> Response:
    races = _races(request)
    try:
        with deps.acting(request) as (conn, player):
            found = work(races, conn, player.id)
    except errors.NoRace:
        raise Problem(404, "not_found") from None
    except errors.RaceError as error:
        return _page(request, _look(request, race_id), reasons.problem(error.code), 409)
    return RedirectResponse(f"/r/{found.id}", 303)


def _look(request: Request, race_id: str) -> Race:
    try:
        return _races(request).look(race_id)
    except errors.NoRace:
        raise Problem(404, "not_found") from None


def _page(request: Request, race: Race, say: str = "", status: int = 200) -> Response:
    return page(request, "races/race.html", status, r=shown(request, race, say))


def _fragment(request: Request, template: str, race: Race) -> Response:
    env: Environment = request.app.state.templates
    return HTMLResponse(env.get_template(template).render(r=shown(request, race)))


# The replays, side by side


@dataclass(frozen=True, slots=True)
class Table:
    """A player's table at a ply: the last one, if their log is shorter."""

    row: Row
    ply: int
    last: int
    piles: tuple[PileShown, ...]


@router.get("/r/{race_id}/replay")
def replay(request: Request, race_id: str, ply: str = "0") -> Response:
    """Everyone's game in step. Raises Problem 404 before the race is over: until then nothing may be seen."""
    race = _look(request, race_id)
    if not race.is_over or not any(seat.game for seat in race.seats):
        raise Problem(404, "not_found")
    if not (ply.isascii() and ply.isdigit() and len(ply) <= 5):
        raise Problem(400, "invalid_request")
    found = shown(request, race)
    with request.app.state.db.read() as conn:
        logs = {
            row.seat.seat: tuple(games_store.texts(conn, row.seat.game.id))
            for row in found.rows
            if row.seat.game
        }
    longest = max(len(texts) for texts in logs.values())
    at = min(int(ply), longest)
    dress = render.dress_for(race.patience, deps.preferences_of(request).dress)
    tables = []
    for row in found.rows:
        if row.seat.seat in logs:
            texts = logs[row.seat.seat]
            mine = min(at, len(texts))
            seen = view(race.patience, position_at(race.code, texts, mine))
            piles = render.table(race.patience, seen, dress=dress)
            tables.append(Table(row, mine, len(texts), piles))
    return page(
        request,
        "races/replay.html",
        r=found,
        tables=tables,
        lay=look_of(race.patience),
        at=at,
        last=longest,
        deal=deal_of(race.code),
    )


def _races(request: Request) -> Races:
    races: Races = request.app.state.races
    return races
