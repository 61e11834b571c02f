"""How long sessions are kept: taking out old ones now and then, and saying until when one stays."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from sqlalchemy.exc import SQLAlchemyError

from app.configuration import RETENTION
from app.store.database import Store
from app.store.pruning import prune
from app.store.tables import Session
from app.web.logs import LOGGER

EVERY = 3_600.0
"""Seconds. Servers that share a database each do it, and the later ones find nothing to do."""


async def clear_up(store: Store, age: timedelta) -> None:
    """Take out what is older, at once and then every hour, until the server stops."""
    while True:
        await asyncio.to_thread(clear, store, age)
        await asyncio.sleep(EVERY)


def clear(store: Store, age: timedelta) -> None:
    """Take out what is older. A database that is away just now is asked again the next time."""
    try:
        found = prune(store, older_than=age)
    except SQLAlchemyError as error:
        LOGGER.warning("old sessions could not be taken out: %s", type(error).__name__)
        return
    if found.sessions or found.manifests:
        LOGGER.info("taken out, untouched for %s days: %s", age.days, found)


def kept_until(session: Session) -> str:
    """The day on which it is taken out unless it is changed before; empty if it stays."""
    age = RETENTION.get()
    return f"{session.updated_at + age:%Y-%m-%d}" if age else ""


def kept_for() -> int:
    """Days that a session is kept which nobody changes; 0 if it stays."""
    age = RETENTION.get()
    return age.days if age else 0
