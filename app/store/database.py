"""The database: where it is, how it is opened, how its tables are brought up to date."""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import RLock

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from app.configuration import DATABASE_URL
from app.errors import BadInput

VARIABLE = DATABASE_URL.name
DEFAULT_URL = DATABASE_URL.default

# Any number will do that nothing else in the same PostgreSQL database locks.
_MIGRATION_LOCK = 5627

_PRAGMAS = (
    # First, so that the others wait for their lock as well.
    "PRAGMA busy_timeout = 5000",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    # A step is a hundred bytes but dirties whole pages: a short log keeps the disk's share of a step small.
    "PRAGMA wal_autocheckpoint = 100",
    "PRAGMA journal_size_limit = 409600",
)


class Store:
    """One database; `reading()` and `writing()` are its units of work."""

    def __init__(self, url: str | None = None) -> None:
        self.url = _checked(url or DATABASE_URL.get())
        self.engine = _engine(self.url)
        sqlite = self.engine.dialect.name == "sqlite"
        # SQLite refuses at once, without waiting, to turn a read into a write when somebody wrote in between.
        # A unit of work that writes therefore says so when it begins, and queues for its turn.
        # Within one process the queue is this lock: SQLite's own waiting is by polling, where the last may starve.
        self._turn: AbstractContextManager[object] = RLock() if sqlite else nullcontext()
        self._writer = self.engine.execution_options(loopscope_begin="BEGIN IMMEDIATE")
        self._reader = self.engine if sqlite else self.engine.execution_options(isolation_level="REPEATABLE READ")

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """All reads see one state of the database; nothing is kept."""
        with Session(self._reader, expire_on_commit=False) as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Everything is kept when the block ends, or nothing if it raises."""
        with self._turn, Session(self._writer, expire_on_commit=False) as db, db.begin():
            yield db

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """A connection that alone may change tables, until it is given back."""
        with self._turn, self._writer.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
            yield connection

    def migrate(self) -> None:
        """Bring the tables to this version, whole or not at all; a second process waits and finds it done."""
        config = Config(Path(__file__).with_name("alembic.ini"))
        try:
            with self.migrating() as connection:
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
        except OperationalError as refused:
            why = " ".join(str(refused.orig).split())
            raise BadInput([f"{VARIABLE}: cannot open {self.url!r}: {why}"]) from refused
        except CommandError as unknown:
            newest = ScriptDirectory.from_config(config).get_current_head()
            raise BadInput(
                [f"{VARIABLE}: {self.url!r} was written by a newer Loopscope than this one, which knows {newest}"]
            ) from unknown

    def close(self) -> None:
        self.engine.dispose()


def _checked(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError as malformed:
        raise BadInput([f"{VARIABLE}: not a database URL; one looks like {DEFAULT_URL!r}"]) from malformed
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise BadInput([f"{VARIABLE}: a database in memory keeps nothing; name a file, as in {DEFAULT_URL!r}"])
    return url


def _engine(url: URL) -> Engine:
    try:
        engine = create_engine(url)
    except (NoSuchModuleError, ModuleNotFoundError) as missing:
        raise BadInput([f"{VARIABLE}: no driver for {url.drivername!r} is installed: {missing}"]) from missing
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _open_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _open_sqlite(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    # Python's driver would begin transactions when it sees fit, and never before reads or DDL; we begin them.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("loopscope_begin", "BEGIN"))
