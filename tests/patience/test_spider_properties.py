"""Spider against a second, naive model of it, on random games."""

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from app.cards.card import Card
from app.cards.deck import pack
from app.patience.deals import seed_deal
from app.patience.errors import IllegalMove
from app.patience.position import Pile, Position, decode, encode
from app.patience.replay import Line, position_after, replay
from app.patience.spider import Spider
from app.patience.view import view
from tests.builders import random_line

ALL_SPIDERS = [
    Spider(suits, rows, collecting)
    for suits, rows, collecting in itertools.product(
        (1, 2, 4), ("full-only", "onto-spaces"), ("at-once", "by-hand")
    )
]
ALL_MOVES = ["deal"] + [
    f"{source}-{target}x{count}"
    for source in range(1, 11)
    for target in range(1, 11)
    for count in range(1, 15)
]


class NaiveSpider:
    """Spider on lists of strings, rule by rule and slowly: what the fast one must agree with."""

    def __init__(self, deck: list[str], onto_spaces: bool) -> None:
        self.onto_spaces = onto_spaces
        self.columns = [[deck.pop(0) for _ in range(6 if column < 4 else 5)] for column in range(10)]
        self.hidden = [len(column) - 1 for column in self.columns]
        self.stock = deck
        self.collected = 0

    def may(self, move: str) -> bool:
        if move == "deal":
            return bool(self.stock) and (self.onto_spaces or all(self.columns))
        source, target, count = self.read(move)
        cards = self.columns[source]
        if source == target or count > len(cards) - self.hidden[source]:
            return False
        moved = cards[len(cards) - count :]
        if not self.is_run(moved):
            return False
        return not self.columns[target] or self.rank(self.columns[target][-1]) == self.rank(moved[0]) + 1

    def play(self, move: str) -> None:
        if move == "deal":
            for column in self.columns:
                if self.stock:
                    column.append(self.stock.pop(0))
        else:
            source, target, count = self.read(move)
            self.columns[target] += self.columns[source][-count:]
            del self.columns[source][-count:]
        for number, column in enumerate(self.columns):
            if (
                len(column) - self.hidden[number] >= 13
                and len(column[-13:]) == 13
                and self.is_run(column[-13:])
            ):
                del column[-13:]
                self.collected += 1
            if column and self.hidden[number] == len(column):
                self.hidden[number] -= 1

    @staticmethod
    def read(move: str) -> tuple[int, int, int]:
        columns, count = move.split("x")
        source, target = columns.split("-")
        return int(source) - 1, int(target) - 1, int(count)

    @staticmethod
    def rank(name: str) -> int:
        return "A23456789TJQK".index(name[0])

    @classmethod
    def is_run(cls, names: list[str]) -> bool:
        return all(b[1] == a[1] and cls.rank(a) == cls.rank(b) + 1 for a, b in itertools.pairwise(names))

    def agrees_with(self, position: Position) -> bool:
        columns = [[c.text for c in pile.cards] for pile in position.piles[:10]]
        return (
            columns == self.columns
            and [pile.face_down for pile in position.piles[:10]] == self.hidden
            and [c.text for c in position.piles[10].cards] == self.stock
            and len(position.piles[11].cards) == 13 * self.collected
        )


class SpiderMachine(RuleBasedStateMachine):
    """Moves, undos, redos and restarts at random; the naive model follows by playing the line again."""

    @initialize(
        rules=st.sampled_from([s for s in ALL_SPIDERS if s.collects_at_once]), seed=st.integers(0, 2**64 - 1)
    )
    def deal(self, rules: Spider, seed: int) -> None:
        self.rules = rules
        self.start = seed_deal(rules, seed).start
        self.entries: list[str] = []
        self.line = Line()
        self.position = self.start

    def naive(self) -> NaiveSpider:
        deck = [c.text for pile in self.start.piles for c in pile.cards]
        model = NaiveSpider(deck, self.rules.rows_onto_spaces)
        steps = self.line.steps
        if "restart" in steps:
            steps = steps[len(steps) - steps[::-1].index("restart") :]
        for step in steps:
            model.play(step)
        return model

    def enter(self, entry: str) -> None:
        self.line = self.line.after(entry)
        self.entries.append(entry)

    @precondition(lambda self: self.rules.legal_moves(self.position))
    @rule(pick=st.integers(0, 10**6))
    def move(self, pick: int) -> None:
        moves = self.rules.legal_moves(self.position)
        move = moves[pick % len(moves)]
        before = self.position
        self.enter(move)
        self.position = self.rules.play(before, move).position
        undone = self.line.after("undo")
        assert position_after(self.rules, self.start, undone.steps) == before

    @rule(move=st.sampled_from(ALL_MOVES))
    def any_move_at_all(self, move: str) -> None:
        legal = self.naive().may(move)
        assert (move in self.rules.legal_moves(self.position)) == legal
        if not legal:
            with pytest.raises(IllegalMove):
                self.rules.play(self.position, move)

    @precondition(lambda self: self.line.steps)
    @rule()
    def undo(self) -> None:
        self.enter("undo")
        self.position = position_after(self.rules, self.start, self.line.steps)

    @precondition(lambda self: self.line.undone)
    @rule()
    def redo(self) -> None:
        self.enter("redo")
        self.position = position_after(self.rules, self.start, self.line.steps)

    @precondition(lambda self: self.line.steps and self.line.steps[-1] != "restart")
    @rule()
    def restart(self) -> None:
        self.enter("restart")
        self.position = self.start

    @invariant()
    def the_naive_model_agrees(self) -> None:
        assert self.naive().agrees_with(self.position)

    @invariant()
    def the_log_replays_to_the_head(self) -> None:
        frame = replay(self.rules, self.start, self.entries)
        assert (frame.position, frame.line, frame.ply) == (self.position, self.line, len(self.entries))

    @invariant()
    def all_cards_are_there_and_the_stored_head_reads_back(self) -> None:
        assert Counter(c for pile in self.position.piles for c in pile.cards) == Counter(self.rules.deck())
        assert decode(encode(self.position)) == self.position


TestSpiderMachine = pytest.mark.slow(SpiderMachine.TestCase)
TestSpiderMachine.settings = settings(max_examples=200, stateful_step_count=50, deadline=None)


def permuted(position: Position, rng: random.Random) -> Position:
    """The position with its hidden cards, those of the stock too, dealt anew among their places."""
    down = [len(p) if i == 10 else p.face_down for i, p in enumerate(position.piles)]
    hidden = [c for pile, n in zip(position.piles, down, strict=True) for c in pile.cards[:n]]
    rng.shuffle(hidden)
    deal = iter(hidden)
    return Position(
        tuple(
            Pile(tuple(next(deal) for _ in range(n)) + pile.cards[n:], pile.face_down)
            for pile, n in zip(position.piles, down, strict=True)
        )
    )


@given(st.sampled_from(ALL_SPIDERS), st.integers(0, 2**32), st.integers(0, 120))
@settings(max_examples=60, deadline=None)
def test_the_view_and_all_that_is_answered_never_change_with_the_hidden_cards(
    rules: Spider, seed: int, plies: int
) -> None:
    rng = random.Random(seed)
    start = seed_deal(rules, seed).start
    position = position_after(rules, start, random_line(rules, start, rng, plies))
    other = permuted(position, rng)
    assert view(rules, other) == view(rules, position)
    assert rules.legal_moves(other) == rules.legal_moves(position)
    assert rules.outcome(other) == rules.outcome(position)
    for move in rng.sample(ALL_MOVES, 40):
        if move not in rules.legal_moves(position):
            assert refusal(rules, other, move) == refusal(rules, position, move)


def refusal(rules: Spider, position: Position, move: str) -> tuple[str, dict[str, int | str]]:
    with pytest.raises(IllegalMove) as error:
        rules.play(position, move)
    return error.value.reason, error.value.facts


@given(st.sampled_from(ALL_SPIDERS), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_cards_shown_and_hidden_add_up_to_the_pack(rules: Spider, seed: int) -> None:
    start = seed_deal(rules, seed).start
    position = position_after(rules, start, random_line(rules, start, random.Random(seed), 100))
    assert sum(pile.count for pile in view(rules, position).piles) == 104


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_million_random_plies_without_a_breach() -> None:
    """104 cards, no complete run left lying, every end face up: after each of a million plies."""
    rng = random.Random(2)
    whole = {suits: Counter(pack(suits)) for suits in (1, 2, 4)}
    plies = 0
    for seed in itertools.count():
        rules = ALL_SPIDERS[seed % len(ALL_SPIDERS)]
        position = seed_deal(rules, seed).start
        for _ in range(400):
            moves = rules.legal_moves(position)
            # A row now and then only, so that spaces and runs come about.
            quiet = [move for move in moves if move != "deal"]
            if not moves:
                break
            longest = max((int(m.split("x")[1]) for m in quiet if "x" in m), default=0)
            liked = [m for m in quiet if m.startswith("collect") or m.endswith(f"x{longest}")]
            move = rng.choice(
                liked if liked and rng.random() < 0.6 else quiet if quiet and rng.random() < 0.95 else moves
            )
            position = rules.play(position, move).position
            plies += 1
            check(rules, position, whole[rules.suits])
        if plies >= 1_000_000:
            return


def check(rules: Spider, position: Position, whole: Counter[Card]) -> None:
    counts = Counter[Card]()
    for pile in position.piles:
        counts.update(pile.cards)
    assert counts == whole
    for pile in position.piles[:10]:
        assert not pile.cards or pile.face_down < len(pile)
