"""Leaderboards and statistics: who stands where, apart from whom, and for which time."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.db import Database
from app.games.game import Game
from app.patience import deals, registry
from app.patience.patience import Patience
from app.players import service as players
from app.ranking import service, store
from app.ranking.service import Place
from tests.builders import golden
from tests.support.house import House

SPIDER1 = registry.get("spider", {"suits": 1})
DAY = 86_400_000
# A Wednesday noon: the week began on the 28th, the month on the 1st.
NOW = int(datetime(2026, 9, 30, 12, tzinfo=UTC).timestamp()) * 1000


@pytest.fixture
def house(db: Database) -> House:
    house = House.on(db)
    house.games.on_end.append(service.record)
    return house


@pytest.fixture
def player(house: House) -> str:
    return house.player()


class Results:
    """Results as games leave them, without the games' having to be played."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.made = 0

    def add(self, player: str, **values: Any) -> str:
        game = self.house.create(player)
        with self.house.db.write() as conn:
            store.add(
                conn,
                {
                    "game_id": game.id, "player_id": player, "prefix": "spider1", "rules_version": 1,
                    "scoring": "moves500", "scoring_version": 1, "deal": "spider1-H3", "sealed": True,
                    "opening": True, "clean": True, "assisted": False, "won": True, "score": 1200, "ply": 100,
                    "ranked_ms": 60_000, "ended_at": NOW,
                }
                | values,
            )  # fmt: skip
        return game.id


@pytest.fixture
def results(house: House) -> Results:
    return Results(house)


def places(house: House, patience: Patience = SPIDER1, scoring: str = "moves500", **how: Any) -> list[Place]:
    with house.db.read() as conn:
        return list(service.leaderboard(conn, patience, scoring, **({"now": NOW} | how)).places)


def ids(house: House, **how: Any) -> list[str]:
    return [place.game_id for place in places(house, **how)]


def play_won(house: House, player: str, won: dict[str, Any], scoring: str = "moves500") -> Game:
    document = {"patience": "spider", "params": {"suits": won["suits"]}, "layout": won["layout"]}
    game = house.create(player, deal=deals.document_deal(document).code, scoring=scoring)
    return house.play(game, *won["moves"])


def test_a_won_game_comes_from_its_log_into_its_table(house: House, player: str) -> None:
    won = golden("won_games.json")[0]
    house.clock.now = NOW - 1000
    game = play_won(house, player, won)
    (place,) = places(house, deals="open")
    assert (place.rank, place.game_id, place.player_id, place.name) == (1, game.id, player, None)
    assert (place.score, place.ply, place.clean, place.deal) == (1209, len(won["moves"]), True, game.code)
    assert ids(house, deals="open", deal=game.code) == [game.id]
    assert ids(house, deals="sealed") == ids(house, deals="open", scoring="turns5") == []
    assert places(house, registry.get("spider", {"suits": 2}), deals="open") == []


def test_the_best_come_first_ties_go_by_time_then_to_the_first(
    house: House, results: Results, player: str
) -> None:
    worse = results.add(player, score=1100, ranked_ms=1)
    slow = results.add(player, score=1200, ranked_ms=90_000, ended_at=NOW - 5 * DAY)
    second = results.add(player, score=1200, ended_at=NOW - 1)
    first = results.add(player, score=1200, ended_at=NOW - 2)
    assert ids(house) == [first, second, slow, worse]
    assert [place.rank for place in places(house)] == [1, 2, 3, 4]


def test_what_cannot_be_compared_stands_apart(house: House, results: Results, player: str) -> None:
    sealed = results.add(player)
    open_ = results.add(player, sealed=False)
    assisted = results.add(player, assisted=True)
    unclean = results.add(player, clean=False, score=1300)
    results.add(player, prefix="spider2")
    results.add(player, scoring="turns5")
    results.add(player, rules_version=0)
    old = results.add(player, scoring_version=7)
    results.add(player, won=False)
    assert ids(house) == [unclean, sealed]
    assert ids(house, clean=True) == [sealed]
    assert ids(house, deals="open") == [open_]
    assert ids(house, deals="assisted") == [assisted]
    assert ids(house, version=7) == [old]


def test_tables_half_cleared_count_for_their_own_deal_alone(house: House, player: str) -> None:
    won = golden("won_games.json")[0]
    deal = deals.document_deal({"patience": "spider", "params": {"suits": 1}, "layout": won["layout"]})
    position = deal.start
    for move in won["moves"][:-1]:
        position = SPIDER1.play(position, move).position
    code = deals.layout_deal(SPIDER1, position).code
    game = house.play(house.create(player, deal=code), won["moves"][-1])
    assert game.status == "won"
    assert ids(house, deals="open") == []
    assert ids(house, deals="open", deal=code) == [game.id]


def test_periods_are_the_servers_days_weeks_and_months(house: House, results: Results, player: str) -> None:
    def day(month: int, number: int, hour: int = 0) -> int:
        return int(datetime(2026, month, number, hour, tzinfo=UTC).timestamp()) * 1000

    times = [day(9, 30), day(9, 30) - 1, day(9, 28), day(9, 28) - 1, day(9, 1), day(9, 1) - 1]
    games = [results.add(player, ended_at=at, score=1200 - n) for n, at in enumerate(times)]
    assert ids(house, period="today") == games[:1]
    assert ids(house, period="week") == games[:3]
    assert ids(house, period="month") == games[:5]
    assert ids(house, period="all") == games


def test_pages_follow_one_another(house: House, results: Results, player: str) -> None:
    games = [results.add(player, score=1200 - n) for n in range(5)]
    with house.db.read() as conn:
        pages = [
            service.leaderboard(conn, SPIDER1, "moves500", now=NOW, page=n, limit=2) for n in (1, 2, 3, 4)
        ]
    assert [[place.game_id for place in page.places] for page in pages] == [
        games[:2],
        games[2:4],
        games[4:],
        [],
    ]
    assert [page.more for page in pages] == [True, True, False, False]
    assert [place.rank for page in pages for place in page.places] == [1, 2, 3, 4, 5]


def test_each_player_can_be_listed_once_with_the_best(house: House, results: Results, player: str) -> None:
    other = house.player()
    best = results.add(player, score=1300)
    results.add(player, score=1250)
    theirs = results.add(other, score=1200)
    assert ids(house, each_player_once=True) == [best, theirs]


def test_accounts_have_names_there(house: House, results: Results) -> None:
    signed = players.sign_up(house.db, None, "Aino", "correct horse battery", "test")
    results.add(signed.player.id)
    assert [place.name for place in places(house)] == ["Aino"]


def test_statistics_count_ends_and_streaks(house: House, results: Results, player: str) -> None:
    for n, won in enumerate([True, True, False, True, True, True, False, True]):
        results.add(
            player, won=won, ended_at=NOW + n, score=1200 + n if won else 90, ply=100 - n, ranked_ms=5000 - n
        )
    results.add(house.player())
    with house.db.read() as conn:
        (tally,) = service.statistics(conn, player)
    assert (tally.prefix, tally.scoring, tally.ended, tally.won) == ("spider1", "moves500", 8, 6)
    assert (tally.streak, tally.longest_streak) == (1, 3)
    assert (tally.best_score, tally.fewest_ply, tally.best_ms) == (1207, 93, 4993)


def test_giving_up_counts_once_something_was_played(house: House, player: str) -> None:
    house.give_up(house.create(player))
    house.give_up(house.play(house.create(player), "deal"))
    with house.db.read() as conn:
        assert [(tally.ended, tally.won) for tally in service.statistics(conn, player)] == [(1, 0)]
        assert service.statistics(conn, house.player()) == ()


def test_results_go_along_when_a_guest_becomes_another_player(
    house: House, results: Results, player: str
) -> None:
    game = results.add(player)
    account = house.player()
    with house.db.write() as conn:
        store.reassign(conn, player, account)
    assert [(place.game_id, place.player_id) for place in places(house)] == [(game, account)]


@pytest.mark.sqlite
@pytest.mark.parametrize("how", [{}, {"deal": "spider1-H3"}], ids=["all deals", "one deal"])
def test_a_table_of_all_time_is_read_in_the_order_of_an_index(house: House, how: dict[str, str]) -> None:
    with house.db.statements() as statements:
        assert places(house, **how) == []
    query = next(statement for statement in statements if statement.startswith("SELECT"))
    with house.db.read() as conn:
        plan = " ".join(str(row[3]) for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}"))
    assert "USING INDEX ix_results_" in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize(
    ("key", "memory"),
    [
        ("pyramid", ("pass2",)),
        ("holy-seven", ("turning-used",)),
        ("spilzone", ("s9", "r1", "d0.0.0.0.0.0.0.0.0.0", "t")),
    ],
)
def test_what_was_gone_through_already_is_no_opening(key: str, memory: tuple[str, ...]) -> None:
    patience = registry.get(key)
    start = deals.seed_deal(patience, 9).start
    assert service.is_opening(patience, start)
    assert service.is_opening(patience, deals.layout_deal(patience, start).start)
    assert not service.is_opening(patience, replace(start, memory=memory))


def test_hypyts_table_and_statistics_go_by_piles_left(house: House, results: Results, player: str) -> None:
    like = {"prefix": "hypyt52", "scoring": "piles", "won": False}
    for piles in (3, 17, 2):
        results.add(player, **like, score=piles)
    with house.db.read() as conn:
        (before,) = service.statistics(conn, player)
    assert (before.ended, before.won, before.best_score) == (3, 0, 2)
    results.add(player, **like | {"won": True}, score=1)
    assert [place.score for place in places(house, registry.get("hypyt"), "piles")] == [1, 2, 3, 17]
    with house.db.read() as conn:
        (after,) = service.statistics(conn, player)
    assert (after.ended, after.won, after.best_score) == (4, 1, 1)


@pytest.mark.parametrize("key", ["hypyt", "pyramid", "holy-seven"])
def test_a_lost_game_that_is_ended_has_its_result_in_the_table(house: House, player: str, key: str) -> None:
    lost = next(
        game for game in golden("patience_games.json") if (game["patience"], game["status"]) == (key, "lost")
    )
    game = house.play(house.create(player, patience=key, deal=lost["code"]), *lost["moves"])
    patience = deals.deal_of(lost["code"]).patience
    assert places(house, patience, game.scoring, deals="open") == []
    house.give_up(game)
    (place,) = places(house, patience, game.scoring, deals="open")
    assert place.score == lost["scores"][game.scoring]
