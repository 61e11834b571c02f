"""How one server process hears that another has changed what is presented: a notification, or a look at the file."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from sqlalchemy import PoolProxiedConnection, text
from sqlmodel import Session

from app.store.database import Store

CHANNEL = "loopscope_presented"
LOOK = 0.2
"""Seconds between two looks at an SQLite file, while somebody follows."""
AGAIN = 1.0
"""Seconds until a lost connection is tried again."""

log = logging.getLogger(__name__)


def announce(db: Session) -> None:
    """Other processes hear of it when this unit of work is kept, and never if it is not."""
    if db.connection().dialect.name == "postgresql":
        db.connection().execute(text(f"NOTIFY {CHANNEL}"))


def heard(store: Store) -> AsyncGenerator[None]:
    """Comes round whenever something may have changed elsewhere; what did is for the listener to read."""
    return _notified(store) if store.engine.dialect.name == "postgresql" else _written(store)


async def _notified(store: Store) -> AsyncGenerator[None]:
    import psycopg  # noqa: PLC0415 - an extra, and here only if PostgreSQL is in use

    address = store.url.set(drivername="postgresql").render_as_string(hide_password=False)
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
                await connection.execute(f"LISTEN {CHANNEL}")
                # Whatever was announced before we listened has to be looked up.
                yield
                async with aclosing(connection.notifies()) as notices:
                    async for _ in notices:
                        yield
        except psycopg.OperationalError as lost:
            log.warning("not hearing of other processes, trying again: %s", " ".join(str(lost).split()))
        await asyncio.sleep(AGAIN)


async def _written(store: Store) -> AsyncGenerator[None]:
    """SQLite tells nobody, but counts what other connections write."""
    before: object = None
    connection = await asyncio.to_thread(store.engine.raw_connection)
    try:
        while True:
            now = await asyncio.to_thread(_version, connection)
            if now != before:
                before = now
                yield
            await asyncio.sleep(LOOK)
    finally:
        connection.close()


def _version(connection: PoolProxiedConnection) -> object:
    cursor = connection.cursor()
    cursor.execute("PRAGMA data_version")
    found = cursor.fetchone()
    cursor.close()
    return found
