"""Points: what a race brings, what being on fire does, and how the table is ordered."""

from hypothesis import given
from hypothesis import strategies as st

from app.arenas.points import BURNS_FROM, Finish, Score, gained, ranks, scores, winner


def race(*places: int, idle: frozenset[int] = frozenset()) -> dict[int, Finish]:
    """A race of players 1, 2, ... who came in these places."""
    return {player: Finish(place, player not in idle) for player, place in enumerate(places, 1)}


def test_each_opponent_behind_is_a_point_and_being_first_alone_one_more() -> None:
    assert gained(race(1, 2)) == {1: 2, 2: 0}
    assert gained(race(3, 1, 2)) == {1: 0, 2: 3, 3: 1}
    assert gained(race(1, 2, 3, 4)) == {1: 4, 2: 2, 3: 1, 4: 0}


def test_who_share_a_place_share_its_points_without_halves() -> None:
    assert gained(race(1, 1)) == {1: 1, 2: 1}
    assert gained(race(1, 1, 3)) == {1: 2, 2: 2, 3: 0}
    assert gained(race(1, 2, 2)) == {1: 3, 2: 0, 3: 0}
    assert gained(race(1, 1, 1, 1)) == dict.fromkeys((1, 2, 3, 4), 1)
    assert gained(race(1, 2, 2, 4)) == {1: 4, 2: 1, 3: 1, 4: 0}


def test_who_did_nothing_comes_last_and_has_nothing() -> None:
    idle = race(1, 2, idle=frozenset({1}))
    assert gained(idle) == {1: 0, 2: 2}
    assert winner(idle) == 2
    assert gained(race(1, 1, 3, 4, idle=frozenset({1, 2}))) == {1: 0, 2: 0, 3: 4, 4: 2}
    nobody = race(1, 2, idle=frozenset({1, 2}))
    assert gained(nobody) == {1: 0, 2: 0}
    assert winner(nobody) is None
    assert gained(race(1)) == {1: 0}
    assert winner(race(1)) is None
    assert gained({}) == {}


def test_a_race_is_won_by_being_first_alone() -> None:
    assert winner(race(2, 1)) == 2
    assert winner(race(1, 1)) is None


def test_two_won_in_a_row_and_races_count_double_up_to_the_first_that_is_not_won() -> None:
    won, drawn, lost = race(1, 2), race(1, 1), race(2, 1)
    points = [scores([won] * times)[1].points for times in range(5)[1:]]
    assert points == [2, 4, 8, 12]
    assert scores([won, won, drawn, won])[1] == Score(points=2 + 2 + 2 + 2, races=4, wins=3, streak=1)
    assert scores([won, won, lost, won])[1] == Score(points=2 + 2 + 0 + 2, races=4, wins=3, streak=1)
    assert scores([won, lost, won, won])[1].on_fire
    assert not scores([won, won, lost])[1].on_fire


def test_the_table_goes_by_points_then_wins_then_fewer_races() -> None:
    table = [Score(6, 5, 2), Score(8, 9, 1), Score(6, 5, 3), Score(6, 4, 2), Score(6, 5, 2)]
    assert ranks(table) == [4, 1, 2, 3, 4]
    assert ranks([]) == []


sizes = st.integers(2, 4)


@st.composite
def finished(draw: st.DrawFn) -> dict[int, Finish]:
    """A race of two to four of eight players, with places as a race gives them."""
    players = draw(st.lists(st.integers(1, 8), min_size=2, max_size=4, unique=True))
    keys = draw(st.lists(st.integers(0, 3), min_size=len(players), max_size=len(players)))
    played = draw(st.lists(st.booleans(), min_size=len(players), max_size=len(players)))
    places = [1 + sum(other < key for other in keys) for key in keys]
    return {
        player: Finish(place, there) for player, place, there in zip(players, places, played, strict=True)
    }


@given(finished())
def test_no_race_brings_more_than_there_is_and_the_better_place_never_less(race: dict[int, Finish]) -> None:
    points, size = gained(race), len(race)
    assert sum(points.values()) <= size * (size - 1) // 2 + 1
    for one, finish in race.items():
        assert points[one] >= 0
        for other, theirs in race.items():
            if finish.played and finish.place < theirs.place:
                assert points[one] >= points[other]


@given(st.lists(finished(), max_size=12))
def test_all_that_is_reckoned_follows_from_each_ones_own_races(races: list[dict[int, Finish]]) -> None:
    found = scores(races)
    for player in range(1, 9):
        mine = [race for race in races if player in race]
        won = [winner(race) == player for race in mine]
        points = sum(
            gained(race)[player] * (2 if at >= BURNS_FROM and all(won[at - BURNS_FROM : at]) else 1)
            for at, race in enumerate(mine)
        )
        streak = next((at for at, one in enumerate(reversed(won)) if not one), len(won))
        expected = Score(points, len(mine), sum(won), streak)
        assert found.get(player, Score()) == expected
