"""Whole games, won and lost, that must come out the same for ever (tests/golden/patience_games.json)."""

from typing import Any

import pytest

from app.patience import registry
from app.patience.deals import deal_of
from app.patience.replay import replay
from app.patience.scoring import score
from tests.builders import golden
from tests.patience.ready import READY_TO_REGISTER

GAMES = golden("patience_games.json")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game['code']}-{game['status']}")
def test_a_golden_game_ends_as_it_did(game: dict[str, Any], all_registered: None) -> None:
    deal = deal_of(game["code"])
    rules = deal.patience
    frame = replay(rules, deal.start, game["moves"])
    outcome = rules.outcome(frame.position)
    scores = {name: score(name, rules, deal.start, frame.position, frame.ply) for name in rules.scorings}
    assert rules.key == game["patience"]
    assert (outcome.status, outcome.reason) == (game["status"], game["reason"])
    assert (rules.progress(frame.position), scores) == (game["progress"], game["scores"])


@pytest.mark.parametrize("status", ["won", "lost"])
def test_every_patience_has_a_game_won_and_a_game_lost(status: str, all_registered: None) -> None:
    keys = {game["patience"] for game in GAMES if game["status"] == status}
    assert {kind.key for kind in READY_TO_REGISTER} - {"template"} <= keys
    assert keys <= set(registry.keys())
