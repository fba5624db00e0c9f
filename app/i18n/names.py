"""What patiences, their parameters, scorings and piles are called in the language of now."""

from collections.abc import Mapping

from app.i18n.words import gettext, marked, ngettext, pgettext

_PATIENCES = {"spider": marked("Spider")}

_SCORINGS = {
    # i18n: a scoring: 500 points at the start, less one for every move, 100 for each run
    "moves500": marked("500 less moves"),
    # i18n: a scoring: 5 points for each card turned up, 100 for each run
    "turns5": marked("5 a card turned up"),
}

_HOUSE_RULES = {
    ("rows", "onto-spaces"): marked("rows are dealt onto empty columns too"),
    ("collecting", "by-hand"): marked("complete runs are collected by hand"),
}

_PILES = {
    "stock": marked("Stock"),
    "foundation": marked("Collected runs"),
    "waste": marked("Waste"),
    "discard": marked("Discarded cards"),
    "reserve": marked("Reserve"),
}


def patience_name(key: str) -> str:
    """The name of a patience by its key."""
    return gettext(_PATIENCES[key]) if key in _PATIENCES else key


def suits_name(suits: int) -> str:
    """How many suits Spider is played with: "4 suits"."""
    return ngettext("%(num)s suit", "%(num)s suits", suits)


def game_name(key: str, params: Mapping[str, int | str]) -> str:
    """A patience with its parameters, house rules last: "Spider, 2 suits"."""
    parts = [patience_name(key)]
    if "suits" in params:
        parts.append(suits_name(int(params["suits"])))
    parts += [gettext(_HOUSE_RULES[rule]) for rule in params.items() if rule in _HOUSE_RULES]
    return ", ".join(parts)


def scoring_name(scoring: str) -> str:
    """The name of a scoring."""
    return gettext(_SCORINGS[scoring]) if scoring in _SCORINGS else scoring


def pile_name(pile_id: str, role: str) -> str:
    """A pile as it is spoken: "Column 3", "Stock"."""
    if role == "tableau":
        return gettext("Column %(column)s", column=pile_id)
    return gettext(_PILES[role]) if role in _PILES else pgettext("pile", "Pile")
