"""Which languages there are, which of them a request gets, and which is the one of now.

The language of now is bound to the context of the request (``use``), so it reaches the thread in which a
synchronous handler runs and never another request. Without a request it is the source language.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from types import MappingProxyType

LANGUAGES = MappingProxyType({"en": "English", "fi": "Suomi", "sv": "Svenska", "da": "Dansk", "pl": "Polski"})
"""Every language by its code, with its own name for itself. The first is the one of the source."""

SOURCE = "en"
COOKIE = "lang"
"""The cookie that holds the player's choice; its value is a key of ``LANGUAGES``."""

_RANGE = re.compile(
    r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9]{1,8})*\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?\s*"
)
_LONGEST_HEADER = 200


def choose(asked: str | None, chosen: str | None, accepted: str | None) -> str:
    """The language of a request.

    ``asked`` is the address's ``?lang=``, ``chosen`` the player's own choice, ``accepted`` the header
    Accept-Language. A language that does not exist counts as none.
    """
    for code in (asked, chosen):
        if code is not None and code in LANGUAGES:
            return code
    return accepted_language(accepted[:_LONGEST_HEADER]) if accepted else SOURCE


@lru_cache(maxsize=256)
def accepted_language(header: str) -> str:
    """The best language for an Accept-Language header (RFC 9110, section 12.5.4; ``fi-FI`` counts as ``fi``).

    Of languages that are liked equally well the first one named wins.
    """
    best, best_quality = SOURCE, 0.0
    for part in header.split(","):
        found = _RANGE.fullmatch(part)
        if not found:
            continue
        code, quality = found[1].lower(), float(found[2] or 1)
        if code in LANGUAGES and quality > best_quality:
            best, best_quality = code, quality
    return best


_language: ContextVar[str] = ContextVar("language", default=SOURCE)


def language() -> str:
    """The code of the language of now, a key of ``LANGUAGES``."""
    return _language.get()


def use(code: str) -> None:
    """Makes a language the one of this context from here on."""
    if code not in LANGUAGES:
        raise ValueError(f"no catalogue for {code!r}")
    _language.set(code)


@contextmanager
def using(code: str) -> Iterator[None]:
    """Makes a language the one of a ``with`` block."""
    before = _language.get()
    use(code)
    try:
        yield
    finally:
        _language.set(before)
