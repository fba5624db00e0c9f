"""The tables of company. Times (``..._at``) are milliseconds since the epoch, UTC."""

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.db import Base


class InvitationRow(Base):
    """A link to a game, one of each kind at a time. Only a hash of its token is kept.

    The token is made of ``nonce`` by a key that is not in the database, so that its owner can see it again.
    """

    __tablename__ = "invitations"
    __table_args__ = (Index("ix_invitations_token", "token", unique=True),)

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    role: Mapped[str] = mapped_column(String(8), primary_key=True)  # what one becomes by it: play, watch
    nonce: Mapped[str] = mapped_column(String(32))
    token: Mapped[str] = mapped_column(String(64))  # SHA-256 of the token, hexadecimal
    made_at: Mapped[int] = mapped_column(BigInteger)


class CompanionRow(Base):
    """One who came to a game by a link. The row stays when they go, for the log may name them."""

    __tablename__ = "companions"
    __table_args__ = (Index("ix_companions_player_id", "player_id"),)

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer)  # counts from 2, in the order of coming: the owner is 1
    role: Mapped[str | None] = mapped_column(String(8))  # play, watch; None: no longer there
    came_at: Mapped[int] = mapped_column(BigInteger)


class PresenceRow(Base):
    """Who has a page of a game open in one process of the server, as it was then."""

    __tablename__ = "presence"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    process: Mapped[str] = mapped_column(String(22), primary_key=True)  # a random id
    players: Mapped[str] = mapped_column(Text)  # ids of those who may play, a JSON list
    watching: Mapped[int] = mapped_column(Integer)  # how many look on
    at: Mapped[int] = mapped_column(BigInteger)
