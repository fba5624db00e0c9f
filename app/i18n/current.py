"""The language of what is being done now, and the words in it.

The language is bound to the context of the request (``use``), so it reaches the thread in which a
synchronous handler runs and never another request. Without a request it is the source language.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from app.i18n.catalogue import translations
from app.i18n.languages import LANGUAGES, SOURCE

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


def gettext(message: str, /, **facts: object) -> str:
    """The message in the language of now, ``%(name)s`` filled from the keywords.

    As in the templates: a literal percent sign is always written twice.
    """
    return translations(_language.get()).gettext(message) % facts


def ngettext(one: str, many: str, number: int, /, **facts: object) -> str:
    """The form of a message for a number, which it may hold as ``%(num)s``."""
    return translations(_language.get()).ngettext(one, many, number) % {"num": number, **facts}


def pgettext(context: str, message: str, /, **facts: object) -> str:
    """The message in a context that tells it from the same English words elsewhere."""
    return translations(_language.get()).pgettext(context, message) % facts


def npgettext(context: str, one: str, many: str, number: int, /, **facts: object) -> str:
    """Both: a context, and a form for a number."""
    return translations(_language.get()).npgettext(context, one, many, number) % {"num": number, **facts}


def marked(message: str) -> str:
    """The message as it stands. Marks one in a table for the catalogues; ``gettext`` translates it later."""
    return message


def marked_pair(one: str, many: str) -> tuple[str, str]:
    """Marks a message with two English forms for the catalogues; ``ngettext`` translates it later."""
    return one, many
