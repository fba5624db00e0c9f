"""What can be watched now: games that anybody may watch, and the races of the lobby that run, which show
progress only until their end."""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.company.people import Watched
from app.company.service import Companies
from app.games.game import Game
from app.i18n import gettext
from app.races.service import Races
from app.web import races, words
from app.web.templating import page

router = APIRouter(include_in_schema=False)

MOST = 30


@dataclass(frozen=True, slots=True)
class Shown:
    """A game as it is listed: whose it is, how far it has come, and how many look on."""

    game: Game
    name: str
    figures: tuple[words.Figure, ...]
    watching: int


@router.get("/watch")
def watch(request: Request) -> Response:
    found: Races = request.app.state.races
    companies: Companies = request.app.state.companies
    with request.app.state.db.read() as conn:
        running = found.under_way(conn, MOST)
        games = companies.watchable(conn, MOST)
    return page(
        request,
        "races/watch.html",
        running=[races.shown(request, race) for race in running],
        games=[_shown(one) for one in games],
    )


def _shown(one: Watched) -> Shown:
    game = one.game
    name = one.name or gettext("Guest")
    return Shown(game, name, words.figures(game.patience, game.position), one.watching)
