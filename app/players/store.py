"""The statements of players: Core, one connection given by the caller, no decisions."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, Row, Table, and_, bindparam, delete, func, insert, or_, select, update

from app.players.tables import PlayerRow, RecoveryCodeRow, SessionRow, TransferCodeRow
from app.prepared import Prepared

players = cast("Table", PlayerRow.__table__)
sessions = cast("Table", SessionRow.__table__)
recovery_codes = cast("Table", RecoveryCodeRow.__table__)
transfer_codes = cast("Table", TransferCodeRow.__table__)


class AuthenticatedRow(NamedTuple):
    player_id: str
    name: str | None
    preferences: str
    kind: str
    last_used_at: int
    expires_at: int


# Built once: every request of a player runs it.
_SESSION = (
    select(
        players.c.id,
        players.c.name,
        players.c.preferences,
        sessions.c.kind,
        sessions.c.last_used_at,
        sessions.c.expires_at,
    )
    .select_from(sessions.join(players, players.c.id == sessions.c.player_id))
    .where(
        sessions.c.id == bindparam("id"),
        sessions.c.revoked_at.is_(None),
        sessions.c.expires_at > bindparam("now"),
    )
)
_AUTHENTICATE = Prepared(_SESSION)
# The same in a write: neither of the two is deleted before it is over.
_AUTHENTICATE_TO_WRITE = Prepared(_SESSION.with_for_update(read=True, key_share=True))


def authenticate(
    conn: Connection, session_id: str, now: int, *, to_write: bool = False
) -> AuthenticatedRow | None:
    statement = _AUTHENTICATE_TO_WRITE if to_write else _AUTHENTICATE
    row = statement.first(conn, {"id": session_id, "now": now})
    return None if row is None else AuthenticatedRow(*row)


def touch(conn: Connection, session_id: str, now: int, expires_at: int) -> None:
    conn.execute(
        update(sessions).where(sessions.c.id == session_id).values(last_used_at=now, expires_at=expires_at)
    )


def add_player(conn: Connection, values: dict[str, Any]) -> None:
    conn.execute(insert(players), values)


def change_player(conn: Connection, player_id: str, values: dict[str, Any]) -> None:
    conn.execute(update(players).where(players.c.id == player_id).values(values))


def player(conn: Connection, player_id: str, *, to_change: bool = False) -> Row[Any] | None:
    """``to_change``: until this write is over nobody else changes the player, or gives them anything."""
    one = select(players).where(players.c.id == player_id)
    return conn.execute(one.with_for_update() if to_change else one).one_or_none()


def account(conn: Connection, key: str) -> Row[Any] | None:
    return conn.execute(select(players).where(players.c.name_key == key)).one_or_none()


def add_session(conn: Connection, values: dict[str, Any]) -> None:
    conn.execute(insert(sessions), values)


def open_sessions(conn: Connection, player_id: str, now: int) -> Sequence[Row[Any]]:
    """Newest use first."""
    return conn.execute(
        select(sessions).where(_open(player_id, now)).order_by(sessions.c.last_used_at.desc(), sessions.c.id)
    ).all()


def count_sessions(conn: Connection, player_id: str, now: int) -> int:
    return conn.execute(select(func.count()).select_from(sessions).where(_open(player_id, now))).scalar_one()


def revoke_session(conn: Connection, player_id: str, session_id: str, now: int) -> bool:
    """Whether there was such an open session of this player."""
    done = conn.execute(
        update(sessions).where(_open(player_id, now), sessions.c.id == session_id).values(revoked_at=now)
    )
    return done.rowcount == 1


def revoke_sessions(conn: Connection, player_id: str, now: int, keep: str | None = None) -> None:
    """All of a player's sessions, but the one to `keep`."""
    conn.execute(
        update(sessions).where(_open(player_id, now), sessions.c.id != (keep or "")).values(revoked_at=now)
    )


def delete_ways_in(conn: Connection, player_id: str) -> None:
    """Sessions and codes, without a trace."""
    for table in (sessions, recovery_codes, transfer_codes):
        conn.execute(delete(table).where(table.c.player_id == player_id))


def replace_recovery_codes(conn: Connection, player_id: str, hashes: Sequence[str]) -> None:
    conn.execute(delete(recovery_codes).where(recovery_codes.c.player_id == player_id))
    conn.execute(
        insert(recovery_codes), [{"player_id": player_id, "code_hash": h, "used_at": None} for h in hashes]
    )


def use_recovery_code(conn: Connection, player_id: str, code_hash: str, now: int) -> bool:
    done = conn.execute(
        update(recovery_codes)
        .where(
            recovery_codes.c.player_id == player_id,
            recovery_codes.c.code_hash == code_hash,
            recovery_codes.c.used_at.is_(None),
        )
        .values(used_at=now)
    )
    return done.rowcount == 1


def count_recovery_codes(conn: Connection, player_id: str) -> int:
    return conn.execute(
        select(func.count())
        .select_from(recovery_codes)
        .where(recovery_codes.c.player_id == player_id, recovery_codes.c.used_at.is_(None))
    ).scalar_one()


def replace_transfer_code(
    conn: Connection, player_id: str, code_hash: str, now: int, expires_at: int
) -> None:
    """A player has one code at a time; what has expired goes with the old one."""
    conn.execute(
        delete(transfer_codes).where(
            or_(transfer_codes.c.player_id == player_id, transfer_codes.c.expires_at <= now)
        )
    )
    conn.execute(
        insert(transfer_codes),
        {"code_hash": code_hash, "player_id": player_id, "expires_at": expires_at, "used_at": None},
    )


def drop_transfer_codes(conn: Connection, player_id: str) -> None:
    conn.execute(delete(transfer_codes).where(transfer_codes.c.player_id == player_id))


def use_transfer_code(conn: Connection, code_hash: str, now: int) -> str | None:
    """The player to whom the code leads, the first time only."""
    live = and_(
        transfer_codes.c.code_hash == code_hash,
        transfer_codes.c.used_at.is_(None),
        transfer_codes.c.expires_at > now,
    )
    player_id = conn.execute(select(transfer_codes.c.player_id).where(live)).scalar_one_or_none()
    if (
        player_id is None
        or conn.execute(update(transfer_codes).where(live).values(used_at=now)).rowcount != 1
    ):
        return None
    return str(player_id)


def _open(player_id: str, now: int) -> Any:
    return and_(
        sessions.c.player_id == player_id, sessions.c.revoked_at.is_(None), sessions.c.expires_at > now
    )
