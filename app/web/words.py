"""What the board says: what a move brought about, and what a hint advises. Refusals: ``app.i18n.reasons``."""

import re
from collections.abc import Iterable, Mapping

from app.i18n import formats, gettext, ngettext, reasons
from app.i18n.cards import card_name, suit_name
from app.patience.patience import Collected, Event, RowDealt, TurnedUp

SHIFT = re.compile(r"(\d+)-(\d+)x(\d+)")


def lit(reason: str, facts: Mapping[str, str | int]) -> str:
    """The columns to light up with a refusal, set apart by spaces."""
    return str(facts["columns"]) if reason == "space_on_deal" else ""


def happened(entry: str, events: Iterable[Event], runs: int) -> str:
    """What an entry brought about, for those who hear the board. ``runs``: collected so far."""
    said = [_entry(entry)]
    for event in events:
        match event:
            case TurnedUp(pile=pile, card=card):
                said.append(
                    gettext(
                        "Turned up in column %(column)s: %(card)s.", column=pile, card=card_name(card.text)
                    )
                )
            case Collected(suit=suit):
                said.append(
                    gettext("Collected: a run of %(suit)s, %(runs)s of 8.", suit=suit_name(suit), runs=runs)
                )
            case RowDealt(cards=cards):
                said.append(
                    gettext("Dealt: %(cards)s.", cards=formats.listed(card_name(card.text) for card in cards))
                )
    return " ".join(filter(None, said))


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


def nowhere() -> str:
    """What is said, without scripts, of cards that were tapped and have no move."""
    return gettext("No column takes that now.")


def suggestion(move: str | None, reason: str | None) -> str:
    """A hint as advice; without a move, why there is none."""
    if move is None:
        if reason == "no_move":
            return gettext("Hint: the rules allow no move here. Undo to go on.")
        if reason == "unsolvable":
            return reasons.problem(reason)
        return gettext("Hint: no move seen that gains anything, which is not to say that there is none.")
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
