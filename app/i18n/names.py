"""What patiences, their settings and scorings are called in the language of now."""

from collections.abc import Mapping

from app.i18n.words import gettext, marked, marked_pair, ngettext

_PATIENCES = {
    "spider": marked("Spider"),
    "relaxed-spider": marked("Relaxed Spider"),
    "spiderette": marked("Spiderette"),
    "will-o-the-wisp": marked("Will o' the Wisp"),
    "simple-simon": marked("Simple Simon"),
    "scorpion": marked("Scorpion"),
    "wasp": marked("Wasp"),
    "spilzone": marked("Spilzone"),
    # i18n: a patience from Finland, whose name says "hops"
    "hypyt": marked("Hypyt"),
    "holy-seven": marked("Holy Seven"),
    "pyramid": marked("Pyramid"),
}

_SCORINGS = {
    # i18n: a scoring: 500 points at the start, less one for every move, 100 for each run
    "moves500": marked("500 less moves"),
    # i18n: a scoring: 5 points for each card turned up, 100 for each run
    "turns5": marked("5 a card turned up"),
    # i18n: a scoring: how many cards are gone
    "cards": marked("Cards gone"),
    # i18n: a scoring: how many piles are left
    "piles": marked("Piles left"),
}

_COUNTED = {
    "suits": marked_pair("%(num)s suit", "%(num)s suits"),
    "row": marked_pair("%(num)s card in the row", "%(num)s cards in the row"),
    "passes": marked_pair("%(num)s pass through the stock", "%(num)s passes through the stock"),
}

_HOUSE_RULES: Mapping[tuple[str, int | str], str] = {
    ("rows", "onto-spaces"): marked("rows are dealt onto empty columns too"),
    ("collecting", "by-hand"): marked("complete runs are collected by hand"),
    ("jump", "left"): marked("all hops go to the left"),
    ("passes", "unlimited"): marked("any number of passes through the stock"),
    ("upper", "face-down"): marked("the upper rows lie face down"),
    ("covered", "yes"): marked("a covered pair may go"),
}


_PARAMS = {
    "suits": marked("Suits"),
    "rows": marked("A row is dealt"),
    "collecting": marked("Complete runs are collected"),
    "row": marked("The row"),
    "jump": marked("The hop over two piles goes"),
    "passes": marked("Passes through the stock"),
    "upper": marked("The upper rows"),
    "covered": marked("Covered pairs"),
}

_CHOICES: Mapping[tuple[str, int | str], str] = {
    ("rows", "full-only"): marked("only when no column is empty"),
    ("rows", "onto-spaces"): marked("onto empty columns too"),
    ("collecting", "at-once"): marked("at once, by themselves"),
    ("collecting", "by-hand"): marked("when I say so"),
    ("jump", "right"): marked("to the right, as the source has it"),
    ("jump", "left"): marked("to the left, as in Accordion"),
    ("upper", "open"): marked("lie open"),
    ("upper", "face-down"): marked("lie face down until nothing covers them"),
    ("covered", "no"): marked("stay where they are"),
    ("covered", "yes"): marked("may go, if nothing else lies on the upper card"),
    ("passes", "unlimited"): marked("any number of passes"),
}

_SCORINGS_IN_WORDS = {
    "moves500": marked("500 points at the start, less one for every move, and 100 for each run"),
    "turns5": marked("5 points for each card turned up, and 100 for each run"),
    "cards": marked("The cards that are gone; a game that was not won has a result too"),
    "piles": marked(
        "The piles that are left, the fewer the better; a game that was not won has a result too"
    ),
}


def patience_name(key: str) -> str:
    """The name of a patience by its key."""
    return gettext(_PATIENCES[key]) if key in _PATIENCES else key


def setting_name(name: str, value: int | str) -> str:
    """One setting of a patience: "2 suits", "rows are dealt onto empty columns too"; "" for a usual rule."""
    if isinstance(value, int) and name in _COUNTED:
        return ngettext(*_COUNTED[name], value)
    return gettext(_HOUSE_RULES[name, value]) if (name, value) in _HOUSE_RULES else ""


def param_name(name: str) -> str:
    """What a parameter decides, as the heading of its choices."""
    return gettext(_PARAMS[name]) if name in _PARAMS else name


def choice_name(name: str, value: int | str) -> str:
    """One choice of a parameter, usual or not."""
    if (name, value) in _CHOICES:
        return gettext(_CHOICES[name, value])
    return setting_name(name, value) or str(value)


def game_name(key: str, params: Mapping[str, int | str]) -> str:
    """A patience with its settings: "Spider, 2 suits"."""
    settings = (setting_name(name, value) for name, value in params.items())
    return ", ".join([patience_name(key), *filter(None, settings)])


def scoring_name(scoring: str) -> str:
    """The name of a scoring."""
    return gettext(_SCORINGS[scoring]) if scoring in _SCORINGS else scoring


def scoring_in_words(scoring: str) -> str:
    """What a scoring counts, in a sentence."""
    return gettext(_SCORINGS_IN_WORDS[scoring]) if scoring in _SCORINGS_IN_WORDS else scoring_name(scoring)
