"""What a player prefers. Kept as JSON with the player, or in a plain cookie of those who are none yet."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Self

from app.i18n.languages import LANGUAGES

# Every preference, its allowed values, the default first. "" means: not chosen, let the page decide.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "language": ("", *LANGUAGES),
    "four_colour": ("no", "yes"),
    "left_handed": ("no", "yes"),
    "dress": ("", "S", "H", "D", "C"),
    "animation": ("normal", "fast", "slow", "off"),
    "clock": ("shown", "hidden"),
    "faces": ("", "full", "compact"),
    "double_tap": ("on", "off"),
    "felt": ("", "blue", "wine", "slate"),
    "light": ("", "light", "dark"),
    "watchable": ("no", "yes"),
}
# A form says nothing of a box that is not ticked.
TICKED = ("four_colour", "left_handed", "clock", "double_tap", "watchable")


@dataclass(frozen=True, slots=True)
class Preferences:
    """language: of the pages · four_colour: a deck with a colour for each suit · left_handed: the table
    mirrored · dress: the suit in which a one-suit game is shown · animation: its speed · clock: whether
    it is shown · faces: full, compact, or by the width of the screen · double_tap: whether it plays ·
    felt: the colour of the table · light: light or dark, or as the device has it · watchable: whether
    anybody may watch the games that the player begins."""

    language: str = ""
    four_colour: str = "no"
    left_handed: str = "no"
    dress: str = ""
    animation: str = "normal"
    clock: str = "shown"
    faces: str = ""
    double_tap: str = "on"
    felt: str = ""
    light: str = ""
    watchable: str = "no"

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Self:
        """Unknown names and values are left out: an old cookie or a tampered one is no error."""
        return cls().changed(values)

    def changed(self, values: Mapping[str, object]) -> Self:
        """With what `values` names and may be; the rest as it was."""
        fit = {name: str(values[name]) for name, allowed in CHOICES.items() if values.get(name) in allowed}
        return replace(self, **fit)

    def chosen(self) -> dict[str, str]:
        """What differs from the defaults."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}

    def to_text(self) -> str:
        return json.dumps(self.chosen(), separators=(",", ":"), sort_keys=True)


DEFAULTS = Preferences()


@lru_cache(maxsize=256)
def from_text(text: str) -> Preferences:
    """The stored JSON, or whatever a cookie held."""
    try:
        values = json.loads(text) if len(text) <= 1000 else {}
    except (ValueError, RecursionError):
        values = {}
    return Preferences.of(values) if isinstance(values, dict) else DEFAULTS
