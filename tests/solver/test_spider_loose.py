"""The loosened game: what it calls lost is lost, by searches without it and by games that were won."""

import random

import pytest

from app.patience.position import Pile, Position
from app.solver.api import Budget
from app.solver.encode import encode
from app.solver.meter import Meter
from app.solver.spider_loose_kernel import is_lost, room
from app.solver.spider_proof import Exhaustion
from tests.builders import spider as drawing
from tests.solver.backwards import COLUMNS, Backwards
from tests.solver.positions import naive_verdict, near_blocked, random_game, small, spider, won_games

ROOM = room(256)


def lost(position, states=ROOM) -> bool:
    start = encode(position)
    return bool(is_lost(start.cards, start.ends, start.rows, 0, states))


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_no_position_of_a_won_game_is_called_lost(suits):
    seen = 0
    for position in won_games(suits):
        assert not lost(position)
        seen += 1
    assert seen > 50


@pytest.mark.parametrize("suits", [1, 2, 4])
@pytest.mark.parametrize("most_rows", [0, 2, 5])
def test_no_position_of_a_game_played_backwards_is_called_lost_but_many_are_once_shuffled(suits, most_rows):
    draw, tight, shuffled = random.Random(10 * suits + most_rows), 0, 0
    for _ in range(15):
        game = Backwards(draw, suits)
        for _ in range(20):
            game.take_back(20, most_rows)
            position = game.position
            assert not lost(position)
            if all(position.piles[:COLUMNS]):
                tight += 1
                shuffled += lost(mixed_up(draw, position))
    assert tight >= 60
    assert shuffled >= 5


def test_a_game_played_backwards_is_won_forwards():
    for seed in range(4):
        game = Backwards(random.Random(seed), 4)
        game.take_back(300, 5)
        rules, position = spider(4), game.position
        for move in game.moves:
            position = rules.play(position, move).position
        assert rules.outcome(position).status == "won"
        assert len(game.moves) >= 20


def mixed_up(draw: random.Random, position: Position) -> Position:
    """The same shape, with the table's cards in another order."""
    columns = position.piles[:COLUMNS]
    left = [c for pile in columns for c in pile.cards]
    draw.shuffle(left)
    piles = [Pile(tuple(left.pop() for _ in pile.cards), pile.face_down) for pile in columns]
    return Position((*piles, *position.piles[COLUMNS:]))


@pytest.mark.parametrize(
    ("runs", "rows", "called", "exhausted"), [(8, 0, 20, 15), (6, 0, 1, 1), (7, 1, 1, 0)]
)
def test_what_is_called_lost_has_no_win_in_a_search_without_the_loosened_game(runs, rows, called, exhausted):
    draw, of_these, ended = random.Random(runs), 0, 0
    for _ in range(120):
        position = small(draw, runs, rows=rows)
        if lost(position):
            of_these += 1
            proof = Exhaustion(encode(position), prune=False, most=60_000)
            assert proof.go_on(3_000, Meter(Budget(None))) is None
            ended += proof.is_unsolvable
    assert of_these >= called
    assert ended >= exhausted


@pytest.mark.parametrize("house_rule", ["full-only", "onto-spaces"])
@pytest.mark.parametrize(("rows", "most_moves", "least"), [(0, 4, 25), (1, 2, 3)])
def test_what_is_called_lost_is_not_won_by_the_rules_alone(rows, most_moves, least, house_rule):
    rules, draw, called, exhausted = spider(rows=house_rule), random.Random(8), 0, 0
    for _ in range(60):
        position = near_blocked(draw, 8, rows, most_moves)
        if lost(position):
            truth = naive_verdict(rules, position, 400)
            assert truth in (-1, None)
            called += 1
            exhausted += truth == -1
    assert called >= exhausted >= least


def test_random_games_get_lost_before_their_last_move():
    last = [list(random_game(spider(), seed, 400))[-1] for seed in range(8)]
    assert sum(lost(position) for position in last) >= 2


def test_cards_with_nowhere_to_lie_are_lost_though_a_column_can_be_cleared():
    columns = ["2S KS", "4S KS", "6S KH", "8S KH", "TS KD", "QS KD", "2H KC", "4H KC", "8H", "9S"]
    text = "\n".join(f"{n}: {c}" for n, c in enumerate(columns, 1))
    assert lost(drawing(text))


def test_a_king_by_himself_stays_where_he_is():
    assert not lost(drawing("1: KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S\n2: AS\ncollected: S H H D D C C"))


def test_more_states_than_there_is_room_for_decide_nothing():
    draw = random.Random(8)
    position = next(p for p in (small(draw, 8) for _ in range(1000)) if lost(p))
    start = encode(position)
    assert not is_lost(start.cards, start.ends, start.rows, 0, room(1))
