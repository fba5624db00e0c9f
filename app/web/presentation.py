"""How each patience is shown: the one place besides the rules' own words that knows patiences by name.

A patience that is not named here is shown by what its rules tell: its table, its roles, the texts it reads.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any, Literal, Protocol, TypeVar

from app.i18n import marked
from app.patience import registry
from app.patience.building import RUN
from app.patience.errors import PatienceError
from app.patience.patience import Patience

Lay = Literal["columns", "lines", "pyramid", "wrapped"]
Lifts = Literal["end", "run", "any"]


class _Named(Protocol):
    @property
    def id(self) -> str: ...


P = TypeVar("P", bound=_Named)


@dataclass(frozen=True, slots=True)
class Style:
    """What the rules do not say of a patience's looks.

    ``lay``: columns that cascade, with the other piles beside them; lines of squared piles; lines that
    overlap; one line that is wrapped, ``tall`` piles wide on an upright screen. ``lifts``: what may be
    picked up of a column. ``runs``: whether what is done is counted in runs. ``names``: what moves call a
    pile by another name than its id. ``ghosts``: whether an open place shows the rank that it is for.
    """

    lay: Lay = "columns"
    lifts: Lifts = "end"
    runs: bool = False
    tall: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    ghosts: bool = False
    won: str = ""
    about: str = ""


_BUILT = {
    "spider": marked("Two packs, ten columns, eight runs: the classic, with one, two or four suits."),
    "relaxed-spider": marked("Spider for a calm evening: a row may be dealt onto empty columns too."),
    "spiderette": marked("Spider with a single pack on seven columns."),
    "will-o-the-wisp": marked("A single pack again, on seven short columns: quick and lively."),
    "simple-simon": marked("Every card lies open from the start: nothing is left to luck."),
    "spilzone": marked("Built in suit only, and the stock is drawn card by card: a Danish house rule."),
}
_MOVED_WHOLE = {
    "scorpion": marked("Any open card moves with all that lie on it; built in suit."),
    "wasp": marked("Scorpion's friendlier sister: an empty column takes any card."),
}
_RUNS_HOME = marked("All runs are home.")

STYLES: Mapping[str, Style] = {
    **{key: Style(lifts="run", runs=True, won=_RUNS_HOME, about=about) for key, about in _BUILT.items()},
    **{
        key: Style(lifts="any", runs=True, won=_RUNS_HOME, about=about) for key, about in _MOVED_WHOLE.items()
    },
    "hypyt": Style(
        lay="wrapped",
        tall=8,
        won=marked("One pile holds the whole pack."),
        about=marked("The whole pack in one row hops together, pile by pile."),
    ),
    "holy-seven": Style(
        lay="lines",
        ghosts=True,
        won=marked("Only the sevens are left."),
        about=marked("Pairs that make seven and sets from eight to king: quick, and pure luck."),
    ),
    "pyramid": Style(
        lay="pyramid",
        names={"waste": "w"},
        won=marked("The pyramid is gone."),
        about=marked("Take pairs that make thirteen until the pyramid is gone."),
    ),
}

TILES: Mapping[tuple[str, str, int | str], str] = {
    ("spider", "suits", 1): marked("One suit: the gentle start. Nearly every game can be won."),
    ("spider", "suits", 2): marked("Two suits: thought is needed. Nearly every game can be won."),
    ("spider", "suits", 4): marked(
        "Four suits: one of the hardest patiences there are, though more than 99 deals in 100 can be won."
    ),
    ("pyramid", "passes", 1): marked("Once through the stock: a win is rare."),
    ("pyramid", "passes", 3): marked("The usual game: two deals of three can be won."),
    ("hypyt", "row", 52): marked("All cards lie open: a puzzle with nothing hidden."),
    ("hypyt", "row", 26): marked("Half the pack waits in the stock."),
    ("hypyt", "row", 13): marked("A short row, and a large stock of surprises."),
}
"""A word on the first choice of a patience, where there is one to say."""

SIGNS: Mapping[int, str] = {1: "S", 2: "SH", 4: "SHDC"}
"""The suits of a game of so many."""

WORDS = ("deal", "draw", "turn")
REDEAL = "redeal"


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """How one patience is drawn and played by hand.

    ``lines``: piles by lines (of all piles; for columns, only of those beside them). ``word``: the move of
    a tap on the stock; ``drawn``: whether its end card is picked instead and put on a pile. ``refused``:
    the text of a move by two places, ``{a}-{b}x{n}``, so that the server can say why it is none.
    ``row``: cards that one tap deals.
    """

    style: Style
    lines: tuple[tuple[str, ...], ...]
    wide: int
    high: int
    word: str
    drawn: bool
    again: bool
    refused: str
    row: int
    runs: int

    def arranged(self, piles: Iterable[P]) -> list[list[P]]:
        """The piles as they lie, line by line."""
        by_id = {pile.id: pile for pile in piles}
        return [[by_id[one] for one in line if one in by_id] for line in self.lines]

    @property
    def done(self) -> str:
        """What is done is called so, to be translated."""
        return marked("Runs") if self.runs else marked("Progress")

    @property
    def columns(self) -> bool:
        return self.style.lay == "columns"

    @property
    def pairs(self) -> bool:
        """Whether cards are taken away together, and not put onto each other."""
        return "+" in self.refused

    def name(self, pile: str) -> str:
        """What moves call a pile."""
        return self.style.names.get(pile, pile)


@dataclass(frozen=True, slots=True)
class Tile:
    """A way to begin a game: a value of the first parameter, or none."""

    name: str
    value: int | str
    words: str
    signs: str


def tiles(kind: type[Patience]) -> tuple[Tile, ...]:
    """The choices that one sees first, the small ones first; a patience without choices has one tile."""
    if not kind.choices:
        return (Tile("", "", style_of(kind.key).about, ""),)
    name, values = next(iter(kind.choices.items()))
    return tuple(
        Tile(
            name,
            value,
            TILES.get((kind.key, name, value), ""),
            SIGNS.get(value, "") if name == "suits" and isinstance(value, int) else "",
        )
        for value in _in_order(values)
    )


def tables(patience: Patience) -> tuple[Patience, ...]:
    """The tables beside that of a patience: those of its first parameter, and all that it has otherwise."""
    name = next(iter(patience.choices), None)
    if name is None:
        return (patience,)
    rest = {key: value for key, value in patience.params.items() if key != name}
    values = _in_order(patience.choices[name])
    return tuple(registry.get(patience.key, {**rest, name: value}) for value in values)


def settings(kind: type[Patience]) -> tuple[Patience, ...]:
    """A kind with each choice of its parameters: as usual first, then with house rules."""
    choices = [_in_order(values) for values in kind.choices.values()]
    every = [registry.get(kind.key, dict(zip(kind.choices, one, strict=True))) for one in product(*choices)]
    return tuple(sorted(every, key=lambda one: len(one.params)))


def _in_order(values: Iterable[int | str]) -> list[int | str]:
    """The numbers first, the small ones before the great."""
    return sorted(values, key=lambda value: (isinstance(value, str), value if isinstance(value, int) else 0))


def style_of(key: str) -> Style:
    return STYLES.get(key, Style())


def look_of(patience: Patience) -> Look:
    """The look of a patience, with its own parameters."""
    looks: Any = _look  # a patience has no equal but itself, and may be a key
    look: Look = looks(patience)
    return look


@lru_cache(maxsize=256)
def _look(patience: Any) -> Look:
    style = style_of(patience.key)
    roles = {spec.id: spec.role for spec in patience.piles}
    lines = patience.table
    if style.lay == "wrapped":
        row = tuple(pile for line in lines for pile in line if roles[pile] == "tableau")
        wide = max(len(line) for line in lines)
        others = tuple(line for line in lines if roles[line[0]] != "tableau")
        filled = patience.start(patience.deck(), 0)
        there = {spec.id for spec, pile in zip(patience.piles, filled.piles, strict=True) if pile.cards}
        # A stock that is empty from the start never holds anything.
        lines = (row, *(line for line in others if there & set(line)))
        high = -(-len(row) // wide) + len(lines) - 1
    else:
        wide, high = max(len(line) for line in lines), len(lines)
    if style.lay == "columns":
        wide = sum(roles[pile] == "tableau" for line in lines for pile in line)
    word = next((word for word in WORDS if _reads(patience, word)), "")
    return Look(
        style=style,
        lines=lines,
        wide=wide,
        high=high,
        word=word,
        drawn=_reads(patience, "stock-1"),
        again=_reads(patience, REDEAL),
        refused=next(
            (text for text in ("{a}-{b}x{n}", "{a}-{b}", "{a}+{b}") if _reads(patience, _example(text))), ""
        ),
        row=getattr(patience, "row", 1) if word == "deal" else 1,
        runs=patience.cards // RUN if style.runs else 0,
    )


def plain_look() -> Look:
    """Columns as most patiences have them, for tables that are drawn to explain something."""
    return look_of(registry.get(next(iter(STYLES))))


def _example(text: str) -> str:
    return text.format(a="1", b="2", n="1")


def _reads(patience: Patience, move: str) -> bool:
    try:
        patience.parse(move)
    except PatienceError:
        return False
    return True
