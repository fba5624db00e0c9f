"""Every code that the house can refuse something with has a sentence of its own, in every language."""

import ast
import re
from pathlib import Path

import pytest

from app.cards import dealcode
from app.i18n import LANGUAGES, reasons, using
from app.patience import registry
from app.patience.errors import BadLayout, IllegalMove
from app.patience.patience import Outcome

APP = Path(reasons.__file__).parent.parent
GENERAL_REFUSAL = reasons.refusal("no such reason")
GENERAL_PROBLEM = reasons.problem("no such code")


def raised(*classes: str, argument: int = 0) -> set[str]:
    """The codes that these errors are made with, anywhere in the source."""
    found = set()
    for file in APP.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", getattr(node.func, "attr", "")) in classes
            ):
                given = node.args[argument] if len(node.args) > argument else None
                found |= (
                    {leaf.value for leaf in ast.walk(given)} if isinstance(given, ast.Constant) else set()
                )
    return found


def reasons_given() -> set[str]:
    """What the functions ``_why_…`` of the rules answer: the rule against a move."""
    return {
        leaf.value
        for file in (APP / "patience").glob("*.py")
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef) and function.name.startswith("_why_")
        for back in ast.walk(function)
        if isinstance(back, ast.Return) and back.value
        for leaf in ast.walk(back.value)
        if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
    }


def class_codes(path: str) -> set[str]:
    """The ``code`` of every error class of a module."""
    tree = ast.parse((APP / path).read_text(encoding="utf-8"))
    return {
        line.value.value
        for cls in tree.body
        if isinstance(cls, ast.ClassDef)
        for line in cls.body
        if isinstance(line, ast.Assign) and line.targets[0].id == "code"
    }


def test_the_scan_finds_the_codes_that_are_there():
    assert {"same_column", "not_one_higher", "space_on_deal", "nothing_to_undo"} <= raised("IllegalMove")
    assert {"stock_not_empty", "turning_used"} <= reasons_given()
    assert {"stale_ply", "game_over"} <= class_codes("games/errors.py")


def test_every_refusal_of_the_rules_has_its_sentence():
    known = reasons._REFUSALS.keys() | reasons._COUNTED_REFUSALS.keys() | {"space_on_deal"}
    assert (raised("IllegalMove") | reasons_given()) - known == set()


def test_every_outcome_has_its_sentence():
    lost = raised("Outcome", argument=1)
    assert lost >= {"no_move", "no_deal"}
    assert lost - reasons._OUTCOMES.keys() == set()
    assert Outcome("lost", "no_deal").reason in reasons._OUTCOMES


def test_every_fault_of_a_deal_code_has_its_sentence():
    assert raised("BadDealCode") - reasons._BAD_DEALS.keys() == set()


def test_every_fault_of_a_layout_has_its_sentence():
    assert raised("BadLayout") - reasons._BAD_LAYOUTS.keys() == set()


def test_every_code_of_a_problem_has_its_sentence():
    codes = raised("Problem", argument=1) | class_codes("games/errors.py") | class_codes("players/errors.py")
    bases = {"game_error", "player_error", "refused"}
    known = reasons._PROBLEMS.keys() | reasons._REFUSALS.keys()
    assert codes - bases - known == set()


def test_every_fault_of_a_name_or_a_password_has_its_sentence():
    known = {reason for _, reason in reasons._PLAYER_REASONS}
    assert raised("BadName", "BadPassword") - known == set()


FACTS = {
    "column": 3,
    "columns": "3 7",
    "count": 2,
    "card": "7S",
    "onto": "9H",
    "cards": "7S 9H",
    "place": 3,
    "target": 5,
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_sentence_is_left_with_a_hole(code):
    with using(code):
        sentences = [
            *(reasons.refusal(reason, FACTS) for reason in (*reasons._REFUSALS, *reasons._COUNTED_REFUSALS)),
            *(
                reasons.refusal("space_on_deal", {"columns": columns})
                for columns in ("3", "3 7", "1 2 3 4 5")
            ),
            *(reasons.outcome(reason) for reason in reasons._OUTCOMES),
            *(reasons.status(status) for status in reasons._STATUSES),
            *(reasons.bad_deal(reason) for reason in reasons._BAD_DEALS),
            *(reasons.bad_layout(reason, FACTS) for reason in reasons._BAD_LAYOUTS),
            *(reasons.problem(problem) for problem in reasons._PROBLEMS),
            *(reasons.problem(*pair) for pair in reasons._PLAYER_REASONS),
        ]
    for sentence in sentences:
        assert sentence
        assert not re.search(r"%|\{|<|&", sentence), sentence


def test_a_refusal_names_the_rule_and_the_column():
    spider = registry.get("spider")
    with pytest.raises(IllegalMove) as refused:
        spider.play(spider.start(spider.deck()), "3-3x1")
    assert reasons.refusal(refused.value.reason, refused.value.facts) == "The cards lie in column 3 already."


def test_the_columns_that_keep_a_row_from_being_dealt_are_all_named():
    def said(columns):
        return reasons.refusal("space_on_deal", {"columns": columns}).split(":")[0]

    assert said("4") == "Column 4 is empty"
    assert said("4 7 10") == "Columns 4, 7 and 10 are empty"
    with using("fi"):
        assert said("4 7 10") == "Sarakkeet 4, 7 ja 10 ovat tyhjiä"


def test_cards_stand_in_a_refusal_by_their_names():
    facts = {"column": 3, "card": "7S", "onto": "9H"}
    assert "seven of spades" in reasons.refusal("not_one_higher", facts)
    with using("fi"):
        said = reasons.refusal("not_one_higher", facts)
    assert "pataseiska" in said
    assert "herttayhdeksikkö" in said


def test_the_example_of_a_deal_code_is_one():
    assert str(dealcode.parse(reasons._EXAMPLE)) == reasons._EXAMPLE


def test_a_code_without_a_sentence_gets_a_general_one():
    assert GENERAL_REFUSAL == "The rules do not allow that."
    assert GENERAL_PROBLEM == "That request cannot be understood."
    assert reasons.bad_layout(BadLayout("no such reason").reason) == "That is no layout of this patience."
    assert reasons.problem("bad_name", "no such reason") == "That name cannot be taken."
