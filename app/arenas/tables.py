"""The tables of arenas. Times (``..._at``, ``since``) are ms since the epoch, UTC."""

from sqlalchemy import BigInteger, Boolean, ForeignKey, Index, Integer, String, false
from sqlalchemy.orm import Mapped, mapped_column

from app.db import Base


class ArenaRow(Base):
    """An arena, and what its races are like."""

    __tablename__ = "arenas"
    __table_args__ = (
        Index("ix_arenas_due_at", "due_at"),
        Index("ix_arenas_status_starts_at", "status", "starts_at"),
    )

    id: Mapped[str] = mapped_column(String(22), primary_key=True)
    host_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"))  # None: the house's own
    slot: Mapped[str | None] = mapped_column(String(20), unique=True)  # of the house's: 2026-11-30T18
    prefix: Mapped[str] = mapped_column(String(40))  # the patience with its parameters, as in deal codes
    scoring: Mapped[str] = mapped_column(String(20))
    seconds: Mapped[int] = mapped_column(Integer)  # of a race
    size: Mapped[int] = mapped_column(Integer)  # players of a race, at most
    created_at: Mapped[int] = mapped_column(BigInteger)
    starts_at: Mapped[int] = mapped_column(BigInteger)
    ends_at: Mapped[int] = mapped_column(BigInteger)

    status: Mapped[str] = mapped_column(String(16))  # waiting, running, finishing, over
    reason: Mapped[str | None] = mapped_column(String(20))  # why it is over: finished, expired
    seq: Mapped[int] = mapped_column(Integer)  # number of its newest event
    due_at: Mapped[int | None] = mapped_column(BigInteger)  # when something has to be done; None once over


class EntrantRow(Base):
    """A player in an arena. Points and what goes with them follow from the races; kept for reading."""

    __tablename__ = "entrants"
    __table_args__ = (
        Index("ix_entrants_player_id", "player_id"),
        {"sqlite_with_rowid": False},
    )

    arena_id: Mapped[str] = mapped_column(ForeignKey("arenas.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)  # counts from 1, in the order of joining
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"))
    paused: Mapped[bool] = mapped_column(Boolean, server_default=false())  # is not to be paired
    away_at: Mapped[int | None] = mapped_column(BigInteger)  # since when no page of theirs is open
    since: Mapped[int] = mapped_column(BigInteger)  # waits for a race since
    race_id: Mapped[str | None] = mapped_column(ForeignKey("races.id"))  # the race they are in now

    points: Mapped[int] = mapped_column(Integer, default=0)
    races: Mapped[int] = mapped_column(Integer, default=0)
    wins: Mapped[int] = mapped_column(Integer, default=0)
    streak: Mapped[int] = mapped_column(Integer, default=0)
    rank: Mapped[int | None] = mapped_column(Integer)  # once it is over


class ArenaSeatRow(Base):
    """Who of an arena sat where in one of its races: with the races' logs, all that the standings rest on."""

    __tablename__ = "arena_seats"
    __table_args__ = (Index("ix_arena_seats_arena_id", "arena_id"), {"sqlite_with_rowid": False})

    race_id: Mapped[str] = mapped_column(ForeignKey("races.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(Integer, primary_key=True)
    arena_id: Mapped[str] = mapped_column(ForeignKey("arenas.id"))
    number: Mapped[int] = mapped_column(Integer)
