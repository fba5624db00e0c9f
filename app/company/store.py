"""Company in the database: the statements, and nothing of what they mean."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from sqlalchemy import Connection, Row, Table, delete, func, insert, select, update

from app.company.tables import CompanionRow, InvitationRow, PresenceRow
from app.games import store as games_store
from app.players.tables import PlayerRow

invitations = cast("Table", InvitationRow.__table__)
companions = cast("Table", CompanionRow.__table__)
presence = cast("Table", PresenceRow.__table__)
_players = cast("Table", PlayerRow.__table__)
_games, _log = games_store.games, games_store.log
_Row = Row[*tuple[Any, ...]]


# ---- links


def invitation(conn: Connection, game_id: str, role: str) -> _Row | None:
    """The link of one kind: ``nonce`` and ``token``."""
    c = invitations.c
    return conn.execute(select(c.nonce, c.token).where(c.game_id == game_id, c.role == role)).first()


def invitation_of(conn: Connection, token: str) -> _Row | None:
    """``game_id`` and ``role`` of the link whose token has this hash."""
    c = invitations.c
    return conn.execute(select(c.game_id, c.role).where(c.token == token)).first()


def add_invitation(conn: Connection, values: dict[str, Any]) -> None:
    conn.execute(insert(invitations), values)


def remove_invitation(conn: Connection, game_id: str, role: str) -> bool:
    """Whether there was one."""
    c = invitations.c
    return conn.execute(delete(invitations).where(c.game_id == game_id, c.role == role)).rowcount > 0


def is_invited_to(conn: Connection, game_id: str) -> bool:
    """Whether any link leads to a game."""
    found = select(invitations.c.role).where(invitations.c.game_id == game_id).limit(1)
    return conn.execute(found).first() is not None


def lock(conn: Connection, game_id: str) -> None:
    """Keeps others off the company of a game until the transaction ends, where several write at once."""
    conn.execute(select(_games.c.id).where(_games.c.id == game_id).with_for_update())


# ---- those who came


def role(conn: Connection, game_id: str, player_id: str) -> str | None:
    c = companions.c
    return conn.execute(select(c.role).where(c.game_id == game_id, c.player_id == player_id)).scalar()


def people(conn: Connection, game_id: str) -> Sequence[_Row]:
    """``number``, ``player_id``, ``name`` and ``role`` of all who ever came, in that order."""
    c = companions.c
    return conn.execute(
        select(c.number, c.player_id, _players.c.name, c.role)
        .join(_players, _players.c.id == c.player_id)
        .where(c.game_id == game_id)
        .order_by(c.number)
    ).all()


def names(conn: Connection, player_ids: Iterable[str]) -> dict[str, str | None]:
    """The names of players; None for a guest."""
    rows = conn.execute(select(_players.c.id, _players.c.name).where(_players.c.id.in_(list(player_ids))))
    return {row.id: row.name for row in rows}


def count(conn: Connection, game_id: str, role: str | None = None) -> int:
    """How many are there, in one role or in any."""
    c = companions.c
    there = c.role.is_not(None) if role is None else c.role == role
    found = select(func.count()).select_from(companions).where(c.game_id == game_id, there)
    return conn.execute(found).scalar_one()


def put(conn: Connection, game_id: str, player_id: str, role: str, at: int) -> None:
    """Gives a player a role; one who was there before keeps their number."""
    c = companions.c
    there = update(companions).where(c.game_id == game_id, c.player_id == player_id).values(role=role)
    if conn.execute(there).rowcount:
        return
    highest = conn.execute(select(func.max(c.number)).where(c.game_id == game_id)).scalar()
    conn.execute(
        insert(companions),
        {
            "game_id": game_id,
            "player_id": player_id,
            "number": (highest or 1) + 1,
            "role": role,
            "came_at": at,
        },
    )


def dismiss(conn: Connection, game_id: str, *, role: str | None = None, player_id: str | None = None) -> bool:
    """Takes the role from all who have it, or from one player. Whether there was anybody."""
    c = companions.c
    who = c.role == role if role is not None else (c.player_id == player_id) & c.role.is_not(None)
    return conn.execute(update(companions).where(c.game_id == game_id, who).values(role=None)).rowcount > 0


def joined(conn: Connection, player_id: str, limit: int) -> list[str]:
    """Ids of games under way that a player plays along, the one played last first."""
    c = companions.c
    return list(
        conn.execute(
            select(c.game_id)
            .join(_games, _games.c.id == c.game_id)
            .where(c.player_id == player_id, c.role == "play", _games.c.ended_at.is_(None))
            .order_by(_games.c.last_at.desc(), c.game_id)
            .limit(limit)
        ).scalars()
    )


def of_player(conn: Connection, player_id: str) -> Sequence[_Row]:
    """``game_id``, ``role`` and ``came_at`` of all that a player came to by a link."""
    c = companions.c
    return conn.execute(
        select(c.game_id, c.role, c.came_at).where(c.player_id == player_id).order_by(c.came_at, c.game_id)
    ).all()


def live_of(conn: Connection, player_id: str) -> list[str]:
    """Ids of a player's own games that others may come to."""
    g = _games.c
    return list(conn.execute(select(g.id).where(g.player_id == player_id, g.invited | g.watchable)).scalars())


def reassign(conn: Connection, from_id: str, to_id: str) -> None:
    """Gives all places of one player to another, and what they played there; one at each game is enough."""
    c = companions.c
    theirs = select(c.game_id).where(c.player_id == from_id)
    conn.execute(
        update(_log).where(_log.c.game_id.in_(theirs), _log.c.player_id == from_id).values(player_id=to_id)
    )
    may_play = select(c.game_id).where(c.player_id == from_id, c.role == "play")
    conn.execute(update(companions).where(c.player_id == to_id, c.game_id.in_(may_play)).values(role="play"))
    other = companions.alias()
    already = select(other.c.game_id).where(other.c.player_id == to_id)
    own = select(_games.c.id).where(_games.c.player_id.in_((from_id, to_id)))
    taken = [
        row.game_id
        for row in conn.execute(
            select(c.game_id).where(c.player_id == from_id, c.game_id.in_(already) | c.game_id.in_(own))
        )
    ]
    conn.execute(delete(companions).where(c.player_id == from_id, c.game_id.in_(taken)))
    conn.execute(update(companions).where(c.player_id == from_id).values(player_id=to_id))


# ---- who is here


def write_presence(conn: Connection, values: dict[str, Any]) -> None:
    """What one process knows of a game, in place of what it knew before."""
    remove_presence(conn, values["process"], values["game_id"])
    conn.execute(insert(presence), values)


def remove_presence(conn: Connection, process: str, game_id: str | None = None) -> None:
    """Forgets what a process knew, of one game or of all."""
    wanted = delete(presence).where(presence.c.process == process)
    conn.execute(wanted if game_id is None else wanted.where(presence.c.game_id == game_id))


def refresh_presence(conn: Connection, process: str, at: int, forgotten: int) -> None:
    """What a process knows still holds; what others knew so long ago does not."""
    conn.execute(update(presence).where(presence.c.process == process).values(at=at))
    conn.execute(delete(presence).where(presence.c.at < forgotten))


def here(conn: Connection, game_ids: Iterable[str], since: int) -> Sequence[_Row]:
    """``game_id``, ``players`` and ``watching``, of each process that was heard of since."""
    c = presence.c
    return conn.execute(
        select(c.game_id, c.players, c.watching).where(c.game_id.in_(list(game_ids)), c.at >= since)
    ).all()
