"""The tables: a manifest, a session, its choices, the steps taken in it, notes on them, and what is presented."""

import json
import secrets
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, DateTime, Dialect, Index, Text, UniqueConstraint, text
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

ID_BYTES = 16
HASH_LENGTH = 32
DIGEST_LENGTH = 16
NAME_LENGTH = 100
# A loop, a node, a verb, a kind, a namespace and a name, each as long as Kubernetes lets it be.
STEP_ID_LENGTH = 800

# Every constraint has a name, the same on SQLite and PostgreSQL, so that a later migration can drop it.
SQLModel.metadata.naming_convention = {
    "pk": "pk_%(table_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
}


def unguessable() -> str:
    return secrets.token_urlsafe(ID_BYTES)


def now() -> datetime:
    return datetime.now(UTC)


class AwareDateTime(TypeDecorator[datetime]):
    """An instant, with its zone going in and UTC coming out, whatever the database keeps."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value.isoformat()} has no time zone; the store keeps aware datetimes only")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        # SQLite has no zones: it gives back the bare UTC reading that was bound above.
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Manifest(SQLModel, table=True):
    """Kubernetes YAML as it was pasted, named by its content."""

    hash: str = Field(primary_key=True, max_length=HASH_LENGTH)
    text: str = Field(sa_type=Text)
    size: int
    created_at: datetime = Field(default_factory=now, sa_type=AwareDateTime)


class Session(SQLModel, table=True):
    """One reader's walk through a flow: everything needed to compute it again, and where they are in it."""

    __table_args__ = (
        Index(None, "owner", "updated_at"),
        CheckConstraint("position >= 0", name="position"),
    )

    id: int = Field(default=None, primary_key=True)
    read_id: str = Field(default_factory=unguessable, unique=True, max_length=64)
    edit_id: str = Field(default_factory=unguessable, unique=True, max_length=64)
    owner: str = Field(max_length=64)
    flow: str = Field(max_length=100)
    manifest_hash: str | None = Field(default=None, foreign_key="manifest.hash", max_length=HASH_LENGTH)
    scene: str = Field(default="", max_length=100)
    settings: str = Field(sa_type=Text)
    engine_version: str = Field(max_length=64)
    position: int = 0
    title: str = Field(max_length=200)
    question: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": text("''")})
    """What a review of it is to answer."""
    forked_from: int | None = Field(default=None, foreign_key="session.id", ondelete="SET NULL", index=True)
    created_at: datetime = Field(default_factory=now, sa_type=AwareDateTime)
    updated_at: datetime = Field(default_factory=now, sa_type=AwareDateTime)

    def effective_settings(self) -> dict[str, Any]:
        """Every setting the walk was computed with, defaults included, so that new defaults change no old walk."""
        settings: dict[str, Any] = json.loads(self.settings)
        return settings


class Choice(SQLModel, table=True):
    """The n-th thing the reader decided: a `do=` or `pick=` value as it stands in an address."""

    __table_args__ = (
        UniqueConstraint("session_id", "n"),
        CheckConstraint("kind IN ('do', 'pick')", name="kind"),
    )

    id: int = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="session.id", ondelete="CASCADE")
    n: int
    kind: str = Field(max_length=4)
    text: str = Field(sa_type=Text)


class Taken(SQLModel, table=True):
    """A step as it was when it was taken, small enough to keep and enough to notice that it has changed."""

    # Steps are many and found only by session and number: without a row id SQLite keeps them in one tree.
    __table_args__ = {"sqlite_with_rowid": False}

    session_id: int = Field(primary_key=True, foreign_key="session.id", ondelete="CASCADE")
    n: int = Field(primary_key=True)
    step_id: str = Field(max_length=STEP_ID_LENGTH)
    at_ms: int = Field(sa_type=BigInteger)
    digest: str = Field(max_length=DIGEST_LENGTH)


class Note(SQLModel, table=True):
    """What a reader wrote beside a step, or what was decided there."""

    __table_args__ = (CheckConstraint("kind IN ('note', 'decision')", name="kind"),)

    id: int = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="session.id", ondelete="CASCADE", index=True)
    step_id: str = Field(max_length=STEP_ID_LENGTH)
    kind: str = Field(default="note", max_length=8, sa_column_kwargs={"server_default": "note"})
    actor: str = Field(max_length=100)
    """What it is pinned to: a lane, an object, or the step itself."""
    author: str = Field(default="", max_length=NAME_LENGTH, sa_column_kwargs={"server_default": text("''")})
    """Who wrote it; empty where nobody says."""
    text: str = Field(sa_type=Text)
    created_at: datetime = Field(default_factory=now, sa_type=AwareDateTime)


class Presentation(SQLModel, table=True):
    """What the followers of a session see: the truth that every server process reads."""

    __table_args__ = (CheckConstraint("position >= 0", name="position"),)

    session_id: int = Field(primary_key=True, foreign_key="session.id", ondelete="CASCADE")
    """The session whose link the followers have."""
    shown_id: int | None = Field(default=None, foreign_key="session.id", ondelete="SET NULL", index=True)
    """The branch of it that they are shown; none for itself."""
    position: int = 0
    revision: int = 0
    """Counts all changes, so that whoever has seen one knows whether another is newer."""
    presenter: str = Field(default="", max_length=64)
    """The browser that leads; empty while nobody does."""
    presenter_name: str = Field(default="", max_length=NAME_LENGTH)


class TakenAlong(SQLModel, table=True):
    """A branch that a presenter made while presenting: its followers come along when it is gone to again."""

    __tablename__ = "taken_along"

    session_id: int = Field(primary_key=True, foreign_key="session.id", ondelete="CASCADE")
    presented_id: int = Field(foreign_key="presentation.session_id", ondelete="CASCADE", index=True)
