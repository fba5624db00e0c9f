"""Analysis: verdicts, the queue, the lines of hints, analyses of games, the bank of winnable deals.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "verdicts",
        sa.Column("key", sa.String(43), nullable=False),
        sa.Column("prefix", sa.String(40), nullable=False),
        sa.Column("verdict", sa.String(10), nullable=False),
        sa.Column("reason", sa.String(40), nullable=True),
        sa.Column("line", sa.Text(), nullable=True),
        sa.Column("spent_ms", sa.BigInteger(), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("bound", sa.Integer(), nullable=True),
        sa.Column("shortened_ms", sa.BigInteger(), nullable=False),
        sa.Column("found_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_verdicts"),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("task", sa.String(8), nullable=False),
        sa.Column("subject", sa.String(60), nullable=False),
        sa.Column("asker", sa.String(40), nullable=True),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("budget_ms", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("machine", sa.String(60), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("task", "subject", name="uq_jobs_task_subject"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_priority_turn", "jobs", ["priority", "turn"])
    op.create_table(
        "lines",
        sa.Column("game_id", sa.String(22), nullable=False),
        sa.Column("start", sa.Text(), nullable=False),
        sa.Column("moves", sa.Text(), nullable=False),
        sa.Column("found_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", name="pk_lines"),
    )
    op.create_table(
        "game_analyses",
        sa.Column("game_id", sa.String(22), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("plies", sa.Text(), nullable=False),
        sa.Column("to_go", sa.Text(), nullable=False),
        sa.Column("best", sa.Text(), nullable=False),
        sa.Column("tried", sa.Integer(), nullable=False),
        sa.Column("spent_ms", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", name="pk_game_analyses"),
    )
    op.create_table(
        "bank",
        sa.Column("deal", sa.String(80), nullable=False),
        sa.Column("prefix", sa.String(40), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("difficulty", sa.Float(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("taken_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("deal", name="pk_bank"),
    )
    op.create_index("ix_bank_prefix_taken_at", "bank", ["prefix", "taken_at"])
    for table in ("games", "results"):
        op.add_column(table, sa.Column("assisted", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    for table in ("results", "games"):
        op.drop_column(table, "assisted")
    for table in ("bank", "game_analyses", "lines", "jobs", "verdicts"):
        op.drop_table(table)
