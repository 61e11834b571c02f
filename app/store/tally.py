"""How much the database holds."""

from dataclasses import dataclass
from datetime import timedelta

from sqlmodel import Session as Database
from sqlmodel import SQLModel, col, func, select

from app.store.tables import Choice, Manifest, Note, Session, Taken, now


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Rows of each kind; `live` are the sessions that were touched lately."""

    sessions: int
    live: int
    manifests: int


def tally(db: Database, *, since: timedelta) -> Tally:
    """What can be counted in a moment; `since` says how lately a live session was touched."""
    live = select(func.count()).where(col(Session.updated_at) > now() - since)
    return Tally(sessions=_count(db, Session), live=db.exec(live).one(), manifests=_count(db, Manifest))


def rows(db: Database) -> dict[str, int]:
    """How many rows each table has."""
    return {kind.__name__.lower(): _count(db, kind) for kind in (Session, Manifest, Choice, Taken, Note)}


def _count(db: Database, kind: type[SQLModel]) -> int:
    return db.exec(select(func.count()).select_from(kind)).one()
