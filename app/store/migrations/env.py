"""How Alembic reaches the database: the connection it is handed, or the one that the environment names."""

from typing import Literal

from alembic import context
from sqlalchemy import Connection
from sqlmodel import SQLModel
from sqlmodel.sql.sqltypes import AutoString

from app.store import tables
from app.store.database import Store


def migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=SQLModel.metadata,
        # SQLite can alter little in place; a batch copies the table instead.
        render_as_batch=True,
        # Alembic takes SQLite's DDL for untransactional, which it is not once we send BEGIN ourselves.
        transactional_ddl=True,
        render_item=plain_types,
    )
    with context.begin_transaction():
        context.run_migrations()


def plain_types(kind: str, item: object, _context: object) -> str | Literal[False]:
    """A migration must outlive the classes it was made from, so each type is written as what the database keeps."""
    if kind == "type" and isinstance(item, tables.AwareDateTime):
        return "sa.DateTime(timezone=True)"
    if kind == "type" and isinstance(item, AutoString):
        return f"sa.String(length={item.length})"
    return False


handed: Connection | None = context.config.attributes.get("connection")
if handed is not None:
    migrate(handed)
else:
    with Store().migrating() as opened:
        migrate(opened)
