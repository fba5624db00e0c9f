"""Words in five languages: catalogues, a request's language, cards and numbers in it (docs/languages.md)."""

from app.i18n.current import gettext, language, ngettext, npgettext, pgettext, use, using
from app.i18n.languages import COOKIE, LANGUAGES, SOURCE, choose

__all__ = [
    "COOKIE",
    "LANGUAGES",
    "SOURCE",
    "choose",
    "gettext",
    "language",
    "ngettext",
    "npgettext",
    "pgettext",
    "use",
    "using",
]
