"""Games in the database: the statements, made once, and nothing of the rules."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from sqlalchemy import Connection, RowMapping, Table, bindparam, func, insert, select, update

from app.db import hold
from app.games.game import Entry, Game, GameId, Ply
from app.games.tables import GameRow, LogRow, MarkRow
from app.patience.position import decode, encode
from app.patience.registry import by_prefix
from app.prepared import Prepared

games = cast("Table", GameRow.__table__)
log = cast("Table", LogRow.__table__)
marks = cast("Table", MarkRow.__table__)

_columns = tuple(games.c)
_ONE = select(*_columns).where(games.c.id == bindparam("id"))
_MINE = _ONE.where(games.c.player_id == bindparam("player"))
_OWN = Prepared(_MINE)
_OWN_TO_CHANGE = Prepared(_MINE.with_for_update(key_share=True))
_UNFINISHED = (
    select(*_columns)
    .where(games.c.player_id == bindparam("player"), games.c.ended_at.is_(None))
    .order_by(games.c.last_at.desc(), games.c.id)
    .limit(bindparam("limit"))
)
_ALL = (
    select(*_columns).where(games.c.player_id == bindparam("player")).order_by(games.c.created_at, games.c.id)
)
_NEW_GAME = insert(games)
# The ply decides: another entry may have come in between, or the game have ended.
_SAME = (games.c.id == bindparam("b_id"), games.c.ply == bindparam("b_ply"), games.c.ended_at.is_(None))
_ADVANCE = Prepared(
    update(games)
    .where(*_SAME)
    .values(
        status=bindparam("status"),
        reason=bindparam("reason"),
        ply=bindparam("ply"),
        head=bindparam("head"),
        score=bindparam("score"),
        steps=bindparam("steps"),
        undone=bindparam("undone"),
        undos=bindparam("undos"),
        first_at=bindparam("first_at"),
        last_at=bindparam("last_at"),
        ended_at=bindparam("ended_at"),
        ranked_ms=bindparam("ranked_ms"),
    )
)
_END = (
    update(games)
    .where(*_SAME)
    .values(status=bindparam("status"), reason=bindparam("reason"), ended_at=bindparam("ended_at"))
)
_SHARED = update(games).where(games.c.id == bindparam("b_id")).values(shared=True)
_WATCHABLE = (
    select(*_columns)
    .where(games.c.watchable, games.c.ended_at.is_(None), games.c.last_at >= bindparam("since"))
    .order_by(games.c.last_at.desc(), games.c.id)
    .limit(bindparam("limit"))
)
_RELEASE = update(games).where(games.c.id == bindparam("b_id")).values(held=False)
_ON_DEAL = select(games.c.id).where(
    games.c.player_id == bindparam("player"), games.c.deal == bindparam("deal")
)
_NEW_ENTRY = Prepared(insert(log))
_ENTRY = select(log.c.text, log.c.player_id).where(
    log.c.game_id == bindparam("id"), log.c.ply == bindparam("ply")
)
_TEXTS = select(log.c.text).where(log.c.game_id == bindparam("id")).order_by(log.c.ply)
_ENTRIES = (
    select(log.c.ply, log.c.text, log.c.at, log.c.player_id)
    .where(log.c.game_id == bindparam("id"))
    .order_by(log.c.ply)
)
_MARKED = select(func.count()).where(
    marks.c.game_id == bindparam("id"), marks.c.ply == bindparam("ply"), marks.c.kind == bindparam("kind")
)
_NEW_MARK = insert(marks)
_ASSISTED = update(games).where(games.c.id == bindparam("b_id")).values(assisted=True)
_COUNT_HINT = update(games).where(games.c.id == bindparam("b_id")).values(hints=games.c.hints + 1)


def find(conn: Connection, game_id: str, player_id: str, *, to_change: bool = False) -> Game | None:
    """A player's own game; None for an unknown one and another player's alike.

    ``to_change``: nobody else changes it until this write is over.
    """
    statement = _OWN_TO_CHANGE if to_change else _OWN
    row = statement.first(conn, {"id": game_id, "player": player_id})
    return _game(zip(_OWN.keys, row, strict=True)) if row else None


def find_any(conn: Connection, game_id: str, *, to_change: bool = False) -> Game | None:
    """A game, whoever plays it; ``to_change`` as for ``find``."""
    row = conn.execute(_ONE.with_for_update(key_share=True) if to_change else _ONE, {"id": game_id}).first()
    return _game(row._mapping) if row else None


def find_all(conn: Connection, game_ids: Sequence[str]) -> dict[str, Game]:
    """Games by their ids, whoever plays them."""
    if not game_ids:
        return {}
    rows = conn.execute(select(*_columns).where(games.c.id.in_(game_ids)))
    return {game.id: game for game in (_game(row._mapping) for row in rows)}


def hold_all(conn: Connection, game_ids: Iterable[str]) -> None:
    """Nobody else changes these games until this write is over."""
    hold(conn, select(games.c.id).where(games.c.id.in_(list(game_ids))).order_by(games.c.id))


def unfinished(conn: Connection, player_id: str, limit: int) -> list[Game]:
    """A player's games that have not ended, the one played last first."""
    rows = conn.execute(_UNFINISHED, {"player": player_id, "limit": limit})
    return [_game(row._mapping) for row in rows]


def all_of(conn: Connection, player_id: str) -> list[Game]:
    """Every game of a player, the first one first."""
    return [_game(row._mapping) for row in conn.execute(_ALL, {"player": player_id})]


def add(conn: Connection, game: Game) -> None:
    """Keeps a new game."""
    conn.execute(
        _NEW_GAME,
        {
            "id": game.id,
            "player_id": game.player_id,
            "prefix": game.patience.prefix,
            "deal": game.code,
            "sealed": game.sealed,
            "commitment": game.commitment,
            "salt": game.sealing,
            "rules_version": game.rules_version,
            "scoring": game.scoring,
            "scoring_version": game.scoring_version,
            "created_at": game.created_at,
            "hints": game.hints,
            "ply": game.ply,
            "held": game.held,
            "undo_off": game.undo_off,
            "help_off": game.help_off,
            "closes_at": game.closes_at,
            "watchable": game.watchable,
            **_played(game),
        },
    )


def add_entry(conn: Connection, game_id: str, entry: Entry) -> None:
    """Raises ``IntegrityError`` if the log has an entry at that ply."""
    _NEW_ENTRY.change(
        conn,
        {
            "game_id": game_id,
            "ply": entry.ply,
            "text": entry.text,
            "at": entry.at,
            "player_id": entry.player_id,
        },
    )


def advance(conn: Connection, game: Game) -> bool:
    """Keeps what a game's newest entry changed, if it is still where that entry found it."""
    values = {"b_id": game.id, "b_ply": game.ply - 1, "ply": game.ply, **_played(game)}
    return _ADVANCE.change(conn, values) == 1


def end(conn: Connection, game: Game) -> bool:
    """Keeps the end of a game that came without an entry, if it is still at its ply and has not ended."""
    values = {"b_id": game.id, "b_ply": game.ply, "status": game.status, "reason": game.reason}
    return conn.execute(_END, {**values, "ended_at": game.ended_at}).rowcount == 1


def release(conn: Connection, game_id: str) -> None:
    conn.execute(_RELEASE, {"b_id": game_id})


def mark_shared(conn: Connection, game_id: str) -> None:
    """Notes that another than its owner has had a hand in a game."""
    conn.execute(_SHARED, {"b_id": game_id})


def open_to(
    conn: Connection, game_id: str, *, invited: bool | None = None, watchable: bool | None = None
) -> None:
    """Who may come to a game; what is None stays as it is."""
    chosen = {"invited": invited, "watchable": watchable}
    values = {name: value for name, value in chosen.items() if value is not None}
    conn.execute(update(games).where(games.c.id == game_id).values(values))


def watchable(conn: Connection, since: int, limit: int) -> list[Game]:
    """Games that anybody may watch and that were played on since a time, the one played last first."""
    return [_game(row._mapping) for row in conn.execute(_WATCHABLE, {"since": since, "limit": limit})]


def has_game_on(conn: Connection, player_id: str, code: str) -> bool:
    """Whether a player has had a game on a deal."""
    return conn.execute(_ON_DEAL.limit(1), {"player": player_id, "deal": code}).first() is not None


def entry_at(conn: Connection, game_id: str, ply: int) -> tuple[str, str] | None:
    """Text and player of one entry."""
    row = conn.execute(_ENTRY, {"id": game_id, "ply": ply}).first()
    return (row.text, row.player_id) if row else None


def texts(conn: Connection, game_id: str) -> list[str]:
    """The log's texts, in order."""
    return list(conn.execute(_TEXTS, {"id": game_id}).scalars())


def entries(conn: Connection, game_id: str) -> tuple[Entry, ...]:
    rows = conn.execute(_ENTRIES, {"id": game_id})
    return tuple(Entry(Ply(row.ply), row.text, row.at, row.player_id) for row in rows)


def is_marked(conn: Connection, game_id: str, ply: int, kind: str) -> bool:
    return bool(conn.execute(_MARKED, {"id": game_id, "ply": ply, "kind": kind}).scalar())


def mark_told(conn: Connection, game_id: str, ply: int, kind: str, at: int, *, used_hidden: bool) -> None:
    """Notes that the engine told something; if hidden cards went into it, the game is assisted."""
    if not is_marked(conn, game_id, ply, kind):
        conn.execute(_NEW_MARK, {"game_id": game_id, "ply": ply, "kind": kind, "at": at})
    if used_hidden:
        conn.execute(_ASSISTED, {"b_id": game_id})


def mark_hint(conn: Connection, game_id: str, ply: int, at: int) -> None:
    """Counts a hint, once for each ply however often it is asked for there."""
    if not is_marked(conn, game_id, ply, "hint"):
        conn.execute(_NEW_MARK, {"game_id": game_id, "ply": ply, "kind": "hint", "at": at})
        conn.execute(_COUNT_HINT, {"b_id": game_id})


def reassign(conn: Connection, from_id: str, to_id: str) -> None:
    """Gives all games of one player to another, as when a guest signs in."""
    own = select(games.c.id).where(games.c.player_id == from_id)
    conn.execute(
        update(log).where(log.c.game_id.in_(own), log.c.player_id == from_id).values(player_id=to_id)
    )
    conn.execute(update(games).where(games.c.player_id == from_id).values(player_id=to_id))


def _played(game: Game) -> dict[str, object]:
    """The columns that an entry changes, the ply aside."""
    return {
        "status": game.status,
        "reason": game.reason,
        "head": encode(game.position),
        "score": game.score,
        "steps": game.steps,
        "undone": game.undone,
        "undos": game.undos,
        "first_at": game.first_at,
        "last_at": game.last_at,
        "ended_at": game.ended_at,
        "ranked_ms": game.ranked_ms,
    }


def _game(row: RowMapping | Iterable[tuple[str, Any]]) -> Game:
    values = dict(row)
    return Game(
        id=GameId(values.pop("id")),
        patience=by_prefix(values.pop("prefix")),
        code=values.pop("deal"),
        sealing=values.pop("salt"),
        position=decode(values.pop("head")),
        **values,
    )
