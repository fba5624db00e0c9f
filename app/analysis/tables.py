"""The tables of analysis. Times (``..._at``, ``lease_until``) are milliseconds since the epoch, UTC."""

from sqlalchemy import BigInteger, Float, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.db import Base


class VerdictRow(Base):
    """What is known of a position, under its canonical key; a better answer takes a worse one's place."""

    __tablename__ = "verdicts"

    key: Mapped[str] = mapped_column(String(43), primary_key=True)
    prefix: Mapped[str] = mapped_column(String(40))
    verdict: Mapped[str] = mapped_column(String(10))  # solved, unsolvable, unknown
    reason: Mapped[str | None] = mapped_column(String(40))
    line: Mapped[str | None] = mapped_column(Text)  # from the canonical position, moves with spaces
    spent_ms: Mapped[int] = mapped_column(BigInteger)
    nodes: Mapped[int] = mapped_column(BigInteger)
    bound: Mapped[int | None] = mapped_column(Integer)  # proven: no line is shorter
    shortened_ms: Mapped[int] = mapped_column(BigInteger)  # spent on shortening the line
    found_at: Mapped[int] = mapped_column(BigInteger)


class JobRow(Base):
    """What waits for a solver process, or is with one: of one subject at most one job of a kind.

    A machine that takes a job holds it until ``lease_until`` and renews that while it works; a job whose
    lease has run out is anybody's again.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        UniqueConstraint("task", "subject"),
        Index("ix_jobs_priority_turn", "priority", "turn"),
        # The id of a job that was taken back must not come again: its process would go on for another's.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    task: Mapped[str] = mapped_column(String(8))  # solve, shorten, game, bank
    subject: Mapped[str] = mapped_column(String(60))  # the key of a position, or the id of a game
    asker: Mapped[str | None] = mapped_column(String(40))  # the only one who asked, if there is one
    priority: Mapped[int] = mapped_column(Integer)  # the smaller the sooner
    turn: Mapped[int] = mapped_column(Integer)  # of equal priority the smaller goes first: fair shares
    budget_ms: Mapped[int] = mapped_column(Integer)
    document: Mapped[str] = mapped_column(Text)  # JSON: what the process needs; holds hidden cards
    asked_at: Mapped[int] = mapped_column(BigInteger)
    machine: Mapped[str | None] = mapped_column(String(60))
    lease_until: Mapped[int] = mapped_column(BigInteger)  # 0: not taken
    tries: Mapped[int] = mapped_column(Integer)


class LineRow(Base):
    """The winning line that a game's hints follow."""

    __tablename__ = "lines"

    game_id: Mapped[str] = mapped_column(String(22), primary_key=True)
    start: Mapped[str] = mapped_column(Text)  # the position it was found from, encoded
    moves: Mapped[str] = mapped_column(Text)
    found_at: Mapped[int] = mapped_column(BigInteger)


class GameAnalysisRow(Base):
    """The analysis of an ended game, as far as it has come."""

    __tablename__ = "game_analyses"

    game_id: Mapped[str] = mapped_column(String(22), primary_key=True)
    state: Mapped[str] = mapped_column(String(8))  # running, done
    plies: Mapped[str] = mapped_column(Text)  # a letter a ply from 0: w won still, l lost, - not known
    to_go: Mapped[str] = mapped_column(Text)  # moves of the best line from each ply; "-" if none
    best: Mapped[str] = mapped_column(Text)  # the best line known from the opening
    tried: Mapped[int] = mapped_column(Integer)  # plies looked at
    spent_ms: Mapped[int] = mapped_column(BigInteger)
    changed_at: Mapped[int] = mapped_column(BigInteger)


class BankRow(Base):
    """A winnable deal in store: secret until its game publishes it, and given out once."""

    __tablename__ = "bank"
    __table_args__ = (Index("ix_bank_prefix_taken_at", "prefix", "taken_at"),)

    deal: Mapped[str] = mapped_column(String(80), primary_key=True)
    prefix: Mapped[str] = mapped_column(String(40))
    rules_version: Mapped[int] = mapped_column(Integer)
    line: Mapped[str] = mapped_column(Text)  # verified; its length is the deal's par
    difficulty: Mapped[float] = mapped_column(Float)
    made_at: Mapped[int] = mapped_column(BigInteger)
    taken_at: Mapped[int | None] = mapped_column(BigInteger)
