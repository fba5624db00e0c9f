"""Ratings: a table for each patience with its parameters, and how a player's rating has gone."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.patience import registry
from app.patience.errors import UnknownPatience
from app.patience.patience import Patience
from app.players import service as players
from app.ranking import ratings
from app.ranking.ratings import Change
from app.web import race_schemas as schemas
from app.web.api import answered, may_say
from app.web.errors import Problem
from app.web.presentation import tables
from app.web.templating import page

router = APIRouter(include_in_schema=False)
api = APIRouter(prefix="/api/v1", tags=["v1"])

WIDTH, HEIGHT, MARGIN = 640, 160, 8
"""Of the plot, in its own units."""


@router.get("/ratings")
def table(request: Request, table: str = "") -> Response:
    """The accounts of a table, the highest rating first."""
    patience = _patience(table)
    with request.app.state.db.read() as conn:
        rows = ratings.best(conn, patience.prefix)
    return page(request, "races/ratings.html", rows=rows, **_tabs(patience))


@router.get("/ratings/{name}")
def history(request: Request, name: str, table: str = "") -> Response:
    """A player's rating over time. Raises Problem 404."""
    patience = _patience(table)
    with request.app.state.db.read() as conn:
        player = players.by_name(conn, name)
        if player is None or player.name is None:
            raise Problem(404, "not_found")
        changes = ratings.history(conn, player.id, patience.prefix)
        now = ratings.of_player(conn, player.id).get(patience.prefix)
    return page(
        request,
        "races/rating.html",
        name=player.name,
        rating=now,
        changes=list(reversed(changes)),
        points=plot(changes),
        width=WIDTH,
        height=HEIGHT,
        **_tabs(patience),
    )


@api.get("/ratings/{table}", response_model=schemas.Ratings, responses=may_say(404))
def document(request: Request, table: str) -> Response:
    """A table of ratings, the highest first; at most a hundred."""
    patience = _patience(table)
    with request.app.state.db.read() as conn:
        rows = ratings.best(conn, patience.prefix)
    document = {
        "table": patience.prefix,
        "rows": [
            {
                "player": row.name,
                "rating": round(row.rating.rating),
                "deviation": round(row.rating.deviation),
                "provisional": row.rating.provisional,
                "events": row.events,
            }
            for row in rows
        ],
    }
    return answered(document)


def plot(changes: list[Change]) -> str:
    """The points of a line through a rating's history, for an SVG of WIDTH by HEIGHT; "" for none."""
    if not changes:
        return ""
    values = [changes[0].before, *(change.rating for change in changes)]
    low, high = min(values), max(values)
    across = (WIDTH - 2 * MARGIN) / (len(values) - 1)
    up = (HEIGHT - 2 * MARGIN) / max(high - low, 1.0)
    return " ".join(
        f"{MARGIN + at * across:.1f},{HEIGHT - MARGIN - (value - low) * up:.1f}"
        for at, value in enumerate(values)
    )


def _patience(table: str) -> Patience:
    try:
        return registry.by_prefix(table) if table else registry.get(registry.first())
    except UnknownPatience:
        raise Problem(404, "not_found") from None


def _tabs(patience: Patience) -> dict[str, Any]:
    """The ways to other tables: those of the other patiences, and those beside this one."""
    kinds = [registry.get(key) for key in registry.keys()]  # noqa: SIM118 - a function, no mapping
    return {"patience": patience, "kinds": kinds, "tables": tables(patience)}
