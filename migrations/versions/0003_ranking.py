"""Results of ended games, for leaderboards and statistics.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_BEST = [sa.text("score DESC"), "ranked_ms", "ended_at", "game_id"]


def upgrade() -> None:
    op.create_table(
        "results",
        sa.Column("game_id", sa.String(22), nullable=False),
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.Column("prefix", sa.String(40), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("scoring", sa.String(20), nullable=False),
        sa.Column("scoring_version", sa.Integer(), nullable=False),
        sa.Column("deal", sa.Text(), nullable=False),
        sa.Column("sealed", sa.Boolean(), nullable=False),
        sa.Column("opening", sa.Boolean(), nullable=False),
        sa.Column("clean", sa.Boolean(), nullable=False),
        sa.Column("won", sa.Boolean(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("ranked_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", name="pk_results"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_results_game_id_games"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_results_player_id_players"),
    )
    op.create_index("ix_results_best", "results", ["prefix", "scoring", "sealed", "won", *_BEST])
    op.create_index("ix_results_deal", "results", ["deal", "scoring", "sealed", "won", *_BEST])
    op.create_index("ix_results_recent", "results", ["prefix", "scoring", "sealed", "won", "ended_at"])
    op.create_index("ix_results_player_id", "results", ["player_id", "ended_at"])


def downgrade() -> None:
    op.drop_table("results")
