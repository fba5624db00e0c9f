"""The pages around the board: home, new games, deals by their link, leaderboards, replays, rules, lessons."""

import time
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.cards.dealcode import BadDealCode
from app.games import errors
from app.games.game import Game, deal_of
from app.games.service import Games
from app.i18n import reasons
from app.patience import registry
from app.patience.deals import Deal, same_number
from app.patience.errors import BadParams, UnknownPatience
from app.patience.patience import Patience
from app.patience.view import view
from app.ranking import service as ranking
from app.solver.api import has_solver
from app.web import analysis, bank, deps, learning, render, rules_pages, together
from app.web.errors import Problem
from app.web.forms import Form, form_of
from app.web.presentation import look_of, style_of, tables, tiles
from app.web.replaying import position_at, replay_of
from app.web.templating import page

router = APIRouter(include_in_schema=False)
Fields = Annotated[Form, Depends(form_of)]

MOST_PAGES = 500


@router.get("/")
def home(request: Request) -> Response:
    about = [(key, style_of(key).about) for key in registry.keys()]  # noqa: SIM118 - a function, no mapping
    return page(request, "pages/home.html", games=_unfinished(request), fan=render.fan(), patiences=about)


# Beginning a game


@router.get("/play/{patience}")
def play(request: Request, patience: str) -> Response:
    kind = _kind(patience)
    return page(
        request,
        "pages/play.html",
        kind=kind,
        tiles=tiles(kind),
        scorings=registry.get(patience).scorings,
        winnable=has_solver(patience),
        others=registry.keys(),
        games=_unfinished(request),
    )


@router.post("/play/{patience}")
def begin(request: Request, patience: str, form: Fields) -> Response:
    """Begins a game and goes to its board: on the deal of a code, or on a fresh one of these parameters."""
    kind = _kind(patience)
    if set(form) - {*kind.choices, "scoring", "deal", "winnable"} or form.get("winnable", "1") != "1":
        raise Problem(400, "bad_form")
    games: Games = request.app.state.games
    try:
        code = deal_of_text(form["deal"]).code if "deal" in form else None
        params = None if code else _params(kind, form)
        winnable = code is None and "winnable" in form

        def create() -> Game:
            with deps.acting(request) as (conn, player):
                return games.create(
                    conn,
                    player.id,
                    patience=None if code else patience,
                    params=params,
                    scoring=form.get("scoring"),
                    deal=code,
                    winnable=winnable,
                    watchable=together.lets_watch(player),
                )

        game = bank.begin(request, registry.get(patience, params), create) if winnable else create()
    except BadDealCode as error:
        return _bad_deal(request, error)
    except BadParams:
        raise Problem(400, "bad_params") from None
    except errors.BadScoring:
        raise Problem(400, "bad_scoring") from None
    except errors.DealIsWon:
        raise Problem(422, "deal_is_won") from None
    return RedirectResponse(f"/g/{game.id}", 303)


def _params(kind: type[Patience], form: Form) -> dict[str, int | str]:
    """A form's parameters; texts become the numbers that they stand for. Raises ``BadParams``."""
    params = {}
    for name, allowed in kind.choices.items():
        if name in form:
            found = next((value for value in allowed if str(value) == form[name]), None)
            if found is None:
                raise BadParams("bad_params", name=name)
            params[name] = found
    return params


def _kind(patience: str) -> type[Patience]:
    try:
        return registry.kind(patience)
    except UnknownPatience:
        raise Problem(404, "not_found") from None


def _unfinished(request: Request) -> list[Game]:
    player = deps.player_of(request)
    if player is None:
        return []
    games: Games = request.app.state.games
    with request.app.state.db.read() as conn:
        own = games.unfinished(conn, player.id, limit=20)
        joined = request.app.state.companies.joined(conn, player.id, limit=20)
    return sorted([*own, *joined], key=lambda game: -game.last_at)


# A deal by its link


def deal_of_text(code: str) -> Deal:
    """The deal of a code as typed. Raises ``BadDealCode``."""
    return deal_of(code.strip())


@router.get("/d/")
def find_deal(request: Request, code: str = "") -> Response:
    """Where the form for typing a code leads."""
    try:
        deal = deal_of_text(code)
    except BadDealCode as error:
        return _bad_deal(request, error)
    return RedirectResponse(f"/d/{deal.code}", 303)


@router.get("/d/{code}.png")
def deal_picture(code: str) -> Response:
    """The opening as a picture, for previews of links. It shows what a player would see."""
    from app.web import (
        picture,
    )  # Pillow takes a twentieth of a start, and most processes draw nothing for long

    try:
        deal = deal_of(code)
    except BadDealCode:
        raise Problem(404, "not_found") from None
    return Response(
        picture.png(deal.code), media_type="image/png", headers={"Cache-Control": "public, max-age=604800"}
    )


@router.get("/d/{code}")
def deal_page(request: Request, code: str) -> Response:
    """A deal: its opening, its verdict, its table; and a game on it at the push of a button."""
    try:
        deal = deal_of(code)
    except BadDealCode as error:
        return _bad_deal(request, error)
    if deal.code != code:
        return RedirectResponse(f"/d/{deal.code}", 308)
    dress = render.dress_for(deal.patience, deps.preferences_of(request).dress)
    piles = render.table(deal.patience, view(deal.patience, deal.start), dress=dress)
    with request.app.state.db.read() as conn:
        tables = [
            (
                scoring,
                ranking.leaderboard(
                    conn, deal.patience, scoring, now=_now(), deals="open", deal=deal.code, limit=10
                ),
            )
            for scoring in deal.patience.scorings
        ]
    return page(
        request,
        "pages/deal.html",
        deal=deal,
        piles=piles,
        lay=look_of(deal.patience),
        tables=tables,
        same_number=same_number(deal),
        verdict=analysis.deal_verdict(request, deal),
        link=f"{deps.origin_of(request)}/d/{deal.code}",
    )


def _bad_deal(request: Request, error: BadDealCode) -> Response:
    return page(request, "pages/bad_deal.html", 400, why=reasons.bad_deal(error.reason))


# Leaderboards


@router.get("/leaderboard")
def leaderboard(
    request: Request,
    table: str = "",
    scoring: str = "",
    period: ranking.Period = "all",
    deals: ranking.Deals = "sealed",
    clean: str = "",
    number: str = "1",
) -> Response:
    """A table of results. ``table`` names a patience and parameters by their prefix, ``number`` the page."""
    try:
        patience = registry.by_prefix(table) if table else registry.get(registry.first())
    except UnknownPatience:
        raise Problem(404, "not_found") from None
    scoring = scoring or patience.scorings[0]
    known = (
        scoring in patience.scorings
        and clean in {"", "1"}
        and number.isascii()
        and number.isdigit()
        and len(number) <= len(str(MOST_PAGES))
        and 1 <= int(number) <= MOST_PAGES
    )
    if not known:
        raise Problem(400, "invalid_request")
    with request.app.state.db.read() as conn:
        board = ranking.leaderboard(
            conn,
            patience,
            scoring,
            now=_now(),
            deals=deals,
            clean=clean == "1",
            period=period,
            page=int(number),
        )
    chosen = {"table": patience.prefix, "scoring": scoring, "period": period, "deals": deals, "clean": clean}
    return page(
        request,
        "pages/leaderboard.html",
        patience=patience,
        patiences=tables(patience),
        kinds=[registry.get(key) for key in registry.keys()],  # noqa: SIM118 - a function, no mapping
        board=board,
        chosen=chosen,
        number=int(number),
    )


# Replays


@router.get("/g/{game_id}/replay")
def replay(request: Request, game_id: str, ply: str = "", since: str = "") -> Response:
    """A game step by step: the page at a ply, or for htmx what has changed since another ply."""
    games: Games = request.app.state.games
    player = deps.player_of(request)
    try:
        with request.app.state.db.read() as conn:
            found = games.replay(conn, game_id, player.id if player else None)
            movers = together.movers(request, conn, found.game, found.entries)
    except errors.NotFound:
        raise Problem(404, "not_found") from None
    game = found.game
    texts = tuple(entry.text for entry in found.entries)
    last = len(texts)
    at = _ply(ply, last, otherwise=0)
    dress = render.dress_for(game.patience, deps.preferences_of(request).dress)
    now = view(game.patience, position_at(game.code, texts, at))
    mover = movers.get(found.entries[at - 1].player_id) if at else None
    step = replay_of(game, texts, at, together.name_of(mover) if mover else "")
    if "hx-request" in request.headers:
        was = (
            view(game.patience, position_at(game.code, texts, _ply(since, last, otherwise=0)))
            if since
            else None
        )
        look = look_of(game.patience)
        shown = [render.shown(pile, look, dress=dress) for pile in render.changed(was, now)]
        return page(request, "board/_replayed.html", piles=shown, r=step)
    piles = render.table(game.patience, now, dress=dress)
    return page(request, "pages/replay.html", piles=piles, lay=look_of(game.patience), r=step, game=game)


def _ply(text: str, last: int, *, otherwise: int) -> int:
    if not text:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) <= 5):
        raise Problem(400, "invalid_request")
    return min(int(text), last)


# Rules, and learning by a published game


@router.get("/rules/{patience}")
def rules(request: Request, patience: str) -> Response:
    _kind(patience)
    found = rules_pages.PAGES.get(patience)
    if found is None:
        raise Problem(404, "not_found")
    kinds = registry.keys()
    return page(
        request,
        f"pages/{found.template}",
        example=found.examples(),
        kind=registry.kind(patience),
        kinds=kinds,
    )


@router.get("/learn")
def learn(request: Request, step: str = "0") -> Response:
    lesson = learning.lesson()
    at = _ply(step, len(lesson.moves), otherwise=0)
    piles = render.table(lesson.deal.patience, view(lesson.deal.patience, lesson.positions[at]))
    return page(
        request,
        "pages/learn.html",
        piles=piles,
        at=at,
        last=len(lesson.moves),
        move=lesson.moves[at - 1] if at else None,
        deal=lesson.deal,
    )


def _now() -> int:
    return time.time_ns() // 1_000_000
