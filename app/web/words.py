"""What the board says: a sentence for every refusal, and for what a move brought about.

The rules speak in codes and facts (``app.patience.errors``, ``app.patience.patience``); here they become words.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from app.i18n import formats, gettext, ngettext
from app.i18n.cards import card_name, suit_name
from app.patience.patience import Collected, Event, RowDealt, TurnedUp

Facts = Mapping[str, str | int]

SHIFT = re.compile(r"(\d+)-(\d+)x(\d+)")


def _not_one_higher(facts: Facts) -> str:
    return gettext(
        "The %(card)s does not go there: column %(column)s ends with the %(onto)s, and a card goes on one that is one rank"
        " higher.",
        card=card_name(str(facts["card"])),
        onto=card_name(str(facts["onto"])),
        column=facts["column"],
    )


def _space_on_deal(facts: Facts) -> str:
    columns = str(facts["columns"]).split()
    return ngettext(
        "Column %(columns)s is empty: a row can only be dealt when every column holds a card.",
        "Columns %(columns)s are empty: a row can only be dealt when every column holds a card.",
        len(columns),
        columns=formats.listed(columns),
    )


_REFUSALS: Mapping[str, Callable[[Facts], str]] = {
    "same_column": lambda facts: gettext("The cards lie in column %(column)s already.", **facts),
    "empty_column": lambda facts: gettext("Column %(column)s is empty: there is nothing to move.", **facts),
    "not_face_up": lambda facts: gettext(
        "Fewer than %(count)s cards lie face up in column %(column)s.", **facts
    ),
    "not_a_run": lambda facts: gettext(
        "The last %(count)s cards of column %(column)s do not move together: only a run in one suit, each card one rank"
        " lower, does.",
        **facts,
    ),
    "not_one_higher": _not_one_higher,
    "stock_empty": lambda _: gettext("The stock is empty: no row is left to deal."),
    "space_on_deal": _space_on_deal,
    "no_complete_run": lambda facts: gettext(
        "Column %(column)s does not end in a complete run, king to ace in one suit.", **facts
    ),
    "stale_ply": lambda _: gettext(
        "The game had moved on elsewhere, in another window perhaps. This is how it stands now."
    ),
    "game_over": lambda _: gettext("This game has ended."),
    "game_too_long": lambda _: gettext("This game is as long as a game can get."),
    "nothing_to_undo": lambda _: gettext("There is nothing to undo."),
    "nothing_to_redo": lambda _: gettext("There is nothing to redo."),
    "nothing_to_restart": lambda _: gettext("The cards lie as they were dealt."),
    "no_deal": lambda _: gettext(
        "Deadlock: fewer than ten cards are left on the table, so a row can never be dealt again. Undo to go on."
    ),
    "no_move": lambda _: gettext("No move is left. Undo to go on, or give up."),
    "no_gain": lambda _: gettext("No move seen that gains anything at once, which is not to say that there is none."),
}


def refusal(reason: str, facts: Facts | None = None) -> str:
    """Why something was not done, in a sentence that names the rule and the column."""
    say = _REFUSALS.get(reason)
    return say(facts or {}) if say else gettext("This cannot be done now.")


def lit(reason: str, facts: Facts) -> str:
    """The columns to light up with a refusal, set apart by spaces."""
    return str(facts["columns"]) if reason == "space_on_deal" else ""


def happened(entry: str, events: Iterable[Event], runs: int) -> str:
    """What an entry brought about, for those who hear the board."""
    said = [_entry(entry)]
    for event in events:
        match event:
            case TurnedUp(pile=pile, card=card):
                said.append(
                    gettext("Turned up in column %(column)s: %(card)s.", column=pile, card=card_name(card.text))
                )
            case Collected(suit=suit):
                said.append(
                    gettext("A run of %(suit)s is collected, %(runs)s of 8.", suit=suit_name(suit), runs=runs)
                )
            case RowDealt(cards=cards):
                said.append(
                    gettext("Dealt: %(cards)s.", cards=formats.listed(card_name(card.text) for card in cards))
                )
    return " ".join(said)


def _entry(entry: str) -> str:
    if shift := SHIFT.fullmatch(entry):
        source, target, count = shift.groups()
        return ngettext(
            "Moved from column %(source)s to column %(target)s.",
            "Moved %(num)s cards from column %(source)s to column %(target)s.",
            int(count),
            source=source,
            target=target,
        )
    match entry:
        case "undo":
            return gettext("Undone.")
        case "redo":
            return gettext("Redone.")
        case "restart":
            return gettext("Back at the start.")
        case _:
            return ""


def suggestion(move: str) -> str:
    """A hint's move as advice."""
    if shift := SHIFT.fullmatch(move):
        source, target, count = shift.groups()
        return ngettext(
            "Hint: move the end of column %(source)s to column %(target)s.",
            "Hint: move the last %(num)s cards of column %(source)s to column %(target)s.",
            int(count),
            source=source,
            target=target,
        )
    if move == "deal":
        return gettext("Hint: deal a row.")
    return gettext("Hint: collect the run in column %(column)s.", column=move.removeprefix("collect-"))
