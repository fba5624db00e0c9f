"""Watching it run: whether it lives, whether it can serve, how much and how fast; and what it logs.

No log line holds a card, a deal, a token, or anything that a client sent, but for method and route.
"""

import hmac
import ipaddress
from time import perf_counter

import structlog
from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.games.events import Changed
from app.settings import Settings
from app.web.errors import Problem

router = APIRouter(include_in_schema=False)
log = structlog.get_logger(__name__)

SLOW_SECONDS = 1.0
"""A request that takes longer is logged."""

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """The counters of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "spindel_requests", "Answered requests.", ("method", "route", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "spindel_request_seconds", "Time to the end of an answer.", ("route",), buckets=BUCKETS,
            registry=self.registry,
        )  # fmt: skip
        self._changes = Counter(
            "spindel_game_changes", "Entries and ends of games.", ("status",), registry=self.registry
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def changed(self, change: Changed) -> None:
        """A listener for games."""
        self._changes.labels(change.status).inc()


class Watch:
    """Counts and times every answer by its route, and logs those that were slow or failed."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = perf_counter()
        status, goes_on = 500, False

        async def send_noting(message: Message) -> None:
            nonlocal status, goes_on
            if message["type"] == "http.response.start":
                status = message["status"]
                goes_on = (b"content-type", _STREAM) in message["headers"]
            await send(message)

        try:
            await self.app(scope, receive, send_noting)
        finally:
            seconds = perf_counter() - began
            method = scope["method"] if scope["method"] in _METHODS else "other"
            # Never the path itself: it may name a game or a deal, and would make a series of each.
            route = getattr(scope.get("route"), "path", "-")
            self.metrics.answered(method, route, status, 0 if goes_on else seconds)
            if status >= 500 or (seconds > SLOW_SECONDS and not goes_on):
                log.warning("request", method=method, route=route, status=status, seconds=round(seconds, 3))


_STREAM = b"text/event-stream; charset=utf-8"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


@router.get("/healthz")
async def alive() -> Response:
    """The process lives and its event loop turns."""
    return PlainTextResponse("ok\n")


@router.get("/readyz")
def ready(request: Request) -> Response:
    """The database answers."""
    try:
        with request.app.state.db.read() as conn:
            conn.execute(text("SELECT 1 FROM games LIMIT 1"))
    except SQLAlchemyError:
        raise Problem(503, "unavailable") from None
    return PlainTextResponse("ready\n")


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """For a monitor on this machine, or one that has the token; nothing here for anyone else."""
    if not _may_see_metrics(request):
        raise Problem(404, "not_found")
    found: Metrics = request.app.state.metrics
    return Response(generate_latest(found.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})


def _may_see_metrics(request: Request) -> bool:
    settings: Settings = request.app.state.settings
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and settings.metrics_token is not None:
        wanted = settings.metrics_token.get_secret_value()
        return hmac.compare_digest(token.strip().encode(), wanted.encode())
    # Behind a proxy on this machine every stranger comes from here.
    if any(name in request.headers for name in ("x-forwarded-for", "forwarded", "via")):
        return False
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
