"""What is written once for all patiences knows none of them."""

import re
from pathlib import Path

import pytest

import app
from app.i18n.names import patience_name
from app.patience import registry

TABLES = {"presentation.py", "rules_pages.py", "learning.py", "almanac.py"}
"""How each is shown, its rules, the first lesson's deal, and what is dealt every day: data, by name."""


@pytest.mark.parametrize("part", ["games", "web", "ranking", "races", "arenas"])
def test_no_patience_is_named_outside_the_tables_of_presentation(part: str) -> None:
    names = {name for key in registry.keys() for name in (key, patience_name(key))}  # noqa: SIM118 - a function
    named = re.compile("|".join(map(re.escape, names)), re.IGNORECASE)
    files = sorted((Path(app.__file__).parent / part).glob("*.py"))
    assert files
    found = {file.name: named.findall(file.read_text()) for file in files if file.name not in TABLES}
    assert {name: words for name, words in found.items() if words} == {}
