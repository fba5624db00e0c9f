"""The engine's ways out: verdicts of games and deals, finishing, and the analysis of ended games.

A verdict of a game under way tells whether it can be won and nothing else; asking for one is marked, and the
game is assisted from then on. What was not asked for is not told, though the engine may know it.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.concurrency import run_in_threadpool
from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.analysis.service import HINT_MS, LOW, Analysis, Busy, Look, Off
from app.cards.dealcode import BadDealCode
from app.games import errors
from app.games.game import Game, deal_of
from app.games.hint import Hint
from app.games.service import VERDICT, Games
from app.i18n import reasons
from app.patience.deals import Deal
from app.web import board, deps, documents, graph, schemas, verdicts
from app.web.api import read, takes
from app.web.bank import asker_of, unavailable
from app.web.errors import Problem
from app.web.forms import Form, form_of
from app.web.limits import limit
from app.web.presentation import look_of
from app.web.templating import page

Fields = Annotated[Form, Depends(form_of)]
Document = dict[str, Any]

pages = APIRouter(include_in_schema=False)
api = APIRouter(prefix="/api/v1", tags=["v1"])

FINISH_WAIT = 5.0
"""Seconds for which finishing a game waits for its line."""


def advise(analysis: Analysis, game: Game) -> Hint | None:
    """A hint from the engine: for ``Games.advise``."""
    advice = analysis.advise(game.id, game.patience, game.position, asker=game.player_id)
    if advice is None or advice.kind == "unknown":
        return None
    hidden = verdicts.has_hidden(game.position)
    if advice.kind == "unsolvable":
        return Hint(None, "unsolvable", "proof", hidden)
    return Hint(advice.move, None, "line", hidden)


# ---- the verdict of a game


@dataclass(frozen=True, slots=True)
class Asked:
    """A game with what its player may know of its verdict."""

    game: Game
    look: Look

    def document(self) -> Document:
        return {"ply": self.game.ply, **verdicts.document(self.look, self.game.position)}


def ask(request: Request, game_id: str) -> Asked:
    """Asks whether a game can still be won; asking is marked. Raises Problem 401, 404, 422, 429, 503."""
    limit(request, "engine")
    player = deps.require_player(request)
    games, analysis = _games(request), _analysis(request)
    try:
        with request.app.state.db.write() as conn:
            game = games.get(conn, game_id, player.id)
            look = analysis.ask(conn, game.patience, game.position, asker=player.id)
            hidden = verdicts.has_hidden(game.position)
            return Asked(games.tell(conn, game_id, player.id, VERDICT, used_hidden=hidden), look)
    except errors.NotFound:
        raise Problem(404, "not_found") from None
    except errors.Refused as error:
        raise Problem(422, error.code) from None
    except (Busy, Off) as error:
        raise unavailable(error) from None


def look(request: Request, game_id: str) -> Asked:
    """What a player who asked at this ply may know by now. Raises Problem 401, 404."""
    player = deps.require_player(request)
    games, analysis = _games(request), _analysis(request)
    try:
        with request.app.state.db.read() as conn:
            game = games.get(conn, game_id, player.id)
            if not games.was_told(conn, game, VERDICT):
                return Asked(game, Look("not_asked" if analysis.knows(game.patience) else "off"))
            return Asked(game, analysis.look(conn, game.patience, game.position))
    except errors.NotFound:
        raise Problem(404, "not_found") from None


_SAYS: dict[int | str, dict[str, Any]] = {
    status: {"description": "A problem document."} for status in (401, 404, 422, 429, 503)
}


@api.post("/games/{game_id}/verdict", responses=_SAYS)
def ask_verdict(request: Request, game_id: str) -> Document:
    """Can it still be won? The answer comes at once or is ``waiting``: then GET it. The game is assisted."""
    return ask(request, game_id).document()


@api.get("/games/{game_id}/verdict", responses=_SAYS)
def verdict(request: Request, game_id: str) -> Document:
    """The verdict asked for at the game's present ply."""
    return look(request, game_id).document()


@api.delete("/games/{game_id}/verdict", responses=_SAYS)
def cancel_verdict(request: Request, game_id: str) -> Document:
    """Takes back the question, if the engine is still at it."""
    player = deps.require_player(request)
    try:
        with request.app.state.db.write() as conn:
            game = _games(request).get(conn, game_id, player.id)
            _analysis(request).cancel(conn, game.patience, game.position, asker=player.id)
    except errors.NotFound:
        raise Problem(404, "not_found") from None
    return look(request, game_id).document()


@pages.post("/g/{game_id}/verdict")
def ask_on_board(request: Request, game_id: str) -> Response:
    """The same from the board: a word in its status, which asks again until the answer is there."""
    try:
        return _say(request, ask(request, game_id))
    except Problem as problem:
        if problem.status_code in {401, 404}:
            raise Problem(404, "not_found") from None
        game = look(request, game_id).game
        return board.word(request, game, reasons.problem(problem.code), "bad", 422)


@pages.get("/g/{game_id}/verdict")
def verdict_on_board(request: Request, game_id: str) -> Response:
    """How it stands by now."""
    return _say(request, look(request, game_id))


def _say(request: Request, asked: Asked) -> Response:
    poll = f"/g/{asked.game.id}/verdict" if asked.look.state == "waiting" else ""
    return board.word(request, asked.game, verdicts.shown(asked.look, asked.game.patience).words, poll=poll)


# ---- finishing a game whose cards all lie face up


@pages.post("/g/{game_id}/finish")
def finish_on_board(request: Request, game_id: str, form: Fields) -> Response:
    """Plays the game to its end."""
    ply = form.get("ply", "")
    if set(form) - {"ply", "move"} or not (ply.isascii() and ply.isdigit() and len(ply) <= 5):
        raise Problem(400, "bad_form")
    try:
        game = _finish(request, game_id, int(ply))
    except errors.Refused as error:
        return board.say_no(request, error)
    except Problem as problem:
        if problem.status_code in {401, 404}:
            raise Problem(404, "not_found") from None
        game = look(request, game_id).game
        return board.word(request, game, reasons.problem(problem.code), "bad", 422)
    return board.played_on(request, game)


@api.post(
    "/games/{game_id}/finish",
    openapi_extra=takes(schemas.AtPly),
    response_model=schemas.Game,
    responses=_SAYS | {400: _SAYS[401], 409: _SAYS[401]},
)
async def finish(request: Request, game_id: str) -> Document:
    """Plays a game to its end when all its cards lie face up and a line to the win is known."""
    ply = (await read(request, schemas.AtPly)).ply
    try:
        return documents.game_document(await run_in_threadpool(_finish, request, game_id, ply))
    except errors.StalePly as error:
        raise Problem(409, "stale_ply", extra={"game": documents.game_document(error.game)}) from None
    except errors.Refused as error:
        raise Problem(422, error.code) from None


def _finish(request: Request, game_id: str, ply: int) -> Game:
    player = deps.require_player(request)
    games, analysis = _games(request), _analysis(request)
    try:
        with request.app.state.db.read() as conn:
            game = games.get(conn, game_id, player.id)
        if game.ply != ply:
            raise errors.StalePly(game)
        if game.ended:
            raise errors.GameOver(game)
        if game.help_off:  # before the engine is asked: whether it knows a line is help too
            raise errors.HelpIsOff(game)
        if verdicts.has_hidden(game.position):
            raise Problem(422, "not_all_face_up")
        found = analysis.wait_for(
            game.patience, game.position, HINT_MS, asker=player.id, seconds=FINISH_WAIT
        ).verdict
        if found is None or found.line is None:
            raise Problem(422, "no_line_known")
        with request.app.state.db.write() as conn:
            return games.finish(conn, game_id, player.id, ply, found.line)
    except errors.NotFound:
        raise Problem(404, "not_found") from None
    except (Busy, Off) as error:
        raise unavailable(error) from None


# ---- the verdict of a deal


def deal_verdict(request: Request, deal: Deal) -> verdicts.Shown:
    """What is known of a deal, for its page."""
    with request.app.state.db.read() as conn:
        found = _analysis(request).look(conn, deal.patience, deal.start)
    return verdicts.shown(found, deal.patience, of_deal=True)


def _deal(code: str) -> Deal:
    try:
        return deal_of(code)
    except BadDealCode:
        raise Problem(404, "not_found") from None


def _ask_deal(request: Request, deal: Deal) -> Look:
    limit(request, "engine")
    asker = asker_of(request)
    try:
        with request.app.state.db.write() as conn:
            return _analysis(request).ask(conn, deal.patience, deal.start, asker=asker, priority=LOW)
    except (Busy, Off) as error:
        raise unavailable(error) from None


@api.get("/deals/{code}/verdict", responses=_SAYS)
def verdict_of_deal(request: Request, code: str) -> Document:
    """What is known of a deal, with the length of the best line known (``par``)."""
    deal = _deal(code)
    with request.app.state.db.read() as conn:
        found = _analysis(request).look(conn, deal.patience, deal.start)
    return {"deal": deal.code, **verdicts.document(found, deal.start, with_par=True)}


@api.post("/deals/{code}/verdict", responses=_SAYS)
def ask_verdict_of_deal(request: Request, code: str) -> Document:
    """Has a deal looked at when the engine has nothing more urgent to do."""
    deal = _deal(code)
    deps.require_player(request)
    return {"deal": deal.code, **verdicts.document(_ask_deal(request, deal), deal.start, with_par=True)}


@pages.get("/d/{code}/verdict")
def deal_fragment(request: Request, code: str) -> Response:
    deal = _deal(code)
    return _fragment(request, "analysis/_deal.html", code=deal.code, verdict=deal_verdict(request, deal))


@pages.post("/d/{code}/verdict")
def ask_deal(request: Request, code: str) -> Response:
    """Asks from the deal's page."""
    deal = _deal(code)
    found = _ask_deal(request, deal)
    if "hx-request" not in request.headers:
        return RedirectResponse(f"/d/{deal.code}", 303)
    shown = verdicts.shown(found, deal.patience, of_deal=True)
    return _fragment(request, "analysis/_deal.html", code=deal.code, verdict=shown)


# ---- the analysis of an ended game


@api.post("/games/{game_id}/analysis", responses=_SAYS)
def ask_analysis(request: Request, game_id: str) -> Document:
    """Has an ended game analysed, ply by ply."""
    _ask_analysis(request, game_id)
    return analysis_document(request, game_id)


@api.get("/games/{game_id}/analysis", responses=_SAYS)
def analysis_document(request: Request, game_id: str) -> Document:
    """The analysis as far as it has come: for each ply whether it could be won, and in how many moves."""
    shown = graph.of(request, *_ended(request, game_id))
    return shown.document()


@pages.get("/g/{game_id}/analysis")
def analysis_page(request: Request, game_id: str) -> Response:
    """The analysis: a page, or what stands under the replay."""
    game, texts = _ended(request, game_id)
    shown = graph.of(request, game, texts)
    if "hx-request" in request.headers:
        return _fragment(
            request, "analysis/_graph.html", a=shown, under_replay="strip" in request.query_params
        )
    return page(request, "analysis/analysis.html", game=game, a=shown, under_replay=False)


@pages.post("/g/{game_id}/analysis")
def ask_analysis_on_page(request: Request, game_id: str) -> Response:
    _ask_analysis(request, game_id)
    if "hx-request" in request.headers:
        return analysis_page(request, game_id)
    return RedirectResponse(f"/g/{game_id}/analysis", 303)


@pages.get("/g/{game_id}/best")
def best_line(request: Request, game_id: str, step: str = "0") -> Response:
    """The best line known, a step at a time."""
    game, texts = _ended(request, game_id)
    shown = graph.of(request, game, texts)
    if not shown.best:
        raise Problem(404, "not_found")
    if not (step.isascii() and step.isdigit() and len(step) <= 5):
        raise Problem(400, "invalid_request")
    at = min(int(step), len(shown.best))
    piles = graph.piles_after(request, game, shown.best[:at])
    return page(
        request,
        "analysis/best.html",
        game=game,
        piles=piles,
        lay=look_of(game.patience),
        at=at,
        best=shown.best,
    )


def _ended(request: Request, game_id: str) -> tuple[Game, tuple[str, ...]]:
    """A game whose deal is open to everyone, with its log. Raises Problem 404, 422."""
    player = deps.player_of(request)
    try:
        with request.app.state.db.read() as conn:
            found = _games(request).replay(conn, game_id, player.id if player else None)
    except errors.NotFound:
        raise Problem(404, "not_found") from None
    if not found.game.told:
        raise Problem(422, "not_ended")
    return found.game, tuple([entry.text for entry in found.entries])


def _ask_analysis(request: Request, game_id: str) -> None:
    limit(request, "engine")
    game, texts = _ended(request, game_id)
    analysis, asker = _analysis(request), asker_of(request)
    try:
        with request.app.state.db.write() as conn:
            analysis.analyse(conn, game.id, game.patience, game.start, list(texts), asker=asker)
    except (Busy, Off) as error:
        raise unavailable(error) from None


# ---- what is used everywhere here


def _fragment(request: Request, template: str, **context: object) -> Response:
    env: Environment = request.app.state.templates
    return HTMLResponse(env.get_template(template).render(**context))


def _games(request: Request) -> Games:
    games: Games = request.app.state.games
    return games


def _analysis(request: Request) -> Analysis:
    analysis: Analysis = request.app.state.analysis
    return analysis
