"""Races: seats on one sealed deal, and games played on terms.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for flag in ("held", "undo_off", "help_off"):
        op.add_column("games", sa.Column(flag, sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("games", sa.Column("closes_at", sa.BigInteger(), nullable=True))
    op.create_table(
        "races",
        sa.Column("id", sa.String(22), nullable=False),
        sa.Column("join_code", sa.String(8), nullable=False),
        sa.Column("prefix", sa.String(40), nullable=False),
        sa.Column("scoring", sa.String(20), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("max_players", sa.Integer(), nullable=False),
        sa.Column("undo", sa.Boolean(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.Column("deal", sa.Text(), nullable=False),
        sa.Column("salt", sa.String(32), nullable=False),
        sa.Column("commitment", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.String(20), nullable=True),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("starts_at", sa.BigInteger(), nullable=True),
        sa.Column("ends_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("next_id", sa.String(22), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_races"),
        sa.UniqueConstraint("join_code", name="uq_races_join_code"),
    )
    op.create_index("ix_races_due_at", "races", ["due_at"])
    op.create_index("ix_races_status_listed", "races", ["status", "listed", "created_at"])
    op.create_table(
        "seats",
        sa.Column("race_id", sa.String(22), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.Column("ready", sa.Boolean(), nullable=False),
        sa.Column("away_at", sa.BigInteger(), nullable=True),
        sa.Column("left", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("goes_on", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("game_id", sa.String(22), nullable=True),
        sa.Column("fresh", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("won", sa.Boolean(), nullable=True),
        sa.Column("runs", sa.Integer(), nullable=True),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("ply", sa.Integer(), nullable=True),
        sa.Column("time_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("race_id", "seat", name="pk_seats"),
        sa.ForeignKeyConstraint(["race_id"], ["races.id"], name="fk_seats_race_id_races"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_seats_player_id_players"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_seats_game_id_games"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_seats_player_id", "seats", ["player_id"])
    op.create_index("ix_seats_game_id", "seats", ["game_id"], unique=True)


def downgrade() -> None:
    op.drop_table("seats")
    op.drop_table("races")
    for column in ("closes_at", "help_off", "undo_off", "held"):
        op.drop_column("games", column)
