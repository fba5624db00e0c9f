"""An engine with a stand-in for the solver, whose mood a test sets."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.analysis.process import Command
from app.analysis.service import Analysis
from app.db import Database

STAND_IN = Command(module="tests.analysis.stand_in", memory_mb=300, niceness=5)


@pytest.fixture
def mood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets what the stand-in does from now on."""
    path = tmp_path / "mood"
    monkeypatch.setenv("STAND_IN", str(path))

    def set_mood(word: str) -> None:
        path.write_text(word)

    return set_mood


@pytest.fixture
def engine_of(db: Database, mood: object) -> Iterator[Callable[..., Analysis]]:
    """Makes and starts engines, and stops them after the test."""
    engines: list[Analysis] = []

    def make(*, start: bool = True, **chosen: Any) -> Analysis:
        chosen = {"bank_size": 0, "command": STAND_IN, "idle_after": 0.0, **chosen}
        engine = Analysis(db, **chosen)
        engines.append(engine)
        if start:
            engine.start()
        return engine

    yield make
    for engine in engines:
        engine.stop()


@pytest.fixture
def engine(engine_of: Callable[..., Analysis]) -> Analysis:
    return engine_of()
