"""Daily deals: a day by UTC, one attempt, sealed until midnight, streaks."""

import hashlib
from datetime import UTC, date, datetime, timedelta

import pytest

from app.db import Database
from app.games import errors
from app.games.game import Game
from app.patience import deals, registry
from app.races import daily as module
from app.races.almanac import EVERY_DAY, kinds
from app.races.daily import DAY, DailyDeals, Streak, day_of, end_of, streak_of
from app.ranking import service as ranking
from tests.support.house import House


class Almanac:
    def __init__(self, db: Database) -> None:
        self.house = House.on(db)
        self.days = DailyDeals(db, self.house.games, clock=self.house.clock)
        self.house.games.on_end.append(ranking.record)

    def attempt(self, player: str, prefix: str = "spider1", *, ranked: bool = True) -> Game:
        with self.house.db.write() as conn:
            game = self.days.attempt(conn, player, prefix, ranked=ranked)
        assert game is not None
        return game

    def table(self, *, ranked: bool = True, day: date | None = None) -> list[module.Attempt]:
        with self.house.db.read() as conn:
            return self.days.table(conn, day or self.days.today, "spider1", ranked=ranked)


@pytest.fixture
def almanac(db: Database) -> Almanac:
    return Almanac(db)


def test_a_day_is_the_server_s_by_utc() -> None:
    midnight = int(datetime(2026, 12, 1, tzinfo=UTC).timestamp() * 1000)
    assert (day_of(midnight - 1), day_of(midnight)) == (date(2026, 11, 30), date(2026, 12, 1))
    assert end_of(date(2026, 11, 30)) == midnight
    assert end_of(date(2028, 2, 29)) - end_of(date(2028, 2, 28)) == DAY


def test_a_day_has_spider_of_each_number_of_suits_made_once(almanac: Almanac) -> None:
    for _ in range(2):
        almanac.days.settle()
    with almanac.house.db.read() as conn:
        found = almanac.days.of_day(conn, almanac.days.today)
    assert [one.patience.prefix for one in found][:3] == ["spider1", "spider2", "spider4"]
    assert len(found) == len(kinds(almanac.days.today))
    for one in found:
        assert (one.deal, one.salt, one.over) == (None, None, False)
        assert one.commitment == hashlib.sha256(f"{one.code}\n{one.sealing}".encode()).hexdigest()


def test_a_deal_known_to_be_winnable_is_taken_where_there_is_one(almanac: Almanac) -> None:
    code = deals.seed_deal(registry.get("spider", {"suits": 1}), 17).code
    almanac.house.games.winnable = lambda conn, patience: code if patience.prefix == "spider1" else None
    almanac.days.settle()
    with almanac.house.db.read() as conn:
        found = {one.patience.prefix: one for one in almanac.days.of_day(conn, almanac.days.today)}
    assert (found["spider1"].code, found["spider1"].proven, found["spider2"].proven) == (code, True, False)


def test_everyone_has_the_same_deal_and_one_attempt(almanac: Almanac) -> None:
    first, second = almanac.house.player(), almanac.house.player()
    games = [almanac.attempt(first), almanac.attempt(second), almanac.attempt(first)]
    assert games[0].id == games[2].id != games[1].id
    assert games[0].position == games[1].position
    assert {game.deal for game in games} == {None}
    with almanac.house.db.write() as conn:
        assert almanac.days.attempt(conn, first, "spider9", ranked=True) is None
    with pytest.raises(errors.HelpIsOff):
        almanac.house.games.hint(games[0].id, first)


def test_an_attempt_given_up_stays_the_one_and_sealed_until_midnight(almanac: Almanac) -> None:
    player = almanac.house.player()
    game = almanac.house.play(almanac.attempt(player), "deal")
    almanac.house.give_up(game)
    again = almanac.attempt(player)
    assert (again.id, again.status, again.deal) == (game.id, "given_up", None)
    with almanac.house.db.read() as conn:
        assert ranking.statistics(conn, player) == ()
    almanac.house.clock.now = almanac.days.next_day()
    almanac.days.settle()
    released = almanac.house.get(game)
    assert released.deal is not None
    with almanac.house.db.read() as conn:
        assert [found.ended for found in ranking.statistics(conn, player)] == [1]
        (day_before,) = [
            one
            for one in almanac.days.of_day(conn, almanac.days.today - timedelta(days=1))
            if one.patience.prefix == "spider1"
        ]
    assert day_before.deal == released.deal


def test_at_midnight_an_attempt_under_way_is_over(almanac: Almanac) -> None:
    game = almanac.house.play(almanac.attempt(almanac.house.player()), "deal")
    midnight = almanac.days.next_day()
    almanac.house.clock.now = midnight
    with pytest.raises(errors.GameOver):
        almanac.house.act(game, game.legal_moves()[0])
    almanac.days.settle()
    closed = almanac.house.get(game)
    assert (closed.status, closed.reason, closed.ended_at) == ("given_up", "time_up", midnight)
    assert almanac.house.differences(game) == ()


def test_a_day_is_settled_in_batches(almanac: Almanac, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    games = [almanac.attempt(almanac.house.player()) for _ in range(3)]
    almanac.house.clock.now = almanac.days.next_day()
    assert [almanac.days.settle(), almanac.days.settle()] == [False, True]
    assert {almanac.house.get(game).held for game in games} == {False}


def test_guests_are_apart_and_who_did_nothing_is_not_there(almanac: Almanac) -> None:
    account, guest, idle = (almanac.house.player() for _ in range(3))
    almanac.house.play(almanac.attempt(account), "deal")
    almanac.house.play(almanac.attempt(guest, ranked=False), "deal")
    almanac.attempt(idle)
    assert [one.player_id for one in almanac.table()] == [account]
    assert [one.player_id for one in almanac.table(ranked=False)] == [guest]


def test_the_table_goes_by_winning_then_score_then_time(almanac: Almanac) -> None:
    worse, better = almanac.house.player(), almanac.house.player()
    game = almanac.house.play(almanac.attempt(worse), "deal")
    almanac.house.play(game, "undo")
    almanac.house.play(almanac.attempt(better), "deal")
    assert [(one.player_id, one.score) for one in almanac.table()] == [(better, 499), (worse, 498)]


def test_an_attempt_goes_along_at_sign_in_but_not_over_another(almanac: Almanac) -> None:
    guest, account, fresh = (almanac.house.player() for _ in range(3))
    theirs = almanac.attempt(guest, ranked=False)
    own = almanac.attempt(account)
    with almanac.house.db.write() as conn:
        module.reassign(conn, guest, account)
    assert almanac.attempt(account).id == own.id
    with almanac.house.db.write() as conn:
        module.reassign(conn, guest, fresh)
    assert almanac.attempt(fresh).id == theirs.id


@pytest.mark.parametrize(
    ("up", "won", "streak"),
    [
        ([1, 2, 3], {1, 2, 3}, Streak(3, 3)),
        ([1, 2, 3, 4], {1, 2, 3}, Streak(3, 3)),  # today is not over
        ([1, 2, 3, 4], {1, 2}, Streak(0, 2)),
        ([1, 3, 4], {1, 3, 4}, Streak(3, 3)),  # on the second the server was down
        ([1, 2, 3, 4], {1, 3, 4}, Streak(2, 2)),
        ([1, 2], set(), Streak(0, 0)),
        ([], set(), Streak(0, 0)),
    ],
)
def test_a_streak_counts_won_days_and_no_day_that_the_server_was_down(
    up: list[int], won: set[int], streak: Streak
) -> None:
    days = [date(2026, 12, number) for number in up]
    assert streak_of(days, {date(2026, 12, number) for number in won}, date(2026, 12, 4)) == streak


def test_of_those_who_left_piles_the_one_with_the_fewest_is_first(
    almanac: Almanac, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.races.almanac.EVERY_DAY", ("hypyt52",))
    idle, busy = almanac.house.player(), almanac.house.player()
    for player, hops in ((idle, 1), (busy, 4)):
        game = almanac.attempt(player, "hypyt52")
        for _ in range(hops):
            game = almanac.house.play(game, game.legal_moves()[0])
    with almanac.house.db.read() as conn:
        found = almanac.days.table(conn, almanac.days.today, "hypyt52", ranked=True)
    assert [(one.player_id, one.score) for one in found] == [(busy, 48), (idle, 51)]


def test_every_day_has_one_of_the_other_patiences_in_turn() -> None:
    first = date(2026, 11, 30)
    turns = [kinds(first + timedelta(days=n)) for n in range(len(registry.keys()) - 1)]
    assert {len(found) for found in turns} == {len(EVERY_DAY) + 1}
    assert {found[-1].key for found in turns} == set(registry.keys()) - {"spider"}
