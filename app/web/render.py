"""From the redacted view of a game to what the board's templates show.

Everything here works on ``View``, out of which the hidden cards have been taken; no position comes in.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from app.cards.card import CARDS, RANKS, Card
from app.i18n import gettext, language, marked, ngettext
from app.i18n.cards import card_index, card_name, suit_name
from app.patience.building import RUN, run_length
from app.patience.patience import Patience
from app.patience.position import Pile
from app.patience.view import PileView, View
from app.web import gestures
from app.web.gestures import Gesture
from app.web.presentation import REDEAL, Look, look_of, plain_look


@dataclass(frozen=True, slots=True)
class Face:
    """A card as drawn: its classes, the index in its corner, its name for those who hear it."""

    css: str
    index: str
    name: str


@dataclass(frozen=True, slots=True)
class Pick:
    """A card that may be picked up with all that lie on it; ``value`` is what its button sends."""

    face: Face
    value: str  # PILExCOUNT
    label: str
    picked: bool = False
    hinted: bool = False


@dataclass(frozen=True, slots=True)
class PileShown:
    """A pile as drawn: ``fixed`` cards lie under ``picks``; ``target`` moves the picked cards to here.

    ``name``: what moves call it. ``squared``: only its end is seen, and ``badge`` tells how many cards it
    has (or rows). ``thick``: backs of a stock; ``word``: the move of a tap on it. ``ghost``: what an open
    place is for.
    """

    id: str
    role: str
    label: str
    down: int
    fixed: tuple[Face, ...]
    picks: tuple[Pick, ...]
    name: str = ""
    count: int = 0
    squared: bool = False
    badge: str = ""
    thick: int = 0
    word: str = ""
    ghost: str = ""
    target: str = ""
    target_label: str = ""
    lit: bool = False
    hinted: bool = False


@dataclass(frozen=True, slots=True)
class Picked:
    """Cards picked up without scripts: the last ``count`` of a pile, and the moves they have."""

    pile: str
    count: int
    moves: Mapping[str, str]  # target pile -> move


def picked(text: str | None, legal: Iterable[str]) -> Picked | None:
    """What ``?pick=4x2`` picks up; None if no legal move begins so."""
    found = gestures.pick(text) if text else None
    moves = gestures.targets(*found, legal) if found else {}
    return Picked(*found, moves) if found and moves else None


@cache
def _faces(code: str, dress: str) -> Mapping[Card, Face]:  # noqa: ARG001 - the language is part of the key
    """The faces in a language; ``dress`` clothes every card in one suit."""
    faces = {}
    for card in CARDS.values():
        shown = CARDS[card.text[0] + (dress or card.suit)]
        index = card_index(shown.text)
        two = " two" if len(index) > 1 else ""
        faces[card] = Face(f"c {shown.suit} r{card.rank}{two}", index, card_name(shown.text))
    return faces


def face(card: Card, dress: str = "") -> Face:
    return _faces(language(), dress)[card]


def shown(
    pile: PileView, look: Look | None = None, *, dress: str = "", pick: Picked | None = None, lit: str = ""
) -> PileShown:
    """One pile. What it shows depends on the pile alone, unless cards are picked or a column is lit."""
    look = look or plain_look()
    drawn = _shown(pile, look, language(), dress)
    if pick is None and not lit:
        return drawn
    picks = drawn.picks
    if pick and pick.pile == drawn.name:
        first = len(picks) - pick.count
        picks = tuple(replace(p, picked=at >= first) for at, p in enumerate(picks))
    target = pick.moves.get(drawn.name, "") if pick else ""
    return replace(
        drawn,
        picks=picks,
        target=target,
        target_label=_target_label(drawn, look, pick) if target and pick else "",
        lit=pile.id in lit.split(),
    )


def _target_label(pile: PileShown, look: Look, pick: Picked) -> str:
    if pick.pile == pile.name:
        return gettext("Take it")
    if look.style.lay == "columns" and pile.role == "tableau":
        return gettext("Move here: column %(column)s", column=pile.id)
    return gettext("Here: %(place)s", place=pile.label)


@lru_cache(maxsize=8192)
def _shown(pile: PileView, look: Look, code: str, dress: str) -> PileShown:  # noqa: ARG001 - the language is part of the key
    drawn = _DRAW.get(pile.role, _draw_squared)(pile, look, dress)
    return replace(drawn, name=look.name(pile.id), count=pile.count)


def _draw_tableau(pile: PileView, look: Look, dress: str) -> PileShown:
    if look.style.lay != "columns":
        return _draw_squared(pile, look, dress)
    faces = tuple([face(card, dress) for card in pile.cards])
    match look.style.lifts:
        case "run":
            length = run_length(Pile(pile.cards))
        case "any":
            length = len(faces)
        case _:
            length = min(1, len(faces))
    fixed, run = faces[: len(faces) - length], faces[len(faces) - length :]
    picks = []
    for at, one in enumerate(run):
        count = length - at
        label = one.name
        if count > 1:
            label = ngettext(
                "%(card)s and the card on it",
                "%(card)s and the %(num)s cards on it",
                count - 1,
                card=one.name,
            )
        picks.append(Pick(one, f"{pile.id}x{count}", label))
    return PileShown(pile.id, pile.role, _column_label(pile, faces), pile.face_down, fixed, tuple(picks))


def _column_label(pile: PileView, faces: tuple[Face, ...]) -> str:
    if not pile.count:
        return gettext("Column %(column)s: empty", column=pile.id)
    names = ", ".join([one.name for one in faces])
    if not pile.face_down:
        return gettext("Column %(column)s: %(cards)s", column=pile.id, cards=names)
    return ngettext(
        "Column %(column)s: one card face down, %(cards)s",
        "Column %(column)s: %(num)s cards face down, %(cards)s",
        pile.face_down,
        column=pile.id,
        cards=names,
    )


def _draw_squared(pile: PileView, look: Look, dress: str) -> PileShown:
    """A pile of which only the last card is seen, and how many there are."""
    top = face(pile.cards[-1], dress) if pile.cards else None
    label = _squared_label(pile, top)
    one = (top,) if top else ()
    badge = str(pile.count) if pile.count > 1 else ""
    if pile.role in ("tableau", "waste") and top:
        pick = Pick(top, f"{look.name(pile.id)}x1", label)
        return PileShown(pile.id, pile.role, label, 0, (), (pick,), squared=True, badge=badge)
    ghost = card_index(pile.id) if look.style.ghosts and pile.role == "foundation" and not top else ""
    down = int(pile.count > 0 and not top)
    return PileShown(pile.id, pile.role, label, down, one, (), squared=True, badge=badge, ghost=ghost)


_SQUARED: Mapping[str, tuple[str, str]] = {
    "waste": (marked("The waste is empty"), marked("Waste: %(card)s")),
    "reserve": (marked("Nothing is laid aside"), marked("Laid aside: %(card)s")),
    "discard": (marked("No card is gone yet"), marked("Gone, the last one: %(card)s")),
}


def _squared_label(pile: PileView, top: Face | None) -> str:
    if pile.role in _SQUARED:
        empty, filled = _SQUARED[pile.role]
        return gettext(filled, card=top.name) if top else gettext(empty)
    place = card_index(pile.id) if pile.id in RANKS and pile.role == "foundation" else pile.id
    if pile.count > 1 and top:
        return ngettext(
            "Place %(place)s: %(card)s",
            "Place %(place)s: %(card)s on a pile of %(num)s cards",
            pile.count,
            place=place,
            card=top.name,
        )
    if top:
        return gettext("Place %(place)s: %(card)s", place=place, card=top.name)
    if pile.count:
        return gettext("Place %(place)s: a card face down", place=place)
    return gettext("Place %(place)s: empty", place=place)


MOST_BACKS = 5


def _draw_stock(pile: PileView, look: Look, _dress: str) -> PileShown:
    taps = -(-pile.count // look.row)
    if not pile.count:
        word = REDEAL if look.again else ""
        label = gettext("Go through the stock again") if look.again else gettext("The stock is empty")
    elif look.word == "deal":
        word = look.word
        label = ngettext("Deal a row: one row is left", "Deal a row: %(num)s rows are left", taps)
    else:
        word = look.word
        label = ngettext("Stock: one card is left", "Stock: %(num)s cards are left", pile.count)
    picks = (Pick(_BACK, f"{pile.id}x1", label),) if look.drawn and pile.count else ()
    badge = str(taps) if taps else ""
    thick = min(MOST_BACKS, taps)
    return PileShown(pile.id, pile.role, label, 0, (), picks, badge=badge, thick=thick, word=word)


_BACK = Face("", "", "")


def _draw_foundation(pile: PileView, look: Look, dress: str) -> PileShown:
    if not look.runs:
        return _draw_squared(pile, look, dress)
    runs = len(pile.cards) // RUN
    if not runs:
        return PileShown(pile.id, pile.role, gettext("No run is collected yet"), 0, (), ())
    suits = ", ".join(suit_name(dress or card.suit) for card in pile.cards[::RUN])
    label = ngettext(
        "%(num)s run of %(all)s is collected: %(suits)s",
        "%(num)s runs of %(all)s are collected: %(suits)s",
        runs,
        all=look.runs,
        suits=suits,
    )
    return PileShown(pile.id, pile.role, label, 0, tuple(face(card, dress) for card in pile.cards[::RUN]), ())


_DRAW: Mapping[str, Callable[[PileView, Look, str], PileShown]] = {
    "tableau": _draw_tableau,
    "stock": _draw_stock,
    "foundation": _draw_foundation,
}


def table(
    patience: Patience, seen: View, *, dress: str = "", pick: Picked | None = None, hint: str = ""
) -> tuple[PileShown, ...]:
    """All piles of a view; those of a move that is suggested are lit up, and its cards."""
    look = look_of(patience)
    piles = [shown(pile, look, dress=dress, pick=pick) for pile in seen.piles]
    return tuple([_hinted(pile, gestures.read(hint)) for pile in piles] if hint else piles)


def _hinted(pile: PileShown, hint: Gesture) -> PileShown:
    """A pile as it is lit up by a hint; static/js/board.js does the same."""
    if pile.role == "stock":
        return replace(pile, hinted=hint.source in (pile.name, pile.word))
    if pile.name == hint.source:
        count = hint.count
    elif pile.name == hint.target:
        count = 1 if hint.join == "+" else 0
    else:
        return pile
    first = len(pile.picks) - count
    picks = tuple([replace(one, hinted=at >= first) for at, one in enumerate(pile.picks)])
    return replace(pile, picks=picks, hinted=not count)


def fan() -> tuple[Face, ...]:
    """A hand of cards, to look at."""
    return tuple(face(CARDS[text]) for text in ("KS", "QH", "JS", "TD", "9C"))


def dress_for(patience: Patience, dress: str) -> str:
    """The suit in which the cards are shown: only a game of one suit may be dressed."""
    return dress if patience.params.get("suits") == 1 else ""


def changed(before: View | None, after: View) -> list[PileView]:
    """The piles that look different after a move; all of them if nothing is known of before."""
    if before is None:
        return list(after.piles)
    return [pile for old, pile in zip(before.piles, after.piles, strict=True) if old != pile]
