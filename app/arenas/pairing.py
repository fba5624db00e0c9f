"""Who races whom: groups of those who wait in an arena. Pure; it knows no database.

Near in the table, and not the same opponents again where that can be avoided. A group costs, for each two of
its players, how far they stand apart in the order of points and rating, ten places for each time they have
met, and a hundred if one of them met the other in their last race. The whole should cost little: of up to
eight players it is the least, of more it is what no exchange of two players makes better.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

SMALLEST, LARGEST = 2, 4
"""Players of a race."""

MET, JUST_MET = 10, 100

ALL_WAYS = 8
"""So many players are grouped in the cheapest of all ways."""

WINDOW = 12
"""Of more, those are exchanged who stand no farther apart."""

HOLD_MS = 8_000
"""So long one waits for a full group before a smaller one will do."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One who waits: since when, with how many points, how strong, and whom they have met how often."""

    number: int
    since: int
    points: int = 0
    rating: float = 1500.0
    met: Mapping[int, int] = field(default_factory=dict)
    last: frozenset[int] = frozenset()


Group = tuple[Waiting, ...]


def round_at(waiting: Sequence[Waiting], size: int) -> int | None:
    """When those who wait are to be grouped; None as long as there is nobody to race against.

    At once when there is a group of the size that is wanted, else when one of them has waited long enough.
    """
    if len(waiting) < SMALLEST:
        return None
    since = sorted(one.since for one in waiting)
    return since[size - 1] if len(since) >= size else since[0] + HOLD_MS


def groups(waiting: Sequence[Waiting], size: int) -> list[tuple[int, ...]]:
    """Groups of ``SMALLEST`` to ``size`` players, by their numbers.

    All are in one, unless they are to race in pairs and one is over: the one who came last.
    """
    if len(waiting) < SMALLEST:
        return []
    chosen = list(waiting)
    sizes = sizes_of(len(chosen), size)
    if sum(sizes) < len(chosen):
        chosen.remove(max(chosen, key=lambda one: (one.since, one.number)))
    chosen.sort(key=lambda one: (-one.points, -one.rating, one.number))
    order = {one.number: at for at, one in enumerate(chosen)}
    if len(chosen) <= ALL_WAYS:
        found = min(_ways(tuple(chosen), sizes), key=lambda way: sum(cost(group, order) for group in way))
    else:
        found = _improved(chosen, sizes, order)
    return [tuple(one.number for one in group) for group in found]


def sizes_of(count: int, size: int) -> tuple[int, ...]:
    """How many players each group has, as even as can be, the larger ones first."""
    number = -(-count // size)
    if number and count // number < SMALLEST:  # pairs, and one is over
        number -= 1
        count -= 1
    return tuple(count // number + (at < count % number) for at in range(number)) if number else ()


def cost(group: Group, order: Mapping[int, int]) -> int:
    """What it costs that these race each other. ``order``: where each stands."""
    return sum(
        abs(order[one.number] - order[other.number])
        + MET * one.met.get(other.number, 0)
        + JUST_MET * (other.number in one.last or one.number in other.last)
        for one, other in combinations(group, 2)
    )


def _ways(rest: Group, sizes: Sequence[int]) -> Iterator[list[Group]]:
    """All ways to make groups of these sizes. Who stands highest is in the group that is made first."""
    if not sizes:
        yield []
        return
    first, others = rest[0], rest[1:]
    for at in {size: at for at, size in enumerate(sizes)}.values():  # groups of one size are alike
        left = [*sizes[:at], *sizes[at + 1 :]]
        for mates in combinations(others, sizes[at] - 1):
            taken = {mate.number for mate in mates}
            for way in _ways(tuple(one for one in others if one.number not in taken), left):
                yield [(first, *mates), *way]


def _improved(chosen: Sequence[Waiting], sizes: Sequence[int], order: Mapping[int, int]) -> list[Group]:
    """Neighbours together, and then exchanged as long as that makes the whole cheaper."""
    found: list[list[Waiting]] = []
    at = 0
    for size in sizes:
        found.append(list(chosen[at : at + size]))
        at += size
    place = {one.number: number for number, group in enumerate(found) for one in group}
    better = True
    while better:
        better = False
        for at, one in enumerate(chosen):
            for other in chosen[at + 1 : at + 1 + WINDOW]:
                here, there = place[one.number], place[other.number]
                if here != there and _exchange(found[here], found[there], one, other, order):
                    place[one.number], place[other.number] = there, here
                    better = True
    return [tuple(group) for group in found]


def _exchange(
    here: list[Waiting], there: list[Waiting], one: Waiting, other: Waiting, order: Mapping[int, int]
) -> bool:
    """Exchanges two players of two groups if that is cheaper; whether it was."""
    mine = [other if each is one else each for each in here]
    theirs = [one if each is other else each for each in there]
    before = cost(tuple(here), order) + cost(tuple(there), order)
    if cost(tuple(mine), order) + cost(tuple(theirs), order) >= before:
        return False
    here[:], there[:] = mine, theirs
    return True
