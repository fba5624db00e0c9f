"""Games on terms: held back after their end, without undo or help, closed at a time."""

import pytest

from app.games import errors
from app.games.dealing import seal
from app.games.game import TIME_UP, Game, Terms
from app.patience import registry
from tests.support.house import House


def begun(house: House, player: str, **terms: object) -> Game:
    sealed = seal(registry.get("spider", {"suits": 1}))
    with house.db.write() as conn:
        return house.games.create_sealed(conn, player, sealed, "moves500", Terms(**terms))  # type: ignore[arg-type]


def test_two_games_on_one_sealed_deal_have_one_commitment(house: House) -> None:
    sealed = seal(registry.get("spider"))
    with house.db.write() as conn:
        games = [
            house.games.create_sealed(conn, house_player, sealed, "moves500", Terms(held=True))
            for house_player in [_guest(house, conn) for _ in range(2)]
        ]
    assert games[0].position == games[1].position
    assert {game.commitment for game in games} == {sealed.commitment}
    assert {(game.deal, game.salt) for game in games} == {(None, None)}


def _guest(house: House, conn: object) -> str:
    from app.players import service as players

    return players.new_guest(conn, "test")[0].id  # type: ignore[arg-type]


def test_terms_are_kept(house: House, player: str) -> None:
    game = begun(house, player, held=True, undo_off=True, help_off=True, closes_at=17)
    assert house.get(game) == game
    assert (game.held, game.undo_off, game.help_off, game.closes_at) == (True, True, True, 17)


def test_a_held_game_is_told_to_its_listener_at_every_entry_and_to_nobody_at_its_end(
    house: House, player: str
) -> None:
    seen: list[tuple[int, str]] = []
    house.games.on_held.append(lambda conn, game: seen.append((game.ply, game.status)))
    game = house.play(begun(house, player, held=True), "deal")
    house.give_up(game)
    assert seen == [(1, "playing"), (1, "given_up")]
    assert house.ended == []


def test_an_ordinary_game_is_no_held_one(house: House, player: str) -> None:
    house.games.on_held.append(lambda conn, game: pytest.fail("told"))
    game = house.play(house.create(player), "deal")
    house.give_up(game)
    assert [ended.id for ended in house.ended] == [game.id]


def test_release_tells_the_end_once(house: House, player: str) -> None:
    game = begun(house, player, held=True)
    with house.db.write() as conn:
        assert house.games.release(conn, game.id).held  # it has not ended
    ended = house.give_up(game)
    assert (ended.deal, ended.salt, ended.told) == (None, None, False)
    for _ in range(2):
        with house.db.write() as conn:
            released = house.games.release(conn, game.id)
    assert (released.deal, released.salt) == (game.code, game.sealing)
    assert [one.id for one in house.ended] == [game.id]


def test_a_listener_that_fails_takes_the_entry_with_it(house: House, player: str) -> None:
    def fail(conn: object, game: Game) -> None:
        raise RuntimeError

    game = begun(house, player, held=True)
    house.games.on_held.append(fail)
    with pytest.raises(RuntimeError):
        house.act(game, "deal")
    assert (house.get(game).ply, house.texts(game)) == (0, [])


def test_after_its_time_a_game_takes_nothing_and_is_closed_once(house: House, player: str) -> None:
    closes_at = house.clock.now + 1_000
    game = house.play(begun(house, player, closes_at=closes_at), "deal")
    house.clock.pass_by(999)
    game = house.play(game, game.legal_moves()[0])
    house.clock.pass_by(1)
    with pytest.raises(errors.GameOver):
        house.act(game, game.legal_moves()[0])
    for _ in range(2):
        with house.db.write() as conn:
            closed = house.games.close(conn, game.id, closes_at)
    assert (closed.status, closed.reason, closed.ended_at) == ("given_up", TIME_UP, closes_at)
    assert house.differences(game) == ()
    assert [one.id for one in house.ended] == [game.id]


def test_closing_leaves_a_won_or_given_up_game_as_it_is(house: House, player: str) -> None:
    game = house.give_up(house.create(player))
    with house.db.write() as conn:
        assert house.games.close(conn, game.id, house.clock.now + 5) == house.get(game)


def test_the_same_entry_again_is_answered_after_the_time_too(house: House, player: str) -> None:
    game = begun(house, player, closes_at=house.clock.now + 1_000)
    house.act(game, "deal")
    house.clock.pass_by(1_000)
    assert house.act(game, "deal").repeated
