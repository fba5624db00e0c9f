from collections import Counter

import pytest

from app.i18n import LANGUAGES, names, using
from app.patience import registry
from app.patience.scoring import SCORINGS


def test_a_game_is_called_by_its_patience_and_its_settings():
    assert names.game_name("spider", {"suits": 1}) == "Spider, 1 suit"
    assert (
        names.game_name("spider", {"suits": 4, "rows": "onto-spaces"})
        == "Spider, 4 suits, rows are dealt onto empty columns too"
    )
    with using("pl"):
        assert names.game_name("spider", {"suits": 4}) == "Pająk, 4 kolory"


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_two_games_are_called_alike(code):
    """So every patience has a name, and every setting that is not the usual one is named."""
    with using(code):
        called = Counter(names.game_name(one.key, one.params) for one in registry.all_patiences())
    assert [name for name, count in called.items() if count > 1] == []


def test_every_patience_and_every_scoring_has_a_name():
    assert set(registry.keys()) - names._PATIENCES.keys() == set()
    assert SCORINGS.keys() - names._SCORINGS.keys() == set()
