"""Errors as answers. Nothing that a client sent is ever echoed: an error page must not carry an attack.

Raise ``Problem`` anywhere below a request. Under /api it becomes an RFC 9457 document, elsewhere a page.
"""

from collections.abc import Mapping
from http import HTTPStatus

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.db import will_pass
from app.games.errors import NotOwner, WatchingOnly
from app.i18n import reasons

log = structlog.get_logger(__name__)

_CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "unsupported_media_type",
    429: "too_many_requests",
    503: "unavailable",
}


class Problem(HTTPException):
    """status: HTTP's · code: stable, for programs · detail: for people, without their input; the code's own
    sentence when left out · extra: further members of the problem document."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(status, detail or code.replace("_", " "), headers)
        self.code = code
        self.words = detail
        self.extra = dict(extra or {})


def answer(request: Request, problem: Problem) -> Response:
    """The problem as a document (under /api) or as a page, in the language of now."""
    words = problem.words or reasons.problem(problem.code)
    if request.scope["path"].startswith("/api/"):
        document = {
            "type": "about:blank",
            "title": HTTPStatus(problem.status_code).phrase,
            "status": problem.status_code,
            "code": problem.code,
            "detail": words,
            **problem.extra,
        }
        return JSONResponse(
            document, problem.status_code, problem.headers, media_type="application/problem+json"
        )
    return HTMLResponse(_page(request, problem.status_code, words), problem.status_code, problem.headers)


def _allow(request: Request) -> dict[str, str]:
    """The methods of every route at this address; a router names only those of the first."""
    methods: set[str] = set()
    for route in request.app.router.routes:
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            methods |= route.methods or set()
    return {
        "Allow": ", ".join(
            sorted(methods | ({"HEAD"} if "GET" in methods and request.method != "HEAD" else set()))
        )
    }


def _page(request: Request, status: int, words: str) -> str:
    """A page of the site's own. It asks no database: errors are answered in the event loop too."""
    from app.web.cookies import read_preferences
    from app.web.templating import classes

    look = read_preferences(request)
    env: Environment = request.app.state.templates
    return env.get_template("pages/error.html").render(
        look=look,
        classes=classes(look),
        path=request.url.path,
        player_name=None,
        status=status,
        words=words,
    )


def install(app: FastAPI) -> None:
    """Makes every error below ``app`` an answer of ours. Call it before the guard is added."""

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if not isinstance(error, Problem):
            code = _CODES.get(error.status_code, "bad_request")
            headers = _allow(request) if error.status_code == 405 else error.headers
            error = Problem(error.status_code, code, headers=headers)
        return answer(request, error)

    async def on_invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return answer(request, Problem(400, "invalid_request"))

    async def on_forbidden(request: Request, error: Exception) -> Response:
        assert isinstance(error, NotOwner | WatchingOnly)
        return answer(request, Problem(403, error.code))

    app.add_exception_handler(NotOwner, on_forbidden)
    app.add_exception_handler(WatchingOnly, on_forbidden)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_middleware(CatchAll)


class CatchAll:
    """Answers an error that nobody foresaw: logged with its place, without values, and told to nobody.

    It lies inside the guard, so that this answer too has the security headers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def send_noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, send_noting)
        except Problem as problem:  # raised while the body was being received
            if begun:
                raise
            await answer(Request(scope), problem)(scope, receive, send)
        except Exception as error:
            log.exception(
                "unforeseen", method=scope["method"], route=getattr(scope.get("route"), "path", None)
            )
            if begun:
                raise
            told = Problem(500, "internal_error")
            if will_pass(error):
                told = Problem(503, "unavailable", headers={"Retry-After": "1"})
            await answer(Request(scope), told)(scope, receive, send)
