"""What the engine has found out, in words, and as values for JSON."""

from dataclasses import dataclass
from typing import Any

from app.analysis.service import Look
from app.analysis.verdict import Verdict
from app.i18n import formats, gettext, ngettext, reasons
from app.patience.patience import Patience
from app.patience.position import Position
from app.solver.api import has_solver

NOT_KNOWN_YET = "not_known_yet"
"""The reason of a verdict that nobody has asked for, or that is being worked on."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A verdict as a page shows it. ``may_ask``: whether asking (again) could bring more."""

    state: str
    words: str
    may_ask: bool
    par: str = ""


def shown(look: Look, patience: Patience, *, of_deal: bool = False) -> Shown:
    """A verdict for a page: of a game's position, or of a whole deal."""
    match look.state:
        case "off" if not has_solver(patience.key):
            said = reasons.problem("not_supported")
        case "off":
            said = gettext("The engine is not running here, so nobody knows.")
        case "not_asked":
            said = gettext("Not known yet.")
        case "waiting" if look.ahead:
            said = ngettext(
                "The engine has one other question to answer first.",
                "The engine has %(num)s other questions to answer first.",
                look.ahead,
            )
        case "waiting":
            said = gettext("The engine is thinking…")
        case _:
            assert look.verdict is not None
            said = in_words(look.verdict, of_deal=of_deal)
    may_ask = look.state == "not_asked" or (
        look.state == "known"
        and look.verdict is not None
        and look.verdict.reason in {"crashed", "memory", "failed"}
    )
    return Shown(look.state, said, may_ask, par(look.verdict) if of_deal else "")


def in_words(verdict: Verdict, *, of_deal: bool = False) -> str:
    """What a verdict means to the player."""
    if verdict.kind == "solved":
        return gettext("This deal can be won.") if of_deal else gettext("It can still be won.")
    if verdict.kind == "unsolvable":
        said = gettext("This deal cannot be won.") if of_deal else gettext("It can no longer be won.")
        match verdict.reason:
            case "no_space_ever":
                why = gettext("No column can ever become empty.")
            case "no_way_out":
                why = gettext("The cards that would have to be moved have nowhere to lie.")
            case _:
                why = gettext("The engine has proved it.")
        return f"{said} {why}"
    match verdict.reason:
        case "time" | "nodes":
            seconds = formats.number(max(1, round(verdict.spent_ms / 1000)))
            return gettext(
                "Not known: in %(seconds)s s the engine found no way to win, nor a proof that there is none.",
                seconds=seconds,
            )
        case "not_supported":
            return gettext("Not known: the engine does not play this patience.")
        case _:
            return gettext("Not known: the engine had to give up. You can ask again.")


def par(verdict: Verdict | None) -> str:
    """The best line known, as a number to play against."""
    if verdict is None or verdict.moves is None:
        return ""
    said = ngettext(
        "The best line known has one move.", "The best line known has %(num)s moves.", verdict.moves
    )
    if verdict.bound:
        said += " " + ngettext(
            "None can have fewer than one.", "None can have fewer than %(num)s.", verdict.bound
        )
    return said


def document(look: Look, position: Position, *, with_par: bool = False) -> dict[str, Any]:
    """A verdict as JSON. Of a game under way it tells no more than whether it can be won."""
    verdict = look.verdict if look.state == "known" else None
    told: dict[str, Any] = {
        "state": look.state,
        "verdict": "unknown" if verdict is None else verdict.kind,
        "reason": NOT_KNOWN_YET if verdict is None else verdict.reason,
        "used_hidden": verdict is not None and has_hidden(position),
        "ahead": look.ahead,
    }
    if with_par:
        told |= {
            "par": look.verdict.moves if look.verdict else None,
            "bound": look.verdict.bound if look.verdict else None,
        }
    return told


def has_hidden(position: Position) -> bool:
    """Whether there are cards that the player cannot see, on the table or in the stock."""
    return any(pile.face_down for pile in position.piles)
