"""Company at a game: links, those who came by them, and who is here.

Revision ID: 0009
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0007"
branch_labels = None
depends_on = None

FLAGS = ("shared", "invited", "watchable")
WATCHABLE = {
    "sqlite_where": sa.text("watchable = 1 AND ended_at IS NULL"),
    "postgresql_where": sa.text("watchable AND ended_at IS NULL"),
}


def upgrade() -> None:
    for flag in FLAGS:
        op.add_column("games", sa.Column(flag, sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("ix_games_watchable", "games", ["last_at"], **WATCHABLE)
    op.create_table(
        "invitations",
        sa.Column("game_id", sa.String(22), nullable=False),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("nonce", sa.String(32), nullable=False),
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "role", name="pk_invitations"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_invitations_game_id_games"),
    )
    op.create_index("ix_invitations_token", "invitations", ["token"], unique=True)
    op.create_table(
        "companions",
        sa.Column("game_id", sa.String(22), nullable=False),
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(8), nullable=True),
        sa.Column("came_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "player_id", name="pk_companions"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_companions_game_id_games"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_companions_player_id_players"),
    )
    op.create_index("ix_companions_player_id", "companions", ["player_id"])
    op.create_table(
        "presence",
        sa.Column("game_id", sa.String(22), nullable=False),
        sa.Column("process", sa.String(22), nullable=False),
        sa.Column("players", sa.Text(), nullable=False),
        sa.Column("watching", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "process", name="pk_presence"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_presence_game_id_games"),
    )


def downgrade() -> None:
    for table in ("presence", "companions", "invitations"):
        op.drop_table(table)
    op.drop_index("ix_games_watchable", "games")
    for flag in FLAGS:
        op.drop_column("games", flag)
