"""Ratings, and what each race did to them.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ratings",
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.Column("prefix", sa.String(40), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("volatility", sa.Float(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("rated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "prefix", name="pk_ratings"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_ratings_player_id_players"),
    )
    op.create_index("ix_ratings_prefix_rating", "ratings", ["prefix", "rating"])
    op.create_table(
        "rating_changes",
        sa.Column("event_id", sa.String(22), nullable=False),
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.Column("prefix", sa.String(40), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("rating_before", sa.Float(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("event_id", "player_id", name="pk_rating_changes"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_rating_changes_player_id_players"),
    )
    op.create_index("ix_rating_changes_player_id", "rating_changes", ["player_id", "prefix", "at"])


def downgrade() -> None:
    op.drop_table("rating_changes")
    op.drop_table("ratings")
