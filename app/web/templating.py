"""The templates' environment: words by gettext, numbers by the language, addresses of static files."""

import hashlib
from collections.abc import Callable
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.i18n import LANGUAGES, formats, language
from app.i18n.cards import card_index, card_name, card_short, suit_name
from app.i18n.catalogue import translations
from app.settings import resource


def environment() -> Environment:
    """An environment of its own for every application: no template is looked for twice while it runs.

    Everything is escaped, whatever a template is called.
    """
    env = Environment(
        loader=FileSystemLoader(resource("templates")),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    install: Callable[..., None] = env.install_gettext_callables  # type: ignore[attr-defined]
    install(
        lambda message: translations(language()).gettext(message),
        lambda one, many, number: translations(language()).ngettext(one, many, number),
        newstyle=True,
        pgettext=lambda context, message: translations(language()).pgettext(context, message),
        npgettext=lambda context, one, many, number: translations(language()).npgettext(
            context, one, many, number
        ),
    )
    env.policies["ext.i18n.trimmed"] = True
    env.globals.update(static=static, language=language, LANGUAGES=LANGUAGES)
    env.filters.update(
        number=formats.number,
        clock=formats.clock,
        day=formats.day,
        moment=formats.moment,
        iso=formats.iso,
        listed=formats.listed,
        card_name=card_name,
        card_index=card_index,
        card_short=card_short,
        suit_name=suit_name,
    )
    return env


@cache
def static(path: str) -> str:
    """The address of a file in static/, which changes with its content, so that it may be cached for ever."""
    digest = hashlib.sha256((resource("static") / path).read_bytes()).hexdigest()
    return f"/static/{path}?v={digest[:10]}"
