"""What a solver answers. Plain data: no solver's code is needed to read it."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Solved:
    """The position can be won: `line`, in move texts, does it, and was replayed by the rules."""

    line: tuple[str, ...]
    used_hidden: bool  # whether there were cards that the player cannot see
    nodes: int = 0
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Unsolvable:
    """The position cannot be won by anyone. `reason`: `no_move`, `no_deal` (the rules say so),
    `no_space_ever` (no column can ever become empty), `no_way_out` (the cards that would have to be moved
    have nowhere to lie) or `exhausted` (every position that can be reached was looked at)."""

    reason: str
    used_hidden: bool
    nodes: int = 0
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not found out. `out_of`: `time`, `nodes`, `stopped` (somebody asked to), or `no_solver` for the
    patience."""

    out_of: str
    used_hidden: bool
    nodes: int = 0
    seconds: float = field(default=0.0, compare=False)


Verdict = Solved | Unsolvable | Unknown
