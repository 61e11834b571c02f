"""The first tables: manifests, sessions, choices, notes, steps taken."""

import sqlalchemy as sa
from alembic import op

revision: str = "0001"
down_revision: str | None = None
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "manifest",
        sa.Column("hash", sa.String(length=32), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_manifest")),
    )
    op.create_table(
        "session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("read_id", sa.String(length=64), nullable=False),
        sa.Column("edit_id", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("flow", sa.String(length=100), nullable=False),
        sa.Column("manifest_hash", sa.String(length=32), nullable=True),
        sa.Column("scene", sa.String(length=100), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("engine_version", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("forked_from", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("position >= 0", name=op.f("ck_session_position")),
        sa.ForeignKeyConstraint(
            ["forked_from"], ["session.id"], name=op.f("fk_session_forked_from_session"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["manifest_hash"], ["manifest.hash"], name=op.f("fk_session_manifest_hash_manifest")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session")),
        sa.UniqueConstraint("edit_id", name=op.f("uq_session_edit_id")),
        sa.UniqueConstraint("read_id", name=op.f("uq_session_read_id")),
    )
    op.create_index(op.f("ix_session_forked_from"), "session", ["forked_from"])
    op.create_index(op.f("ix_session_owner_updated_at"), "session", ["owner", "updated_at"])
    op.create_table(
        "choice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=4), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.CheckConstraint("kind IN ('do', 'pick')", name=op.f("ck_choice_kind")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name=op.f("fk_choice_session_id_session"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_choice")),
        sa.UniqueConstraint("session_id", "n", name=op.f("uq_choice_session_id_n")),
    )
    op.create_table(
        "note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("step_id", sa.String(length=800), nullable=False),
        sa.Column("actor", sa.String(length=100), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name=op.f("fk_note_session_id_session"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_note")),
    )
    op.create_index(op.f("ix_note_session_id"), "note", ["session_id"])
    op.create_table(
        "taken",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("step_id", sa.String(length=800), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name=op.f("fk_taken_session_id_session"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("session_id", "n", name=op.f("pk_taken")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("taken")
    op.drop_index(op.f("ix_note_session_id"), "note")
    op.drop_table("note")
    op.drop_table("choice")
    op.drop_index(op.f("ix_session_owner_updated_at"), "session")
    op.drop_index(op.f("ix_session_forked_from"), "session")
    op.drop_table("session")
    op.drop_table("manifest")
