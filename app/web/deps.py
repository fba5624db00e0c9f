"""Who is asking. Cookie for browsers, `Authorization: Bearer TOKEN` for programs.

`player_of(request)`      a plain function for hot paths: reads once for each request, never writes
`current_player`          a dependency (in a thread): the same, and notes the use of the session
`require_player`          the same; 401 for strangers
`acting(request)`         a write transaction with the player, who is a new guest if it was a stranger. Never
                          under /api: there the cross-site protection looks only at calls with a cookie.
All of them but `player_of` may write: call them in a thread (`def` endpoints), never in the event loop. What
runs in a write transaction of its own can use `token_of` with `players.service.authenticate` instead.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.requests import Request

from app.db import Database
from app.players import service
from app.players.players import Authenticated, Player, SignedIn
from app.players.preferences import Preferences
from app.settings import Settings
from app.web.cookies import COOKIE, Cookies, device_label, read_preferences
from app.web.errors import Problem
from app.web.guard import COOKIES_KEY, Guard
from app.web.limits import Limiter, limit

_WHO = "spindel.who"  # scope key: Authenticated, or None for a stranger, once it was looked up


def install(app: Starlette, settings: Settings) -> None:
    """Puts the guard before what was added so far, and what this module needs into app.state.

    Add the language's middleware after it, so that it lies outside: the guard's refusals have words too.
    """
    app.add_middleware(Guard, settings=settings)
    app.state.limiter = Limiter(
        enabled=settings.rate_limits, redis_url=settings.redis_url, name=settings.database_name
    )
    app.state.cookies = Cookies(settings.secret_key, secure=settings.secure_cookies)


# ---- who is it?


def token_of(request: Request) -> tuple[str, str] | None:
    """(kind, token) as sent: "bearer" or "cookie"; None without either, or with a cookie that is not ours.

    A bearer token, once sent, is the only thing that counts. Other schemes are a proxy's business.
    """
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return "bearer", token.strip()
    value = request.cookies.get(COOKIE)
    token_in_cookie = None if value is None else _cookies(request).token(value)
    return None if token_in_cookie is None else ("cookie", token_in_cookie)


def identify(request: Request) -> Authenticated | None:
    """The player and their session: one SQL statement, once for each request; None for a stranger.

    Raises Problem 401 for a bearer token that is unknown, revoked or expired; such a cookie is a stranger's.
    """
    if _WHO not in request.scope:
        sent = token_of(request)
        who = None
        if sent is not None:
            kind, token = sent
            with _db(request).read() as conn:
                who = service.authenticate(conn, token, kind)
            if who is None and kind == "bearer":
                raise unauthorized("unauthorized")
        request.scope[_WHO] = who
    found: Authenticated | None = request.scope[_WHO]
    return found


def player_of(request: Request) -> Player | None:
    who = identify(request)
    return None if who is None else who.player


def current_session(request: Request) -> Authenticated | None:
    """`identify` that notes the use of the session, once an hour, and lengthens the cookie with it."""
    who = identify(request)
    if who is not None and service.touch_is_due(who):
        with _db(request).write() as conn:
            service.touch(conn, who)
        sent = token_of(request)
        if sent is not None and sent[0] == "cookie":
            send_cookie(request, _cookies(request).for_token(sent[1]))
    return who


def current_player(request: Request) -> Player | None:
    who = current_session(request)
    return None if who is None else who.player


def require_session(request: Request) -> Authenticated:
    who = current_session(request)
    if who is None:
        raise unauthorized("not_signed_in")
    return who


def require_player(request: Request) -> Player:
    return require_session(request).player


@contextmanager
def acting(request: Request) -> Iterator[tuple[Connection, Player]]:
    """A write transaction and the player who acts in it: a new guest, when it was a stranger.

    A guest who could not do what they came for was none: no row, no cookie. Raises Problem 401, 429.
    """
    sent = token_of(request)
    with _db(request).write() as conn:
        who = service.authenticate(conn, sent[1], sent[0], to_write=True) if sent else None
        if who is not None:
            yield conn, who.player
            return
        if sent is not None and sent[0] == "bearer":
            raise unauthorized("unauthorized")
        limit(request, "guest")
        guest, token = service.new_guest(conn, device_label(request), preferences=read_preferences(request))
        yield conn, guest
        request.scope[_WHO] = service.authenticate(conn, token)
    send_cookie(request, _cookies(request).for_token(token))


# ---- cookies on their way out


def send_cookie(request: Request, cookie: str) -> None:
    """A Set-Cookie value to leave with the answer, whatever object the endpoint returns."""
    request.scope[COOKIES_KEY].append(cookie)


def enter(request: Request, signed: SignedIn) -> None:
    """From now on, the rest of this request included, this browser has the new session."""
    with _db(request).read() as conn:
        request.scope[_WHO] = service.authenticate(conn, signed.token)
    send_cookie(request, _cookies(request).for_token(signed.token))


def leave(request: Request) -> None:
    request.scope[_WHO] = None
    send_cookie(request, _cookies(request).gone())


def send_preferences(request: Request, preferences: Preferences) -> None:
    """For those who are no players yet."""
    send_cookie(request, _cookies(request).for_preferences(preferences))


# ---- preferences


def preferences_of(request: Request) -> Preferences:
    """The player's, or those in the plain cookie of one who is no player yet."""
    player = player_of(request)
    return read_preferences(request) if player is None else player.preferences


# ---- where we are


def origin_of(request: Request) -> str:
    """Scheme and host for links that are to work elsewhere: the public ones where they are https, else those
    that this request came by (the guard knows them)."""
    public: str = request.app.state.settings.public_url
    return public if public.startswith("https:") else f"{request.url.scheme}://{request.url.netloc}"


def came_from(request: Request, otherwise: str) -> str:
    """The path of the page of ours that a form was on."""
    referer = urlsplit(request.headers.get("referer", ""))
    ours = referer.netloc == request.url.netloc and referer.path.startswith("/")
    if not ours or referer.path.startswith("//") or "\\" in referer.path:
        return otherwise
    return referer.path


def _db(request: Request) -> Database:
    db: Database = request.app.state.db
    return db


def _cookies(request: Request) -> Cookies:
    cookies: Cookies = request.app.state.cookies
    return cookies


def unauthorized(code: str) -> Problem:
    return Problem(401, code, headers={"WWW-Authenticate": "Bearer"})
