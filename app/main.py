"""The one place where the parts are put together."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from fastapi import APIRouter, FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from app import __version__, logs
from app.analysis.process import Command
from app.analysis.service import Analysis
from app.arenas import store as arenas_store
from app.arenas.service import Arenas
from app.company import service as company_service
from app.company import store as company_store
from app.company.service import Companies
from app.db import Database, open_database
from app.games import export as games_export
from app.games import store as games_store
from app.games.service import Games
from app.i18n.middleware import LanguageMiddleware
from app.migrate import migrate
from app.players import service as players
from app.races import daily as daily_deals
from app.races import rating
from app.races import store as races_store
from app.races.clockwork import Clockwork
from app.races.daily import DailyDeals
from app.races.hub import Hub
from app.races.relays import relay_of
from app.races.service import Races
from app.ranking import service as ranking
from app.ranking import store as ranking_store
from app.settings import VENDORED, Settings, resource
from app.web import (
    account,
    analysis,
    api,
    arena_api,
    arena_live,
    arenas,
    board,
    company_api,
    company_live,
    daily,
    deps,
    devices,
    errors,
    health,
    live,
    openapi,
    pages,
    race_api,
    races,
    ratings,
    templating,
    together,
    watch,
)
from app.web.open_pages import OpenPages
from app.web.presence import Presence


def create_app(settings: Settings | None = None) -> FastAPI:
    """The program as an ASGI application; its database is opened, and brought up to date, when it starts."""
    settings = settings or Settings()
    logs.configure(settings.log_level, as_json=settings.log_json)
    app = FastAPI(
        title="Spindel", version=__version__, lifespan=_lifespan, docs_url=None, redoc_url=None, debug=False
    )
    app.state.settings = settings
    app.state.templates = templating.environment()
    app.state.metrics = health.Metrics()
    app.state.stopping = lambda: None
    for part in (
        *(health, api, race_api, live, arena_api, arena_live, company_api, company_live),
        *(board, together, pages, races, arenas, daily, ratings, watch, account, devices),
    ):
        app.include_router(part.router)
    for part in (analysis, daily, ratings):
        app.include_router(part.api)
    app.include_router(analysis.pages)
    openapi.install(app)
    _come_first(app, board.router, board.act)
    _come_first(app, api.router, api.move)
    app.mount("/static", StaticFiles(directory=resource("static")), name="static")

    # From the inside out.
    errors.install(app)
    deps.install(app, settings)
    app.add_middleware(LanguageMiddleware, secure=settings.secure_cookies)
    app.add_middleware(health.Watch, metrics=app.state.metrics)
    return app


def _come_first(
    app: FastAPI, router: APIRouter, endpoint: Callable[[Request, str], Awaitable[Response]]
) -> None:
    """Finds the endpoint of a game's entries before all others, and goes to it without FastAPI's own work.

    Moves are what the server does most, and that work, looking for the route included, is an eighth of one
    (measured: `make bench`). The route that is passed over stays for /openapi.json.
    """

    passed_over = next(
        route for route in router.routes if isinstance(route, APIRoute) and route.endpoint is endpoint
    )

    async def answer(request: Request) -> Response:
        request.scope["route"] = passed_over  # by which it is counted
        return await endpoint(request, request.path_params["game_id"])

    app.router.routes.insert(0, Route(passed_over.path, answer, methods=["POST"]))


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    _check_vendored()
    await run_in_threadpool(migrate, settings)
    app.state.db = db = open_database(settings.database_url)
    app.state.games = games = Games(db)
    games.on_end.append(ranking.record)
    games.on_change.append(app.state.metrics.changed)
    # Players have one list of listeners for the process, whatever applications there are in it.
    for listener in (
        company_store.reassign,
        games_store.reassign,
        ranking_store.reassign,
        races_store.reassign,
        daily_deals.reassign,
        arenas_store.reassign,
    ):
        if listener not in players.on_merge:
            players.on_merge.append(listener)
    players.on_export["games"] = games_export.games_of
    players.on_export["company"] = company_service.company_of
    app.state.analysis = engine = Analysis(
        db,
        processes=settings.solver_processes,
        command=Command(memory_mb=settings.solver_memory_mb),
        lock=settings.data_dir / "solver.lock",
        bank_size=settings.bank_size,
    )
    games.advise = lambda game: analysis.advise(engine, game)
    games.winnable = engine.take
    engine.start()
    app.state.clockwork = clockwork = await _open_races(app, games)
    try:
        yield
    finally:
        await app.state.streams.stop()
        await app.state.arena_pages.stop()
        await app.state.presence.stop()
        await clockwork.stop()
        await app.state.hub.stop()
        players.on_delete.remove(app.state.races.forget)
        players.on_delete.remove(app.state.companies.forget)
        players.on_delete.remove(app.state.arenas.forget)
        await run_in_threadpool(engine.stop)
        await run_in_threadpool(db.close)


async def _open_races(app: FastAPI, games: Games) -> Clockwork:
    """Puts the races together, and takes up those that run."""
    db: Database = app.state.db
    settings: Settings = app.state.settings
    app.state.hub = hub = Hub(relay_of(settings))
    hub.open()
    # Told by the server as soon as it is to stop: a stream that is open would be waited for.
    app.state.stopping = partial(asyncio.get_running_loop().call_soon_threadsafe, hub.close)
    app.state.races = found = Races(db, games, hub, countdown=1000 * settings.race_countdown_seconds)
    app.state.streams = live.Streams(db, found, hub, limited=settings.rate_limits)
    app.state.companies = companies = Companies(db, games, key=settings.secret_key)
    app.state.presence = Presence(db, companies)
    company_live.install(hub, games, companies)
    games.invited = companies.role
    players.on_delete.append(companies.forget)
    games.on_held.append(found.entered)
    found.on_end.append(rating.rate)
    players.on_delete.append(found.forget)
    hub.newest = partial(_newest, db)
    await db.submit(found.all_away)
    app.state.daily = days = DailyDeals(db, games)
    app.state.arenas = held = Arenas(db, found, hub, hours=settings.arena_hours)
    app.state.arena_pages = OpenPages(db, held.present)
    found.on_end.append(held.ended)
    players.on_delete.append(held.forget)
    clockwork = Clockwork(
        db,
        hub,
        (found, held),
        ((days.settle, days.next_day), (held.prepare, held.next_hour)),
    )
    found.on_due = held.on_due = clockwork.due
    return clockwork


def _newest(db: Database, names: Sequence[str]) -> dict[str, int]:
    """The numbers of the newest events of channels: of races, arenas, and games with company."""
    with db.read() as conn:
        found = races_store.newest(conn, names) | arenas_store.newest(conn, names)
        return found | {game.id: game.number for game in games_store.find_all(conn, names).values()}


def _check_vendored() -> None:
    missing = [name for name in VENDORED if not (resource("static") / name).is_file()]
    if missing:
        raise RuntimeError(f"static/{missing[0]} is missing: run `make setup`, which fetches it")
