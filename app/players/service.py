"""What players do: come as guests, become accounts, sign in and out, move to another device, leave.

Passwords are hashed outside the write transaction (a hash takes 0.2 s, and there is one writer). What belongs
to players elsewhere (games, results) is reached by the listeners that main.py registers: `on_merge` and
`on_delete` run inside the transaction, `on_export` on a reading connection.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, Row
from sqlalchemy.exc import IntegrityError

from app.db import Database
from app.players import codes, names, passwords, store
from app.players.errors import (
    AlreadyAccount,
    BadCode,
    NameTaken,
    NotAccount,
    TooManySessions,
    WrongCredentials,
)
from app.players.players import Authenticated, Player, Profile, Session, SignedIn
from app.players.preferences import DEFAULTS, Preferences, from_text

MINUTE = 60_000  # milliseconds
HOUR = 60 * MINUTE
DAY = 24 * HOUR
SESSION_LASTS = 400 * DAY  # unused; the longest that browsers keep a cookie
TOUCH_AFTER = HOUR  # `last_used_at` is that coarse, so that a move does not write to the sessions
TRANSFER_LASTS = 5 * MINUTE
RECOVERY_CODES = 8
MOST_SESSIONS = 50  # of one player, open at once

on_merge: list[Callable[[Connection, str, str], None]] = []  # (conn, from player, into player)
on_delete: list[Callable[[Connection, str], None]] = []
on_export: dict[str, Callable[[Connection, str], object]] = {}  # section of the export -> what to put there


def now_ms() -> int:
    return time.time_ns() // 1_000_000


# ---- who is it?


def authenticate(
    conn: Connection, token: str, kind: str | None = None, *, to_write: bool = False
) -> Authenticated | None:
    """One statement. None for a token that is unknown, revoked, expired or of another kind.

    ``to_write``: in a write, so that the player is still there at its end.
    """
    if len(token) > 100:  # ours have 43 characters
        return None
    session_id = codes.hashed(token)
    row = store.authenticate(conn, session_id, now_ms(), to_write=to_write)
    if row is None or (kind is not None and row.kind != kind):
        return None
    player = Player(row.player_id, row.name, from_text(row.preferences))
    return Authenticated(player, session_id, row.kind, row.last_used_at, row.expires_at)


def touch_is_due(who: Authenticated) -> bool:
    """Whether the use of the session should be noted by `touch`: once in TOUCH_AFTER, not each time."""
    return now_ms() - who.last_used_at >= TOUCH_AFTER


def touch(conn: Connection, who: Authenticated) -> None:
    """Notes the use, and puts off the end of the session."""
    now = now_ms()
    store.touch(conn, who.session_id, now, now + SESSION_LASTS)


def player(conn: Connection, player_id: str) -> Player | None:
    row = store.player(conn, player_id)
    return None if row is None else _player(row)


def by_name(conn: Connection, name: str) -> Player | None:
    """The account of that name, whatever its case. Any text may be asked for."""
    row = store.account(conn, names.name_key(name[:100]))
    return None if row is None else _player(row)


def profile(conn: Connection, name: str) -> Profile | None:
    row = store.account(conn, names.name_key(name[:100]))
    return None if row is None else Profile(row.id, row.name, row.created_at)


# ---- guests and accounts


def new_guest(
    conn: Connection, label: str, kind: str = "cookie", preferences: Preferences | None = None
) -> tuple[Player, str]:
    """A new player and the token of the first session (kind "cookie" or "bearer")."""
    guest = Player(codes.new_id(), None, preferences or DEFAULTS)
    store.add_player(
        conn, {"id": guest.id, "preferences": guest.preferences.to_text(), "created_at": now_ms()}
    )
    return guest, _new_session(conn, guest.id, kind, label)


def sign_up(
    db: Database,
    guest: Player | None,
    name: str,
    password: str,
    label: str,
    preferences: Preferences | None = None,
) -> SignedIn:
    """Makes the guest an account (or, without one, a new account) and gives it a new session.

    Every earlier session and code of the guest ends: whoever knew one of them, or planted it, is out.
    Raises BadName, NameTaken, BadPassword, AlreadyAccount, Busy.
    """
    name = names.clean_name(name)
    passwords.check_choice(password, name)
    key = names.name_key(name)
    with db.read() as conn:  # before the costly hash; the unique key has the last word
        if store.account(conn, key) is not None:
            raise NameTaken
    account = {"name": name, "name_key": key, "password_hash": passwords.hash_password(password)}
    now = now_ms()
    try:
        with db.write() as conn:
            if guest is None:
                player_id = codes.new_id()
                preferences = preferences or DEFAULTS
                store.add_player(
                    conn,
                    {"id": player_id, "preferences": preferences.to_text(), "created_at": now, **account},
                )
            else:
                player_id, preferences = guest.id, guest.preferences
                row = _still_there(conn, player_id)
                if row.name is not None:
                    raise AlreadyAccount
                store.change_player(conn, player_id, account)
                _end_ways_in(conn, player_id, now)
            fresh = _new_recovery_codes(conn, player_id)
            token = _new_session(conn, player_id, "cookie", label)
    except IntegrityError:
        raise NameTaken from None
    return SignedIn(Player(player_id, name, preferences), token, fresh)


def sign_in(db: Database, current: Authenticated | None, name: str, password: str, label: str) -> SignedIn:
    """A new session of the account. A guest who signs in takes their games along; the old session ends.

    Raises WrongCredentials (alike, in time too, for an unknown name and a wrong password), Busy.
    """
    with db.read() as conn:
        row = store.account(conn, names.name_key(name[:100]))
    if not passwords.verify_password(None if row is None else row.password_hash, password) or row is None:
        raise WrongCredentials
    rehashed = passwords.hash_password(password) if passwords.outdated(row.password_hash) else None
    with db.write() as conn:
        row = store.player(conn, row.id, to_change=True)
        if row is None or row.password_hash is None:  # deleted meanwhile
            raise WrongCredentials
        if rehashed:
            store.change_player(conn, row.id, {"password_hash": rehashed})
        _leave_for(conn, current, row.id)
        return SignedIn(_player(row), _new_session(conn, row.id, "cookie", label))


def sign_out(conn: Connection, who: Authenticated) -> None:
    store.revoke_session(conn, who.player.id, who.session_id, now_ms())


def merge(conn: Connection, from_id: str, into_id: str) -> None:
    """Moves all that a guest has to another player, in the caller's transaction; never empties an account."""
    row = store.player(conn, from_id, to_change=True)
    if from_id == into_id or row is None or row.name is not None or row.merged_into is not None:
        return
    for listener in on_merge:
        listener(conn, from_id, into_id)
    store.delete_ways_in(conn, from_id)
    store.change_player(conn, from_id, {"merged_into": into_id})


def check_password(db: Database, who: Player, password: str) -> None:
    """For what an unattended screen must not do. Guests have none to give. Raises WrongCredentials, Busy."""
    if not who.is_account:
        return
    with db.read() as conn:
        row = store.player(conn, who.id)
    if not passwords.verify_password(None if row is None else row.password_hash, password):
        raise WrongCredentials


def change_password(db: Database, who: Authenticated, old: str, new: str) -> None:
    """Ends all other sessions. Raises NotAccount, BadPassword, WrongCredentials, Busy."""
    if who.player.name is None:
        raise NotAccount
    passwords.check_choice(new, who.player.name)
    check_password(db, who.player, old)
    hashed = passwords.hash_password(new)
    with db.write() as conn:
        store.change_player(conn, who.player.id, {"password_hash": hashed})
        _end_ways_in(conn, who.player.id, now_ms(), keep=who.session_id)


# ---- recovery codes


def recover(
    db: Database, current: Authenticated | None, name: str, code: str, new_password: str, label: str
) -> SignedIn:
    """Sets a new password by a recovery code, once; every other session ends.

    Raises BadPassword, WrongCredentials (alike for an unknown name and a wrong code), Busy.
    """
    passwords.check_choice(new_password, name[:100])
    hashed = passwords.hash_password(new_password)  # first, so that it takes as long in either case
    read = codes.read_code(code, codes.RECOVERY_SYMBOLS)
    now = now_ms()
    with db.write() as conn:
        row = store.account(conn, names.name_key(name[:100]))
        if row is None or read is None or not store.use_recovery_code(conn, row.id, codes.hashed(read), now):
            raise WrongCredentials
        store.change_player(conn, row.id, {"password_hash": hashed})
        _end_ways_in(conn, row.id, now)
        _leave_for(conn, current, row.id)
        return SignedIn(_player(row), _new_session(conn, row.id, "cookie", label))


def new_recovery_codes(conn: Connection, who: Player) -> tuple[str, ...]:
    """A new set; the old codes are worth nothing any more. Raises NotAccount."""
    if not who.is_account:
        raise NotAccount
    return _new_recovery_codes(conn, who.id)


def recovery_codes_left(conn: Connection, player_id: str) -> int:
    return store.count_recovery_codes(conn, player_id)


# ---- to another device


def new_transfer_code(conn: Connection, player_id: str) -> str:
    """A code that brings another device to this player, once, within TRANSFER_LASTS. Ends the last one."""
    code = codes.new_code(codes.TRANSFER_SYMBOLS)
    now = now_ms()
    store.player(conn, player_id, to_change=True)
    store.replace_transfer_code(conn, player_id, codes.hashed(code), now, now + TRANSFER_LASTS)
    return codes.spoken(code)


def redeem_transfer_code(db: Database, current: Authenticated | None, code: str, label: str) -> SignedIn:
    """A new session on this device for the player of the code; the games of a guest here come along.

    An account that redeems a guest's code stays, and takes the guest's games. Raises BadCode.
    """
    read = codes.read_code(code, codes.TRANSFER_SYMBOLS)
    if read is None:
        raise BadCode
    with db.write() as conn:
        player_id = store.use_transfer_code(conn, codes.hashed(read), now_ms())
        row = None if player_id is None else store.player(conn, player_id)
        if row is None:
            raise BadCode
        if current is not None and current.player.is_account and row.name is None:
            merge(conn, row.id, current.player.id)
            row = _still_there(conn, current.player.id)
            store.revoke_session(conn, row.id, current.session_id, now_ms())
        else:
            _leave_for(conn, current, row.id)
        return SignedIn(_player(row), _new_session(conn, row.id, "cookie", label))


# ---- sessions and tokens


def new_token(conn: Connection, player_id: str, label: str) -> str:
    """A bearer token for a program. Raises TooManySessions."""
    return _new_session(conn, player_id, "bearer", label)


def sessions(conn: Connection, player_id: str) -> tuple[Session, ...]:
    """The open ones, the last used first."""
    return tuple(
        Session(row.id, row.kind, row.label, row.created_at, row.last_used_at, row.expires_at)
        for row in store.open_sessions(conn, player_id, now_ms())
    )


def revoke(conn: Connection, player_id: str, session_id: str) -> bool:
    """False when the player has no such open session; another's is as unknown as one that never was."""
    return store.revoke_session(conn, player_id, session_id, now_ms())


def revoke_others(conn: Connection, who: Authenticated) -> None:
    _end_ways_in(conn, who.player.id, now_ms(), keep=who.session_id)


# ---- preferences, export, leaving


def set_preferences(conn: Connection, player_id: str, preferences: Preferences) -> None:
    store.change_player(conn, player_id, {"preferences": preferences.to_text()})


def export(conn: Connection, player_id: str) -> dict[str, object]:
    """All that is kept about a player, as JSON values: this package's part and each listener's section."""
    row = _still_there(conn, player_id, to_change=False)
    own: dict[str, object] = {
        "player": {"id": row.id, "name": row.name, "created_at": row.created_at},
        "preferences": from_text(row.preferences).chosen(),
        "sessions": [
            {
                "kind": s.kind,
                "label": s.label,
                "created_at": s.created_at,
                "last_used_at": s.last_used_at,
                "expires_at": s.expires_at,
            }
            for s in sessions(conn, player_id)
        ],
        "recovery_codes_left": store.count_recovery_codes(conn, player_id),
    }
    return own | {section: listener(conn, player_id) for section, listener in on_export.items()}


def delete(conn: Connection, player_id: str) -> None:
    """Forgets who the player was; games and results stay, without a name. Twice is as good as once."""
    row = store.player(conn, player_id, to_change=True)
    if row is None or row.deleted_at is not None:
        return
    for listener in on_delete:
        listener(conn, player_id)
    store.delete_ways_in(conn, player_id)
    store.change_player(
        conn,
        player_id,
        {
            "name": None,
            "name_key": None,
            "password_hash": None,
            "preferences": "{}",
            "deleted_at": now_ms(),
        },
    )


# ---- pieces


def _player(row: Row[Any]) -> Player:
    return Player(row.id, row.name, from_text(row.preferences))


def _still_there(conn: Connection, player_id: str, *, to_change: bool = True) -> Row[Any]:
    row = store.player(conn, player_id, to_change=to_change)
    if row is None or row.deleted_at is not None or row.merged_into is not None:
        raise WrongCredentials
    return row


def _new_session(conn: Connection, player_id: str, kind: str, label: str) -> str:
    now = now_ms()
    if store.count_sessions(conn, player_id, now) >= MOST_SESSIONS:
        if kind == "bearer":
            raise TooManySessions
        # A browser must always get in; the one unused for longest goes.
        store.revoke_session(conn, player_id, store.open_sessions(conn, player_id, now)[-1].id, now)
    token = codes.new_token()
    store.add_session(
        conn,
        {
            "id": codes.hashed(token),
            "player_id": player_id,
            "kind": kind,
            "label": "".join(c for c in label if c.isprintable())[:80],
            "created_at": now,
            "last_used_at": now,
            "expires_at": now + SESSION_LASTS,
        },
    )
    return token


def _new_recovery_codes(conn: Connection, player_id: str) -> tuple[str, ...]:
    fresh: Sequence[str] = [codes.new_code(codes.RECOVERY_SYMBOLS) for _ in range(RECOVERY_CODES)]
    store.replace_recovery_codes(conn, player_id, [codes.hashed(code) for code in fresh])
    return tuple(codes.spoken(code) for code in fresh)


def _end_ways_in(conn: Connection, player_id: str, now: int, keep: str | None = None) -> None:
    store.revoke_sessions(conn, player_id, now, keep)
    store.drop_transfer_codes(conn, player_id)


def _leave_for(conn: Connection, current: Authenticated | None, player_id: str) -> None:
    """Ends the session with which this browser came; a guest's games go along to `player_id`."""
    if current is None:
        return
    merge(conn, current.player.id, player_id)
    store.revoke_session(conn, current.player.id, current.session_id, now_ms())
