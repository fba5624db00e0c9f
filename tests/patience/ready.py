"""The patiences whose rules are ready and which the registry does not know yet."""

from app.patience import registry
from app.patience.holy_seven import HolySeven
from app.patience.hypyt import Hypyt
from app.patience.patience import Patience
from app.patience.pyramid import Pyramid
from app.patience.spider_family import RelaxedSpider, Scorpion, SimpleSimon, Spiderette, Wasp, WillOTheWisp
from app.patience.spilzone import Spilzone
from app.patience.template import Template

READY_TO_REGISTER: tuple[type[Patience], ...] = (
    Spilzone,
    Hypyt,
    HolySeven,
    Pyramid,
    RelaxedSpider,
    Spiderette,
    WillOTheWisp,
    SimpleSimon,
    Scorpion,
    Wasp,
    Template,
)


def not_yet_registered() -> tuple[type[Patience], ...]:
    """Those that a test must register for itself, and take out again."""
    return tuple(kind for kind in READY_TO_REGISTER if kind.key not in registry.keys())  # noqa: SIM118
