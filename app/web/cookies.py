"""The two cookies: the signed one that carries a session's token, and the plain one of preferences."""

import hashlib
from functools import lru_cache
from urllib.parse import quote, unquote

from itsdangerous import BadSignature, Signer
from starlette.requests import Request

from app.players.preferences import Preferences, from_text
from app.players.service import SESSION_LASTS

COOKIE = "spindel"
PREFERENCES_COOKIE = "spindel-preferences"
_SECONDS = SESSION_LASTS // 1000
_LONGEST = 200  # characters; ours have fewer than 100


class Cookies:
    """Writes and reads them. The signature turns forged cookies away before the database is asked."""

    def __init__(self, secret: str, *, secure: bool) -> None:
        self._signer = Signer(secret, salt="spindel.session", digest_method=hashlib.sha256)
        self._attributes = "; Path=/; SameSite=Lax" + ("; Secure" if secure else "")
        # Every move brings the same cookie again; to check a signature costs more than to find the row.
        self._unsigned = lru_cache(maxsize=4096)(self._unsign)

    def for_token(self, token: str) -> str:
        """A Set-Cookie value."""
        value = self._signer.sign(token).decode("ascii")
        return f"{COOKIE}={value}; Max-Age={_SECONDS}; HttpOnly{self._attributes}"

    def gone(self) -> str:
        return f"{COOKIE}=; Max-Age=0; HttpOnly{self._attributes}"

    def for_preferences(self, preferences: Preferences) -> str:
        return f"{PREFERENCES_COOKIE}={quote(preferences.to_text())}; Max-Age={_SECONDS}{self._attributes}"

    def token(self, value: str) -> str | None:
        """The token inside a cookie's value; None when we did not sign it."""
        return None if len(value) > _LONGEST else self._unsigned(value)

    def _unsign(self, value: str) -> str | None:
        try:
            return self._signer.unsign(value).decode("ascii")
        except (BadSignature, UnicodeError):
            return None


def read_preferences(request: Request) -> Preferences:
    return from_text(unquote(request.cookies.get(PREFERENCES_COOKIE, "")))


_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def device_label(request: Request) -> str:
    """What a player will know the device by in the list of sessions: "Firefox, Android"."""
    agent = request.headers.get("user-agent", "")[:500]
    named = [next((name for mark, name in marks if mark in agent), "") for marks in (_BROWSERS, _SYSTEMS)]
    return ", ".join(filter(None, named)) or "?"
