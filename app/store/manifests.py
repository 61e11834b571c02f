"""Pasted manifests, kept under the hash of their text, so that an address can name one and always means the same."""

from contextlib import suppress
from datetime import timedelta
from hashlib import sha256

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, func, select

from app.configuration import MOST_MANIFESTS
from app.errors import NotFound, TooMuch
from app.store.tables import HASH_LENGTH, Manifest, now
from app.store.texts import check_text, is_token

A_DAY = timedelta(days=1)


def hash_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:HASH_LENGTH]


def put(db: Session, *, text: str) -> str:
    """Keep the text unless it is kept already, and give its hash; the age of one that is kept begins anew."""
    check_text("manifest", text)
    name = hash_of(text)
    kept = db.get(Manifest, name)
    if kept is not None:
        if now() - kept.created_at > A_DAY:
            kept.created_at = now()
    else:
        _check_room(db)
        # PostgreSQL lets two writers come here with the same text, and then both are right.
        with suppress(IntegrityError), db.begin_nested():
            db.add(Manifest(hash=name, text=text, size=len(text.encode())))
    return name


def _check_room(db: Session) -> None:
    most = MOST_MANIFESTS.get()
    if most is not None and db.exec(select(func.count()).select_from(Manifest)).one() >= most:
        told = f"{most} manifests are kept here, and no more are allowed; whoever runs this server can make room"
        raise TooMuch(told, limit="most-manifests", wait=3600)


def get(db: Session, *, hash: str) -> str:
    manifest = db.get(Manifest, hash) if is_token(hash) else None
    if manifest is None:
        raise NotFound(f"no manifest m:{hash} is kept here; paste it again to get an address for it")
    return manifest.text
