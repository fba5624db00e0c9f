"""Players, their sessions, and the codes that let them in.

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "players",
        sa.Column("id", sa.String(22), nullable=False),
        sa.Column("name", sa.String(64)),
        sa.Column("name_key", sa.String(128)),
        sa.Column("password_hash", sa.Text()),
        sa.Column("preferences", sa.Text(), nullable=False, server_default="{}"),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("merged_into", sa.String(22)),
        sa.Column("deleted_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
        sa.UniqueConstraint("name_key", name=op.f("uq_players_name_key")),
        sa.ForeignKeyConstraint(["merged_into"], ["players.id"], name=op.f("fk_players_merged_into_players")),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("label", sa.String(80), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_sessions_player_id_players")),
    )
    op.create_index("ix_sessions_player_id", "sessions", ["player_id"])
    op.create_table(
        "recovery_codes",
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.Column("code_hash", sa.String(64), nullable=False),
        sa.Column("used_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("player_id", "code_hash", name=op.f("pk_recovery_codes")),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name=op.f("fk_recovery_codes_player_id_players")
        ),
    )
    op.create_table(
        "transfer_codes",
        sa.Column("code_hash", sa.String(64), nullable=False),
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("code_hash", name=op.f("pk_transfer_codes")),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name=op.f("fk_transfer_codes_player_id_players")
        ),
    )
    op.create_index("ix_transfer_codes_player_id", "transfer_codes", ["player_id"])


def downgrade() -> None:
    for table in ("transfer_codes", "recovery_codes", "sessions", "players"):
        op.drop_table(table)
