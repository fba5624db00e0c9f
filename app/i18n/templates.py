"""What templates get: the words by Jinja's own i18n extension, and cards, names and numbers beside them."""

from functools import lru_cache

from jinja2 import Environment
from jinja2.ext import InternationalizationExtension
from markupsafe import Markup

from app.i18n import cards, formats, names, reasons
from app.i18n.catalogue import translations
from app.i18n.languages import LANGUAGES, language


def install(environment: Environment) -> None:
    """Makes an environment speak the language of the request it renders for.

    Templates get ``_``, ``gettext``, ``ngettext``, ``pgettext``, ``npgettext``, the ``trans`` tag, and the
    filters and functions below. One environment serves all languages: templates are compiled once.
    """
    environment.add_extension(InternationalizationExtension)
    environment.policies["ext.i18n.trimmed"] = True
    # The extension's own callables take three times as long as these, on every word of every move's answer.
    environment.newstyle_gettext = True  # type: ignore[attr-defined]  # the extension's; trans passes its facts
    environment.globals.update(
        _=_gettext, gettext=_gettext, ngettext=_ngettext, pgettext=_pgettext, npgettext=_npgettext
    )
    environment.globals.update(
        language=language,
        languages=LANGUAGES,
        card_name=cards.card_name,
        card_index=cards.card_index,
        suit_name=cards.suit_name,
        game_name=names.game_name,
        setting_name=names.setting_name,
        param_name=names.param_name,
        choice_name=names.choice_name,
        scoring_in_words=names.scoring_in_words,
        patience_name=names.patience_name,
        scoring_name=names.scoring_name,
        status_name=reasons.status,
        problem=reasons.problem,
    )
    # As a filter a function costs a tenth of what a call costs: the board names every card of every answer.
    environment.filters.update(
        card_name=cards.card_name,
        card_index=cards.card_index,
        suit_name=cards.suit_name,
        number=formats.number,
        percent=formats.percent,
        listed=formats.listed,
        day=formats.day,
        moment=formats.moment,
        iso=formats.iso,
        clock=formats.clock,
        duration=formats.duration,
    )


# A message is trusted text and what is put into it is not: the facts are escaped, as autoescape has it.


def _gettext(message: str, /, **facts: object) -> Markup:
    code = language()
    return _message(code, None, message) % facts if facts else _plain(code, None, message)


def _pgettext(context: str, message: str, /, **facts: object) -> Markup:
    code = language()
    return _message(code, context, message) % facts if facts else _plain(code, context, message)


def _ngettext(one: str, many: str, number: int, /, **facts: object) -> Markup:
    found = translations(language()).ngettext(one, many, number)
    return Markup(found) % {**facts, "num": formats.number(number)}  # noqa: S704


def _npgettext(context: str, one: str, many: str, number: int, /, **facts: object) -> Markup:
    found = translations(language()).npgettext(context, one, many, number)
    return Markup(found) % {**facts, "num": formats.number(number)}  # noqa: S704


@lru_cache(maxsize=4096)
def _message(code: str, context: str | None, message: str) -> Markup:
    words = translations(code)
    return Markup(words.gettext(message) if context is None else words.pgettext(context, message))  # noqa: S704


@lru_cache(maxsize=4096)
def _plain(code: str, context: str | None, message: str) -> Markup:
    return _message(code, context, message) % {}
