"""Games: the sitting, its log, and what was asked beside it.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "games",
        sa.Column("id", sa.String(22), nullable=False),
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.Column("prefix", sa.String(40), nullable=False),
        sa.Column("deal", sa.Text(), nullable=False),
        sa.Column("sealed", sa.Boolean(), nullable=False),
        sa.Column("commitment", sa.String(64), nullable=True),
        sa.Column("salt", sa.String(32), nullable=True),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("scoring", sa.String(20), nullable=False),
        sa.Column("scoring_version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("reason", sa.String(20), nullable=True),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("undone", sa.Integer(), nullable=False),
        sa.Column("undos", sa.Integer(), nullable=False),
        sa.Column("hints", sa.Integer(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=True),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("ranked_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_games_player_id_players"),
    )
    op.create_index("ix_games_player_id_ended_at", "games", ["player_id", "ended_at", "last_at"])
    op.create_table(
        "log",
        sa.Column("game_id", sa.String(22), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(40), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "ply", name="pk_log"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_log_game_id_games"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_log_player_id_players"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "marks",
        sa.Column("game_id", sa.String(22), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "ply", "kind", name="pk_marks"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_marks_game_id_games"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("marks")
    op.drop_table("log")
    op.drop_table("games")
