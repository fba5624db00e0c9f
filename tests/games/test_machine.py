"""Any sequence of entries, sensible or not, against a second, much smaller model of what a log means."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from app.db import open_database
from app.games import errors
from app.patience import deals, registry
from app.patience.errors import MalformedMove
from app.patience.position import Position, encode
from app.patience.view import view
from app.settings import Settings
from tests.support.databases import another_database, migrated
from tests.support.house import House

SUITS = st.sampled_from([1, 2, 4])


class Model:
    """Two lists of positions: those that undo goes back through, and those that redo goes on to."""

    def __init__(self, start: Position) -> None:
        self.log: list[str] = []
        self.past = [start]
        self.future: list[Position] = []

    @property
    def now(self) -> Position:
        return self.past[-1]

    def step(self, text: str, position: Position) -> None:
        self.log.append(text)
        self.past.append(position)
        self.future = []

    def undo(self) -> None:
        self.log.append("undo")
        self.future.append(self.past.pop())

    def redo(self) -> None:
        self.log.append("redo")
        self.past.append(self.future.pop())


class Sitting(RuleBasedStateMachine):
    """One game in the database, played by someone who clicks on everything."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.ground = ExitStack()
        database = self.ground.enter_context(another_database())
        settings = Settings(data_dir=Path(self.folder.name), rate_limits=False, **database)
        migrated(settings)
        self.house = House.on(open_database(settings.database_url))
        self.player = self.house.player()
        self.stranger = self.house.player()

    @initialize(suits=SUITS, seed=st.integers(0, 2**64 - 1), scoring=st.sampled_from(["moves500", "turns5"]))
    def deal(self, suits: int, seed: int, scoring: str) -> None:
        self.rules = registry.get("spider", {"suits": suits})
        start = deals.seed_deal(self.rules, seed)
        self.game = self.house.create(self.player, deal=start.code, scoring=scoring)
        self.model = Model(start.start)

    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        moves = self.game.legal_moves()
        if not moves:
            return
        move = data.draw(st.sampled_from(moves))
        self.game = self.house.act(self.game, move).game
        self.model.step(move, self.rules.play(self.model.now, move).position)

    @precondition(lambda self: len(self.model.past) > 1)
    @rule()
    def undo(self) -> None:
        self.game = self.house.act(self.game, "undo").game
        self.model.undo()

    @precondition(lambda self: self.model.future)
    @rule()
    def redo(self) -> None:
        self.game = self.house.act(self.game, "redo").game
        self.model.redo()

    @precondition(lambda self: self.model.now != self.model.past[0])
    @rule()
    def restart(self) -> None:
        self.game = self.house.act(self.game, "restart").game
        self.model.step("restart", self.model.past[0])

    @precondition(lambda self: self.model.log)
    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        ply = data.draw(st.integers(0, len(self.model.log) - 1))
        again = self.house.act(self.game, self.model.log[ply], ply=ply)
        assert again.repeated
        assert again.game == self.game

    @rule(ply=st.integers(0, 99_999), text=st.sampled_from(["deal", "undo", "redo", "restart", "1-2x1"]))
    def come_late_or_early(self, ply: int, text: str) -> None:
        log = self.model.log
        if ply == len(log) or (ply < len(log) and log[ply] == text):
            return
        self.refused(errors.StalePly, text, ply=ply)

    @rule(source=st.integers(1, 10), onto=st.integers(1, 10), count=st.integers(1, 104))
    def try_any_shift(self, source: int, onto: int, count: int) -> None:
        text = f"{source}-{onto}x{count}"
        if text not in self.game.legal_moves():
            self.refused(errors.IllegalMove, text)

    @rule(text=st.text(max_size=12).filter(lambda text: text not in {"deal", "undo", "redo", "restart"}))
    def try_any_text(self, text: str) -> None:
        try:
            self.rules.parse(text)
        except MalformedMove:
            self.refused(MalformedMove, text)

    @precondition(lambda self: not self.model.future)
    @rule()
    def try_to_redo_nothing(self) -> None:
        self.refused(errors.NothingToRedo, "redo")

    @precondition(lambda self: len(self.model.past) == 1)
    @rule()
    def try_to_undo_nothing(self) -> None:
        self.refused(errors.NothingToUndo, "undo")
        self.refused(errors.NothingToRestart, "restart")

    @rule(text=st.sampled_from(["deal", "undo", "1-2x1"]))
    def try_anothers(self, text: str) -> None:
        self.refused(errors.NotFound, text, player=self.stranger)

    def refused(self, error: type[Exception], text: str, **how: object) -> None:
        try:
            self.house.act(self.game, text, **how)  # type: ignore[arg-type]
        except error:
            return
        raise AssertionError(f"{text!r} was not refused by {error.__name__}")

    @invariant()
    def it_is_as_the_model_says(self) -> None:
        stored = self.house.get(self.game)
        assert stored == self.game
        assert encode(stored.position) == encode(self.model.now)
        assert self.house.texts(self.game) == self.model.log
        assert stored.ply == len(self.model.log)
        assert (stored.can_undo, stored.can_redo) == (len(self.model.past) > 1, bool(self.model.future))
        assert sum(pile.count for pile in view(self.rules, stored.position).piles) == 104
        assert self.house.differences(self.game) == ()

    def teardown(self) -> None:
        self.house.db.close()
        self.ground.close()
        self.folder.cleanup()


TestSitting = Sitting.TestCase
TestSitting.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
TestSitting = pytest.mark.timeout(300)(pytest.mark.slow(TestSitting))
