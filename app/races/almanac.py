"""Which patiences are dealt on which day. The table here is data: nothing else in races knows a patience."""

from datetime import date

from app.patience import registry
from app.patience.patience import Patience

EVERY_DAY = ("spider1", "spider2", "spider4")
"""The prefixes of what is dealt every day, in the order in which a day shows them."""


def kinds(day: date) -> tuple[Patience, ...]:
    """What is dealt on a day: what is dealt on every day, and one of the other patiences in turn."""
    always = [registry.by_prefix(prefix) for prefix in EVERY_DAY]
    taken = {patience.key for patience in always}
    others = [key for key in registry.keys() if key not in taken]  # noqa: SIM118 - a function, no mapping
    turn = [registry.get(others[day.toordinal() % len(others)])] if others else []
    return (*always, *turn)


def order(patience: Patience) -> tuple[int, str]:
    """Where a patience comes among those of a day."""
    prefix = patience.prefix
    return (EVERY_DAY.index(prefix) if prefix in EVERY_DAY else len(EVERY_DAY), prefix)
