"""What the board says: what a move brought about, and what a hint advises. Refusals: ``app.i18n.reasons``."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from app.i18n import formats, gettext, ngettext, reasons
from app.i18n.cards import card_name, suit_name
from app.patience.patience import Collected, Dealt, Event, Patience, Redealt, Removed, RowDealt, TurnedUp
from app.patience.position import Position
from app.patience.view import view
from app.web import gestures
from app.web.gestures import Gesture
from app.web.presentation import REDEAL, Look, look_of


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure beside the table: runs, the pass through the stock."""

    name: str
    value: str
    css: str = "fact"


def figures(patience: Patience, position: Position) -> tuple[Figure, ...]:
    """What is counted besides the score."""
    look, facts = look_of(patience), patience.facts(position)
    runs = f"{patience.progress(position)}/{look.runs}"
    shown = [Figure(gettext("Runs"), runs, "runs")] if look.runs else []
    return (*shown, *[_FACTS[name](facts) for name in facts if name in _FACTS])


def _pass(facts: Mapping[str, int]) -> Figure:
    passes = f"/{facts['passes']}" if "passes" in facts else ""
    return Figure(gettext("Pass"), f"{facts['pass']}{passes}")


def _turning(facts: Mapping[str, int]) -> Figure:
    return Figure(gettext("Turn"), f"{facts['turning']}/1")


def _redeals(facts: Mapping[str, int]) -> Figure:
    return Figure(gettext("Redeals"), formats.number(facts["redeals"]))


_FACTS: Mapping[str, Callable[[Mapping[str, int]], Figure]] = {
    "pass": _pass,
    "turning": _turning,
    "redeals": _redeals,
}


def won(patience: Patience) -> str:
    """What there is to be seen at a won game's end."""
    said = look_of(patience).style.won
    return gettext(said) if said else ""


def lit(reason: str, facts: Mapping[str, str | int]) -> str:
    """The columns to light up with a refusal, set apart by spaces."""
    return str(facts["columns"]) if reason == "space_on_deal" else ""


def happened(patience: Patience, entry: str, events: Iterable[Event], position: Position) -> str:
    """What an entry brought about, for those who hear the board; ``position`` is what it led to."""
    look = look_of(patience)
    said = [_entry(look, entry)]
    for event in events:
        match event:
            case TurnedUp(pile=pile, card=card):
                said.append(_turned_up(look, pile, card.text))
            case Collected(suit=suit):
                runs = patience.progress(position)
                said.append(
                    gettext(
                        "Collected: a run of %(suit)s, %(runs)s of %(all)s.",
                        suit=suit_name(suit),
                        runs=runs,
                        all=look.runs,
                    )
                )
            case RowDealt(cards=cards):
                said.append(gettext("Dealt: %(cards)s.", cards=_cards(cards)))
            case Dealt(card=card):
                said.append(gettext("Dealt: %(cards)s.", cards=card_name(card.text)))
            case Removed(cards=cards):
                said.append(gettext("Gone: %(cards)s.", cards=_cards(cards)))
            case Redealt(count=count):
                said.append(
                    ngettext("One card is the stock again.", "%(num)s cards are the stock again.", count)
                )
    return " ".join(filter(None, said))


def _cards(cards: Iterable[object]) -> str:
    return formats.listed(card_name(str(getattr(card, "text", card))) for card in cards)


def _turned_up(look: Look, pile: str, card: str) -> str:
    if look.columns:
        return gettext("Turned up in column %(column)s: %(card)s.", column=pile, card=card_name(card))
    return gettext("Turned up in place %(place)s: %(card)s.", place=pile, card=card_name(card))


def _entry(look: Look, entry: str) -> str:
    match entry:
        case "undo":
            return gettext("Undone.")
        case "redo":
            return gettext("Redone.")
        case "restart":
            return gettext("Back at the start.")
    one = gestures.read(entry)
    if one.join != "-" or not one.target.isdigit() or not one.source.isdigit():
        return ""
    if not look.columns:
        return gettext(
            "Moved from place %(source)s to place %(target)s.", source=one.source, target=one.target
        )
    return ngettext(
        "Moved from column %(source)s to column %(target)s.",
        "Moved %(num)s cards from column %(source)s to column %(target)s.",
        one.count,
        source=one.source,
        target=one.target,
    )


def closing(status: str, reason: str | None) -> str:
    """What an entry that won or lost the game is said to have done, for those who hear the board."""
    if status == "won":
        return gettext("Won!")
    return reasons.outcome(reason) if status == "lost" and reason else ""


def nowhere(look: Look) -> str:
    """What is said, without scripts, of cards that were tapped and have no move."""
    if look.columns:
        return gettext("No column takes that now.")
    if look.pairs:
        return gettext("That goes with nothing now.")
    return gettext("That goes nowhere now.")


def suggestion(patience: Patience, position: Position, move: str | None, reason: str | None) -> str:
    """A hint as advice; without a move, why there is none. Columns are told by their number, other places by
    their cards, for nothing on the table numbers them."""
    if move is None:
        if reason == "no_move":
            return gettext("Hint: the rules allow no move here. Undo to go on.")
        if reason == "unsolvable":
            return reasons.problem(reason)
        return gettext("Hint: no move seen that gains anything, which is not to say that there is none.")
    look, one = look_of(patience), gestures.read(move)

    def at(place: str) -> str:
        return _at(patience, position, place)

    match one:
        case Gesture(join="", source=word) if word == look.word:
            return (
                gettext("Hint: deal a row.") if word == "deal" else gettext("Hint: turn a card of the stock.")
            )
        case Gesture(join="", source=word) if word == REDEAL:
            return gettext("Hint: go through the stock again.")
        case Gesture(join="", source=place):
            return gettext("Hint: %(card)s can go.", card=at(place))
        case Gesture(join="+", source=first, target=second):
            return gettext(
                "Hint: take %(first)s and %(second)s together.", first=at(first), second=at(second)
            )
        case Gesture(source="collect", target=column):
            return gettext("Hint: collect the run in column %(column)s.", column=column)
        case Gesture(source="stock", target=column):
            return gettext("Hint: draw a card onto column %(column)s.", column=column)
    if not look.columns or not one.target.isdigit():
        return gettext("Hint: move %(source)s onto %(target)s.", source=at(one.source), target=at(one.target))
    return ngettext(
        "Hint: move the end of column %(source)s to column %(target)s.",
        "Hint: move the last %(num)s cards of column %(source)s to column %(target)s.",
        one.count,
        source=one.source,
        target=one.target,
    )


def _at(patience: Patience, position: Position, place: str) -> str:
    """The card that is seen at a place; of an empty one the place."""
    name = look_of(patience).name
    for pile in view(patience, position).piles:
        if name(pile.id) == place and pile.cards:
            # i18n: a card in a hint: "the queen of diamonds"
            return gettext("the %(card)s", card=card_name(pile.cards[-1].text))
    return gettext("place %(place)s", place=place)
