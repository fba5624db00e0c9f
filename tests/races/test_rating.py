"""What races do to ratings."""

import pytest

from app.players import store as players
from app.races import rating
from app.races.race import Race
from app.races.service import COUNTDOWN
from app.ranking import ratings
from app.ranking.glicko2 import Rating, of_places
from tests.races.conftest import Track


@pytest.fixture
def rated(track: Track) -> Track:
    track.races.on_end.append(rating.rate)
    return track


def account(track: Track, name: str) -> str:
    player = track.player()
    with track.house.db.write() as conn:
        players.change_player(conn, player, {"name": name, "name_key": name.lower()})
    return player


def ended(track: Track, race: Race, *players: str) -> Race:
    """All give up; each has played a move more than the next, so the last comes first."""
    for moves, player in enumerate(reversed(players), 1):
        for _ in range(moves):
            track.move(race, player)
        track.house.give_up(track.game(race, player))
    return track.look(race)


def of(track: Track, player: str) -> dict[str, Rating]:
    with track.house.db.read() as conn:
        return ratings.of_player(conn, player)


def test_a_race_rates_its_accounts_by_their_places(rated: Track) -> None:
    first, second, third = (account(rated, name) for name in ("Aino", "Bo", "Cia"))
    race = ended(rated, rated.running(first, second, third), first, second, third)
    assert [seat.result.place if seat.result else 0 for seat in race.seats] == [3, 2, 1]
    expected = of_places([Rating()] * 3, [3, 2, 1])
    assert [of(rated, player)["spider1"] for player in (first, second, third)] == expected
    with rated.house.db.read() as conn:
        assert [one.name for one in ratings.best(conn, "spider1")] == ["Cia", "Bo", "Aino"]
        (change,) = ratings.history(conn, third, "spider1")
    assert (change.event_id, change.place, change.before) == (race.id, 1, 1500)
    assert change.gained > 0


def test_guests_and_those_who_knew_the_deal_are_not_rated(rated: Track) -> None:
    first, second, knew, guest = *(account(rated, name) for name in ("Aino", "Bo", "Cia")), rated.player()
    race = rated.counting(first, second, knew, guest)
    rated.house.create(knew, deal=race.code)
    rated.house.clock.pass_by(COUNTDOWN)
    ended(rated, rated.look(race), first, second, knew, guest)
    assert (of(rated, knew), of(rated, guest)) == ({}, {})
    assert of(rated, first)["spider1"] == of_places([Rating()] * 2, [2, 1])[0]


def test_one_account_among_guests_and_a_race_never_run_rate_nobody(rated: Track) -> None:
    alone, guest = account(rated, "Aino"), rated.player()
    ended(rated, rated.running(alone, guest), alone, guest)
    rated.do("leave", rated.create(alone).id, alone)
    assert of(rated, alone) == {}


def test_ratings_are_apart_for_each_number_of_suits_and_build_on_each_other(rated: Track) -> None:
    first, second = account(rated, "Aino"), account(rated, "Bo")
    ended(rated, rated.running(first, second), first, second)
    ended(rated, rated.running(first, second, params={"suits": 2}), second, first)
    ended(rated, rated.running(first, second), first, second)
    once = of_places([Rating()] * 2, [2, 1])
    assert of(rated, first)["spider1"] == of_places(once, [2, 1])[0]
    assert of(rated, first)["spider2"] == once[1]


def test_an_event_is_rated_once(rated: Track) -> None:
    first, second = account(rated, "Aino"), account(rated, "Bo")
    race = ended(rated, rated.running(first, second), first, second)
    before = of(rated, first)
    with rated.house.db.write() as conn:
        rating.rate(conn, race)
    assert of(rated, first) == before
