"""Arenas, who is in them, and who sat where in their races.

Revision ID: 0010
Revises: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "arenas",
        sa.Column("id", sa.String(22), nullable=False),
        sa.Column("host_id", sa.String(22), nullable=True),
        sa.Column("slot", sa.String(20), nullable=True),
        sa.Column("prefix", sa.String(40), nullable=False),
        sa.Column("scoring", sa.String(20), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("starts_at", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.String(20), nullable=True),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_arenas"),
        sa.UniqueConstraint("slot", name="uq_arenas_slot"),
        sa.ForeignKeyConstraint(["host_id"], ["players.id"], name="fk_arenas_host_id_players"),
    )
    op.create_index("ix_arenas_due_at", "arenas", ["due_at"])
    op.create_index("ix_arenas_status_starts_at", "arenas", ["status", "starts_at"])
    op.create_table(
        "entrants",
        sa.Column("arena_id", sa.String(22), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.String(22), nullable=False),
        sa.Column("paused", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("away_at", sa.BigInteger(), nullable=True),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("race_id", sa.String(22), nullable=True),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("races", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("arena_id", "number", name="pk_entrants"),
        sa.ForeignKeyConstraint(["arena_id"], ["arenas.id"], name="fk_entrants_arena_id_arenas"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_entrants_player_id_players"),
        sa.ForeignKeyConstraint(["race_id"], ["races.id"], name="fk_entrants_race_id_races"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_entrants_player_id", "entrants", ["player_id"])
    op.create_table(
        "arena_seats",
        sa.Column("race_id", sa.String(22), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("arena_id", sa.String(22), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("race_id", "seat", name="pk_arena_seats"),
        sa.ForeignKeyConstraint(["race_id"], ["races.id"], name="fk_arena_seats_race_id_races"),
        sa.ForeignKeyConstraint(["arena_id"], ["arenas.id"], name="fk_arena_seats_arena_id_arenas"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_arena_seats_arena_id", "arena_seats", ["arena_id"])
    op.add_column("races", sa.Column("arena_id", sa.String(22), nullable=True))
    op.create_index("ix_races_arena_id", "races", ["arena_id", "starts_at"])


def downgrade() -> None:
    op.drop_index("ix_races_arena_id", "races")
    with op.batch_alter_table("races") as batch:
        batch.drop_column("arena_id")
    op.drop_table("arena_seats")
    op.drop_table("entrants")
    op.drop_table("arenas")
