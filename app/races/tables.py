"""The tables of races. Times (``..._at``) are ms since the epoch, UTC; durations (``..._ms``) are in ms."""

from sqlalchemy import BigInteger, Boolean, ForeignKey, Index, Integer, String, Text, false
from sqlalchemy.orm import Mapped, mapped_column

from app.db import Base


class RaceRow(Base):
    """A race. ``deal`` and ``salt`` are secret until it is over."""

    __tablename__ = "races"
    __table_args__ = (
        Index("ix_races_due_at", "due_at"),
        Index("ix_races_status_listed", "status", "listed", "created_at"),
        Index("ix_races_arena_id", "arena_id", "starts_at"),
    )

    id: Mapped[str] = mapped_column(String(22), primary_key=True)
    join_code: Mapped[str] = mapped_column(String(8), unique=True)
    prefix: Mapped[str] = mapped_column(String(40))  # the patience with its parameters, as in deal codes
    scoring: Mapped[str] = mapped_column(String(20))
    seconds: Mapped[int] = mapped_column(Integer)
    max_players: Mapped[int] = mapped_column(Integer)
    undo: Mapped[bool] = mapped_column(Boolean)
    listed: Mapped[bool] = mapped_column(Boolean)  # in the lobby, while it waits
    deal: Mapped[str] = mapped_column(Text)
    salt: Mapped[str] = mapped_column(String(32))
    commitment: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[int] = mapped_column(BigInteger)

    status: Mapped[str] = mapped_column(String(16))  # waiting, counting_down, running, over
    reason: Mapped[str | None] = mapped_column(String(20))  # why it is over: finished, time_up, expired ...
    seq: Mapped[int] = mapped_column(Integer)  # number of its newest event
    # When it changes by itself, whoever looks: it expires, starts, or its time is up. None once it is over.
    due_at: Mapped[int | None] = mapped_column(BigInteger)
    starts_at: Mapped[int | None] = mapped_column(BigInteger)
    ends_at: Mapped[int | None] = mapped_column(BigInteger)
    closed_at: Mapped[int | None] = mapped_column(BigInteger)  # its games take no more entries
    next_id: Mapped[str | None] = mapped_column(String(22))  # the rematch
    arena_id: Mapped[str | None] = mapped_column(String(22))  # the arena that paired its players


class SeatRow(Base):
    """A player's place in a race, with the game once it runs and the result once it is over."""

    __tablename__ = "seats"
    __table_args__ = (
        Index("ix_seats_player_id", "player_id"),
        Index("ix_seats_game_id", "game_id", unique=True),
        {"sqlite_with_rowid": False},
    )

    race_id: Mapped[str] = mapped_column(ForeignKey("races.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(Integer, primary_key=True)  # counts from 1, in the order of joining
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"))
    ready: Mapped[bool] = mapped_column(Boolean)
    away_at: Mapped[int | None] = mapped_column(BigInteger)  # since when no page of theirs is open
    left: Mapped[bool] = mapped_column(Boolean, server_default=false())  # said so; may come back
    goes_on: Mapped[bool] = mapped_column(Boolean, server_default=false())  # need not wait for who is gone
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    fresh: Mapped[bool] = mapped_column(Boolean, server_default=false())  # had no earlier game on the deal

    place: Mapped[int | None] = mapped_column(Integer)
    won: Mapped[bool | None] = mapped_column(Boolean)
    runs: Mapped[int | None] = mapped_column(Integer)
    score: Mapped[int | None] = mapped_column(Integer)
    ply: Mapped[int | None] = mapped_column(Integer)
    time_ms: Mapped[int | None] = mapped_column(BigInteger)  # from the start to the last entry


class DailyRow(Base):
    """A day's deal of one kind. ``deal`` and ``salt`` are secret until the day is over."""

    __tablename__ = "daily_deals"

    day: Mapped[str] = mapped_column(String(10), primary_key=True)  # UTC, as 2026-11-30
    prefix: Mapped[str] = mapped_column(String(40), primary_key=True)
    deal: Mapped[str] = mapped_column(Text)
    salt: Mapped[str] = mapped_column(String(32))
    commitment: Mapped[str] = mapped_column(String(64))
    proven: Mapped[bool] = mapped_column(Boolean)  # known to be winnable


class AttemptRow(Base):
    """A player's one attempt at a day's deal."""

    __tablename__ = "daily_attempts"
    __table_args__ = (
        Index("ix_daily_attempts_player_id", "player_id", "day"),
        Index("ix_daily_attempts_game_id", "game_id", unique=True),
    )

    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    prefix: Mapped[str] = mapped_column(String(40), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"))
    ranked: Mapped[bool] = mapped_column(Boolean)  # an account's, and the first game on the deal
