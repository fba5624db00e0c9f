"""The tables of games. Times (``..._at``) are ms since the epoch, UTC; durations (``..._ms``) are in ms."""

from sqlalchemy import BigInteger, Boolean, ForeignKey, Index, Integer, String, Text, false, text
from sqlalchemy.orm import Mapped, mapped_column

from app.db import Base

# Players look for their unfinished games; a game is found by its id otherwise.
_UNFINISHED = "ix_games_player_id_ended_at"
# The few that anybody may watch now; for all others the index costs nothing. (SQLite uses such an index only
# for the very words of it, and it has no booleans.)
_WATCHABLE = Index(
    "ix_games_watchable",
    "last_at",
    sqlite_where=text("watchable = 1 AND ended_at IS NULL"),
    postgresql_where=text("watchable AND ended_at IS NULL"),
)


class GameRow(Base):
    """A game: the deal, and a cache of what its log comes to (from ``status`` to ``undone``)."""

    __tablename__ = "games"
    __table_args__ = (
        Index(_UNFINISHED, "player_id", "ended_at", "last_at"),
        _WATCHABLE,
    )

    id: Mapped[str] = mapped_column(String(22), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"))
    prefix: Mapped[str] = mapped_column(String(40))  # the patience with its parameters, as in deal codes
    deal: Mapped[str] = mapped_column(Text)  # the deal code, canonical; secret while the game is sealed
    sealed: Mapped[bool] = mapped_column(Boolean)
    # Sealed games only: SHA-256 of code, newline and salt.
    commitment: Mapped[str | None] = mapped_column(String(64))
    salt: Mapped[str | None] = mapped_column(String(32))
    rules_version: Mapped[int] = mapped_column(Integer)
    scoring: Mapped[str] = mapped_column(String(20))
    scoring_version: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[int] = mapped_column(BigInteger)

    status: Mapped[str] = mapped_column(String(12))  # playing, won, lost, given_up
    reason: Mapped[str | None] = mapped_column(String(20))  # why it is lost
    ply: Mapped[int] = mapped_column(Integer)  # entries in the log
    head: Mapped[str] = mapped_column(Text)  # the position after them, encoded
    score: Mapped[int] = mapped_column(Integer)
    steps: Mapped[int] = mapped_column(Integer)  # entries in force, which undo can take back
    undone: Mapped[int] = mapped_column(Integer)  # entries taken back, which redo can put on again
    undos: Mapped[int] = mapped_column(Integer)  # undo, redo and restart entries: such a game is not clean
    hints: Mapped[int] = mapped_column(Integer)  # hints given: neither is such a game
    assisted: Mapped[bool] = mapped_column(
        Boolean, server_default=false()
    )  # told what hidden cards went into
    first_at: Mapped[int | None] = mapped_column(BigInteger)  # of the first and the last entry
    last_at: Mapped[int] = mapped_column(BigInteger)  # created_at until there is an entry
    ended_at: Mapped[int | None] = mapped_column(BigInteger)  # won or given up
    ranked_ms: Mapped[int] = mapped_column(BigInteger)

    # The terms, where others play the same deal at the same time.
    held: Mapped[bool] = mapped_column(Boolean, server_default=false())  # sealed after its end too, for now
    undo_off: Mapped[bool] = mapped_column(Boolean, server_default=false())
    help_off: Mapped[bool] = mapped_column(Boolean, server_default=false())
    closes_at: Mapped[int | None] = mapped_column(BigInteger)  # no entry is taken from then on

    # What others have to do with it (``app.company``).
    shared: Mapped[bool] = mapped_column(Boolean, server_default=false())  # another has had a hand in it
    invited: Mapped[bool] = mapped_column(Boolean, server_default=false())  # a link leads to it
    watchable: Mapped[bool] = mapped_column(Boolean, server_default=false())  # by anybody


class LogRow(Base):
    """One entry of a game's log. Rows are only ever added; the key keeps two entries from one ply."""

    __tablename__ = "log"
    __table_args__ = ({"sqlite_with_rowid": False},)

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    ply: Mapped[int] = mapped_column(Integer, primary_key=True)  # counts from 1
    text: Mapped[str] = mapped_column(String(40))  # a move, undo, redo or restart
    at: Mapped[int] = mapped_column(BigInteger)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"))


class MarkRow(Base):
    """What was asked beside the log at some ply, each kind once: a hint, say."""

    __tablename__ = "marks"
    __table_args__ = ({"sqlite_with_rowid": False},)

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    ply: Mapped[int] = mapped_column(Integer, primary_key=True)
    kind: Mapped[str] = mapped_column(String(12), primary_key=True)
    at: Mapped[int] = mapped_column(BigInteger)
