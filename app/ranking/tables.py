"""The table of results. Times (``..._at``) are milliseconds since the epoch, UTC."""

from sqlalchemy import BigInteger, Boolean, Float, ForeignKey, Index, Integer, String, Text, false
from sqlalchemy.orm import Mapped, mapped_column

from app.db import Base


class ResultRow(Base):
    """How a game ended, written in the transaction that ended it. Only a merge changes it, by its player."""

    __tablename__ = "results"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"))
    prefix: Mapped[str] = mapped_column(String(40))
    rules_version: Mapped[int] = mapped_column(Integer)
    scoring: Mapped[str] = mapped_column(String(20))
    scoring_version: Mapped[int] = mapped_column(Integer)
    deal: Mapped[str] = mapped_column(Text)
    sealed: Mapped[bool] = mapped_column(Boolean)
    opening: Mapped[bool] = mapped_column(Boolean)  # a whole opening was played, not a table half cleared
    clean: Mapped[bool] = mapped_column(Boolean)
    assisted: Mapped[bool] = mapped_column(Boolean, server_default=false())  # the engine's help was used
    won: Mapped[bool] = mapped_column(Boolean)
    score: Mapped[int] = mapped_column(Integer)
    ply: Mapped[int] = mapped_column(Integer)
    ranked_ms: Mapped[int] = mapped_column(BigInteger)
    ended_at: Mapped[int] = mapped_column(BigInteger)


class RatingRow(Base):
    """An account's rating in one patience with its parameters, and how often it was rated."""

    __tablename__ = "ratings"
    __table_args__ = (Index("ix_ratings_prefix_rating", "prefix", "rating"),)

    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    prefix: Mapped[str] = mapped_column(String(40), primary_key=True)
    rating: Mapped[float] = mapped_column(Float)
    deviation: Mapped[float] = mapped_column(Float)
    volatility: Mapped[float] = mapped_column(Float)
    events: Mapped[int] = mapped_column(Integer)
    rated_at: Mapped[int] = mapped_column(BigInteger)


class RatingChangeRow(Base):
    """What one event (a race) did to a rating: its history."""

    __tablename__ = "rating_changes"
    __table_args__ = (Index("ix_rating_changes_player_id", "player_id", "prefix", "at"),)

    event_id: Mapped[str] = mapped_column(String(22), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    prefix: Mapped[str] = mapped_column(String(40))
    at: Mapped[int] = mapped_column(BigInteger)
    place: Mapped[int] = mapped_column(Integer)
    rating_before: Mapped[float] = mapped_column(Float)
    rating: Mapped[float] = mapped_column(Float)
    deviation: Mapped[float] = mapped_column(Float)


_r = ResultRow
# The order of a leaderboard, and the ways in which results are looked for.
_BEST = (_r.score.desc(), _r.ranked_ms, _r.ended_at, _r.game_id)
Index("ix_results_best", _r.prefix, _r.scoring, _r.sealed, _r.won, *_BEST)
Index("ix_results_deal", _r.deal, _r.scoring, _r.sealed, _r.won, *_BEST)
Index("ix_results_recent", _r.prefix, _r.scoring, _r.sealed, _r.won, _r.ended_at)
Index("ix_results_player_id", _r.player_id, _r.ended_at)
