"""Reviews: what a session is to answer, and notes that are decisions."""

import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    # In place: a batch would drop the table, and with it, by their foreign keys, what belongs to each session.
    op.add_column("session", sa.Column("question", sa.Text(), server_default=sa.text("''"), nullable=False))
    with op.batch_alter_table("note") as note:
        note.add_column(sa.Column("kind", sa.String(length=8), server_default="note", nullable=False))
        note.create_check_constraint(op.f("ck_note_kind"), "kind IN ('note', 'decision')")


def downgrade() -> None:
    with op.batch_alter_table("note") as note:
        note.drop_constraint(op.f("ck_note_kind"), type_="check")
        note.drop_column("kind")
    op.drop_column("session", "question")
