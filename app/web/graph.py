"""The analysis of an ended game as it is drawn: which plies could still be won, and how far the win was."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from starlette.requests import Request

from app.analysis.service import LONGEST_LOG, Analysed, Analysis
from app.analysis.verdict import Verdict
from app.analysis.walk import LOST, OPEN, WON
from app.games.game import Game
from app.i18n import gettext, ngettext
from app.patience.deals import layout_deal
from app.patience.replay import RESTART, line_of
from app.patience.view import view
from app.web import deps, render
from app.web.replaying import position_at
from app.web.verdicts import NOT_KNOWN_YET, in_words

GIVEN_UP = Verdict("unknown", "crashed")
HEIGHT = 40
"""Of the drawing; a ply is one wide."""

State = Literal["off", "not_asked", "running", "done"]
"""Not asked is also one that the engine had to give up: it goes on where it was, if it is asked for again."""

_KINDS: dict[str, Literal["won", "lost", "open"]] = {WON: "won", LOST: "lost", OPEN: "open"}
_VERDICTS = {WON: "solved", LOST: "unsolvable", OPEN: "unknown"}


@dataclass(frozen=True, slots=True)
class Bar:
    """Plies in a row with the same verdict: from ply ``start``, ``width`` of them."""

    start: int
    width: int
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class Shown:
    """An analysis. ``turn`` is the last ply from which a game that was not won could have been."""

    game: str
    state: State
    last: int
    plies: str
    to_go: tuple[int | None, ...]
    bars: tuple[Bar, ...]
    curves: tuple[str, ...]
    settled: int
    turn: int | None
    play_on: str | None
    best: tuple[str, ...]
    moves: int
    won: bool
    given_up: str
    summary: str
    harder_than: float | None

    def document(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "state": self.state,
            "plies": [
                {"ply": ply, "verdict": _VERDICTS[mark], "moves_to_go": to_go}
                for ply, (mark, to_go) in enumerate(zip(self.plies, self.to_go, strict=True))
            ],
            "reason": None if self.state == "done" else NOT_KNOWN_YET,
            "last_winnable": self.turn if not self.won else self.last,
            "play_on": self.play_on,
            "best_line": list(self.best),
            "par": len(self.best) or None,
            "moves": self.moves,
            "harder_than": self.harder_than,
        }


def of(request: Request, game: Game, texts: tuple[str, ...]) -> Shown:
    """The analysis of a game as far as it has come."""
    analysis: Analysis = request.app.state.analysis
    with request.app.state.db.read() as conn:
        made = analysis.analysed(conn, game.id)
        at_work = analysis.is_at_work(conn, game.id)
        known = analysis.look(conn, game.patience, game.start).verdict
        harder_than = analysis.harder_than(conn, game.code)
    state: State = "off"
    if made is not None and made.done:
        state = "done"
    elif at_work:
        state = "running"
    elif analysis.knows(game.patience) and len(texts) <= LONGEST_LOG:
        state = "not_asked"
    best = made.progress.best if made else ()
    if known is not None and known.line is not None and (not best or len(known.line) < len(best)):
        best = known.line
    return _shown(game, texts, made, state, best, harder_than)


def _shown(
    game: Game,
    texts: tuple[str, ...],
    made: Analysed | None,
    state: State,
    best: tuple[str, ...],
    harder_than: float | None,
) -> Shown:
    last, won = len(texts), game.status == "won"
    plies = made.progress.plies if made else OPEN * (last + 1)
    to_go = made.progress.to_go if made else (None,) * (last + 1)
    if made and best and plies[0] == OPEN:  # known of the deal since
        plies, to_go = WON + plies[1:], (len(best), *to_go[1:])
    turn = None if won else plies.rfind(WON)
    turn = None if turn == -1 else turn
    play_on = None
    if turn is not None:
        play_on = layout_deal(game.patience, position_at(game.code, texts, turn)).code
    moves = len([step for step in line_of(texts).steps if step != RESTART])
    return Shown(
        game=game.id,
        state=state,
        last=last,
        plies=plies,
        to_go=to_go,
        bars=tuple(_bars(plies)),
        curves=tuple(_curves(to_go)),
        settled=len(plies) - plies.count(OPEN),
        turn=turn,
        play_on=play_on,
        best=best,
        moves=moves,
        won=won,
        given_up=in_words(GIVEN_UP) if made and state == "not_asked" else "",
        summary=_summary(plies, turn, won=won),
        harder_than=harder_than,
    )


def _bars(plies: str) -> list[Bar]:
    bars, start = [], 0
    for mark, group in groupby(plies):
        width = len(list(group))
        bars.append(Bar(start, width, _KINDS[mark], _title(mark, start, start + width - 1)))
        start += width
    return bars


def _title(mark: str, first: int, last: int) -> str:
    facts = {"first": first, "last": last}
    if first == last:
        if mark == WON:
            return gettext("Move %(first)s: it could be won.", first=first)
        if mark == LOST:
            return gettext("Move %(first)s: it could no longer be won.", first=first)
        return gettext("Move %(first)s: not known.", first=first)
    if mark == WON:
        return gettext("Moves %(first)s to %(last)s: it could be won.", **facts)
    if mark == LOST:
        return gettext("Moves %(first)s to %(last)s: it could no longer be won.", **facts)
    return gettext("Moves %(first)s to %(last)s: not known.", **facts)


def _curves(to_go: tuple[int | None, ...]) -> list[str]:
    """The points of lines that show how many moves the best line known had from each ply."""
    most = max((moves for moves in to_go if moves is not None), default=0) or 1
    curves = []
    for known, group in groupby(enumerate(to_go), key=lambda one: one[1] is not None):
        points = [
            f"{ply + 0.5},{HEIGHT - (HEIGHT - 4) * moves / most:.1f}"
            for ply, moves in group
            if moves is not None
        ]
        if known and len(points) > 1:
            curves.append(" ".join(points))
    return curves


def _summary(plies: str, turn: int | None, *, won: bool) -> str:
    """The graph in a sentence, for those who do not see it, and for everyone."""
    if won:
        return gettext("Won: it could be won all along.")
    if turn is None:
        return gettext("The engine knows of no move at which it could be won.")
    after = plies[turn + 1 :]
    if not after:
        return gettext("It could still be won at the end.")
    if LOST in after and OPEN not in after:
        return gettext("It could be won up to move %(ply)s, and no longer after it.", ply=turn)
    return ngettext(
        "It could be won up to move %(ply)s; for one later move the engine does not know.",
        "It could be won up to move %(ply)s; for %(num)s later moves the engine does not know.",
        after.count(OPEN),
        ply=turn,
    )


def piles_after(request: Request, game: Game, moves: tuple[str, ...]) -> tuple[render.PileShown, ...]:
    """The table after some moves from the opening, as its owner likes to see it."""
    position = position_at(game.code, moves, len(moves))
    dress = render.dress_for(game.patience, deps.preferences_of(request).dress)
    return render.table(game.patience, view(game.patience, position), dress=dress)
