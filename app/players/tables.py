"""The tables of players. Times are milliseconds since the epoch, UTC."""

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.db import Base


class PlayerRow(Base):
    """A guest (no name, no password) or an account (both). A row never goes away: logs point at it."""

    __tablename__ = "players"

    id: Mapped[str] = mapped_column(String(22), primary_key=True)
    name: Mapped[str | None] = mapped_column(String(64))
    # The name as it is compared: case-folded, look-alikes made one (names.py).
    name_key: Mapped[str | None] = mapped_column(String(128), unique=True)
    password_hash: Mapped[str | None] = mapped_column(Text)
    preferences: Mapped[str] = mapped_column(Text, default="{}", server_default="{}")
    created_at: Mapped[int] = mapped_column(BigInteger)
    # Set when a guest's games went over to another player; such a row has no sessions any more.
    merged_into: Mapped[str | None] = mapped_column(ForeignKey("players.id"))
    deleted_at: Mapped[int | None] = mapped_column(BigInteger)


class SessionRow(Base):
    """A way in: the cookie of a browser or the bearer token of a program. Only a hash of it is kept."""

    __tablename__ = "sessions"
    __table_args__ = (Index("ix_sessions_player_id", "player_id"),)

    id: Mapped[str] = mapped_column(String(64), primary_key=True)  # SHA-256 of the token, hexadecimal
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"))
    kind: Mapped[str] = mapped_column(String(8))  # "cookie" or "bearer"
    label: Mapped[str] = mapped_column(String(80))
    created_at: Mapped[int] = mapped_column(BigInteger)
    last_used_at: Mapped[int] = mapped_column(BigInteger)
    expires_at: Mapped[int] = mapped_column(BigInteger)
    revoked_at: Mapped[int | None] = mapped_column(BigInteger)


class RecoveryCodeRow(Base):
    """One of the codes that set a new password, each once."""

    __tablename__ = "recovery_codes"

    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    code_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    used_at: Mapped[int | None] = mapped_column(BigInteger)


class TransferCodeRow(Base):
    """A short-lived code that takes a player to another device, once."""

    __tablename__ = "transfer_codes"
    __table_args__ = (Index("ix_transfer_codes_player_id", "player_id"),)

    code_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"))
    expires_at: Mapped[int] = mapped_column(BigInteger)
    used_at: Mapped[int | None] = mapped_column(BigInteger)
