"""Numbers, lists, dates, times and durations as the language of now writes them (Babel's locale data).

What a page shows hundreds of times a second must not wait for Babel: small numbers are told apart first,
and the rest is remembered.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache, lru_cache

from babel import Locale
from babel.dates import format_date, format_datetime
from babel.lists import format_list
from babel.numbers import format_decimal, format_percent
from babel.units import format_unit

from app.i18n.languages import language

_SECOND, _MINUTE, _HOUR = 1000, 60, 3600


@cache
def locale(code: str) -> Locale:
    """Babel's data of a language. English is written as in Britain, with the day before the month."""
    return Locale.parse("en_GB" if code == "en" else code)


def number(value: float) -> str:
    """A number with the language's own separators: ``1,020``, ``1 020``, ``1.020``."""
    if isinstance(value, int) and -1000 < value < 1000:  # nothing to set apart
        return str(value) if value >= 0 else f"−{-value}"
    return _number(value, language())


@lru_cache(maxsize=4096)
def _number(value: float, code: str) -> str:
    return format_decimal(value, locale=locale(code)).replace("-", "−")


def percent(share: float) -> str:
    """A share of one, in whole per cent: "50%", "50 %"."""
    return format_percent(share, locale=locale(language()))


def listed(items: Iterable[object]) -> str:
    """Some things one after the other: "3, 5 and 7"."""
    return _listed(tuple(str(item) for item in items), language())


@lru_cache(maxsize=1024)
def _listed(items: tuple[str, ...], code: str) -> str:
    return format_list(items, locale=locale(code))


def day(at: int) -> str:
    """The day of a time (milliseconds since the epoch), in UTC: "30 Nov 2026"."""
    return format_date(_time(at), "medium", locale=locale(language()))


def moment(at: int) -> str:
    """Day and time of day of a time (milliseconds since the epoch), in UTC."""
    return format_datetime(_time(at), "short", locale=locale(language()))


def iso(at: int) -> str:
    """A time for programs, as the ``datetime`` of a ``<time>`` element: ``2026-11-30T12:05:00Z``."""
    return _time(at).strftime("%Y-%m-%dT%H:%M:%SZ")


def clock(milliseconds: int) -> str:
    """How long something took, as a clock shows it: ``0:07``, ``12:05``, ``1:02:03``."""
    seconds = max(0, milliseconds) // _SECOND
    hours, minutes, rest = seconds // _HOUR, seconds // _MINUTE % 60, seconds % _MINUTE
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def duration(milliseconds: int) -> str:
    """How long something lasts, in words: "1 hour 2 minutes"; seconds only where there are no hours."""
    seconds = max(0, milliseconds) // _SECOND
    hours, minutes, rest = seconds // _HOUR, seconds // _MINUTE % 60, seconds % _MINUTE
    parts = [(hours, "duration-hour"), (minutes, "duration-minute")]
    if not hours:
        parts.append((rest, "duration-second"))
    shown = [part for part in parts if part[0]] or [(0, "duration-second")]
    return " ".join(format_unit(count, unit, locale=locale(language())) for count, unit in shown)


def _time(at: int) -> datetime:
    return datetime.fromtimestamp(at / _SECOND, UTC)
