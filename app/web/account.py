"""The pages of an account: signing up, in and out, passwords and recovery, leaving; and a player's page.

Everything is a plain form. Handlers are `def`: they hash passwords and write, which the event loop must not.
"""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.i18n import middleware as languages
from app.i18n import reasons
from app.players import service
from app.players.errors import BadCode, Busy, NameTaken, PlayerError, WrongCredentials
from app.players.names import clean_name, name_key
from app.players.players import Authenticated, SignedIn
from app.players.preferences import DEFAULTS, TICKED
from app.web import deps
from app.web.cookies import device_label, read_preferences
from app.web.errors import Problem
from app.web.forms import Form, form_of
from app.web.limits import limit, limiter_of
from app.web.templating import page

router = APIRouter(include_in_schema=False)
Fields = Annotated[Form, Depends(form_of)]


# ---- what the handlers here and in devices.py share


def render(request: Request, template: str, status: int = 200, **context: object) -> Response:
    return page(request, f"account/{template}.html", status, **context)


def own_session(request: Request) -> Authenticated | None:
    """The session of a browser. A program's token does not manage the account: it would be a way to more."""
    who = deps.current_session(request)
    if who is not None and who.kind != "cookie":
        raise Problem(403, "forbidden")
    return who


def refused(request: Request, template: str, error: PlayerError, **context: object) -> Response:
    """The form again, with the reason."""
    status = {WrongCredentials: 401, BadCode: 404, NameTaken: 409, Busy: 503}.get(type(error), 422)
    return render(request, template, status, error=reasons.problem(error.code, error.reason), **context)


def to(path: str) -> Response:
    return RedirectResponse(path, 303)


def enter(request: Request, signed: SignedIn) -> None:
    """Lets the browser in, in the language that its player chose."""
    deps.enter(request, signed)
    if signed.player.preferences.language:
        _remember_language(request, signed.player.preferences.language)


def _remember_language(request: Request, language: str) -> None:
    secure: bool = request.app.state.settings.secure_cookies
    deps.send_cookie(request, languages.cookie(language, secure=secure))


def _as_name(text: str) -> str:
    """What was typed, to stand in its field again; nothing that could not be a name comes back."""
    try:
        return clean_name(text)
    except PlayerError:
        return ""


def _limit_name(request: Request, name: str) -> None:
    limiter_of(request).hit("name", name_key(name[:100]))


# ---- the account's page


@router.get("/account")
def account(request: Request) -> Response:
    who = own_session(request)
    if who is None:
        return render(request, "stranger")
    with request.app.state.db.read() as conn:
        sessions = service.sessions(conn, who.player.id)
        codes_left = service.recovery_codes_left(conn, who.player.id)
    return render(request, "account", who=who, sessions=sessions, codes_left=codes_left)


# ---- signing up, in and out


@router.get("/account/sign-up")
def sign_up_page(request: Request) -> Response:
    who = own_session(request)
    if who is not None and who.player.is_account:
        return to("/account")
    return render(request, "sign_up", who=who)


@router.post("/account/sign-up")
def sign_up(request: Request, form: Fields) -> Response:
    limit(request, "sign-up")
    who = own_session(request)
    if (
        who is not None
        and who.player.name
        and name_key(form.get("name", "")[:100]) == name_key(who.player.name)
    ):
        return render(request, "signed_up", who=who)  # the page of the codes, loaded again
    try:
        signed = service.sign_up(
            request.app.state.db,
            None if who is None else who.player,
            form.get("name", ""),
            form.get("password", ""),
            device_label(request),
            read_preferences(request),
        )
    except PlayerError as error:
        return refused(request, "sign_up", error, who=who)
    enter(request, signed)
    return render(request, "recovery_codes", codes=signed.recovery_codes, name=signed.player.name)


@router.get("/account/sign-in")
def sign_in_page(request: Request) -> Response:
    return render(request, "sign_in", who=own_session(request), typed="")


@router.post("/account/sign-in")
def sign_in(request: Request, form: Fields) -> Response:
    name = form.get("name", "")
    limit(request, "sign-in")
    _limit_name(request, name)
    who = own_session(request)
    try:
        signed = service.sign_in(
            request.app.state.db, who, name, form.get("password", ""), device_label(request)
        )
    except PlayerError as error:
        return refused(request, "sign_in", error, who=who, typed=_as_name(name))
    enter(request, signed)
    return to("/")


@router.post("/account/sign-out")
def sign_out(request: Request) -> Response:
    who = own_session(request)
    if who is not None:
        if not who.player.is_account:  # a guest has no way back to the games
            raise Problem(422, "not_account")
        with request.app.state.db.write() as conn:
            service.sign_out(conn, who)
    deps.leave(request)
    return to("/")


# ---- passwords and recovery


@router.get("/account/recover")
def recover_page(request: Request) -> Response:
    return render(request, "recover")


@router.post("/account/recover")
def recover(request: Request, form: Fields) -> Response:
    name = form.get("name", "")
    limit(request, "recover")
    _limit_name(request, name)
    try:
        signed = service.recover(
            request.app.state.db,
            own_session(request),
            name,
            form.get("code", ""),
            form.get("password", ""),
            device_label(request),
        )
    except PlayerError as error:
        return refused(request, "recover", error)
    enter(request, signed)
    return to("/account")


@router.get("/account/password")
def password_page(request: Request) -> Response:
    who = own_session(request)
    return (
        to("/account") if who is None or not who.player.is_account else render(request, "password", who=who)
    )


@router.post("/account/password")
def password(request: Request, form: Fields) -> Response:
    limit(request, "password")
    who = own_session(request)
    if who is None:
        return to("/account")
    try:
        service.change_password(request.app.state.db, who, form.get("old", ""), form.get("password", ""))
    except PlayerError as error:
        return refused(request, "password", error, who=who)
    return to("/account")


@router.post("/account/recovery-codes")
def new_recovery_codes(request: Request, form: Fields) -> Response:
    limit(request, "password")
    who = own_session(request)
    if who is None:
        return to("/account")
    db = request.app.state.db
    try:
        service.check_password(db, who.player, form.get("password", ""))
        with db.write() as conn:
            codes = service.new_recovery_codes(conn, who.player)
    except PlayerError as error:
        return refused(request, "password", error, who=who)
    return render(request, "recovery_codes", codes=codes, name=who.player.name)


# ---- export and leaving


@router.get("/account/export")
def export(request: Request) -> Response:
    limit(request, "export")
    who = own_session(request)
    if who is None:
        return to("/account")
    with request.app.state.db.read() as conn:
        data = service.export(conn, who.player.id)
    return JSONResponse(data, headers={"Content-Disposition": 'attachment; filename="spindel.json"'})


@router.get("/account/delete")
def delete_page(request: Request) -> Response:
    who = own_session(request)
    return to("/account") if who is None else render(request, "delete", who=who)


@router.post("/account/delete")
def delete(request: Request, form: Fields) -> Response:
    who = own_session(request)
    if who is not None:
        limit(request, "password")
        db = request.app.state.db
        try:
            if form.get("sure") != "yes":
                return render(request, "delete", 422, who=who)
            service.check_password(db, who.player, form.get("password", ""))
        except PlayerError as error:
            return refused(request, "delete", error, who=who)
        with db.write() as conn:
            service.delete(conn, who.player.id)
        deps.leave(request)
    return to("/")


@router.get("/account/move")
@router.get("/account/tokens")
@router.get("/account/recovery-codes")
def shown_once() -> Response:
    """What these posts showed is not shown again: a reload or a change of language leads back."""
    return to("/account")


# ---- preferences


@router.post("/preferences")
def preferences(request: Request, form: Fields) -> Response:
    """Kept with the player, or in a cookie for those who have not played yet. Back to where the form was."""
    language = form.get("language")
    who = own_session(request)
    before = read_preferences(request) if who is None else who.player.preferences
    after = before.changed(form)
    if language is None:  # the form of boxes: one that is not ticked is not sent
        unticked = {name: getattr(DEFAULTS, name) for name in TICKED if name not in form}
        after = after.changed(unticked)
    if who is None:
        deps.send_preferences(request, after)
    else:
        with request.app.state.db.write() as conn:
            service.set_preferences(conn, who.player.id, after)
    if language is not None:
        _remember_language(request, after.language)
    if "hx-request" in request.headers:
        return Response(status_code=204)
    return to(deps.came_from(request, "/account"))


# ---- a player's page


@router.get("/players/{name}")
def player_page(request: Request, name: str) -> Response:
    with request.app.state.db.read() as conn:
        found = service.profile(conn, name)
    if found is None:
        raise Problem(404, "not_found")
    return render(request, "player", player=found)
