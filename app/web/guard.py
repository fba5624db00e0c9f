"""What every request passes before anything else looks at it, and the headers every answer leaves with.

One pure ASGI middleware, because each layer costs every move: trusted hosts, sizes, content types, cross-site
protection; then the security headers and the cookies that `deps` hands over.
"""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.settings import Settings
from app.web.errors import Problem, answer

COOKIES_KEY = "spindel.cookies"  # scope key: values of Set-Cookie headers to send with the answer
_COUNTED = re.compile(r"/api/v1/games/[^/]+/hint")
"""A call that is a GET and yet leaves a mark: the hint is counted."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
HEADERS_LIMIT = 32 * 1024  # bytes of all request headers
URL_LIMIT = 16 * 1024  # bytes of path and query
# Asked by load balancers under whatever name they know; they tell nothing.
ANY_HOST = frozenset({"/healthz", "/readyz"})
_HOST = re.compile(rb"(\[[0-9a-f:.]+\]|[^:\[\]]+)(?::[0-9]{1,5})?")
_ONCE = frozenset(
    {b"host", b"origin", b"sec-fetch-site", b"content-type", b"content-length", b"authorization"}
)

CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


class Guard:
    """settings: its hosts, public_url and body_limit are used."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._hosts = frozenset(host.lower().encode() for host in settings.hosts)
        public = urlsplit(settings.public_url)
        self._public_origin = f"{public.scheme}://{public.netloc}".lower().encode()
        self._body_limit = settings.body_limit
        self._headers = _answer_headers(https=public.scheme == "https")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        cookies: list[str] = []
        scope[COOKIES_KEY] = cookies
        path: str = scope["path"]

        async def send_dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                _dress(message, self._headers, cookies, keep=path.startswith("/static/"))
            await send(message)

        try:
            counted = self._check(scope, receive)
        except Problem as problem:
            await answer(Request(scope), problem)(scope, receive, send_dressed)
            return
        if scope["method"] == "HEAD" and not _COUNTED.fullmatch(path):
            await self._head(scope, counted, send_dressed)
        else:
            await self.app(scope, counted, send_dressed)

    async def _head(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers as to GET, without the body: so ask previews of links, and those who watch a server."""
        asked = {**scope, "method": "GET"}
        ended = False

        async def send_head(message: Message) -> None:
            nonlocal ended
            if message["type"] == "http.response.start":
                await send(message)
            elif not ended:  # at once, or the answer would last as long as a stream of events
                ended = True
                await send({"type": "http.response.body"})

        try:
            await self.app(asked, receive, send_head)
        finally:
            scope["route"] = asked.get("route")

    def _check(self, scope: Scope, receive: Receive) -> Receive:
        """Raises Problem for what goes no further; else the way to receive the body."""
        found = _read_headers(scope["headers"])
        path: str = scope["path"]
        if len(scope.get("raw_path") or path) + len(scope["query_string"]) > URL_LIMIT:
            raise Problem(414, "payload_too_large")
        host = found.get(b"host", b"").lower()
        if _host_name(host) not in self._hosts and path not in ANY_HOST:
            raise Problem(400, "bad_host")
        if scope["method"] in SAFE_METHODS and not _COUNTED.fullmatch(path):
            return receive
        api = path.startswith("/api/")
        self._check_origin(found, scope["scheme"].encode(), host, api=api)
        return self._check_body(found, receive, api=api)

    def _check_origin(self, found: dict[bytes, bytes], scheme: bytes, host: bytes, *, api: bool) -> None:
        """Refuses what another site made a browser send.

        A bearer token is no browser's own doing, so those calls are exempt, and so is the API without a
        cookie: it gives none either. A form without a cookie is checked all the same: a browser leaves the
        SameSite cookie out of a cross-site post, and the new guest's cookie would take the place of the old.
        Browsers say Sec-Fetch-Site (on https and localhost) or Origin; a program that says neither is no
        browser.
        """
        if found.get(b"authorization", b"")[:7].lower() == b"bearer " or (api and b"cookie" not in found):
            return
        site = found.get(b"sec-fetch-site")
        if site is not None:
            if site not in (b"same-origin", b"none"):
                raise Problem(403, "cross_site")
            return
        origin = found.get(b"origin")
        if origin is not None and origin.lower() not in (self._public_origin, scheme + b"://" + host):
            raise Problem(403, "cross_site")

    def _check_body(self, found: dict[bytes, bytes], receive: Receive, *, api: bool) -> Receive:
        length_text = found.get(b"content-length", b"0")
        if not length_text.isdigit():
            raise Problem(400, "bad_request")
        length = int(length_text) if len(length_text) < 20 else self._body_limit + 1
        if length > self._body_limit:
            raise _too_large()
        chunked = b"transfer-encoding" in found
        kind = found.get(b"content-type")
        if kind is not None or length or chunked:
            wanted = b"application/json" if api else b"application/x-www-form-urlencoded"
            if (kind or b"").partition(b";")[0].strip().lower() != wanted:
                raise Problem(415, "unsupported_media_type")
        return self._counting(receive) if chunked else receive

    def _counting(self, receive: Receive) -> Receive:
        """A body that does not say its length is measured as it comes."""
        total = 0

        async def receive_some() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self._body_limit:
                raise _too_large()
            return message

        return receive_some


def _too_large() -> Problem:
    # Without "Connection: close": uvicorn throws the rest of the body away as it comes, whereas a connection
    # closed under a client that still sends takes this answer with it.
    return Problem(413, "body_too_large")


def _read_headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Raises Problem when they are too many, or when one that decides something is there twice."""
    found: dict[bytes, bytes] = {}
    size = 0
    for name, value in headers:
        size += len(name) + len(value)
        if name in _ONCE and name in found:
            raise Problem(400, "bad_request")
        found[name] = value
    if size > HEADERS_LIMIT:
        raise Problem(431, "payload_too_large")
    return found


def _host_name(host: bytes) -> bytes:
    """Without its port; empty for what is no host."""
    found = _HOST.fullmatch(host)
    return found[1] if found else b""


def _answer_headers(*, https: bool) -> tuple[tuple[bytes, bytes], ...]:
    headers = {
        "content-security-policy": CONTENT_SECURITY_POLICY,
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }
    if https:
        headers["strict-transport-security"] = "max-age=31536000"
    return tuple((name.encode(), value.encode()) for name, value in headers.items())


def _dress(
    message: Message, extra: Iterable[tuple[bytes, bytes]], cookies: Iterable[str], *, keep: bool
) -> None:
    """Adds what is not there yet. Answers are for one player at one ply: nobody keeps them unless told to."""
    headers = list(message.get("headers", ()))
    present = {name.lower() for name, _ in headers}
    headers.extend(header for header in extra if header[0] not in present)
    if not keep and b"cache-control" not in present:
        headers.append((b"cache-control", b"no-store"))
    headers.extend((b"set-cookie", cookie.encode("latin-1")) for cookie in cookies)
    message["headers"] = headers
