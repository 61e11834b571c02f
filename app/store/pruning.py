"""What nobody has touched for long, and taking it out."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session as Database
from sqlmodel import col, select

from app.store.database import Store
from app.store.tables import HASH_LENGTH, Choice, Manifest, Session, now

AT_A_TIME = 200
"""Rows that one unit of work takes out, so that nobody who writes has to wait for long."""
_NAMED = re.compile(rf"\bm:([0-9a-f]{{{HASH_LENGTH}}})\b")


@dataclass(frozen=True, kw_only=True)
class Pruned:
    """How much was taken out, or would be."""

    sessions: int
    manifests: int


def prune(store: Store, *, older_than: timedelta, dry_run: bool = False) -> Pruned:
    """Sessions untouched for so long, with their choices, steps and notes; then manifests that no session uses."""
    before = now() - older_than
    if dry_run:
        with store.reading() as db:
            leaving = set(_old_sessions(db, before))
            return Pruned(sessions=len(leaving), manifests=len(_unused(db, before, leaving)))
    sessions = manifests = 0
    while gone := _take_out_sessions(store, before):
        sessions += gone
    while gone := _take_out_manifests(store, before):
        manifests += gone
    return Pruned(sessions=sessions, manifests=manifests)


def _take_out_sessions(store: Store, before: datetime) -> int:
    with store.writing() as db:
        old = list(_old_sessions(db, before, most=AT_A_TIME))
        # Asked again: a reader may have come back to one in between.
        still = col(Session.id).in_(old), col(Session.updated_at) < before
        return db.exec(delete(Session).where(*still)).rowcount if old else 0


def _take_out_manifests(store: Store, before: datetime) -> int:
    # On PostgreSQL somebody may begin a session with one of them just now; then they stay until the next time.
    with suppress(IntegrityError), store.writing() as db:
        unused = sorted(_unused(db, before, set()))[:AT_A_TIME]
        return db.exec(delete(Manifest).where(col(Manifest.hash).in_(unused))).rowcount if unused else 0
    return 0


def _old_sessions(db: Database, before: datetime, *, most: int | None = None) -> Iterator[int]:
    oldest = select(Session.id).where(col(Session.updated_at) < before).order_by(col(Session.updated_at)).limit(most)
    yield from db.exec(oldest)


def _unused(db: Database, before: datetime, leaving: set[int]) -> set[str]:
    """Old manifests that none of the sessions that stay begins with, nor applies on its way."""
    old = set(db.exec(select(Manifest.hash).where(col(Manifest.created_at) < before)))
    if not old:
        return old
    begun = db.exec(select(Session.id, Session.manifest_hash).where(col(Session.manifest_hash).is_not(None)))
    used = {name for id, name in begun if id not in leaving}
    applied = db.exec(select(Choice.session_id, Choice.text).where(col(Choice.text).contains("m:")))
    used |= {name for id, text in applied if id not in leaving for name in _NAMED.findall(text)}
    return old - used
