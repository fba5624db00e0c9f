"""What can be watched now: the races of the lobby that run. Until their end they show progress only."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.races.service import Races
from app.web import races
from app.web.templating import page

router = APIRouter(include_in_schema=False)

MOST = 30


@router.get("/watch")
def watch(request: Request) -> Response:
    found: Races = request.app.state.races
    with request.app.state.db.read() as conn:
        running = found.under_way(conn, MOST)
    return page(request, "races/watch.html", running=[races.shown(request, race) for race in running])
