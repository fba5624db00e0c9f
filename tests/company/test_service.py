"""Links, what they give and what is taken with them; who is there, and who is here."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from app.company import errors, store
from app.company.people import MOST_PLAYERS, Here
from app.company.service import HEARD, RECENT, company_of
from app.games import store as games_store
from app.games.dealing import seal
from app.games.errors import NotFound, NotOwner, StalePly, WatchingOnly
from app.games.game import Game, Terms
from app.players import codes
from app.players import service as players
from app.ranking import service as ranking
from tests.builders import golden
from tests.company.conftest import Tables


def moves(tables: Tables, game: Game, *players: str) -> Game:
    """Each of these players plays the first legal move there is."""
    for player in players:
        game = tables.house.act(game, game.legal_moves()[0], player=player).game
    return game


def test_who_comes_by_a_link_to_play_plays_the_same_board(tables: Tables) -> None:
    game = tables.game()
    guest = tables.guest(game)
    played = moves(tables, game, game.player_id, guest, guest, game.player_id)
    assert played.ply == 4
    assert tables.now(game) == played
    assert tables.house.act(played, "undo", player=guest).game.ply == 5
    assert tables.house.act(tables.now(game), "redo", player=guest).game.position == played.position
    with tables.house.db.read() as conn:
        log = games_store.entries(conn, game.id)
    assert [entry.player_id == guest for entry in log] == [False, True, True, False, True, True]
    assert tables.house.differences(game) == ()


def test_an_entry_for_a_ply_that_another_took_is_stale_and_shows_the_game(tables: Tables) -> None:
    game = tables.game()
    guest = tables.guest(game)
    move = game.legal_moves()[0]
    tables.house.act(game, move)
    with pytest.raises(StalePly) as refused:
        tables.house.act(game, move, ply=0, player=guest)
    assert refused.value.game.ply == 1
    assert tables.house.act(game, move, ply=0).repeated  # the one who played it may ask again


def test_from_the_first_entry_of_another_a_game_is_shared_and_ranks_nowhere(tables: Tables) -> None:
    won = next(game for game in golden("won_games.json") if game["suits"] == 1)
    from app.patience import deals

    game = tables.game(deal=deals.document_deal(won["layout"]).code)
    guest = tables.guest(game)
    assert not tables.now(game).shared
    game = tables.house.play(game, *won["moves"][:-1])
    assert not tables.now(game).shared
    ended = tables.house.act(game, won["moves"][-1], player=guest).game
    assert (ended.status, ended.shared) == ("won", True)
    with tables.house.db.read() as conn:
        assert ranking.statistics(conn, game.player_id) == ()
        assert not ranking.leaderboard(
            conn, game.patience, game.scoring, now=tables.house.clock(), deals="open", deal=game.code
        ).places
    assert tables.house.differences(game) == ()


def test_a_game_that_others_only_watched_ranks_as_ever(tables: Tables) -> None:
    game = tables.game()
    tables.guest(game, "watch")
    game = tables.house.give_up(moves(tables, game, game.player_id))
    with tables.house.db.read() as conn:
        assert [one.ended for one in ranking.statistics(conn, game.player_id)] == [1]


def test_a_hint_asked_by_another_makes_a_game_shared(tables: Tables) -> None:
    game = tables.game()
    guest = tables.guest(game)
    _, hint = tables.house.games.hint(game.id, guest)
    assert hint.move
    assert tables.now(game).shared


@pytest.mark.parametrize("what", ["move", "undo", "redo", "restart", "give_up", "hint", "tell", "finish"])
@pytest.mark.parametrize("watchable", [False, True])
def test_who_only_watches_changes_nothing(tables: Tables, what: str, watchable: bool) -> None:
    game = tables.game()
    watcher = tables.house.player() if watchable else tables.guest(game, "watch")
    if watchable:
        tables.do("let_watch", game.id, game.player_id, anybody=True)
    game = moves(tables, game, game.player_id)
    before = tables.now(game)
    games = tables.house.games
    calls: dict[str, Callable[[Any], object]] = {
        "give_up": lambda conn: games.give_up(conn, game.id, watcher, 1),
        "tell": lambda conn: games.tell(conn, game.id, watcher, "verdict", used_hidden=True),
        "finish": lambda conn: games.finish(conn, game.id, watcher, 1, ["deal"]),
        "hint": lambda _conn: games.hint(game.id, watcher),
    }
    text = before.legal_moves()[0] if what == "move" else what
    call = calls.get(what, lambda conn: games.act(conn, game.id, watcher, 1, text))
    with pytest.raises(WatchingOnly), tables.house.db.write() as conn:
        call(conn)
    assert tables.now(game) == before


def test_only_the_owner_restarts_gives_up_and_says_who_may_come(tables: Tables) -> None:
    game = tables.game()
    guest = tables.guest(game)
    game = moves(tables, game, guest)
    with pytest.raises(NotOwner):
        tables.house.act(game, "restart", player=guest)
    with pytest.raises(NotOwner), tables.house.db.write() as conn:
        tables.house.games.give_up(conn, game.id, guest, 1)
    for call in (
        lambda: tables.do("link", game.id, guest, "play"),
        lambda: tables.look("links", game.id, guest),
        lambda: tables.do("withdraw", game.id, guest, "play"),
        lambda: tables.do("let_watch", game.id, guest, anybody=True),
    ):
        with pytest.raises(NotOwner):
            call()
    assert tables.house.act(game, "restart").game.ply == 2


def test_a_stranger_is_told_of_no_game(tables: Tables) -> None:
    game, stranger = tables.game(), tables.house.player()
    tables.token(game)
    for call in (
        lambda: tables.house.act(game, "deal", player=stranger),
        lambda: tables.do("link", game.id, stranger, "play"),
        lambda: tables.do("leave", game.id, stranger),
        lambda: tables.do("link", "nowhere", stranger, "play"),
    ):
        with pytest.raises(NotFound):
            call()


# ---- links


def test_a_link_asked_for_again_is_the_same_and_only_its_hash_is_kept(tables: Tables) -> None:
    game = tables.game()
    play, watch = tables.token(game, "play"), tables.token(game, "watch")
    assert play != watch
    assert len(play) == 43
    assert (tables.token(game, "play"), tables.token(game, "watch")) == (play, watch)
    assert tables.look("links", game.id, game.player_id) == {"play": play, "watch": watch}
    with tables.house.db.read() as conn:
        kept = str(conn.execute(select(store.invitations)).all())
    assert codes.hashed(play) in kept
    assert play not in kept


def test_a_withdrawn_link_leads_nowhere_and_takes_with_it_what_it_gave(tables: Tables) -> None:
    game = tables.game()
    token = tables.token(game)
    guest, watcher = tables.guest(game), tables.guest(game, "watch")
    tables.do("withdraw", game.id, game.player_id, "play")
    tables.do("withdraw", game.id, game.player_id, "play")
    with pytest.raises(errors.NoInvitation):
        tables.do("join", token, tables.house.player())
    with pytest.raises(NotFound):
        tables.house.act(game, "deal", player=guest)
    with pytest.raises(WatchingOnly):
        tables.house.act(game, "deal", player=watcher)
    assert tables.now(game).live
    tables.do("withdraw", game.id, game.player_id, "watch")
    assert not tables.now(game).live
    assert tables.token(game) != token


@pytest.mark.parametrize("forged", ["", "x", "A" * 43, "A" * 100_000, "\x00", "\ud800", "' or 1=1 --"])
def test_a_made_up_token_is_no_invitation(tables: Tables, forged: str) -> None:
    tables.token(tables.game())
    with pytest.raises(errors.NoInvitation):
        tables.do("join", forged, tables.house.player())


def test_a_link_of_another_key_goes_on_until_a_new_one_is_made(tables: Tables) -> None:
    game = tables.game()
    old = tables.token(game)
    others = Tables.on(tables.house.db, key="another key")
    assert others.look("links", game.id, game.player_id) == {}
    assert others.look("invitation", old).game.id == game.id
    assert others.token(game) != old
    with pytest.raises(errors.NoInvitation):
        others.look("invitation", old)


def test_games_of_races_and_days_and_ended_ones_have_no_company(tables: Tables) -> None:
    owner = tables.house.player()
    games, patience = tables.house.games, tables.game().patience
    with tables.house.db.write() as conn:
        sealed = seal(patience)
        held = games.create_sealed(conn, owner, sealed, "moves500", Terms(held=True, closes_at=2**50))
        timed = games.create_sealed(conn, owner, sealed, "moves500", Terms(closes_at=2**50))
    ended = tables.house.give_up(moves(tables, tables.game(owner), owner))
    for game, error in (
        (held, errors.NotShareable),
        (timed, errors.NotShareable),
        (ended, errors.HasEnded),
    ):
        for call in (
            lambda game=game: tables.do("link", game.id, owner, "play"),
            lambda game=game: tables.do("link", game.id, owner, "watch"),
            lambda game=game: tables.do("let_watch", game.id, owner, anybody=True),
        ):
            with pytest.raises(error):
                call()


# ---- coming and going


def test_coming_twice_is_coming_once_and_playing_is_more_than_watching(tables: Tables) -> None:
    game = tables.game()
    play, watch, guest = tables.token(game), tables.token(game, "watch"), tables.house.player()
    for token in (watch, watch, play, watch, play):
        tables.do("join", token, guest)
    tables.do("join", play, game.player_id)
    company = tables.look("of", tables.now(game))
    assert [(one.number, one.role) for one in company.people] == [(1, "owner"), (2, "play")]


def test_who_left_comes_back_under_the_same_number(tables: Tables) -> None:
    game = tables.game()
    first, second = tables.guest(game), tables.guest(game)
    tables.do("leave", game.id, first)
    with pytest.raises(NotFound):
        tables.house.act(game, "deal", player=first)
    company = tables.look("of", tables.now(game))
    assert [(one.number, one.role) for one in company.people] == [(1, "owner"), (2, None), (3, "play")]
    tables.do("join", tables.token(game), first)
    company = tables.look("of", tables.now(game))
    assert [one.player_id for one in company.players] == [game.player_id, first, second]


def test_a_table_has_room_for_so_many(tables: Tables) -> None:
    game = tables.game()
    for _ in range(MOST_PLAYERS - 1):
        tables.guest(game)
    with pytest.raises(errors.TableFull):
        tables.guest(game)
    tables.guest(game, "watch")


def test_a_game_that_is_joined_is_found_again_until_it_ends(tables: Tables) -> None:
    game = tables.game()
    guest, watcher = tables.guest(game), tables.guest(game, "watch")
    assert [one.id for one in tables.look("joined", guest)] == [game.id]
    assert tables.look("joined", watcher) == []
    tables.house.give_up(game)
    assert tables.look("joined", guest) == []


def test_what_a_guest_played_goes_along_to_their_account(tables: Tables) -> None:
    game = tables.game()
    guest, account = tables.guest(game), tables.house.player()
    moves(tables, game, guest)
    with tables.house.db.write() as conn:
        store.reassign(conn, guest, account)
    assert [entry.player_id for entry in _log(tables, game)] == [account]
    assert moves(tables, tables.now(game), account).ply == 2
    with tables.house.db.read() as conn:
        assert company_of(conn, account) == [
            {"game": game.id, "role": "play", "came_at": tables.house.clock()}
        ]


@pytest.mark.parametrize("role", ["owner", "watch"])
def test_two_places_of_one_player_become_one(tables: Tables, role: str) -> None:
    game = tables.game()
    guest = tables.guest(game)
    account = game.player_id if role == "owner" else tables.guest(game, "watch")
    with tables.house.db.write() as conn:
        store.reassign(conn, guest, account)
    company = tables.look("of", tables.now(game))
    assert [one.role for one in company.people] == (["owner"] if role == "owner" else ["owner", "play"])


def test_nobody_comes_to_the_games_of_one_who_is_deleted(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(players, "on_delete", [tables.companies.forget])
    game = tables.game()
    token, guest = tables.token(game), tables.guest(game)
    tables.do("let_watch", game.id, game.player_id, anybody=True)
    with tables.house.db.write() as conn:
        players.delete(conn, game.player_id)
    with pytest.raises(errors.NoInvitation):
        tables.look("invitation", token)
    with pytest.raises(NotFound):
        tables.house.act(game, "deal", player=guest)


# ---- watching


def test_anybody_may_watch_a_game_that_its_owner_lets_be_watched(tables: Tables) -> None:
    game = tables.game()
    see = tables.house.games.see
    with tables.house.db.read() as conn, pytest.raises(NotFound):
        see(conn, game.id, None)
    tables.do("let_watch", game.id, game.player_id, anybody=True)
    with tables.house.db.read() as conn:
        assert see(conn, game.id, None).role == "watch"
        assert see(conn, game.id, game.player_id).role == "owner"
    tables.do("let_watch", game.id, game.player_id, anybody=False)
    with tables.house.db.read() as conn, pytest.raises(NotFound):
        see(conn, game.id, None)


def test_what_can_be_watched_is_what_is_being_played(tables: Tables) -> None:
    hidden, first, second, ended = (tables.game() for _ in range(4))
    for game in (first, second, ended):
        tables.do("let_watch", game.id, game.player_id, anybody=True)
    tables.house.give_up(ended)
    tables.house.clock.pass_by(RECENT - 1000)
    moves(tables, first, first.player_id)
    assert [one.game.id for one in tables.look("watchable", 9)] == [first.id, second.id]
    assert [one.game.id for one in tables.look("watchable", 1)] == [first.id]
    tables.house.clock.pass_by(2000)
    assert [one.game.id for one in tables.look("watchable", 9)] == [first.id]
    assert hidden.id not in [one.game.id for one in tables.look("watchable", 9)]


@pytest.mark.sqlite
def test_the_list_of_what_can_be_watched_is_read_from_an_index(tables: Tables) -> None:
    with tables.house.db.statements() as statements:
        tables.look("watchable", 30)
    query = next(statement for statement in statements if "watchable" in statement)
    with tables.house.db.read() as conn:
        plan = " ".join(str(row[3]) for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}"))
    assert "ix_games_watchable" in plan


# ---- who is here


def test_who_is_here_is_put_together_from_all_processes(tables: Tables) -> None:
    game = tables.game()
    guest = tables.guest(game)
    tables.do("present", game.id, "one", [game.player_id], 2)
    tables.do("present", game.id, "two", [guest, game.player_id], 1)
    assert tables.here[-1] == (game.id, Here(frozenset({game.player_id, guest}), 3))
    tables.do("present", game.id, "one", [], 0)
    assert tables.here[-1] == (game.id, Here(frozenset({game.player_id, guest}), 1))
    tables.do("stopped", "two")
    assert tables.look("of", tables.now(game)).here == Here()


def test_a_process_that_is_not_heard_of_any_more_does_not_count(tables: Tables) -> None:
    game = tables.game()
    for process in ("dead", "alive"):
        tables.do("present", game.id, process, [], 1)
    for _ in range(3):
        tables.house.clock.pass_by(HEARD - 1)
        tables.do("still_there", "alive")
    assert tables.look("of", game).here == Here(frozenset(), 1)
    with tables.house.db.read() as conn:
        assert conn.execute(select(store.presence.c.process)).scalars().all() == ["alive"]


def test_the_company_is_told_once_it_is_on_the_disk(tables: Tables) -> None:
    game = tables.game()
    guest = tables.guest(game)
    assert tables.told == [game.id] * 2  # the link, and one who came
    tables.do("leave", game.id, guest)
    assert tables.told == [game.id] * 3

    def withdraw_and_fail() -> None:
        with tables.house.db.write() as conn:
            tables.companies.withdraw(conn, game.id, game.player_id, "play")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        withdraw_and_fail()
    assert tables.told == [game.id] * 3


def test_changes_say_whether_others_look_on_and_who_moved(tables: Tables) -> None:
    game = tables.game()
    moves(tables, game, game.player_id)
    assert not tables.house.changes[-1].live
    guest = tables.guest(game)
    moves(tables, tables.now(game), guest)
    change = tables.house.changes[-1]
    assert (change.live, change.number, change.by) == (True, 2, guest)
    tables.house.give_up(tables.now(game))
    change = tables.house.changes[-1]
    assert (change.ply, change.number, change.status) == (2, 3, "given_up")


def _log(tables: Tables, game: Game) -> tuple[Any, ...]:
    with tables.house.db.read() as conn:
        return games_store.entries(conn, game.id)
