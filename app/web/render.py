"""From the redacted view of a game to what the board's templates show.

Everything here works on ``View``, out of which the hidden cards have been taken; no position comes in.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from app.cards.card import CARDS, Card
from app.i18n import gettext, language, ngettext
from app.i18n.cards import card_index, card_name, suit_name
from app.patience.building import RUN, run_length
from app.patience.patience import Patience
from app.patience.position import Pile
from app.patience.view import PileView, View
from app.web.words import SHIFT


@dataclass(frozen=True, slots=True)
class Face:
    """A card as drawn: its classes, the index in its corner, its name for those who hear it."""

    css: str
    index: str
    name: str


@dataclass(frozen=True, slots=True)
class Pick:
    """A card that may be picked up with all that lie on it."""

    face: Face
    value: str  # PILExCOUNT
    label: str
    picked: bool = False


@dataclass(frozen=True, slots=True)
class PileShown:
    """A pile as drawn: ``fixed`` cards lie under ``picks``; ``target`` moves the picked cards to here."""

    id: str
    role: str
    label: str
    down: int
    fixed: tuple[Face, ...]
    picks: tuple[Pick, ...]
    rows: int = 0
    target: str = ""
    lit: bool = False


@dataclass(frozen=True, slots=True)
class Picked:
    """Cards picked up without scripts: the last ``count`` of a pile, and the moves they have."""

    pile: str
    count: int
    moves: Mapping[str, str]  # target pile -> move


def picked(text: str | None, legal: Iterable[str]) -> Picked | None:
    """What ``?pick=4x2`` picks up; None if no legal move begins so."""
    if not text:
        return None
    moves = {}
    for move in legal:
        if (shift := SHIFT.fullmatch(move)) and f"{shift[1]}x{shift[3]}" == text:
            moves[shift[2]] = move
    if not moves:
        return None
    pile, _, count = text.partition("x")
    return Picked(pile, int(count), moves)


@cache
def _faces(code: str, dress: str) -> Mapping[Card, Face]:  # noqa: ARG001 - the language is part of the key
    """The faces in a language; ``dress`` clothes every card in one suit."""
    faces = {}
    for card in CARDS.values():
        shown = CARDS[card.text[0] + (dress or card.suit)]
        faces[card] = Face(f"c {shown.suit} r{card.rank}", card_index(shown.text), card_name(shown.text))
    return faces


def face(card: Card, dress: str = "") -> Face:
    return _faces(language(), dress)[card]


def shown(pile: PileView, *, dress: str = "", pick: Picked | None = None, lit: str = "") -> PileShown:
    """One pile. What it shows depends on the pile alone, unless cards are picked or a column is lit."""
    drawn = _shown(pile, language(), dress)
    if pick is None and not lit:
        return drawn
    picks = drawn.picks
    if pick and pick.pile == pile.id:
        first = len(picks) - pick.count
        picks = tuple(Pick(p.face, p.value, p.label, picked=at >= first) for at, p in enumerate(picks))
    target = pick.moves.get(pile.id, "") if pick else ""
    return PileShown(
        drawn.id,
        drawn.role,
        drawn.label,
        drawn.down,
        drawn.fixed,
        picks,
        drawn.rows,
        target,
        pile.id in lit.split(),
    )


@lru_cache(maxsize=8192)
def _shown(pile: PileView, code: str, dress: str) -> PileShown:  # noqa: ARG001 - the language is part of the key
    return _DRAW.get(pile.role, _draw_tableau)(pile, dress)


def _draw_tableau(pile: PileView, dress: str) -> PileShown:
    faces = tuple([face(card, dress) for card in pile.cards])
    length = run_length(Pile(pile.cards))
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
    return PileShown(pile.id, pile.role, _tableau_label(pile, faces), pile.face_down, fixed, tuple(picks))


def _tableau_label(pile: PileView, faces: tuple[Face, ...]) -> str:
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


def _draw_stock(pile: PileView, _dress: str) -> PileShown:
    rows = pile.count // 10
    label = (
        ngettext("Deal a row: one row is left", "Deal a row: %(num)s rows are left", rows)
        if rows
        else gettext("The stock is empty")
    )
    return PileShown(pile.id, pile.role, label, 0, (), (), rows)


def _draw_foundation(pile: PileView, dress: str) -> PileShown:
    runs = len(pile.cards) // RUN
    if not runs:
        return PileShown(pile.id, pile.role, gettext("No run is collected yet"), 0, (), ())
    suits = ", ".join(suit_name(dress or card.suit) for card in pile.cards[::RUN])
    label = ngettext(
        "%(num)s run of 8 is collected: %(suits)s",
        "%(num)s runs of 8 are collected: %(suits)s",
        runs,
        suits=suits,
    )
    return PileShown(pile.id, pile.role, label, 0, tuple(face(card, dress) for card in pile.cards[::RUN]), ())


_DRAW: Mapping[str, Callable[[PileView, str], PileShown]] = {
    "tableau": _draw_tableau,
    "stock": _draw_stock,
    "foundation": _draw_foundation,
}


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
