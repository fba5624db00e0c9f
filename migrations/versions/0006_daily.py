"""Daily deals, and the one attempt that a player has at each.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "daily_deals",
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("prefix", sa.String(40), nullable=False),
        sa.Column("deal", sa.Text(), nullable=False),
        sa.Column("salt", sa.String(32), nullable=False),
        sa.Column("commitment", sa.String(64), nullable=False),
        sa.Column("proven", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("day", "prefix", name="pk_daily_deals"),
    )
    op.create_table(
        "daily_attempts",
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("prefix", sa.String(40), nullable=False),
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.Column("game_id", sa.String(22), nullable=False),
        sa.Column("ranked", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("day", "prefix", "player_id", name="pk_daily_attempts"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_daily_attempts_player_id_players"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_daily_attempts_game_id_games"),
    )
    op.create_index("ix_daily_attempts_player_id", "daily_attempts", ["player_id", "day"])
    op.create_index("ix_daily_attempts_game_id", "daily_attempts", ["game_id"], unique=True)


def downgrade() -> None:
    op.drop_table("daily_attempts")
    op.drop_table("daily_deals")
