"""Arenas: who may come and go, what the clock brings about, what races bring, what is told."""

import random
from typing import Any

import pytest

from app.arenas import errors, store
from app.arenas.arena import EMPTY, LATEST, LONGEST, QUICKEST, SHORTEST, SLOWEST
from app.arenas.points import Score
from app.arenas.service import MOST_OPEN, SHOWN
from app.db import Database
from app.games import errors as game_errors
from app.patience.errors import BadParams, UnknownPatience
from app.players import store as players_store
from app.races import errors as race_errors
from app.races import rating
from app.races.service import COUNTDOWN
from app.ranking import ratings
from tests.arenas.conftest import Ground

MINUTE = 60_000


def places(race: Any) -> dict[str, int]:
    return {seat.player_id: seat.result.place for seat in race.seats if seat.result}


# Making one


def test_a_new_arena_waits_for_its_time_and_for_players(ground: Ground) -> None:
    arena = ground.create(ground.track.player(), minutes=30, seconds=180, starts_in=10)
    assert (arena.status, arena.starts_at - arena.created_at) == ("waiting", 10 * MINUTE)
    assert arena.ends_at - arena.starts_at == 30 * MINUTE
    assert ground.look(arena).rows == ()
    ground.clock.pass_by(10 * MINUTE)
    ground.settle(arena)
    assert ground.look(arena).arena.status == "running"


@pytest.mark.parametrize(
    ("wishes", "error"),
    [
        ({"minutes": SHORTEST - 1}, errors.BadArena),
        ({"minutes": LONGEST + 1}, errors.BadArena),
        ({"seconds": QUICKEST - 1}, errors.BadArena),
        ({"seconds": SLOWEST + 1}, errors.BadArena),
        ({"size": 1}, errors.BadArena),
        ({"size": 5}, errors.BadArena),
        ({"starts_in": -1}, errors.BadArena),
        ({"starts_in": LATEST + 1}, errors.BadArena),
        ({"patience": "bridge"}, UnknownPatience),
        ({"params": {"suits": 3}}, BadParams),
        ({"scoring": "guess"}, game_errors.BadScoring),
    ],
)
def test_an_arena_that_cannot_be_is_not_made(
    ground: Ground, wishes: dict[str, object], error: type[Exception]
) -> None:
    host = ground.track.player()
    with pytest.raises(error):
        ground.create(host, **wishes)
    with ground.track.house.db.read() as conn:
        assert ground.arenas.open_ones(conn) == []


def test_nobody_makes_more_than_a_few(ground: Ground) -> None:
    host = ground.track.player()
    for _ in range(MOST_OPEN):
        ground.create(host)
    with pytest.raises(errors.TooManyArenas):
        ground.create(host)
    ground.create(ground.track.player())


# Coming and going


def test_joining_twice_is_one_place(ground: Ground) -> None:
    arena, player = ground.create(ground.track.player()), ground.track.player()
    first = ground.do("join", arena.id, player)
    before = len(ground.track.hub.events)
    assert ground.do("join", arena.id, player) == first
    assert len(ground.track.hub.events) == before
    assert ground.look(arena).players == 1


def test_who_pauses_is_not_paired_and_may_come_back(ground: Ground) -> None:
    players = ground.track.players(3)
    arena = ground.running(*players)
    assert ground.do("leave", arena.id, players[2]).paused
    (race,) = ground.paired(arena)
    assert {seat.player_id for seat in race.seats} == set(players[:2])
    ground.finish(race, *players[:2])
    assert not ground.do("join", arena.id, players[2]).paused
    (race,) = ground.paired(arena)
    assert {seat.player_id for seat in race.seats} == set(players)


def test_only_who_is_there_can_leave_and_after_the_end_nobody_comes(ground: Ground) -> None:
    arena, player = ground.create(ground.track.player()), ground.track.player()
    with pytest.raises(errors.NotInArena):
        ground.do("leave", arena.id, player)
    for what in ("join", "leave"):
        with pytest.raises(errors.NoArena):
            ground.do(what, "A" * 22, player)
    ground.clock.pass_by(60 * MINUTE)
    with pytest.raises(errors.ArenaOver):
        ground.do("join", arena.id, player)


def test_who_comes_into_another_arena_pauses_in_the_first(ground: Ground) -> None:
    player, other = ground.track.players(2)
    first, second = ground.create(player), ground.create(other)
    ground.do("join", first.id, player)
    ground.do("join", second.id, player)
    assert ground.entrant(first, player).paused
    assert not ground.entrant(second, player).paused


def test_who_has_closed_the_page_is_not_paired_until_it_is_open_again(ground: Ground) -> None:
    players = ground.track.players(3)
    arena = ground.running(*players)
    ground.do("present", arena.id, players[0], here=False)
    (race,) = ground.paired(arena)
    assert {seat.player_id for seat in race.seats} == set(players[1:])
    ground.finish(race, *players[1:])
    ground.do("present", arena.id, players[0], here=True)
    (race,) = ground.paired(arena)
    assert len(race.seats) == 3


# Rounds


def test_a_group_races_on_one_sealed_deal_that_an_ordinary_race_keeps(ground: Ground) -> None:
    players = ground.track.players(4)
    arena = ground.running(*players, seconds=180)
    (race,) = ground.paired(arena)
    assert (race.status, race.arena_id, race.seconds, race.listed) == ("running", arena.id, 180, False)
    assert race.host is None
    assert {seat.player_id for seat in race.seats} == set(players)
    assert {ground.track.game(race, player).code for player in players} == {race.code}
    assert (race.deal, race.salt) == (None, None)
    assert {row.entrant.race_id for row in ground.look(arena).rows} == {race.id}
    assert not any(row.entrant.waits for row in ground.look(arena).rows)


def test_a_full_group_need_not_wait_and_one_alone_waits_on(ground: Ground) -> None:
    players = ground.track.players(3)
    arena = ground.running(*players, size=2)
    ground.clock.pass_by(2_000)
    ground.settle(arena)
    racing = ground.look(arena).racing
    assert len(racing) == 2
    assert len(set(racing.values())) == 1
    ground.clock.pass_by(30_000)
    ground.settle(arena)
    assert ground.look(arena).racing == racing


def test_rounds_are_due_by_themselves(ground: Ground) -> None:
    players = ground.track.players(2)
    arena = ground.running(*players)
    with ground.track.house.db.read() as conn:
        due = ground.arenas.next_due(conn)
    assert due is not None
    assert ground.clock.now < due <= ground.clock.now + 10_000
    ground.clock.pass_by(due - ground.clock.now)
    with ground.track.house.db.read() as conn:
        assert ground.arenas.due(conn) == [arena.id]
    ground.settle(arena)
    assert ground.look(arena).racing


def test_who_comes_does_not_put_off_the_round_of_those_who_wait(ground: Ground) -> None:
    arena = ground.running(*ground.track.players(2))
    for _ in range(20):
        ground.clock.pass_by(1_000)
        with ground.track.house.db.read() as conn:
            if ground.arenas.due(conn):
                break
        ground.do("join", arena.id, ground.track.player())
        assert ground.look(arena).players < 12
    ground.settle(arena)
    assert ground.look(arena).racing


def test_the_count_down_of_a_pairing_is_not_called_off(ground: Ground) -> None:
    first, second = ground.track.players(2)
    arena = ground.running(first, second)
    ground.clock.pass_by(10_000)
    ground.settle(arena)
    race = ground.look(arena).racing[1]
    with pytest.raises(race_errors.RaceStarted):
        ground.track.do("ready", race, first, ready=False)
    assert ground.track.do("leave", race, first).status == "counting_down"
    ground.clock.pass_by(COUNTDOWN)
    found = ground.track.races.look(race)
    assert (found.status, len(found.seats)) == ("running", 2)
    assert ground.track.do("join", race, first).seats[0].left is False


def test_a_race_that_all_have_left_before_its_start_is_over_at_its_start(ground: Ground) -> None:
    players = ground.track.players(2)
    arena = ground.running(*players)
    ground.clock.pass_by(10_000)
    ground.settle(arena)
    race = ground.look(arena).racing[1]
    for player in players:
        ground.track.do("leave", race, player)
    ground.clock.pass_by(COUNTDOWN)
    ground.track.races.look(race)
    assert ground.track.races.look(race).status == "over"


def test_nobody_is_waited_for_who_never_came(ground: Ground) -> None:
    there, gone = ground.track.players(2)
    arena = ground.running(there, gone)
    (race,) = ground.paired(arena)
    ground.clock.pass_by(60_000)
    ground.track.move(race, there)
    ground.track.house.give_up(ground.track.game(race, there))
    race = ground.track.races.look(race.id)
    assert race.status == "over"
    assert ground.entrant(arena, there).score == Score(2, 1, 1, 1)
    assert ground.entrant(arena, gone).score == Score(0, 1, 0, 0)
    assert ground.entrant(arena, gone).paused
    assert not ground.entrant(arena, there).paused


def test_a_pairing_has_no_rematch(ground: Ground) -> None:
    players = ground.track.players(2)
    arena = ground.running(*players)
    (race,) = ground.paired(arena)
    ground.finish(race, *players)
    with pytest.raises(race_errors.NotYet):
        ground.track.do("rematch", race.id, players[0])


# Points


def test_points_come_with_the_races_and_follow_from_their_logs(ground: Ground) -> None:
    players = ground.track.players(4)
    arena = ground.running(*players)
    for _ in range(3):
        (race,) = ground.paired(arena)
        ground.finish(race, *players)
        assert places(ground.track.races.look(race.id)) == {
            player: place for place, player in enumerate(players, 1)
        }
    rows = ground.look(arena).rows
    assert [row.entrant.player_id for row in rows] == players
    assert [row.entrant.score for row in rows] == [
        Score(4 + 4 + 8, 3, 3, 3),
        Score(6, 3, 0, 0),
        Score(3, 3, 0, 0),
        Score(0, 3, 0, 0),
    ]
    assert [row.rank for row in rows] == [1, 2, 3, 4]
    assert rows[0].entrant.score.on_fire
    assert ground.look(arena, players[2]).mine == rows[2]
    assert ground.differences(arena) == []


def test_a_table_that_was_tampered_with_is_found_out(ground: Ground) -> None:
    players = ground.track.players(2)
    arena = ground.running(*players)
    (race,) = ground.paired(arena)
    ground.finish(race, *players)
    with ground.track.house.db.write() as conn:
        store.change_entrant(conn, arena.id, 2, points=9)
    assert len(ground.differences(arena)) == 1


def test_races_are_rated_as_races_are(db: Database) -> None:
    ground = Ground.on(db)
    players = ground.track.players(2)
    with db.write() as conn:
        for at, player in enumerate(players):
            players_store.change_player(conn, player, {"name": f"Player{at}", "name_key": f"player{at}"})
    ground.track.races.on_end.append(rating.rate)
    arena = ground.running(*players)
    (race,) = ground.paired(arena)
    ground.finish(race, *players)
    with db.read() as conn:
        changes = ratings.of_event(conn, race.id)
        known = ratings.of_players(conn, players, "spider1")
    assert changes[players[0]].gained > 0 > changes[players[1]].gained
    assert known[players[0]] > 1500 > known[players[1]]


# The end


def test_at_the_end_races_that_run_are_finished_and_count(ground: Ground) -> None:
    players = ground.track.players(2)
    arena = ground.running(*players, minutes=20)
    ground.clock.pass_by(20 * MINUTE - 20_000)
    (race,) = ground.paired(arena)
    ground.clock.pass_by(6_000)
    ground.settle(arena)
    assert ground.look(arena).arena.status == "finishing"
    assert ground.entrant(arena, players[0]).race_id == race.id
    ground.finish(race, *players)
    found = ground.look(arena)
    assert (found.arena.status, found.arena.reason, found.arena.due_at) == ("over", "finished", None)
    assert [row.entrant.rank for row in found.rows] == [1, 2]
    assert found.rows[0].entrant.score == Score(2, 1, 1, 1)
    assert ground.differences(arena) == []


def test_no_race_is_made_that_would_begin_after_the_end(ground: Ground) -> None:
    arena = ground.running(*ground.track.players(2), minutes=20)
    ground.clock.pass_by(20 * MINUTE - COUNTDOWN)
    ground.settle(arena)
    assert ground.look(arena).racing == {}
    ground.clock.pass_by(COUNTDOWN)
    ground.settle(arena)
    assert (ground.look(arena).arena.status, ground.look(arena).arena.reason) == ("over", "expired")


def test_an_arena_that_nobody_joins_expires(ground: Ground) -> None:
    arena = ground.create(ground.track.player())
    ground.settle(arena)
    ground.clock.pass_by(EMPTY - 1)
    ground.settle(arena)
    assert ground.look(arena).arena.status == "running"
    ground.clock.pass_by(1)
    ground.settle(arena)
    assert (ground.look(arena).arena.status, ground.look(arena).arena.reason) == ("over", "expired")
    with ground.track.house.db.read() as conn:
        assert ground.arenas.open_ones(conn) == []
        assert ground.arenas.past(conn) == []


def test_what_became_due_while_the_server_was_down_is_done_when_it_is_up(ground: Ground) -> None:
    players = ground.track.players(2)
    arena = ground.running(*players)
    (race,) = ground.paired(arena)
    ground.track.move(race, players[0])
    ground.clock.pass_by(3 * 60 * MINUTE)
    ground.settle(arena)
    assert ground.look(arena).arena.status == "finishing"
    ground.track.races.settle(race.id)
    assert ground.look(arena).arena.status == "over"
    assert ground.differences(arena) == []


# The house's


def test_the_house_has_a_next_arena_at_any_time_and_makes_each_once(db: Database) -> None:
    ground = Ground.on(db, hours=(6, 12, 18))
    ground.arenas.prepare()
    ground.arenas.prepare()
    other = Ground.on(db, hours=(6, 12, 18))  # another process
    other.arenas.prepare()
    with db.read() as conn:
        found = ground.arenas.open_ones(conn)
    assert [arena.patience.prefix for arena, _ in found].count("spider4") == 1
    assert len(found) == 3
    assert all(arena.starts_at % 3_600_000 == 0 and arena.host_id is None for arena, _ in found)
    ground.clock.pass_by(8 * 60 * MINUTE)
    ground.arenas.prepare()
    with db.read() as conn:
        assert len(ground.arenas.open_ones(conn)) == 4
    assert ground.arenas.next_hour() % 3_600_000 == 0


def test_the_next_arena_of_the_house_is_on_the_list_however_many_there_are(db: Database) -> None:
    ground = Ground.on(db, hours=(6, 12, 18))
    ground.arenas.prepare()
    for host in ground.track.players(20):
        for _ in range(MOST_OPEN):
            ground.create(host)
    with db.read() as conn:
        found = [arena for arena, _ in ground.arenas.open_ones(conn)]
    assert len(found) == SHOWN
    assert [arena.starts_at for arena in found] == sorted(arena.starts_at for arena in found)
    assert sum(arena.slot is not None for arena in found) == 3


def test_a_house_arena_stays_open_to_its_end_though_nobody_is_there(db: Database) -> None:
    ground = Ground.on(db, hours=range(24))
    ground.arenas.prepare()
    with db.read() as conn:
        arena = ground.arenas.open_ones(conn)[0][0]
    ground.clock.pass_by(arena.starts_at + EMPTY - ground.clock.now)
    ground.settle(arena)
    assert ground.look(arena).arena.status == "running"
    ground.clock.pass_by(EMPTY)
    ground.settle(arena)
    assert ground.look(arena).arena.status == "over"


# Players that become one, and that go


def test_a_guest_who_signs_in_takes_the_arena_along(ground: Ground) -> None:
    guest, other, account = ground.track.players(3)
    arena = ground.running(guest, other)
    (race,) = ground.paired(arena)
    with ground.track.house.db.write() as conn:
        store.reassign(conn, guest, account)
    ground.finish(race, guest, other)
    assert ground.entrant(arena, account).score == Score(2, 1, 1, 1)
    assert ground.look(arena, guest).mine is None
    assert ground.differences(arena) == []


def test_two_places_of_one_player_are_never_both_paired(ground: Ground) -> None:
    guest, account, other = ground.track.players(3)
    arena = ground.running(guest, account, other)
    with ground.track.house.db.write() as conn:
        store.reassign(conn, guest, account)
    (race,) = ground.paired(arena)
    assert sorted(seat.player_id for seat in race.seats) == sorted([account, other])


def test_who_is_deleted_is_not_paired_any_more(ground: Ground) -> None:
    players = ground.track.players(2)
    arena = ground.running(*players)
    ground.do("forget", players[0])
    assert ground.entrant(arena, players[0]).paused


# Telling


def test_every_change_is_told_by_its_number_with_the_whole_and_no_secret(ground: Ground) -> None:
    players = ground.track.players(3)
    arena = ground.running(*players)
    (race,) = ground.paired(arena)
    events = [event for event in ground.track.hub.events if event.channel == arena.id]
    ground.finish(race, *players)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert {event.kind for event in events} == {"arena"}
    documents = ground.track.documents("arena")
    assert [len(one["table"]) for one in documents[:4]] == [0, 1, 2, 3]
    assert documents[-1]["table"][0]["points"] == 3
    told = "".join(event.data for event in ground.track.hub.events if event.channel == arena.id)
    for secret in (race.code, race.code.partition("-")[2], race.sealing, *players):
        assert secret not in told


@pytest.mark.slow
def test_a_long_arena_of_many_comes_out_as_its_logs_say(ground: Ground) -> None:
    """Twelve players, who come and go and do not always play."""
    rng = random.Random(7)
    players = ground.track.players(12)
    arena = ground.running(*players[:9], size=3)
    for number in range(5):
        if number == 2:
            for player in players[9:]:
                ground.do("join", arena.id, player)
            ground.do("leave", arena.id, players[1])
        for race in ground.paired(arena):
            order = [seat.player_id for seat in race.seats]
            rng.shuffle(order)
            if rng.random() < 0.3:
                order.pop()
            ground.finish(race, *order)
        ground.clock.pass_by(300_000)
        for race_id in set(ground.look(arena).racing.values()):
            ground.track.races.settle(race_id)
    assert ground.differences(arena) == []
    ground.clock.pass_by(60 * MINUTE)
    ground.settle(arena)
    found = ground.look(arena)
    assert found.arena.status == "over"
    assert sum(row.entrant.score.races for row in found.rows) > 30
    assert ground.differences(arena) == []
