"""Pairing: everyone in one group, near in the table, and not the same opponents where that can be avoided."""

from collections import Counter
from itertools import combinations, pairwise, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.arenas.pairing import ALL_WAYS, HOLD_MS, SMALLEST, Waiting, cost, groups, round_at, sizes_of

SIZES = st.integers(2, 4)


@st.composite
def waiting(draw: st.DrawFn, most: int = 40) -> list[Waiting]:
    """Those who wait, with points, ratings, and whom they have met."""
    numbers = draw(st.lists(st.integers(1, 99), max_size=most, unique=True))
    pairs = [pair for pair in combinations(numbers, 2) if draw(st.integers(0, 3)) == 0] if most < 10 else []
    return [
        Waiting(
            number=number,
            since=draw(st.integers(0, 50)),
            points=draw(st.integers(0, 30)),
            rating=draw(st.sampled_from([1200.0, 1500.0, 1833.3])),
            met=Counter(a if b == number else b for a, b in pairs if number in (a, b)),
            last=frozenset(draw(st.sets(st.sampled_from(numbers), max_size=3))) - {number},
        )
        for number in numbers
    ]


def standing(*points: int, met: dict[int, set[int]] | None = None) -> list[Waiting]:
    """Players 1, 2, ... with these points, and whom each met in the last race."""
    return [
        Waiting(number, 0, points=one, last=frozenset((met or {}).get(number, ())))
        for number, one in enumerate(points, 1)
    ]


def test_near_in_the_table_race_each_other() -> None:
    assert groups(standing(10, 0, 9, 1), 2) == [(1, 3), (4, 2)]
    assert groups(standing(9, 9, 9, 0, 0, 1), 3) == [(1, 2, 3), (6, 4, 5)]


def test_the_same_two_do_not_race_twice_in_a_row_where_that_can_be_avoided() -> None:
    again = standing(10, 9, 1, 0, met={1: {2}, 2: {1}, 3: {4}, 4: {3}})
    assert {frozenset(group) for group in groups(again, 2)} == {frozenset({1, 3}), frozenset({2, 4})}
    assert groups(standing(3, 1, met={1: {2}, 2: {1}}), 2) == [(1, 2)]


def test_of_pairs_one_may_be_over_and_it_is_who_came_last() -> None:
    three = [Waiting(1, since=7), Waiting(2, since=9), Waiting(3, since=8)]
    assert groups(three, 2) == [(1, 3)]
    assert groups(three, 3) == [(1, 2, 3)]
    assert groups(three[:1], 4) == []
    assert groups([], 4) == []


def test_a_full_group_goes_at_once_and_a_smaller_one_when_one_has_waited_long() -> None:
    assert round_at([Waiting(1, since=5)], 2) is None
    assert round_at([Waiting(1, since=5), Waiting(2, since=30)], 2) == 30
    assert round_at([Waiting(1, since=5), Waiting(2, since=30)], 4) == 5 + HOLD_MS


@given(st.integers(0, 300), SIZES)
def test_groups_are_as_even_as_can_be(count: int, size: int) -> None:
    sizes = sizes_of(count, size)
    assert all(SMALLEST <= one <= size for one in sizes)
    assert count - sum(sizes) == (1 if count == 1 or (size == 2 and count % 2) else 0)
    assert not sizes or max(sizes) - min(sizes) <= 1


@given(waiting(), SIZES)
@settings(deadline=None)
def test_everyone_is_in_one_group_but_one_who_is_over(players: list[Waiting], size: int) -> None:
    found = groups(players, size)
    grouped = [number for group in found for number in group]
    assert len(grouped) == len(set(grouped))
    left = {one.number for one in players} - set(grouped)
    assert len(left) == len(players) - sum(sizes_of(len(players), size))
    if left and len(players) > 1:
        (last,) = left
        assert last == max(players, key=lambda one: (one.since, one.number)).number


@given(waiting(most=6), SIZES)
@settings(deadline=None)
def test_of_few_players_no_other_grouping_costs_less(players: list[Waiting], size: int) -> None:
    found = groups(players, size)
    grouped = {number for group in found for number in group}
    chosen = [one for one in players if one.number in grouped]
    chosen.sort(key=lambda one: (-one.points, -one.rating, one.number))
    order = {one.number: at for at, one in enumerate(chosen)}
    by_number = {one.number: one for one in chosen}

    def total(way: list[tuple[Waiting, ...]]) -> int:
        return sum(cost(group, order) for group in way)

    sizes = sizes_of(len(players), size)
    cuts = [sum(sizes[:at]) for at in range(len(sizes) + 1)]
    best = min(
        total([line[cuts[at] : cuts[at + 1]] for at in range(len(sizes))]) for line in permutations(chosen)
    )
    assert total([tuple(by_number[number] for number in group) for group in found]) == best


@given(waiting(), SIZES)
@settings(deadline=None)
def test_of_many_no_exchange_of_neighbours_costs_less(players: list[Waiting], size: int) -> None:
    found = groups(players, size)
    if len(players) <= ALL_WAYS:
        return
    by_number = {one.number: one for one in players}
    chosen = [by_number[number] for group in found for number in group]
    chosen.sort(key=lambda one: (-one.points, -one.rating, one.number))
    order = {one.number: at for at, one in enumerate(chosen)}
    where = {number: at for at, group in enumerate(found) for number in group}

    def total(way: list[list[int]]) -> int:
        return sum(cost(tuple(by_number[number] for number in group), order) for group in way)

    before = total([list(group) for group in found])
    for one, other in pairwise(chosen):
        if where[one.number] == where[other.number]:
            continue
        swap = {one.number: other.number, other.number: one.number}
        assert total([[swap.get(number, number) for number in group] for group in found]) >= before


def test_in_a_field_of_eight_nobody_meets_the_same_opponent_again_before_three_rounds() -> None:
    met: dict[int, Counter[int]] = {number: Counter() for number in range(1, 9)}
    last: dict[int, frozenset[int]] = dict.fromkeys(met, frozenset())
    for _ in range(3):
        field = [Waiting(number, 0, met=met[number], last=last[number]) for number in met]
        for one, other in groups(field, 2):
            assert not met[one][other]
            met[one][other] += 1
            met[other][one] += 1
            last[one], last[other] = frozenset({other}), frozenset({one})
