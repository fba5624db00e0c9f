"""Binds each request's language (pure ASGI: a stream is passed through untouched)."""

import re
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.i18n.languages import COOKIE, LANGUAGES, choose, use

_CHOSEN = re.compile(rb"(?:^|;)\s*" + COOKIE.encode() + rb"=([a-z]{2})\s*(?:;|$)")
_YEAR = 365 * 24 * 3600


class LanguageMiddleware:
    """The language of ``?lang=``, else of the cookie, else of Accept-Language, for all that is inside.

    ``?lang=`` is remembered in the cookie, so that the forms and fragments of the page that it asked for come
    in its language too, without scripts and without a row in the database.
    """

    def __init__(self, app: ASGIApp, *, secure: bool = False) -> None:
        self.app = app
        self.secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked, chosen, accepted = None, None, None
        if b"lang=" in scope["query_string"]:
            asked = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=None).get(
                "lang", [None]
            )[-1]
            asked = asked and asked.lower()
        for name, value in scope["headers"]:
            if name == b"cookie" and (found := _CHOSEN.search(value)):
                chosen = found[1].decode("ascii")
            elif name == b"accept-language":
                accepted = value.decode("latin-1")
        # Never put back: the page for an error that nobody foresaw is made outside, in the same context.
        language = choose(asked, chosen, accepted)
        use(language)
        if scope["method"] not in {"GET", "HEAD"}:
            await self.app(scope, receive, send)
            return
        remember = asked in LANGUAGES and asked != chosen

        async def send_with_language(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["Content-Language"] = language
                    headers.add_vary_header("Accept-Language, Cookie")
                    if remember:
                        headers.append("Set-Cookie", cookie(language, secure=self.secure))
            await send(message)

        await self.app(scope, receive, send_with_language)


def cookie(language: str, *, secure: bool) -> str:
    """The Set-Cookie value that remembers a language for a year; an empty one forgets it."""
    age = _YEAR if language else 0
    return f"{COOKIE}={language}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax" + (
        "; Secure" if secure else ""
    )
