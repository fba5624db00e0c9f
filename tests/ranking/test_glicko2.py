"""Glicko-2 against its published worked example and another program, and what must hold of any rating."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ranking.glicko2 import (
    LARGEST_DEVIATION,
    START_DEVIATION,
    Outcome,
    Rating,
    expected_score,
    of_places,
    rated,
)
from tests.builders import golden

ratings = st.builds(Rating, st.floats(600, 2800), st.floats(30, 350), st.floats(0.03, 0.1))


def test_the_published_example() -> None:
    """Glickman's: 1500 (200) beats 1400 (30), loses to 1550 (100) and to 1700 (300)."""
    outcomes = [
        Outcome(Rating(1400, 30), 1),
        Outcome(Rating(1550, 100), 0),
        Outcome(Rating(1700, 300), 0),
    ]
    after = rated(Rating(1500, 200, 0.06), outcomes)
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


@pytest.mark.parametrize("case", golden("glicko2.json")["cases"])
def test_another_program_comes_to_the_same(case: dict[str, Any]) -> None:
    """The package ``glicko2`` 2.1.0 takes, in step 5, the rating where the deviation belongs (its ``_f``).

    Where both are as large it comes out the same to all digits, elsewhere within a hundredth of a point.
    """
    rating, deviation, volatility = case["before"]
    outcomes = [Outcome(Rating(one, doubt), score) for one, doubt, score in case["opponents"]]
    after = rated(Rating(rating, deviation, volatility), outcomes)
    near, nearly = (1e-6, 1e-8) if abs(rating - 1500) == deviation else (0.01, 0.0002)
    assert [after.rating, after.deviation] == pytest.approx(case["after"][:2], abs=near)
    assert after.volatility == pytest.approx(case["after"][2], abs=nearly)


def test_without_results_only_doubt_grows() -> None:
    after = rated(Rating(1600, 80, 0.06), [])
    assert (after.rating, after.volatility) == (1600, 0.06)
    assert after.deviation == pytest.approx((80**2 + (0.06 * 173.7178) ** 2) ** 0.5)
    assert rated(Rating(1500, 350), []).deviation == LARGEST_DEVIATION


def test_a_surprise_raises_the_volatility() -> None:
    surprised = rated(Rating(1500, 50, 0.06), [Outcome(Rating(2400, 40), 1)] * 4)
    assert surprised.volatility > 0.06
    assert surprised.rating > 1500


def test_a_race_is_one_period_of_pairs() -> None:
    before = [Rating(1500, 200), Rating(1400, 30), Rating(1550, 100), Rating(1700, 300)]
    after = of_places(before, [3, 4, 2, 1])
    assert after[0] == rated(before[0], [Outcome(before[1], 1), Outcome(before[2], 0), Outcome(before[3], 0)])
    assert after[0].rating == pytest.approx(1464.06, abs=0.01)


def test_equal_players_who_draw_stay_equal() -> None:
    first, second = of_places([Rating(), Rating()], [1, 1])
    assert first == second
    assert first.rating == pytest.approx(1500)
    assert first.deviation < START_DEVIATION


def test_alone_nothing_changes() -> None:
    assert of_places([Rating(1600, 60)], [1]) == [Rating(1600, 60)]
    assert of_places([], []) == []
    with pytest.raises(ValueError, match="a place for each"):
        of_places([Rating()], [])


def test_a_rating_is_provisional_until_it_is_sure_enough() -> None:
    assert Rating().provisional
    assert not Rating(1500, 80).provisional


@given(st.lists(ratings, min_size=2, max_size=16), st.data())
def test_who_places_better_does_not_come_out_worse_for_it(field: list[Rating], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(1, 16), min_size=len(field), max_size=len(field)))
    after = of_places(field, places)
    first = [99, *places[1:]], [0, *places[1:]]
    last_of_all, first_of_all = (of_places(field, one)[0] for one in first)
    assert last_of_all.rating <= after[0].rating + 1e-6
    assert after[0].rating <= first_of_all.rating + 1e-6
    for one in after:
        assert 0 < one.deviation <= LARGEST_DEVIATION
        assert 0 < one.volatility < 1


@given(ratings, ratings)
def test_two_players_share_what_is_expected(one: Rating, other: Rating) -> None:
    assert expected_score(one, other) + expected_score(other, one) == pytest.approx(1)
