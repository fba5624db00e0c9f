"""Which patiences there are, by key and by the prefix of their deal codes.

A new patience is one file of rules and one line here.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product

from app.patience.errors import BadParams, UnknownPatience
from app.patience.holy_seven import HolySeven
from app.patience.hypyt import Hypyt
from app.patience.patience import Params, Patience
from app.patience.pyramid import Pyramid
from app.patience.spider import Spider
from app.patience.spider_family import RelaxedSpider, Scorpion, SimpleSimon, Spiderette, Wasp, WillOTheWisp
from app.patience.spilzone import Spilzone

_KINDS: dict[str, type[Patience]] = {}


def register(kind: type[Patience]) -> None:
    """Adds a patience. Its prefixes must be new: a deal code must name one patience only."""
    if kind.key in _KINDS:
        raise ValueError(f"{kind.key} is registered already")
    known = _by_prefix()
    if any(patience.prefix in known for patience in settings(kind)):
        raise ValueError(f"a prefix of {kind.key} is taken")
    _KINDS[kind.key] = kind
    _forget()


def unregister(key: str) -> None:
    """Takes a patience out again (a test's own, say)."""
    del _KINDS[key]
    _forget()


def keys() -> tuple[str, ...]:
    """The keys of all patiences, in the order in which they were registered."""
    return tuple(_KINDS)


def first() -> str:
    """The key of the patience that is meant where none is named: the one registered first."""
    return keys()[0]


def kind(key: str) -> type[Patience]:
    """The class of a key. Raises ``UnknownPatience``."""
    try:
        return _KINDS[key]
    except KeyError:
        raise UnknownPatience("unknown_patience") from None


def get(key: str, params: Params | None = None) -> Patience:
    """The patience of a key; parameters left out take their defaults.

    Raises ``UnknownPatience``, or ``BadParams`` for a name or a value that it does not have.
    """
    choices = kind(key).choices
    chosen = {name: values[0] for name, values in choices.items()}
    for name, value in (params or {}).items():
        allowed = choices.get(name, ())
        # The type is compared too: True and 1.0 are equal to 1 and are not meant.
        if not any(value == one and type(value) is type(one) for one in allowed):
            raise BadParams("bad_params", name=name if name in choices else "?")
        chosen[name] = value
    return _make(key, tuple(chosen.items()))


def by_prefix(prefix: str) -> Patience:
    """The patience that a deal code's prefix names. Raises ``UnknownPatience``."""
    try:
        return _by_prefix()[prefix]
    except KeyError:
        raise UnknownPatience("unknown_patience") from None


def all_patiences() -> Iterator[Patience]:
    """Every patience with every choice of its parameters."""
    for key in keys():
        choices = kind(key).choices
        for values in product(*choices.values()):
            yield _make(key, tuple(zip(choices, values, strict=True)))


@cache
def _make(key: str, params: tuple[tuple[str, int | str], ...]) -> Patience:
    return _KINDS[key](**dict(params))


def settings(kind: type[Patience]) -> Iterator[Patience]:
    """A kind with each choice of its parameters."""
    for values in product(*kind.choices.values()):
        yield kind(**dict(zip(kind.choices, values, strict=True)))


@cache
def _by_prefix() -> dict[str, Patience]:
    return {patience.prefix: patience for patience in all_patiences()}


def _forget() -> None:
    _make.cache_clear()
    _by_prefix.cache_clear()


for _kind in (
    Spider,
    RelaxedSpider,
    Spiderette,
    WillOTheWisp,
    SimpleSimon,
    Scorpion,
    Wasp,
    Spilzone,
    Pyramid,
    Hypyt,
    HolySeven,
):
    register(_kind)
