"""What must hold for every patience, written once: a new one is a line in ``ready.py``."""

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from app.cards.dealcode import BadDealCode, LayoutCode, NumberedCode
from app.patience import registry
from app.patience.deals import deal_of, document_deal, layout_deal, seed_deal
from app.patience.errors import IllegalMove, MalformedMove, PatienceError
from app.patience.patience import Patience
from app.patience.position import Pile, Position, decode, encode
from app.patience.replay import Line, position_after, replay
from app.patience.scoring import SCORINGS, score
from app.patience.view import CONCEALED, view
from tests.builders import random_line
from tests.patience.ready import READY_TO_REGISTER

KINDS = tuple(
    dict.fromkeys(
        [*(registry.kind(key) for key in registry.keys()), *READY_TO_REGISTER]  # noqa: SIM118
    )
)


def every(kind: type[Patience]) -> list[Patience]:
    """A kind with each choice of its parameters."""
    return list(registry.settings(kind))


ALL = [patience for kind in KINDS for patience in every(kind)]
each = pytest.mark.parametrize("rules", ALL, ids=lambda rules: rules.prefix)
seeds = st.integers(0, 2**64 - 1)


@pytest.fixture(autouse=True)
def _registered(all_registered: None) -> None:
    """Deal codes of patiences that are not registered yet are read too."""


# Names


@each
def test_the_prefix_is_short_and_leads_back_to_the_patience(rules: Patience) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9-]*[a-z0-9]", rules.prefix)
    again = registry.by_prefix(rules.prefix)
    assert (again.key, again.params) == (rules.key, rules.params)
    assert registry.get(rules.key, rules.params).prefix == rules.prefix


@each
def test_scorings_are_known_and_score_an_opening(rules: Patience) -> None:
    start = seed_deal(rules, 1).start
    assert rules.scorings
    for scoring in rules.scorings:
        assert scoring in SCORINGS
        assert isinstance(score(scoring, rules, start, start, 0), int)


@each
def test_the_table_shows_every_pile_once(rules: Patience) -> None:
    assert sorted(pile for row in rules.table for pile in row) == sorted(spec.id for spec in rules.piles)


@each
def test_reading_a_move_gives_its_canonical_text_and_nothing_else_is_read(rules: Patience) -> None:
    start = seed_deal(rules, 1).start
    for move in rules.legal_moves(start):
        assert rules.parse(move) == move
        assert re.fullmatch(r"[a-z0-9+-]{1,16}", move)
    for text in (
        "",
        " ",
        "undo",
        "redo",
        "restart",
        "0-1",
        "1-0x1",
        "1--2",
        "99",
        "x",
        "1-2x0",
        "４-7",
        "1-2\n",
    ):
        with pytest.raises(MalformedMove):
            rules.parse(text)
        with pytest.raises(MalformedMove):
            rules.play(start, text)


# Deals


@each
def test_a_seed_deals_the_whole_deck_the_same_each_time(rules: Patience) -> None:
    for seed in (0, 17, 2**64 - 1):
        deal = seed_deal(rules, seed)
        assert deal_of(deal.code).start == deal.start
        assert on_table(deal.start) == Counter(rules.deck())
        assert rules.cards == len(rules.deck())


@each
def test_an_opening_has_a_layout_code_and_a_document_too(rules: Patience) -> None:
    start = seed_deal(rules, 3).start
    by_code = deal_of(layout_deal(rules, start).code)
    document = {"patience": rules.key, "params": dict(rules.params), "layout": rules.to_layout(start)}
    assert by_code.start.piles == start.piles
    assert document_deal(document).start == by_code.start


@given(st.sampled_from(ALL), seeds, st.integers(0, 80))
@settings(max_examples=150, deadline=None)
def test_a_later_position_can_be_written_down_and_read_again(rules: Patience, seed: int, plies: int) -> None:
    start = seed_deal(rules, seed).start
    position = position_after(rules, start, random_line(rules, start, random.Random(seed), plies))
    document = rules.to_layout(position)
    again = rules.from_layout(document)
    assert rules.to_layout(again) == document
    assert on_table(again) == Counter(rules.deck())
    assert decode(encode(position)) == position
    by_code = deal_of(layout_deal(rules, position).code).start
    assert by_code == again
    assert rules.facts(by_code) == rules.facts(position)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 60) | st.sampled_from(["KS", "AH", "", "1S", "columns"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["columns", "face_down", "stock", "waste", "upper", "turned", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(ALL), JUNK)
@settings(max_examples=200, deadline=None)
def test_junk_is_no_layout(rules: Patience, junk: Any) -> None:
    with pytest.raises(PatienceError):
        rules.from_layout(junk)


@given(st.sampled_from(ALL), seeds, st.data())
@settings(max_examples=200, deadline=None)
def test_a_spoilt_layout_is_refused_or_is_another_position_of_the_whole_deck(
    rules: Patience, seed: int, data: st.DataObject
) -> None:
    document = rules.to_layout(seed_deal(rules, seed).start)
    name = data.draw(st.sampled_from(sorted(set(document) - {"memory"})))
    some = document[name]
    at = data.draw(st.integers(0, max(0, len(some) - 1)))
    other = data.draw(st.sampled_from(["KS", "2H", [], ["KS"], 1, 3, None]))
    document[name] = [*some[:at], other, *some[at + 1 :]]
    try:
        position = rules.from_layout(document)
    except PatienceError:
        return
    assert on_table(position) == Counter(rules.deck()) or rules.params.get("suits") in (1, 2)
    assert rules.to_layout(position) == document


@each
def test_digits_behind_the_cards_tell_something_or_are_refused(rules: Patience) -> None:
    start = seed_deal(rules, 3).start
    code = layout_deal(rules, start).code
    for more in ("0", "1", "G", "Z", "G0", "0" * 12, "Z" * 20 + "1"):
        longer = str(LayoutCode(rules.prefix, code.rpartition("-")[2][:-1] + more))
        if len(longer) > 400:
            continue
        try:
            told = deal_of(longer).start
        except BadDealCode:
            continue
        assert (rules.key, more) == ("holy-seven", "0")
        assert told != start
        assert layout_deal(rules, told).code == longer


@each
def test_a_numbered_deal_is_one_permutation_of_the_deck_or_is_refused(rules: Patience) -> None:
    code = str(NumberedCode(rules.prefix, "pysol", 617))
    if not rules.pysol_order and rules.key != "spider":
        with pytest.raises(BadDealCode, match="patience"):
            deal_of(code)
        return
    assert on_table(deal_of(code).start) == Counter(rules.deck())
    with pytest.raises(BadDealCode, match="number"):
        deal_of(str(NumberedCode(rules.prefix, "pysol", 0)))


# Play


class AnyPatience(RuleBasedStateMachine):
    """Moves, undos, redos and restarts at random, in one patience."""

    def __init__(self, kind: type[Patience]) -> None:
        super().__init__()
        self.settings_of = every(kind)

    @initialize(pick=st.integers(0, 10**6), seed=seeds)
    def deal(self, pick: int, seed: int) -> None:
        self.rules = rules = self.settings_of[pick % len(self.settings_of)]
        self.start = self.position = seed_deal(rules, seed).start
        self.entries: list[str] = []
        self.line = Line()

    def enter(self, entry: str) -> None:
        self.line = self.line.after(entry)
        self.entries.append(entry)
        self.position = position_after(self.rules, self.start, self.line.steps)

    @precondition(lambda self: self.rules.outcome(self.position).status != "won")
    @precondition(lambda self: self.rules.legal_moves(self.position))
    @rule(pick=st.integers(0, 10**6), last=st.booleans())
    def move(self, pick: int, last: bool) -> None:
        moves = self.rules.legal_moves(self.position)
        before = self.position
        # The last moves of the list (rows, draws, redeals) would come up too seldom.
        self.enter(moves[-1] if last else moves[pick % len(moves)])
        assert position_after(self.rules, self.start, self.line.after("undo").steps) == before

    @precondition(lambda self: self.line.steps)
    @rule()
    def undo(self) -> None:
        self.enter("undo")

    @precondition(lambda self: self.line.undone)
    @rule()
    def redo(self) -> None:
        self.enter("redo")

    @precondition(lambda self: self.line.steps and self.line.steps[-1] != "restart")
    @rule()
    def restart(self) -> None:
        self.enter("restart")
        assert self.position == self.start

    @invariant()
    def cards_are_conserved(self) -> None:
        assert on_table(self.position) == Counter(self.rules.deck())
        assert sum(pile.count for pile in view(self.rules, self.position).piles) == self.rules.cards

    @invariant()
    def the_log_replays_to_the_head(self) -> None:
        frame = replay(self.rules, self.start, self.entries)
        assert (frame.position, frame.line) == (self.position, self.line)

    @rule()
    def store(self) -> None:
        """What is always possible: there are deals without a move."""
        assert decode(encode(self.position)) == self.position

    @invariant()
    def hidden_cards_change_nothing_that_is_shown(self) -> None:
        other = with_hidden_cards_permuted(self.rules, self.position, random.Random(len(self.entries)))
        assert view(self.rules, other) == view(self.rules, self.position)
        assert self.rules.legal_moves(other) == self.rules.legal_moves(self.position)

    @invariant()
    def legal_moves_and_outcome_agree(self) -> None:
        moves = self.rules.legal_moves(self.position)
        assert len(set(moves)) == len(moves)
        if self.rules.outcome(self.position).status == "playing":
            assert moves


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)
def test_any_sequence_of_entries_keeps_the_cards_and_the_secrets(kind: type[Patience]) -> None:
    run_state_machine_as_test(
        lambda: AnyPatience(kind),
        settings=settings(max_examples=8, stateful_step_count=30, deadline=None),
    )


@given(st.sampled_from(ALL), st.integers(0, 2**32), st.integers(0, 150))
@settings(max_examples=200, deadline=None)
@pytest.mark.slow
def test_nothing_that_is_shown_or_answered_depends_on_the_hidden_cards(
    rules: Patience, seed: int, plies: int
) -> None:
    rng = random.Random(seed)
    start = seed_deal(rules, seed).start
    position = position_after(rules, start, random_line(rules, start, rng, plies))
    other = with_hidden_cards_permuted(rules, position, rng)
    assert view(rules, other) == view(rules, position)
    assert rules.legal_moves(other) == rules.legal_moves(position)
    assert rules.outcome(other) == rules.outcome(position)
    assert rules.progress(other) == rules.progress(position)
    legal = rules.legal_moves(position)
    for move in moves_of_all_kinds(rules):
        if rules.parse(move) not in legal:
            assert refusal(rules, other, move) == refusal(rules, position, move)


@given(st.sampled_from(ALL), seeds)
@settings(max_examples=100, deadline=None)
@pytest.mark.slow
def test_every_move_is_legal_exactly_when_it_is_listed(rules: Patience, seed: int) -> None:
    start = seed_deal(rules, seed).start
    position = position_after(rules, start, random_line(rules, start, random.Random(seed), 40))
    legal = set(rules.legal_moves(position))
    if rules.outcome(position).status == "won":
        return
    for move in moves_of_all_kinds(rules):
        if rules.parse(move) in legal:
            rules.play(position, move)
        else:
            refusal(rules, position, move)


def test_every_reason_for_a_refusal_is_written_down() -> None:
    page = (Path(__file__).parents[2] / "docs" / "moves.md").read_text()
    written = {
        reason: set(re.findall(r"`(\w+)`", facts))
        for reasons, facts in re.findall(r"^\| (`[^|]*) \| ([^|]*)\|", page, re.MULTILINE)
        for reason in re.findall(r"`(\w+)`", reasons)
    }
    met = set()
    rng = random.Random(4)
    for rules in ALL:
        if rules.key == "template":
            continue
        texts = moves_of_all_kinds(rules)
        for seed in range(3):
            position = start = seed_deal(rules, seed).start
            for move in ["", *random_line(rules, start, random.Random(seed), 60)]:
                position = rules.play(position, move).position if move else start
                legal = rules.legal_moves(position)
                for text in rng.sample(texts, min(6, len(texts))):
                    if rules.parse(text) not in legal:
                        reason, facts = refusal(rules, position, text)
                        assert set(facts) == written[reason], reason
                        met.add(reason)
    assert len(met) > 15


def on_table(position: Position) -> Counter[Any]:
    return Counter(c for pile in position.piles for c in pile.cards)


def with_hidden_cards_permuted(rules: Patience, position: Position, rng: random.Random) -> Position:
    """The position with its hidden cards, those of the stock too, dealt anew among their places."""
    down = [
        len(pile) if spec.role in CONCEALED else pile.face_down
        for spec, pile in zip(rules.piles, position.piles, strict=True)
    ]
    hidden = [c for pile, n in zip(position.piles, down, strict=True) for c in pile.cards[:n]]
    rng.shuffle(hidden)
    deal = iter(hidden)
    piles = tuple(
        Pile(tuple(next(deal) for _ in range(n)) + pile.cards[n:], pile.face_down)
        for pile, n in zip(position.piles, down, strict=True)
    )
    return Position(piles, position.memory)


TEXTS = [
    *("deal", "draw", "redeal", "turn", "w", "w+w"),
    *(f"{a}-{b}" for a in range(1, 53, 3) for b in range(max(1, a - 4), min(53, a + 5))),
    *(f"{a}-f" for a in (1, 2, 3)),
    *(f"{a}-{b}x{n}" for a in range(1, 11) for b in range(1, 11) for n in (1, 2, 3, 5, 9)),
    *(f"stock-{a}" for a in range(1, 11)),
    *(f"collect-{a}" for a in range(1, 11)),
    *(str(a) for a in range(1, 29)),
    *(f"{a}+w" for a in range(1, 29)),
    *(f"{a}+{b}" for a in range(1, 29) for b in range(1, 29)),
]


def moves_of_all_kinds(rules: Patience) -> list[str]:
    """The texts that are moves of this patience at all."""
    return [text for text in TEXTS if is_move(rules, text)]


def is_move(rules: Patience, text: str) -> bool:
    try:
        rules.parse(text)
    except MalformedMove:
        return False
    return True


def refusal(rules: Patience, position: Position, move: str) -> tuple[str, dict[str, int | str]]:
    with pytest.raises(IllegalMove) as error:
        rules.play(position, move)
    return error.value.reason, error.value.facts
