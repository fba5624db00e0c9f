"""Races: who may join and when, what the clock brings about, what is told, who comes first."""

import hashlib
import random
import time

import pytest
from sqlalchemy import insert, select, update

from app.games import errors as game_errors
from app.games import store as games_store
from app.games.game import TIME_UP
from app.patience import registry
from app.patience.errors import BadParams, UnknownPatience
from app.races import errors, store
from app.races.race import GONE, LONGEST, MOST, SHORTEST, WAITS
from app.races.result import results
from app.races.service import COUNTDOWN, MOST_WAITING, Races
from app.ranking import service as ranking
from tests.builders import random_line
from tests.races.conftest import Track


def statuses(track: Track) -> list[str]:
    return [document["status"] for document in track.documents("race")]


# Before the start


def test_a_new_race_waits_with_its_host_seated_and_its_deal_sealed(track: Track) -> None:
    host = track.player()
    race = track.create(host, params={"suits": 2}, undo=True)
    assert (race.status, race.seats[0].player_id, race.seats[0].seat, race.host) == ("waiting", host, 1, 1)
    assert (race.deal, race.salt, race.undo, race.patience.prefix) == (None, None, True, "spider2")
    assert race.commitment == hashlib.sha256(f"{race.code}\n{race.sealing}".encode()).hexdigest()
    assert len(race.join_code) == 6
    assert race.seats[0].game is None


@pytest.mark.parametrize(
    ("wishes", "error"),
    [
        ({"seconds": SHORTEST - 1}, errors.BadRace),
        ({"seconds": LONGEST + 1}, errors.BadRace),
        ({"max_players": 1}, errors.BadRace),
        ({"max_players": MOST + 1}, errors.BadRace),
        ({"patience": "bridge"}, UnknownPatience),
        ({"params": {"suits": 3}}, BadParams),
        ({"scoring": "guess"}, game_errors.BadScoring),
    ],
)
def test_a_race_that_cannot_be_is_not_made(
    track: Track, wishes: dict[str, object], error: type[Exception]
) -> None:
    host = track.player()
    with pytest.raises(error):
        track.create(host, **wishes)
    with track.house.db.read() as conn:
        assert track.races.of_player(conn, host) == []


def test_joining_twice_is_one_seat(track: Track) -> None:
    host, guest = track.players(2)
    race = track.create(host)
    track.do("join", race.id, guest)
    before = len(track.hub.events)
    race = track.do("join", race.id, guest)
    assert [seat.player_id for seat in race.seats] == [host, guest]
    assert len(track.hub.events) == before


def test_a_full_race_takes_nobody_more(track: Track) -> None:
    host, second, third = track.players(3)
    race = track.gathered(host, second, max_players=2)
    with pytest.raises(errors.RaceFull):
        track.do("join", race.id, third)
    assert track.do("join", race.id, second).id == race.id


def test_who_comes_late_is_not_let_in(track: Track) -> None:
    host, second, third = track.players(3)
    race = track.counting(host, second)
    with pytest.raises(errors.RaceStarted):
        track.do("join", race.id, third)
    track.house.clock.pass_by(COUNTDOWN)
    with pytest.raises(errors.RaceStarted):
        track.do("join", race.id, third)
    track.house.clock.pass_by(600_000)
    track.look(race)
    with pytest.raises(errors.RaceOver):
        track.do("join", race.id, third)


def test_a_join_code_leads_to_its_race_however_it_is_typed(track: Track) -> None:
    race = track.create(track.player())
    with track.house.db.read() as conn:
        spoken = f" {race.join_code[:3]}-{race.join_code[3:].lower()} "
        assert track.races.by_code(conn, spoken) == race.id
        for wrong in ("", "x", "000000000", race.join_code + "A", "ÄÖ", "\x00"):
            with pytest.raises(errors.NoRace):
                track.races.by_code(conn, wrong)


def test_the_count_down_begins_when_all_are_ready_and_not_for_one_alone(track: Track) -> None:
    host, second = track.players(2)
    race = track.create(host)
    assert track.do("ready", race.id, host).status == "waiting"
    track.do("join", race.id, second)
    race = track.do("ready", race.id, second)
    now = track.house.clock.now
    assert (race.status, race.starts_at, race.ends_at) == (
        "counting_down",
        now + COUNTDOWN,
        now + COUNTDOWN + 600_000,
    )
    assert track.due[-1] == race.starts_at


def test_the_count_down_is_called_off_by_one_who_is_not_ready_after_all(track: Track) -> None:
    host, second = track.players(2)
    race = track.counting(host, second)
    race = track.do("ready", race.id, second, ready=False)
    assert (race.status, race.starts_at) == ("waiting", None)
    track.house.clock.pass_by(COUNTDOWN)
    assert track.look(race).status == "waiting"


def test_only_who_sits_there_can_be_ready(track: Track) -> None:
    host, stranger = track.players(2)
    race = track.create(host)
    for what in ("ready", "leave", "start", "go_on", "rematch"):
        with pytest.raises(errors.NotInRace):
            track.do(what, race.id, stranger)
    with pytest.raises(errors.NoRace):
        track.do("ready", "A" * 22, host)


def test_the_host_can_start_without_those_who_are_not_ready(track: Track) -> None:
    host, second, third = track.players(3)
    race = track.gathered(host, second, third)
    track.do("ready", race.id, host)
    with pytest.raises(errors.NotEnoughReady):
        track.do("start", race.id, host)
    track.do("ready", race.id, second)
    with pytest.raises(errors.NotHost):
        track.do("start", race.id, second)
    race = track.do("start", race.id, host)
    assert (race.status, [seat.player_id for seat in race.seats]) == ("counting_down", [host, second])


def test_when_the_host_leaves_the_next_is_host_and_without_anyone_it_is_over(track: Track) -> None:
    host, second = track.players(2)
    race = track.gathered(host, second)
    race = track.do("leave", race.id, host)
    assert (race.status, race.host, len(race.seats)) == ("waiting", 2, 1)
    race = track.do("leave", race.id, second)
    assert (race.status, race.reason) == ("over", "expired")


def test_leaving_in_the_count_down_calls_it_off_if_too_few_are_left(track: Track) -> None:
    players = track.players(3)
    race = track.counting(*players)
    race = track.do("leave", race.id, players[2])
    assert race.status == "counting_down"
    race = track.do("leave", race.id, players[1])
    assert (race.status, race.starts_at) == ("waiting", None)


def test_a_race_that_nobody_joins_expires(track: Track) -> None:
    race = track.create(track.player(), listed=True)
    track.house.clock.pass_by(WAITS - 1)
    assert track.look(race).status == "waiting"
    track.house.clock.pass_by(1)
    with track.house.db.read() as conn:
        assert track.races.lobby(conn) == []
    race = track.look(race)
    assert (race.status, race.reason, race.deal) == ("over", "expired", race.code)


def test_nobody_fills_the_lobby_alone(track: Track) -> None:
    host = track.player()
    for _ in range(MOST_WAITING):
        track.create(host)
    with pytest.raises(errors.TooManyRaces):
        track.create(host)


def test_the_lobby_shows_what_is_listed_and_waits(track: Track) -> None:
    host, second = track.players(2)
    listed = track.create(host, listed=True)
    track.create(host)
    started = track.counting(host, second, listed=True)
    with track.house.db.read() as conn:
        assert [race.id for race in track.races.lobby(conn)] == [listed.id]
        assert track.races.under_way(conn) == []
    track.house.clock.pass_by(COUNTDOWN)
    track.look(started)
    with track.house.db.read() as conn:
        assert [race.id for race in track.races.under_way(conn)] == [started.id]


# The start


def test_nobody_has_a_game_before_the_start_and_everyone_the_same_one_then(track: Track) -> None:
    players = track.players(3)
    race = track.counting(*players)
    track.house.clock.pass_by(COUNTDOWN - 1)
    race = track.look(race)
    assert [seat.game for seat in race.seats] == [None] * 3
    track.house.clock.pass_by(1)
    race = track.look(race)
    games = [seat.game for seat in race.seats]
    assert race.status == "running"
    assert {game.code for game in games if game} == {race.code}
    assert {game.position for game in games if game} == {games[0].position if games[0] else None}
    assert {(game.commitment, game.deal, game.salt) for game in games if game} == {
        (race.commitment, None, None)
    }
    assert [game.player_id for game in games if game] == players


def test_a_race_begins_when_it_was_due_however_late_it_is_noticed(track: Track) -> None:
    host, second = track.players(2)
    race = track.counting(host, second)
    track.house.clock.pass_by(COUNTDOWN + 60_000)
    later = track.look(race)
    assert (later.starts_at, later.ends_at, later.status) == (race.starts_at, race.ends_at, "running")


def test_a_race_that_nobody_looked_at_is_over_all_the_same(track: Track) -> None:
    host, second = track.players(2)
    race = track.counting(host, second)
    track.house.clock.pass_by(COUNTDOWN + 700_000)
    race = track.look(race)
    assert (race.status, race.reason) == ("over", "time_up")
    assert [seat.result.place if seat.result else None for seat in race.seats] == [1, 1]


# While it runs


def test_every_move_is_told_by_its_number_in_counts(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second)
    track.house.clock.pass_by(2_000)
    before = track.look(race).seq
    acted = track.move(race, second, "deal")
    (event,) = [event for event in track.hub.events if event.seq > before]
    document = track.documents("seat")[-1]
    assert (event.channel, event.kind, event.seq) == (race.id, "seat", before + 1)
    assert document["seat"] == 2
    assert document["progress"] == {
        "status": "playing",
        "runs": 0,
        "face_down": 44,
        "stock": 40,
        "rows": 4,
        "score": acted.game.score,
        "ply": 1,
        "time_ms": 2_000,
    }


def test_events_are_numbered_without_a_gap(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second)
    for player in (host, second, host):
        track.move(race, player)
    track.do("leave", race.id, second)
    assert [event.seq for event in track.hub.events] == list(range(1, track.look(race).seq + 1))


def test_what_is_refused_tells_nothing(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second)
    before = len(track.hub.events)
    with pytest.raises(game_errors.StalePly):
        track.house.act(track.game(race, host), "deal", ply=3)
    assert len(track.hub.events) == before


def test_no_undo_and_no_help_unless_chosen(track: Track) -> None:
    host, second = track.players(2)
    game = track.move(track.running(host, second), host, "deal").game
    for entry in ("undo", "redo", "restart"):
        with pytest.raises(game_errors.UndoIsOff):
            track.house.act(game, entry)
    assert "undo" not in game.actions(game.legal_moves())
    assert (game.can_undo, game.can_redo, game.can_restart) == (False, False, False)
    with pytest.raises(game_errors.HelpIsOff):
        track.house.games.hint(game.id, host)
    with track.house.db.write() as conn, pytest.raises(game_errors.HelpIsOff):
        track.house.games.tell(conn, game.id, host, "verdict", used_hidden=True)


def test_undo_where_it_was_chosen_costs_as_in_the_scoring(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second, undo=True)
    game = track.move(race, host, "deal").game
    assert track.house.act(game, "undo").game.score == 498
    with pytest.raises(game_errors.HelpIsOff):
        track.house.games.hint(game.id, host)


def test_nothing_is_played_once_the_time_is_up_though_nobody_has_noticed(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second)
    game = track.move(race, host, "deal").game
    track.house.clock.pass_by(600_000)
    with pytest.raises(game_errors.GameOver):
        track.house.act(game, game.legal_moves()[0])
    race = track.look(race)
    mine = race.seat_of(host)
    assert race.status == "over"
    assert mine is not None
    assert mine.game is not None
    assert (mine.game.status, mine.game.reason, mine.game.ended_at) == ("given_up", TIME_UP, race.ends_at)
    assert track.house.differences(mine.game) == ()


def test_it_is_over_when_all_have_given_up(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second)
    track.house.give_up(track.game(race, host))
    assert track.look(race).status == "running"
    track.house.give_up(track.game(race, second))
    assert track.due[-1] == track.house.clock.now
    race = track.look(race)
    assert (race.status, race.reason) == ("over", "finished")


def test_the_deal_and_the_result_stay_secret_until_all_are_through(track: Track) -> None:
    track.house.games.on_end.append(ranking.record)
    host, second = track.players(2)
    race = track.running(host, second)
    track.move(race, host, "deal")
    ended = track.house.give_up(track.game(race, host))
    assert (ended.deal, ended.salt, track.house.get(ended).deal) == (None, None, None)
    with track.house.db.read() as conn, pytest.raises(game_errors.NotFound):
        track.house.games.replay(conn, ended.id, second)
    with track.house.db.read() as conn:
        assert ranking.statistics(conn, host) == ()
    track.house.give_up(track.game(race, second))
    race = track.look(race)
    assert (race.deal, race.salt) == (race.code, race.sealing)
    with track.house.db.read() as conn:
        assert track.house.games.replay(conn, ended.id, second).game.deal == race.code
        assert [found.ended for found in ranking.statistics(conn, host)] == [1]


def test_no_event_before_the_end_holds_the_deal(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second)
    for player in (host, second):
        track.move(race, player)
        track.house.give_up(track.game(race, player))
    before = [event.data for event in track.hub.events]
    race = track.look(race)
    assert not [data for data in before if race.code in data or race.sealing in data]
    assert race.code in track.hub.events[-1].data


def test_who_leaves_can_come_back_and_is_not_waited_for(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second)
    track.do("leave", race.id, second)
    assert track.look(race).status == "running"
    race = track.do("join", race.id, second)
    assert [seat.left for seat in race.seats] == [False, False]
    track.do("leave", race.id, second)
    track.move(race, second, "deal")
    assert [seat.left for seat in track.look(race).seats] == [False, False]
    track.do("leave", race.id, second)
    track.house.give_up(track.game(race, host))
    race = track.look(race)
    assert (race.status, [seat.result.ply if seat.result else None for seat in race.seats]) == (
        "over",
        [0, 1],
    )


def test_the_others_decide_whether_to_wait_for_one_who_is_gone(track: Track) -> None:
    first, second, third = track.players(3)
    race = track.running(first, second, third)
    track.do("present", race.id, third, here=False)
    with pytest.raises(errors.NotYet):
        track.do("go_on", race.id, first)
    track.house.clock.pass_by(GONE)
    track.house.give_up(track.game(race, first))
    track.do("go_on", race.id, first)
    assert track.look(race).status == "running"  # the second one plays on
    track.do("go_on", race.id, second)
    assert track.look(race).status == "running"
    track.house.give_up(track.game(race, second))
    race = track.look(race)
    assert (race.status, race.reason) == ("over", "finished")


def test_who_is_back_in_time_is_waited_for(track: Track) -> None:
    first, second = track.players(2)
    race = track.running(first, second)
    track.do("present", race.id, second, here=False)
    track.house.clock.pass_by(GONE)
    track.do("present", race.id, second, here=True)
    track.house.give_up(track.game(race, first))
    with pytest.raises(errors.NotYet):
        track.do("go_on", race.id, first)
    assert track.look(race).status == "running"


def test_who_plays_without_a_page_is_not_gone(track: Track) -> None:
    first, second = track.players(2)
    race = track.running(first, second)
    track.do("present", race.id, second, here=False)
    track.house.clock.pass_by(GONE)
    track.move(race, second)
    with pytest.raises(errors.NotYet):
        track.do("go_on", race.id, first)


# The end


def test_the_result_is_what_the_logs_say(track: Track) -> None:
    rng = random.Random(5)
    players = track.players(4)
    race = track.running(*players, undo=True)
    for turn in range(60):
        player = rng.choice(players[:3])
        track.house.clock.pass_by(rng.randrange(50, 900))
        game = track.game(race, player)
        text = "undo" if game.can_undo and turn % 7 == 0 else rng.choice(game.legal_moves())
        track.move(race, player, text)
    track.house.clock.pass_by(600_000)
    race = track.look(race)
    with track.house.db.read() as conn:
        logs = {
            seat.seat: track.house.games.log(conn, seat.game.id, seat.player_id)
            for seat in race.seats
            if seat.game
        }
    assert {seat.seat: seat.result for seat in race.seats} == results(
        race.code, race.scoring, race.starts_at or 0, logs
    )
    assert sorted(seat.result.place for seat in race.seats if seat.result)[0] == 1
    assert track.over[-1].seats == race.seats


def test_a_log_that_was_tampered_with_is_no_result(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second)
    game = track.move(race, host, "deal").game
    with track.house.db.write() as conn:
        conn.execute(update(games_store.log).where(games_store.log.c.game_id == game.id).values(text="1-2x9"))
    track.house.clock.pass_by(600_000)
    with pytest.raises(Exception, match="not_face_up"):
        track.look(race)


def test_settling_twice_is_settling_once(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second)
    track.house.clock.pass_by(600_000)
    once = track.races.settle(race.id)
    assert track.races.settle(race.id) == once
    assert len(track.over) == 1


def test_an_earlier_game_on_the_deal_counts_the_race_out(track: Track) -> None:
    host, second = track.players(2)
    race = track.counting(host, second)
    track.house.create(second, deal=race.code)
    track.house.clock.pass_by(COUNTDOWN)
    assert [seat.fresh for seat in track.look(race).seats] == [True, False]


def test_a_rematch_is_one_race_with_the_same_choices(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second, undo=True, params={"suits": 2}, seconds=60)
    with pytest.raises(errors.NotYet):
        track.do("rematch", race.id, host)
    track.house.clock.pass_by(60_000)
    race = track.look(race)
    again = track.do("rematch", race.id, second)
    assert track.do("rematch", race.id, host).id == again.id == track.look(race).next_id
    assert [seat.player_id for seat in track.look(again).seats] == [second, host]
    assert (again.undo, again.seconds, again.patience.prefix) == (True, 60, "spider2")
    assert again.code != race.code


def test_a_rematch_that_was_never_run_is_followed_by_another(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second, seconds=60)
    track.house.clock.pass_by(60_000)
    track.look(race)
    never_run = track.do("rematch", race.id, host)
    track.house.clock.pass_by(WAITS)
    again = track.do("rematch", race.id, second)
    assert (track.look(never_run).reason, again.status) == ("expired", "waiting")
    assert track.do("rematch", race.id, host).id == again.id == track.look(race).next_id
    assert [seat.player_id for seat in track.look(again).seats] == [second, host]


def test_seats_go_along_when_a_guest_signs_in(track: Track) -> None:
    guest, account, third = track.players(3)
    waiting = track.gathered(guest, account)
    running = track.running(guest, third)
    with track.house.db.write() as conn:
        store.reassign(conn, guest, account)
    assert [seat.player_id for seat in track.look(waiting).seats] == [account]
    assert [seat.player_id for seat in track.look(running).seats] == [account, third]


def test_who_signed_in_and_never_came_back_is_not_waited_for(track: Track) -> None:
    guest, account, third = track.players(3)
    race = track.running(guest, third)
    track.do("present", race.id, guest, here=True)
    with track.house.db.write() as conn:
        store.reassign(conn, guest, account, track.house.clock())
    track.house.clock.pass_by(GONE)
    assert track.look(race).seats[0].is_gone(track.house.clock())
    track.do("present", race.id, account, here=True)
    assert not track.look(race).seats[0].is_gone(track.house.clock())


def test_nobody_races_alone_because_a_guest_has_signed_in(track: Track) -> None:
    guest, account, third = track.players(3)
    race = track.counting(guest, account)
    with track.house.db.write() as conn:
        store.reassign(conn, guest, account)
    track.house.clock.pass_by(COUNTDOWN)
    found = track.look(race)
    assert (found.status, found.starts_at, found.ends_at) == ("waiting", None, None)
    assert track.documents("race")[-1]["status"] == "waiting"
    track.do("join", race.id, third)
    track.do("ready", race.id, third)
    track.house.clock.pass_by(COUNTDOWN)
    assert [seat.player_id for seat in track.look(race).seats if seat.game] == [account, third]


def test_who_has_become_two_of_a_race_goes_on_in_the_first_seat(track: Track) -> None:
    account, guest, third = track.players(3)
    race = track.running(account, guest, third)
    with track.house.db.write() as conn:
        store.reassign(conn, guest, account)
    assert [seat.left for seat in track.look(race).seats] == [False, True, False]
    for player in (account, third):
        track.house.give_up(track.game(race, player))
    assert track.look(race).status == "over"


def test_who_is_deleted_leaves_every_race(track: Track) -> None:
    host, second = track.players(2)
    running = track.running(host, second)
    waiting = track.create(host)
    with track.house.db.write() as conn:
        track.races.forget(conn, host)
        track.races.forget(conn, host)
    assert track.look(waiting).status == "over"
    track.house.give_up(track.game(running, second))
    assert track.look(running).status == "over"


def test_a_restart_finds_everything_in_the_database(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second)
    game = track.move(race, host, "deal").game
    again = Races(track.house.db, track.house.games, track.hub, clock=track.house.clock)
    with track.house.db.write() as conn:
        again.all_away(conn)
    found = again.look(race.id)
    assert [seat.game.ply if seat.game else None for seat in found.seats] == [1, 0]
    assert {seat.away_at for seat in found.seats} == {track.house.clock.now}
    assert (found.starts_at, found.ends_at, found.status) == (race.starts_at, race.ends_at, "running")
    assert track.house.get(game).position == game.position


def test_a_won_game_beats_any_score(track: Track) -> None:
    from app.games.game import Entry, Ply
    from tests.browser.hands import won_game

    won = won_game(1)
    log = tuple(Entry(Ply(ply), text, 1_000 * ply) for ply, text in enumerate(won["moves"], 1))
    late = tuple(Entry(entry.ply, entry.text, entry.at + 500) for entry in log)
    part = log[: len(log) - 1]
    patience = registry.get("spider", {"suits": 1})
    from app.patience.deals import deal_of

    other = tuple(
        Entry(Ply(ply), text, 10 * ply)
        for ply, text in enumerate(random_line(patience, deal_of(won["code"]).start, random.Random(1), 5), 1)
    )
    found = results(won["code"], "moves500", 0, {1: part, 2: late, 3: log, 4: other, 5: (), 6: ()})
    assert [found[seat].place for seat in (3, 2, 1)] == [1, 2, 3]
    assert [found[seat].place for seat in (4, 5, 6)] == [4, 5, 5]
    assert found[3].won
    assert not found[1].won


def test_ten_thousand_races_in_the_lobby_are_fifty_on_its_list(track: Track) -> None:
    """The newest that wait, quickly, whatever else lies there."""
    hosts = track.players(20)
    made = track.create(hosts[0], listed=True)
    track.house.clock.pass_by(10_000)
    ids = [f"{number:022}" for number in range(10_000)]
    with track.house.db.write() as conn:
        row = dict(conn.execute(select(store.races).where(store.races.c.id == made.id)).one()._mapping)
        copies = [
            row
            | {"id": one, "join_code": f"{at:06}", "created_at": made.created_at + at, "listed": at % 10 != 9}
            for at, one in enumerate(ids, 1)
        ]
        conn.execute(insert(store.races), copies)
        seats = [
            {"race_id": one, "seat": 1, "player_id": hosts[at % 20], "ready": False}
            for at, one in enumerate(ids)
        ]
        conn.execute(insert(store.seats), seats)
    listed = [one["id"] for one in copies if one["listed"]]
    with track.house.db.read() as conn:
        began = time.process_time()
        for _ in range(5):
            found = track.races.lobby(conn)
        each = (time.process_time() - began) / 5
    assert [race.id for race in found] == listed[:-51:-1]
    assert each < 0.1
    # One that has started makes room for the next.
    guest = track.player()
    track.do("join", listed[-1], guest)
    for player in (found[0].seats[0].player_id, guest):
        track.do("ready", listed[-1], player)
    with track.house.db.read() as conn:
        assert [race.id for race in track.races.lobby(conn)] == listed[-2:-52:-1]
    track.house.clock.pass_by(WAITS)
    with track.house.db.read() as conn:
        assert track.races.lobby(conn) == []


def test_who_has_a_page_open_and_is_taken_for_gone_is_found(track: Track) -> None:
    host, second = track.players(2)
    race = track.running(host, second)
    pages = [(race.id, host), (race.id, second)]
    assert track.races.taken_for_gone(pages) == []
    track.do("present", race.id, host, here=False)
    assert track.races.taken_for_gone(pages) == [(race.id, host)]
    assert track.races.taken_for_gone(pages[1:]) == []
    with track.house.db.write() as conn:  # as when another worker starts
        track.races.all_away(conn)
    assert track.races.taken_for_gone(pages) == pages
