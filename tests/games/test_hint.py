"""Hints: they lead somewhere, never round in a circle, and never look at what is hidden."""

import random
from dataclasses import replace

import pytest

from app.cards.card import cards
from app.games import errors
from app.games.hint import suggest
from app.patience import deals, registry
from app.patience.patience import Patience
from app.patience.position import Pile, Position
from app.patience.view import view
from tests.builders import random_line, spider
from tests.support.house import House

pytestmark = pytest.mark.slow

SPIDERS = [registry.get("spider", {"suits": suits}) for suits in (1, 2, 4)]
SPIDER4 = SPIDERS[-1]


def followed(patience: Patience, start: Position) -> tuple[list[str], list[Position]]:
    """What comes of doing as the hints say, to their end."""
    steps: list[str] = []
    trail = [start]
    while hint := suggest(patience, start, steps).move:
        steps.append(hint)
        trail.append(patience.play(trail[-1], hint).position)
        assert len(steps) < 1000
    return steps, trail


def unordered(position: Position) -> tuple[object, ...]:
    columns = sorted((p.face_down, "".join(c.text for c in p.cards)) for p in position.piles[:10])
    return (*columns, len(position.piles[10]))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("patience", SPIDERS, ids=lambda p: p.prefix)
def test_hints_never_come_back_to_a_table_that_has_been(patience: Patience, seed: int) -> None:
    _, trail = followed(patience, deals.seed_deal(patience, seed).start)
    tables = [unordered(position) for position in trail]
    assert len(set(tables)) == len(tables)


@pytest.mark.parametrize("patience", SPIDERS, ids=lambda p: p.prefix)
def test_hints_use_the_whole_stock(patience: Patience) -> None:
    """They know ``deal``, and how to fill the spaces that forbid it."""
    for seed in range(8):
        steps, trail = followed(patience, deals.seed_deal(patience, seed).start)
        assert steps.count("deal") == 5 or patience.outcome(trail[-1]).status != "playing"


def test_hints_win_some_games_of_one_suit() -> None:
    patience = SPIDERS[0]
    won = 0
    for seed in range(6):
        won += (
            patience.outcome(followed(patience, deals.seed_deal(patience, seed).start)[1][-1]).status == "won"
        )
    assert won


@pytest.mark.parametrize("seed", range(6))
def test_hints_do_not_depend_on_hidden_cards(seed: int) -> None:
    rng = random.Random(seed)
    start = deals.seed_deal(SPIDER4, seed).start
    line = random_line(SPIDER4, start, rng, 40)
    for length in range(0, len(line) + 1, 5):
        steps = line[:length]
        wanted = suggest(SPIDER4, start, steps)
        for _ in range(3):
            other = with_hidden_shuffled(start, after(start, steps), rng)
            assert view(SPIDER4, after(other, steps)) == view(SPIDER4, after(start, steps))
            assert suggest(SPIDER4, other, steps) == wanted


def after(start: Position, steps: list[str]) -> Position:
    position = start
    for step in steps:
        position = SPIDER4.play(position, step).position
    return position


def with_hidden_shuffled(start: Position, now: Position, rng: random.Random) -> Position:
    """The opening with those cards shuffled that are hidden now. (They have not been moved since.)"""
    places = [(c, r) for c in range(10) for r in range(now.piles[c].face_down)]
    stock = len(start.piles[10])
    places += [(10, r) for r in range(stock - len(now.piles[10]), stock)]
    cards = [start.piles[c].cards[r] for c, r in places]
    rng.shuffle(cards)
    piles = [list(pile.cards) for pile in start.piles]
    for (c, r), card in zip(places, cards, strict=True):
        piles[c][r] = card
    return replace(
        start, piles=tuple(Pile(tuple(p), old.face_down) for p, old in zip(piles, start.piles, strict=True))
    )


def test_a_hint_takes_the_join_in_suit_before_another() -> None:
    assert suggest(SPIDER4, spider("1: 4S\n2: 5H\n3: 5S\n4: KH"), []).move == "1-3x1"


def test_a_hint_does_not_move_a_card_to_and_fro() -> None:
    start = spider("1: 4S\n2: [KD] 5H\n3: [KC] 5D\n4: [QS] 5C")
    first = suggest(SPIDER4, start, [])
    assert first.move is not None
    there = first.move.split("x")[0]
    back = "-".join(reversed(there.split("-"))) + "x1"
    assert suggest(SPIDER4, start, [first.move]).move != back


def test_without_a_move_or_a_gain_it_says_which() -> None:
    assert suggest(SPIDER4, spider("1: 4S\n2: 4H"), []).reason == "no_gain"
    assert suggest(SPIDERS[0], blocked(), []).reason == "no_move"


def blocked() -> Position:
    """All cards of one suit on the table, and none that goes onto another."""
    pack, ends = list(SPIDERS[0].deck()), cards("KS KS JS JS 9S 9S 7S 7S 5S 5S")
    for end in ends:
        pack.remove(end)
    columns = [Pile((*pack[at::10], end), len(pack[at::10])) for at, end in enumerate(ends)]
    return Position((*columns, Pile(), Pile()))


def test_a_hint_is_counted_once_for_each_ply_and_makes_a_game_unclean(house: House, player: str) -> None:
    game = house.create(player)
    for _ in range(3):
        seen, hint = house.games.hint(game.id, player)
        assert seen.ply == 0
        assert (hint.rests_on, hint.used_hidden) == ("rules", False)
        assert hint.move in game.legal_moves()
    now = house.get(game)
    assert (now.hints, now.clean, now.ply) == (1, False, 0)
    assert house.differences(game) == ()


def test_an_empty_hint_costs_nothing(house: House, player: str) -> None:
    code = deals.layout_deal(SPIDERS[0], blocked()).code
    game = house.create(player, deal=code)
    assert house.games.hint(game.id, player)[1].move is None
    assert house.get(game) == game


def test_a_game_that_has_ended_has_no_hint_and_anothers_is_unknown(house: House, player: str) -> None:
    game = house.create(player)
    with pytest.raises(errors.NotFound):
        house.games.hint(game.id, house.player())
    house.give_up(game)
    with pytest.raises(errors.GameOver):
        house.games.hint(game.id, player)
