"""Playing: what an entry does, what is refused and in which order, and what must never happen twice."""

import hashlib
import threading
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from app.cards.dealcode import BadDealCode
from app.db import open_database
from app.games import errors, store
from app.games.game import MAX_PLY, PAUSE_CAP, Game
from app.games.service import Games
from app.patience import deals, registry
from app.patience.errors import BadParams, MalformedMove, UnknownPatience
from tests.builders import golden, spider
from tests.support.house import Clock, House

SPIDER4 = registry.get("spider", {"suits": 4})
# Column 1's last card goes onto column 2's, and a row can be dealt.
SEED_DEAL = deals.seed_deal(SPIDER4, 17).code
MALFORMED = [
    "",
    "4-7",
    "0-1x1",
    "1-11x1",
    "1-2x0",
    "1-2x01",
    "1-2x1 ",
    " 1-2x1",
    "DEAL",
    "collect-1",
    "1-2x1\n",
    "١-2x1",
]


def first_moves(house: House, player: str) -> tuple[Game, str]:
    game = house.create(player, deal=SEED_DEAL)
    return game, game.legal_moves()[0]


# Beginning


def test_a_fresh_deal_is_sealed_and_held_to_its_commitment(house: House, player: str) -> None:
    game = house.create(player, params={"suits": 2})
    assert (game.sealed, game.deal, game.salt, game.ply, game.status) == (True, None, None, 0, "playing")
    assert len(game.sealing or "") == 32
    assert game.commitment == hashlib.sha256(f"{game.code}\n{game.sealing}".encode()).hexdigest()
    assert game.code.startswith("spider2-")


def test_no_two_fresh_deals_are_alike(house: House, player: str) -> None:
    assert len({house.create(player).code for _ in range(20)}) == 20


def test_the_deal_of_a_code_is_open(house: House, player: str) -> None:
    game = house.create(player, deal=SEED_DEAL.lower())
    assert (game.sealed, game.deal, game.commitment, game.salt) == (False, SEED_DEAL, None, None)


def test_a_code_brings_its_own_parameters(house: House, player: str) -> None:
    code = deals.seed_deal(registry.get("spider", {"suits": 1}), 3).code
    assert house.create(player, deal=code).params["suits"] == 1
    assert house.create(player, deal=code, params={"suits": 1}).params["suits"] == 1
    assert house.create(player, deal=code, patience=None).patience.key == "spider"
    with pytest.raises(errors.DealMismatch):
        house.create(player, deal=code, params={"suits": 4})
    with pytest.raises(errors.DealMismatch):
        house.create(player, deal=code, params={"rows": "onto-spaces"})


@pytest.mark.parametrize(
    ("wishes", "error"),
    [
        ({"patience": "bridge"}, UnknownPatience),
        ({"patience": None}, UnknownPatience),
        ({"params": {"suits": 3}}, BadParams),
        ({"params": {"suits": True}}, BadParams),
        ({"params": {"colour": "red"}}, BadParams),
        ({"scoring": "mine"}, errors.BadScoring),
        ({"deal": "spider4-00"}, BadDealCode),
        ({"deal": ""}, BadDealCode),
        ({"deal": SEED_DEAL, "patience": "bridge"}, UnknownPatience),
        ({"deal": SEED_DEAL, "params": {"suits": 3}}, BadParams),
    ],
)
def test_what_cannot_be_dealt_is_refused(
    house: House, player: str, wishes: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        house.create(player, **wishes)
    assert _games_of(house, player) == []


def test_a_deal_that_is_won_already_is_refused(house: House, player: str) -> None:
    won = spider("collected: S S S S S S S S")
    code = deals.layout_deal(registry.get("spider", {"suits": 1}), won).code
    with pytest.raises(errors.DealIsWon):
        house.create(player, deal=code)


# Playing


def test_a_move_is_kept_with_all_that_follows_from_it(house: House, player: str, clock: Clock) -> None:
    game, move = first_moves(house, player)
    clock.pass_by(5_000)
    acted = house.act(game, move)
    assert acted.before == game.position
    assert acted.game.position == SPIDER4.play(game.position, move).position
    assert (acted.game.ply, acted.game.score, acted.game.can_undo) == (1, 499, True)
    assert house.get(game) == acted.game
    assert house.texts(game) == [move]
    assert house.differences(game) == ()
    assert [(c.game_id, c.ply, c.status) for c in house.changes] == [(game.id, 1, "playing")]


@pytest.mark.parametrize("won", golden("won_games.json"), ids=lambda g: f"{g['suits']}-{len(g['moves'])}")
@pytest.mark.parametrize("scoring", ["moves500", "turns5"])
def test_a_won_game_is_won_with_its_score(
    house: House, player: str, won: dict[str, object], scoring: str
) -> None:
    document = {"patience": "spider", "params": {"suits": won["suits"]}, "layout": won["layout"]}
    game = house.create(player, deal=deals.document_deal(document).code, scoring=scoring)
    moves = won["moves"]
    assert isinstance(moves, list)
    game = house.play(game, *moves)
    assert (game.status, game.score) == ("won", won["scores"][scoring])  # type: ignore[index]
    assert game.clean
    assert [ended.id for ended in house.ended] == [game.id]
    assert house.differences(game) == ()
    for text in ("undo", "restart", "1-2x1"):
        with pytest.raises(errors.GameOver):
            house.act(game, text)
    with pytest.raises(errors.GameOver):
        house.give_up(game)
    assert house.act(game, moves[-1], ply=game.ply - 1).repeated
    assert (game.actions(game.legal_moves()), game.can_undo, game.can_redo) == ((), False, False)


@pytest.mark.parametrize("text", MALFORMED)
def test_what_is_no_move_is_malformed_at_any_ply(house: House, player: str, text: str) -> None:
    game = house.create(player)
    for ply in (0, 7):
        with pytest.raises(MalformedMove):
            house.act(game, text, ply=ply)
    assert house.get(game) == game


def test_what_is_against_the_rules_changes_nothing_and_names_the_rule(house: House, player: str) -> None:
    game = house.create(player)
    with pytest.raises(errors.IllegalMove) as refused:
        house.act(game, "3-3x1")
    assert (refused.value.reason, refused.value.facts) == ("same_column", {"column": 3})
    assert refused.value.game == game
    assert house.get(game) == game
    assert house.texts(game) == []
    assert house.changes == []


def test_anothers_game_is_as_unknown_as_none(house: House, player: str) -> None:
    game, move = first_moves(house, player)
    stranger = house.player()
    for text in (move, "undo", "no move at all"):
        with pytest.raises(errors.NotFound):
            house.act(game, text, player=stranger)
    with house.db.read() as conn:
        for game_id in (game.id, "", "../..", "\x00", "x" * 5000, "é"):
            with pytest.raises(errors.NotFound):
                house.games.get(conn, game_id, stranger)
            with pytest.raises(errors.NotFound):
                house.games.log(conn, game_id, stranger)
            with pytest.raises(errors.NotFound):
                house.games.replay(conn, game_id, stranger)


# Plies


def test_the_same_entry_again_is_answered_and_not_played_again(house: House, player: str) -> None:
    game, move = first_moves(house, player)
    later = house.play(house.act(game, move).game, "undo", "redo")
    for ply, text in enumerate((move, "undo", "redo")):
        again = house.act(game, text, ply=ply)
        assert (again.repeated, again.game, again.before) == (True, later, None)
    assert house.texts(game) == [move, "undo", "redo"]


@pytest.mark.parametrize("ply", [1, 2, 5, MAX_PLY, 99_999])
def test_a_ply_that_the_game_is_not_at_is_stale(house: House, player: str, ply: int) -> None:
    game, move = first_moves(house, player)
    with pytest.raises(errors.StalePly) as refused:
        house.act(game, move, ply=ply)
    assert refused.value.game == game
    with pytest.raises(errors.StalePly):
        house.give_up(game, ply=ply)


def test_another_move_at_a_ply_that_is_gone_is_stale(house: House, player: str) -> None:
    game, move = first_moves(house, player)
    now = house.act(game, move).game
    other = next(m for m in game.legal_moves() if m != move)
    with pytest.raises(errors.StalePly) as refused:
        house.act(game, other, ply=0)
    assert refused.value.game == now


def test_staleness_comes_before_the_end_and_the_rules(house: House, player: str) -> None:
    game = house.give_up(house.create(player))
    with pytest.raises(errors.StalePly):
        house.act(game, "1-1x1", ply=3)
    with pytest.raises(errors.GameOver):
        house.act(game, "1-1x1")


def test_an_entry_that_the_log_has_already_is_stale_whatever_the_row_says(house: House, player: str) -> None:
    """The log's key is the last word, if a game's row should ever lag behind it."""
    game, move = first_moves(house, player)
    with house.db.write() as conn:
        conn.execute(
            insert(store.log), {"game_id": game.id, "ply": 1, "text": "deal", "at": 1, "player_id": player}
        )
    with pytest.raises(errors.StalePly):
        house.act(game, move)
    assert house.get(game) == game


def test_two_windows_at_the_same_ply_are_not_both_heard(house: House, player: str) -> None:
    for _ in range(10):
        game = house.create(player, deal=SEED_DEAL)
        moves = game.legal_moves()[:4]
        heard: Counter[str] = Counter()
        ready = threading.Barrier(len(moves))

        def play(text: str) -> None:
            ready.wait()  # noqa: B023
            try:
                house.act(game, text)  # noqa: B023
            except errors.StalePly:
                heard["stale"] += 1  # noqa: B023
            else:
                heard["played"] += 1  # noqa: B023

        threads = [threading.Thread(target=play, args=(text,)) for text in moves]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert heard == {"played": 1, "stale": len(moves) - 1}
        assert house.get(game).ply == len(house.texts(game)) == 1


def test_a_triple_click_plays_once(house: House, player: str) -> None:
    game, move = first_moves(house, player)
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(house.act(game, move).repeated)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [False, True, True]
    assert house.texts(game) == [move]


# Undo, redo, restart


def test_undo_and_redo_go_back_and_forth_and_cost_a_point_each(house: House, player: str) -> None:
    game, move = first_moves(house, player)
    moved = house.act(game, move).game
    back = house.act(moved, "undo").game
    assert (back.position, back.score, back.can_undo, back.can_redo) == (game.position, 498, False, True)
    again = house.act(back, "redo").game
    assert (again.position, again.score, again.can_undo, again.can_redo) == (moved.position, 497, True, False)
    assert not again.clean
    assert house.differences(game) == ()


def test_a_restart_can_be_undone(house: House, player: str) -> None:
    game = house.play(house.create(player, deal=SEED_DEAL), "deal", "deal")
    restarted = house.act(game, "restart").game
    assert (restarted.position, restarted.can_restart) == (game.start, False)
    back = house.act(restarted, "undo").game
    assert back.position == game.position
    assert house.act(back, "redo").game.position == game.start
    assert house.differences(game) == ()


def test_what_is_not_there_cannot_be_undone_redone_or_restarted(house: House, player: str) -> None:
    game = house.create(player)
    for text, error in {
        "undo": errors.NothingToUndo,
        "redo": errors.NothingToRedo,
        "restart": errors.NothingToRestart,
    }.items():
        with pytest.raises(error):
            house.act(game, text)
    game = house.play(game, "deal", "restart")
    with pytest.raises(errors.NothingToRestart):
        house.act(game, "restart")
    game = house.play(game, "undo", "undo", "deal")
    with pytest.raises(errors.NothingToRedo):
        house.act(game, "redo")


def test_a_lost_game_is_not_ended_and_goes_on_after_undo(house: House, player: str) -> None:
    start = spider("""
        1: KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S
        2: AS
        3: 3S
        4: 2S
        5: AS
        stock: KS QS JS TS 9S 8S 7S 6S 5S 4S
        collected: S S S S S S
    """)
    code = deals.layout_deal(registry.get("spider", {"suits": 1}), start).code
    lost = house.act(house.create(player, deal=code), "2-1x1").game
    assert (lost.status, lost.reason, lost.ended, lost.ended_at) == ("lost", "no_deal", False, None)
    assert house.ended == []
    back = house.act(lost, "undo").game
    assert (back.status, back.reason, back.position) == ("playing", None, start)
    assert house.act(back, "redo").game.status == "lost"
    assert house.give_up(house.get(lost)).status == "given_up"
    assert house.differences(lost) == ()


# The end


def test_giving_up_ends_a_game_and_tells_its_deal(house: House, player: str) -> None:
    game = house.play(house.create(player), "deal")
    ended = house.give_up(game)
    assert (ended.status, ended.ply, ended.deal, ended.salt) == ("given_up", 1, game.code, game.sealing)
    assert house.give_up(game) == ended
    assert [one.id for one in house.ended] == [game.id]
    assert [change.status for change in house.changes] == ["playing", "given_up"]
    assert house.differences(game) == ()
    with pytest.raises(errors.GameOver):
        house.act(ended, "undo")


def test_a_listener_that_fails_takes_the_end_back_with_it(house: House, player: str) -> None:
    game = house.create(player)

    def fail(_conn: object, _game: Game) -> None:
        raise RuntimeError("no")

    house.games.on_end.append(fail)
    with pytest.raises(RuntimeError):
        house.give_up(game)
    assert house.get(game) == game
    assert house.changes == []


def test_a_replay_is_its_players_until_the_end_and_everyones_after(house: House, player: str) -> None:
    game = house.play(house.create(player), "deal")
    stranger = house.player()
    with house.db.read() as conn:
        assert house.games.replay(conn, game.id, player).entries[0].text == "deal"
        for other in (stranger, None):
            with pytest.raises(errors.NotFound):
                house.games.replay(conn, game.id, other)
    house.give_up(game)
    with house.db.read() as conn:
        assert house.games.replay(conn, game.id, None).game.deal == game.code


# Time


def test_the_clock_starts_with_the_first_entry_and_long_pauses_count_up_to_a_cap(
    house: House, player: str, clock: Clock
) -> None:
    game = house.create(player, deal=SEED_DEAL)
    clock.pass_by(3_600_000)
    game = house.act(game, "deal").game
    assert game.ranked_ms == 0
    for pause, counted in ((1_234, 1_234), (PAUSE_CAP, PAUSE_CAP), (10 * PAUSE_CAP, PAUSE_CAP)):
        before = game.ranked_ms
        clock.pass_by(pause)
        game = house.act(game, "undo" if game.steps else "redo").game
        assert game.ranked_ms - before == counted
    assert house.differences(game) == ()


def test_a_clock_that_goes_back_takes_nothing_away(house: House, player: str, clock: Clock) -> None:
    game = house.play(house.create(player, deal=SEED_DEAL), "deal")
    clock.pass_by(-86_400_000)
    game = house.act(game, "undo").game
    assert (game.ranked_ms, game.last_at) == (0, game.first_at)
    assert house.differences(game) == ()


# Who, and how long


def test_unfinished_games_are_listed_the_last_played_first(house: House, player: str, clock: Clock) -> None:
    games = []
    for _ in range(3):
        clock.pass_by(1_000)
        games.append(house.create(player))
    clock.pass_by(1_000)
    games[0] = house.play(games[0], "deal")
    house.give_up(games[1])
    house.create(house.player())
    assert [g.id for g in _games_of(house, player)] == [games[0].id, games[2].id]


def test_a_guests_games_and_logs_go_along_to_another_player(house: House, player: str) -> None:
    game = house.play(house.create(player), "deal")
    account = house.player()
    with house.db.write() as conn:
        store.reassign(conn, player, account)
    assert _games_of(house, player) == []
    mine = _games_of(house, account)[0]
    assert house.act(mine, "deal", ply=0).repeated
    with pytest.raises(errors.NotFound):
        house.act(game, "deal", player=player)


def test_a_log_that_is_full_takes_no_more(house: House, player: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.games.service.MAX_PLY", 3)
    game = house.play(house.create(player), "deal", "undo", "redo")
    with pytest.raises(errors.GameTooLong):
        house.act(game, "undo")
    assert house.give_up(game).status == "given_up"


def test_the_log_and_the_game_are_on_the_disk_once_it_is_answered(
    house: House, player: str, tmp_path: Path
) -> None:
    game = house.play(house.create(player), "deal")
    other = open_database(house.db.url)
    with other.read() as conn:
        assert Games(other).get(conn, game.id, player) == game
        assert conn.execute(select(store.log.c.text)).scalars().all() == ["deal"]
    other.close()


def test_a_move_takes_four_statements(house: House, player: str) -> None:
    game, move = first_moves(house, player)
    with house.db.statements() as statements:
        house.act(game, move)
    assert [s.split()[0] for s in statements] == ["BEGIN", "SELECT", "INSERT", "UPDATE", "COMMIT"]


def _games_of(house: House, player: str) -> list[Game]:
    with house.db.read() as conn:
        return house.games.unfinished(conn, player)
