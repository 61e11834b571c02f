"""A real PostgreSQL for tests: one cluster a run, started in a temporary folder, and a new database for each test."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGINT
from typing import Any

import psycopg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy.engine import make_url
from sqlmodel import SQLModel

from app.store import database
from app.store.database import Store

# Debian keeps the programs of each version in a folder of its own, off the PATH.
VERSIONED = Path("/usr/lib/postgresql")
MIGRATIONS = Path(database.__file__).with_name("migrations")


class Cluster:
    """A PostgreSQL server that listens on a socket in its own folder, and nowhere else."""

    def __init__(self, programs: Path, *, durable: bool = False) -> None:
        self.programs = programs
        self._folder = Path(tempfile.mkdtemp(prefix="loopscope-pg-"))
        self._account = _account()
        self._made = 0
        self._idle: list[str] = []
        if self._account:
            shutil.chown(self._folder, self._account["user"], self._account["group"])
        self._run("initdb", "--no-sync", "--auth=trust", "--username=loopscope", "--encoding=UTF8", "--locale=C")
        # What outlives a killed process needs no fsync; what outlives a power cut does.
        self._start([] if durable else ["fsync=off", "wal_init_zero=off"])

    def _start(self, settings: list[str]) -> None:
        settings = ["listen_addresses=", f"unix_socket_directories={self._folder}", "max_connections=200", *settings]
        command = ["postgres", "-D", str(self._data), *(part for setting in settings for part in ("-c", setting))]
        # Where a run is killed, the server that it started ends with it.
        parting = ["setpriv", "--pdeathsig=QUIT"] if shutil.which("setpriv") else []
        with self._log.open("ab") as log:
            self._server = subprocess.Popen(
                [*parting, str(self.programs / command[0]), *command[1:]],
                stdout=log, stderr=log, cwd=self._folder, **self._account,
            )  # fmt: skip
        self._await()

    def _await(self) -> None:
        deadline = time.monotonic() + 60
        while not self._answers():
            with suppress(subprocess.TimeoutExpired):
                pytest.fail(f"PostgreSQL ended with {self._server.wait(0.02)}:\n{self._log.read_text()}")
            assert time.monotonic() < deadline, self._log.read_text()

    def _answers(self) -> bool:
        with suppress(psycopg.OperationalError), psycopg.connect(self._address("postgres"), connect_timeout=5):
            return True
        return False

    def stop(self) -> None:
        # SIGINT: clients are sent away, and nothing is waited for.
        self._server.send_signal(SIGINT)
        try:
            self._server.wait(20)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def database(self) -> Iterator[str]:
        """The URL of a database with Loopscope's tables, all empty."""
        # To make one takes a hundred times as long as to empty one.
        name = self._idle.pop() if self._idle else self._migrated()
        yield self.url(name)
        if self._emptied(name):
            self._idle.append(name)

    @contextmanager
    def bare(self) -> Iterator[str]:
        """The URL of a new database without any table."""
        yield self.url(self._created())

    @contextmanager
    def away(self, url: str) -> Iterator[None]:
        """A database that throws everybody out and lets nobody in."""
        name = make_url(url).database
        self._execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        self._execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", name)
        yield
        self._execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

    def _migrated(self) -> str:
        store = Store(self.url(name := self._created()))
        store.migrate()
        store.close()
        return name

    def _created(self) -> str:
        self._made += 1
        self._execute(f"CREATE DATABASE test_{self._made} TEMPLATE template0")
        return f"test_{self._made}"

    def _execute(self, statement: str, *given: object) -> None:
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode(), given or None)

    def _emptied(self, name: str) -> bool:
        """Whether the database is as it was made; a test may have left other tables, or another version."""
        tables = ", ".join(table.name for table in SQLModel.metadata.sorted_tables)
        with psycopg.connect(self._address(name), autocommit=True) as connection:
            try:
                connection.execute("SET lock_timeout = '5s'")
                connection.execute(f"TRUNCATE {tables} RESTART IDENTITY".encode())
                found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            except psycopg.Error:
                return False
        return found == (ScriptDirectory(str(MIGRATIONS)).get_current_head(),)

    def url(self, name: str) -> str:
        return f"postgresql+psycopg://loopscope@/{name}?host={self._folder}"

    def _address(self, name: str) -> str:
        return f"host={self._folder} user=loopscope dbname={name}"

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    @property
    def _log(self) -> Path:
        return self._folder / "log"

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self.programs / program, "-D", str(self._data), *arguments],
            capture_output=True, text=True, check=False, cwd=self._folder, **self._account,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def _account() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: the account that its package makes, or one without rights, runs it then."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def programs() -> Path | None:
    """The folder of initdb and postgres; of several versions the newest."""
    found = [path.parent for path in VERSIONED.glob("*/bin/initdb") if (path.parent / "postgres").exists()]
    if found:
        return max(found, key=lambda path: float(path.parent.name))
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def found_programs() -> Path:
    """Where they are; without them the test skips, or fails where they are required."""
    found = programs()
    if found is None:
        reason = f"no PostgreSQL found: looked in {VERSIONED} and on PATH (apt-get install postgresql)"
        if os.environ.get("LOOPSCOPE_REQUIRE_POSTGRES"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found
