"""Pasted manifests, kept under the hash of their text, so that an address can name one and always means the same."""

from contextlib import suppress
from hashlib import sha256

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from app.errors import NotFound
from app.store.tables import HASH_LENGTH, Manifest
from app.store.texts import check_text, is_token


def hash_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:HASH_LENGTH]


def put(db: Session, *, text: str) -> str:
    """Keep the text unless it is kept already, and give its hash."""
    check_text("manifest", text)
    name = hash_of(text)
    if db.get(Manifest, name) is None:
        # PostgreSQL lets two writers come here with the same text, and then both are right.
        with suppress(IntegrityError), db.begin_nested():
            db.add(Manifest(hash=name, text=text, size=len(text.encode())))
    return name


def get(db: Session, *, hash: str) -> str:
    manifest = db.get(Manifest, hash) if is_token(hash) else None
    if manifest is None:
        raise NotFound(f"no manifest m:{hash} is kept here; paste it again to get an address for it")
    return manifest.text
