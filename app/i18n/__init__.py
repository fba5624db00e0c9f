"""Words in five languages: catalogues, a request's language, cards and numbers in it (docs/languages.md)."""

from app.i18n.languages import COOKIE, LANGUAGES, SOURCE, choose, language, use, using
from app.i18n.words import gettext, marked, marked_pair, ngettext, npgettext, pgettext

__all__ = [
    "COOKIE",
    "LANGUAGES",
    "SOURCE",
    "choose",
    "gettext",
    "language",
    "marked",
    "marked_pair",
    "ngettext",
    "npgettext",
    "pgettext",
    "use",
    "using",
]
