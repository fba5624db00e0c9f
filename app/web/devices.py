"""A player's other devices and programs: codes that bring them in, the list of what is in, and ending it."""

import segno
from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from app.players import service
from app.players.errors import PlayerError
from app.web import deps
from app.web.account import Fields, enter, own_session, refused, render, to
from app.web.cookies import device_label
from app.web.errors import Problem
from app.web.limits import limit

router = APIRouter(include_in_schema=False)


@router.post("/account/move")
def new_code(request: Request) -> Response:
    """Shows a code that brings another device to this player, as text and as a picture to scan."""
    limit(request, "transfer-code")
    who = own_session(request)
    if who is None:
        return to("/account")
    with request.app.state.db.write() as conn:
        code = service.new_transfer_code(conn, who.player.id)
    link = f"{deps.origin_of(request)}/account/code?code={code}"
    minutes = service.TRANSFER_LASTS // service.MINUTE
    return render(request, "move", code=code, link=link, minutes=minutes, picture=_picture(link))


def _picture(link: str) -> Markup:
    """A QR code as SVG, without inline styles; black on white, whatever the page's colours."""
    svg = segno.make(link, error="m").svg_inline(
        scale=6, border=4, dark="#000", light="#fff", svgclass=None, lineclass=None
    )
    return Markup(svg)  # noqa: S704 - of our own address and code


@router.get("/account/code")
def redeem_page(request: Request, code: str = "") -> Response:
    """The form for a code. A scanned link fills it in; only the button's post uses it up."""
    return render(request, "code", who=own_session(request), code=code[:40])


@router.post("/account/code")
def redeem(request: Request, form: Fields) -> Response:
    limit(request, "redeem")
    who = own_session(request)
    try:
        signed = service.redeem_transfer_code(
            request.app.state.db, who, form.get("code", ""), device_label(request)
        )
    except PlayerError as error:
        return refused(request, "code", error, who=who, code="")
    enter(request, signed)
    return to("/")


@router.post("/account/tokens")
def new_token(request: Request, form: Fields) -> Response:
    """Shows a new token for a program, once."""
    limit(request, "token")
    who = own_session(request)
    if who is None:
        return to("/account")
    label = form.get("label", "").strip()[:80] or "API"
    with request.app.state.db.write() as conn:
        try:
            token = service.new_token(conn, who.player.id, label)
        except PlayerError as error:
            raise Problem(422, error.code) from None
    return render(request, "token", token=token)


@router.post("/account/sessions/end")
def end_session(request: Request, form: Fields) -> Response:
    """Ends one of the player's own sessions, but not the one that asks: that is signing out."""
    who = own_session(request)
    if who is None:
        return to("/account")
    session_id = form.get("session", "")
    with request.app.state.db.write() as conn:
        if session_id == who.session_id or not service.revoke(conn, who.player.id, session_id):
            raise Problem(404, "not_found")
    return to("/account")


@router.post("/account/sessions/end-others")
def end_other_sessions(request: Request) -> Response:
    who = own_session(request)
    if who is not None:
        with request.app.state.db.write() as conn:
            service.revoke_others(conn, who)
    return to("/account")
