"""A game with company on pages: who is there, the links that lead to it, and the pages that they lead to.

A link's page says where it leads, and a button goes there: a preview that follows the link comes to nothing.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends
from jinja2 import Environment
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.company import errors
from app.company.people import INVITED, Invitation, Invited, Person
from app.company.service import Companies
from app.games import store as games_store
from app.games.errors import NotFound
from app.games.game import Entry, Game, Role
from app.games.service import Games, Seen
from app.i18n import gettext, reasons
from app.players.players import Player
from app.web import deps
from app.web.errors import Problem
from app.web.forms import Form, form_of
from app.web.limits import limit
from app.web.templating import page

router = APIRouter(include_in_schema=False)
Fields = Annotated[Form, Depends(form_of)]


@dataclass(frozen=True, slots=True)
class Seat:
    """A player at the table as a page shows them. ``last``: the newest entry is theirs."""

    player: str
    name: str
    you: bool
    here: bool
    last: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A table with company, for one who looks at it."""

    game: str
    role: Role
    seats: tuple[Seat, ...]
    watching: int

    @property
    def mover(self) -> str:
        """The name of the one whose entry is the newest, if it was not the one who looks."""
        return next((seat.name for seat in self.seats if seat.last and not seat.you), "")


def name_of(person: Person) -> str:
    """The name of one at a table; guests are told apart by the number under which they came."""
    return person.name or gettext("Guest %(number)s", number=person.number)


def shown(request: Request, game: Game, role: Role) -> Shown | None:
    """What a page shows of the company; None for a game that has none."""
    if not game.live:
        return None
    companies, me = _companies(request), deps.player_of(request)
    with request.app.state.db.read() as conn:
        company = companies.of(conn, game)
        newest = games_store.entry_at(conn, game.id, game.ply)
    last = newest[1] if newest else None
    seats = [
        Seat(
            one.player_id,
            name_of(one),
            you=me is not None and one.player_id == me.id,
            here=one.player_id in company.here.players,
            last=one.player_id == last,
        )
        for one in company.players
    ]
    return Shown(game.id, role, tuple(seats), company.here.watching)


def movers(request: Request, conn: Connection, game: Game, entries: tuple[Entry, ...]) -> dict[str, Person]:
    """Those who played a game's entries, by their ids; none for a game of one player."""
    if not game.shared:
        return {}
    return _companies(request).of(conn, game).some(entry.player_id for entry in entries)


def lets_watch(player: Player | None) -> bool:
    """Whether a player lets anybody watch whatever they begin."""
    return player is not None and player.preferences.watchable == "yes"


def moved(shown: Shown | None) -> str:
    """What is said of an entry that came from another."""
    return gettext("Played by %(name)s.", name=shown.mover) if shown and shown.mover else ""


def outrun(shown: Shown | None) -> str:
    """What is said to one whose entry came too late."""
    name = shown.mover if shown else ""
    return gettext("%(name)s was quicker: this is how the table stands now.", name=name) if name else ""


@router.get("/g/{game_id}/company")
def company(request: Request, game_id: str) -> Response:
    """Who is there, for a page that is open."""
    seen = see(request, game_id)
    found = shown(request, seen.game, seen.role)
    if found is None:
        raise Problem(404, "not_found")
    env: Environment = request.app.state.templates
    return HTMLResponse(env.get_template("board/_company.html").render(t=found))


def see(request: Request, game_id: str) -> Seen:
    """A game with what the one who asks is there. Raises Problem 404 for a hidden one as for none."""
    games: Games = request.app.state.games
    player = deps.player_of(request)
    try:
        with request.app.state.db.read() as conn:
            return games.see(conn, game_id, player.id if player else None)
    except NotFound:
        raise Problem(404, "not_found") from None


# Sharing


@router.get("/g/{game_id}/share")
def share_page(request: Request, game_id: str) -> Response:
    """Who may come to a game: for its owner, and for one who plays along the way out."""
    return _share_page(request, game_id)


def _share_page(request: Request, game_id: str, say: str = "", status: int = 200) -> Response:
    seen = see(request, game_id)
    found, player = seen.game, deps.player_of(request)
    links: dict[Invited, str] = {}
    if seen.role == "owner" and player is not None:
        with request.app.state.db.read() as conn:
            links = _companies(request).links(conn, game_id, player.id)
    addresses = {role: f"{deps.origin_of(request)}/t/{token}" for role, token in links.items()}
    return page(
        request,
        "board/share.html",
        status,
        game=found,
        role=seen.role,
        t=shown(request, found, seen.role),
        links=addresses,
        alone=found.held or found.closes_at is not None,
        say=say,
    )


@router.post("/g/{game_id}/share")
def share(request: Request, game_id: str, form: Fields) -> Response:
    """Makes a link, takes one back, or lets anybody look on."""
    if len(form) != 1:
        raise Problem(400, "bad_form")
    ((what, value),) = form.items()
    role = next((role for role in INVITED if role == value), None)
    companies, player = _companies(request), deps.player_of(request)
    if player is None:
        raise Problem(404, "not_found")
    try:
        with request.app.state.db.write() as conn:
            if what == "link" and role:
                limit(request, "invite")
                companies.link(conn, game_id, player.id, role)
            elif what == "withdraw" and role:
                companies.withdraw(conn, game_id, player.id, role)
            elif what == "watchable" and value in ("yes", "no"):
                companies.let_watch(conn, game_id, player.id, anybody=value == "yes")
            else:
                raise Problem(400, "bad_form")
    except NotFound:
        raise Problem(404, "not_found") from None
    except errors.CompanyError as error:
        return _share_page(request, game_id, reasons.problem(error.code), 409)
    return RedirectResponse(f"/g/{game_id}/share", 303)


@router.post("/g/{game_id}/leave")
def leave(request: Request, game_id: str) -> Response:
    """Goes from the table of another."""
    player = deps.player_of(request)
    try:
        if player is None:
            raise NotFound
        with request.app.state.db.write() as conn:
            _companies(request).leave(conn, game_id, player.id)
    except NotFound:
        raise Problem(404, "not_found") from None
    return RedirectResponse("/", 303)


# Coming by a link


@router.get("/t/{token}")
def invitation(request: Request, token: str) -> Response:
    """Where a link leads, and a button that goes there; who is there already goes there at once."""
    found = _invitation(request, token)
    game, player = found.game, deps.player_of(request)
    if game.told:
        return RedirectResponse(f"/g/{game.id}/replay", 303)
    if player is not None:
        with request.app.state.db.read() as conn:
            role = _companies(request).role(conn, game.id, player.id)
        if game.player_id == player.id or role in ("play", found.role):
            return RedirectResponse(f"/g/{game.id}", 303)
    return _invitation_page(request, token, found)


@router.post("/t/{token}")
def come(request: Request, token: str) -> Response:
    """Comes by a link: a stranger becomes a guest."""
    limit(request, "join-code")
    try:
        with deps.acting(request) as (conn, player):
            game = _companies(request).join(conn, token, player.id)
    except errors.NoInvitation as error:
        raise Problem(404, error.code) from None
    except errors.TableFull as error:
        return _invitation_page(request, token, _invitation(request, token), reasons.problem(error.code))
    return RedirectResponse(f"/g/{game.id}", 303)


def _invitation(request: Request, token: str) -> Invitation:
    try:
        with request.app.state.db.read() as conn:
            return _companies(request).invitation(conn, token)
    except errors.NoInvitation as error:
        raise Problem(404, error.code) from None


def _invitation_page(request: Request, token: str, found: Invitation, say: str = "") -> Response:
    host = found.name or gettext("Guest %(number)s", number=1)
    return page(
        request, "board/invitation.html", 409 if say else 200, i=found, host=host, token=token, say=say
    )


def _companies(request: Request) -> Companies:
    companies: Companies = request.app.state.companies
    return companies
