"""The database: where it is, how it is opened, how its tables are brought up to date."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import RLock
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
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

CONNECTIONS = 20
"""Of one process at most: PostgreSQL allows a hundred in all unless it is told otherwise."""

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


def _unobserved(_kind: str, _seconds: float) -> None:
    """Nobody wants to know."""


class Store:
    """One database; `reading()` and `writing()` are its units of work."""

    observe: Callable[[str, float], None] = staticmethod(_unobserved)
    """Told of each unit of work that it was a `read` or a `write`, and how many seconds it took."""

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
        with self._timed("read"), Session(self._reader, expire_on_commit=False) as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Everything is kept when the block ends, or nothing if it raises."""
        with self._timed("write"), self._turn, Session(self._writer, expire_on_commit=False) as db, db.begin():
            yield db

    @contextmanager
    def _timed(self, kind: str) -> Iterator[None]:
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.observe(kind, time.perf_counter() - begun)

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """A connection that alone may change tables, until it is given back."""
        with self._turn, self._writer.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
            yield connection

    def migrate(self) -> None:
        """Bring the tables to this version, whole or not at all; a second process waits and finds it done."""
        config = _alembic()
        try:
            with self.migrating() as connection:
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
        except OperationalError as refused:
            raise self._refused(refused) from refused
        except CommandError as unknown:
            newest = ScriptDirectory.from_config(config).get_current_head()
            raise BadInput(
                [f"{VARIABLE}: {self.url!r} was written by a newer Loopscope than this one, which knows {newest}"]
            ) from unknown

    def unready(self) -> str:
        """Why the tables cannot be worked with; empty if they can. A newer version's tables hold all of ours."""
        scripts, found = ScriptDirectory.from_config(_alembic()), self.version()
        if not found:
            return "its tables are not made yet: `loopscope db upgrade` makes them"
        ours = {row.revision for row in scripts.walk_revisions()}
        needed = scripts.get_current_head()
        if found in ours and found != needed:
            return f"its tables are of version {found}, and {needed} is needed: `loopscope db upgrade`"
        return ""

    def check(self) -> None:
        """Refuse, in words, a database that does not answer or has other tables."""
        try:
            why = self.unready()
        except OperationalError as refused:
            raise self._refused(refused) from refused
        if why:
            raise BadInput([f"{VARIABLE}: {self.url!r}: {why}"])

    def version(self) -> str:
        """Of the tables; empty if there are none."""
        with self.engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision() or ""

    def _refused(self, error: OperationalError) -> BadInput:
        return BadInput([f"{VARIABLE}: cannot open {self.url!r}: {' '.join(str(error.orig).split())}"])

    def close(self) -> None:
        self.engine.dispose()


def _alembic() -> Config:
    return Config(Path(__file__).with_name("alembic.ini"))


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
        # What a statement was given does not belong in a log: ids that let one edit, manifests, notes.
        engine = create_engine(url, hide_parameters=True, **_pool(url))
    except (NoSuchModuleError, ModuleNotFoundError) as missing:
        raise BadInput([f"{VARIABLE}: no driver for {url.drivername!r} is installed: {missing}"]) from missing
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _open_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _pool(url: URL) -> dict[str, Any]:
    """As many connections as requests are worked on at once, and none that the database has closed meanwhile."""
    return {"pool_size": CONNECTIONS, "max_overflow": 0, "pool_pre_ping": url.get_backend_name() != "sqlite"}


def _open_sqlite(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    # Python's driver would begin transactions when it sees fit, and never before reads or DDL; we begin them.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("loopscope_begin", "BEGIN"))
