"""Spider: eight runs from king to ace are built in suit on ten columns, and collected.

The rules as played here, with their sources' differences, stand in docs/spider.md; what is written in
code stands in ``spider_family.py``, for Spider and its relatives alike.
"""

from collections.abc import Mapping
from typing import ClassVar

from app.patience.spider_family import SpiderFamily

FULL_ONLY, ONTO_SPACES = "full-only", "onto-spaces"
AT_ONCE, BY_HAND = "at-once", "by-hand"


class Spider(SpiderFamily):
    """The rules of Spider for a number of suits and two house rules.

    ``rows``: ``full-only`` deals a row only while no column is empty, ``onto-spaces`` always.
    ``collecting``: ``at-once`` takes a complete run off as soon as it lies there, ``by-hand`` when the
    player says ``collect-N``.
    """

    key = "spider"
    choices: ClassVar[Mapping[str, tuple[int | str, ...]]] = {
        "suits": (4, 2, 1),
        "rows": (FULL_ONLY, ONTO_SPACES),
        "collecting": (AT_ONCE, BY_HAND),
    }
    opening = ((6, 5),) * 4 + ((5, 4),) * 6
    row = 10

    def __init__(self, suits: int = 4, rows: str = FULL_ONLY, collecting: str = AT_ONCE) -> None:
        super().__init__(suits)
        self.rows_onto_spaces = rows == ONTO_SPACES
        self.collects_at_once = collecting == AT_ONCE
        house_rules = {"rows": rows, "collecting": collecting}
        # A house rule is named only where it is played.
        self.params = {"suits": suits} | {
            name: value for name, value in house_rules.items() if value != self.choices[name][0]
        }
        self.prefix = f"spider{suits}{'s' * self.rows_onto_spaces}{'h' * (not self.collects_at_once)}"
