"""Messages in the language of now, for code; the templates' own are in ``app.i18n.templates``.

As there, ``%(name)s`` is filled from the keywords, and a literal percent sign is always written twice.
"""

from app.i18n.catalogue import translations
from app.i18n.formats import number as formatted
from app.i18n.languages import language


def gettext(message: str, /, **facts: object) -> str:
    """The message."""
    return translations(language()).gettext(message) % facts


def ngettext(one: str, many: str, number: int, /, **facts: object) -> str:
    """The form of a message for a number, which it may hold as ``%(num)s``."""
    return translations(language()).ngettext(one, many, number) % {**facts, "num": formatted(number)}


def pgettext(context: str, message: str, /, **facts: object) -> str:
    """The message in a context that tells it from the same English words elsewhere."""
    return translations(language()).pgettext(context, message) % facts


def npgettext(context: str, one: str, many: str, number: int, /, **facts: object) -> str:
    """Both: a context, and a form for a number."""
    return translations(language()).npgettext(context, one, many, number) % {
        **facts,
        "num": formatted(number),
    }


def marked(message: str) -> str:
    """The message as it stands. Marks one in a table for the catalogues; ``gettext`` translates it later."""
    return message


def marked_pair(one: str, many: str) -> tuple[str, str]:
    """Marks a message with two English forms for the catalogues; ``ngettext`` translates it later."""
    return one, many
