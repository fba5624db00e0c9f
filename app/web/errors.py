"""Errors as answers. Nothing that a client sent is ever echoed: an error page must not carry an attack.

Raise `Problem` anywhere below a request. Under /api it becomes an RFC 9457 document, elsewhere a page.
"""

from collections.abc import Mapping
from html import escape
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from app.i18n import reasons


class Problem(HTTPException):
    """status: HTTP's · code: stable, for programs · detail: in English, for people, without their input ·
    extra: further members of the problem document."""

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
        self.extra = dict(extra or {})


def answer(request: Request, problem: Problem) -> Response:
    """The problem as a document (under /api) or as a page, in the language of now."""
    if request.scope["path"].startswith("/api/"):
        document = {
            "type": "about:blank",
            "title": HTTPStatus(problem.status_code).phrase,
            "status": problem.status_code,
            "code": problem.code,
            "detail": problem.detail,
            **problem.extra,
        }
        return JSONResponse(
            document, problem.status_code, problem.headers, media_type="application/problem+json"
        )
    return HTMLResponse(
        f"<!doctype html><title>{problem.status_code}</title><p>{escape(reasons.problem(problem.code))}</p>",
        problem.status_code,
        problem.headers,
    )
