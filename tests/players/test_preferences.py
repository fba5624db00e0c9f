import pytest

from app.players.preferences import CHOICES, DEFAULTS, Preferences, from_text


def test_every_choice_survives_the_way_through_text() -> None:
    for name, allowed in CHOICES.items():
        for value in allowed:
            chosen = DEFAULTS.changed({name: value})
            assert getattr(chosen, name) == value
            assert from_text(chosen.to_text()) == chosen


def test_the_defaults_are_the_first_choices() -> None:
    assert Preferences.of({name: allowed[0] for name, allowed in CHOICES.items()}) == DEFAULTS
    assert DEFAULTS.to_text() == "{}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"dress": "X"}',
        '{"dress": ["S"]}',
        '{"dress": {}}',
        '{"evil": "yes"}',
        "[" * 900,
        "x" * 9999,
    ],
)
def test_a_tampered_cookie_gives_the_defaults(text: str) -> None:
    assert from_text(text) == DEFAULTS


def test_a_change_keeps_the_rest_and_leaves_out_what_cannot_be() -> None:
    before = DEFAULTS.changed({"language": "fi", "clock": "hidden"})
    assert before.changed({"clock": "shown", "dress": "Q", "new": 1}) == DEFAULTS.changed({"language": "fi"})
