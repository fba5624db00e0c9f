"""A stored game that does not follow from its log is found out, whatever part of it is wrong."""

import pytest
from sqlalchemy import delete, update

from app.games import store
from tests.support.house import House


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [
        ("score", 9_999, "score"),
        ("ply", 7, "ply"),
        ("steps", 9, "steps"),
        ("undone", 9, "undone"),
        ("undos", 0, "undos"),
        ("ranked_ms", 1, "ranked_ms"),
        ("status", "won", "status"),
        ("first_at", 1, "first_at"),
        ("ended_at", 1, "ended_at"),
        ("commitment", "0" * 64, "commitment"),
        ("salt", "0" * 32, "commitment"),
        ("rules_version", 99, "version"),
    ],
)
def test_a_changed_row_is_found_out(
    house: House, player: str, column: str, value: object, named: str
) -> None:
    game = house.play(house.create(player), "deal", "undo", "redo", "deal")
    assert house.differences(game) == ()
    with house.db.write() as conn:
        conn.execute(update(store.games).values({column: value}))
    assert named in house.differences(game)


def test_a_changed_head_and_a_changed_deal_are_found_out(house: House, player: str) -> None:
    game, other = house.play(house.create(player), "deal"), house.create(player)
    with house.db.write() as conn:
        conn.execute(update(store.games).where(store.games.c.id == game.id).values(deal=other.code))
    assert {"head", "commitment"} <= set(house.differences(game))


def test_an_entry_of_another_in_a_game_of_one_is_found_out(house: House, player: str) -> None:
    game, other = house.play(house.create(player), "deal", "deal"), house.player()
    with house.db.write() as conn:
        conn.execute(update(store.log).where(store.log.c.ply == 2).values(player_id=other))
    assert house.differences(game) == ("shared",)


def test_a_changed_log_is_found_out(house: House, player: str) -> None:
    game = house.play(house.create(player), "deal", "deal", "undo")
    with house.db.write() as conn:
        conn.execute(update(store.log).where(store.log.c.ply == 1).values(text="1-1x1"))
    assert house.differences(game) == ("log",)
    with house.db.write() as conn:
        conn.execute(delete(store.log).where(store.log.c.ply == 1))
    assert "plies" in house.differences(game)
