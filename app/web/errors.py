"""Errors as answers. Nothing that a client sent is ever echoed: an error page must not carry an attack.

Raise `Problem` anywhere below a request. Under /api it becomes an RFC 9457 problem document, elsewhere a page.
"""

from collections.abc import Mapping

from starlette.exceptions import HTTPException


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
