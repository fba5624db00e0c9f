"""Every numbered rule of a rules page has a test whose docstring begins with its number."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {
    "pyramid": "test_pyramid",
    "hypyt": "test_hypyt",
    "holy-seven": "test_holy_seven",
    "spilzone": "test_spilzone",
    "spider-family": "test_spider_family",
}


@pytest.mark.parametrize("name", PAGES)
def test_every_numbered_rule_is_named_by_a_test(name: str) -> None:
    rules = re.findall(r"\*\*([A-Z]\d+)\*\*", (ROOT / "docs" / f"{name}.md").read_text())
    tests = (Path(__file__).parent / f"{PAGES[name]}.py").read_text()
    named = {
        number
        for line in re.findall(r'"""([A-Z]\d+[^:]*):', tests)
        for number in re.findall(r"[A-Z]\d+", line)
    }
    assert rules
    assert len(set(rules)) == len(rules)
    assert named == set(rules)
