"""Meetings: what is presented of a session, and who wrote a note."""

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.add_column("note", sa.Column("author", sa.String(length=100), server_default=sa.text("''"), nullable=False))
    # Until now the actor was whoever wrote; from now on it is what the note is pinned to.
    op.execute("UPDATE note SET author = CASE WHEN actor = 'reader' THEN '' ELSE actor END, actor = 'step'")
    op.create_table(
        "presentation",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("shown_id", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("presenter", sa.String(length=64), nullable=False),
        sa.Column("presenter_name", sa.String(length=100), nullable=False),
        sa.CheckConstraint("position >= 0", name=op.f("ck_presentation_position")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name=op.f("fk_presentation_session_id_session"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["shown_id"], ["session.id"], name=op.f("fk_presentation_shown_id_session"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_presentation")),
    )
    op.create_index(op.f("ix_presentation_shown_id"), "presentation", ["shown_id"])
    op.create_table(
        "taken_along",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("presented_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["presented_id"],
            ["presentation.session_id"],
            name=op.f("fk_taken_along_presented_id_presentation"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name=op.f("fk_taken_along_session_id_session"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_taken_along")),
    )
    op.create_index(op.f("ix_taken_along_presented_id"), "taken_along", ["presented_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_taken_along_presented_id"), "taken_along")
    op.drop_table("taken_along")
    op.drop_index(op.f("ix_presentation_shown_id"), "presentation")
    op.drop_table("presentation")
    op.execute("UPDATE note SET actor = author WHERE author <> ''")
    op.drop_column("note", "author")
