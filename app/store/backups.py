"""A copy of the database as it is at one instant, made while it is used; and whether a database is sound."""

import os
import shlex
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from sqlalchemy.engine import URL

from app.configuration import passed_on
from app.errors import BadInput
from app.store.database import Store


def back_up(store: Store, path: Path) -> None:
    """Write a whole copy to the file, which is there complete or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)
    try:
        if store.engine.dialect.name == "sqlite":
            _copy_sqlite(store, partial)
        else:
            _dump(store.url, partial)
        with partial.open("rb") as copy:
            os.fsync(copy.fileno())
        partial.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise BadInput([f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}"]) from None
    finally:
        partial.unlink(missing_ok=True)


def _copy_sqlite(store: Store, path: Path) -> None:
    with closing(sqlite3.connect(store.url.database or "", isolation_level=None)) as connection:
        # Reads one state of the database, however much is written meanwhile, and hinders no writer.
        connection.execute("VACUUM INTO ?", (str(path),))
    faults = faults_of(path)
    if faults:
        raise BadInput([f"{path}: the copy is not sound: {fault}" for fault in faults])


def faults_of(path: Path) -> list[str]:
    """What SQLite finds wrong with a file, rows that lead nowhere among it."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
        return found + [
            f"a row of {row[0]} names no {row[2]}" for row in connection.execute("PRAGMA foreign_key_check")
        ]


def _dump(url: URL, path: Path) -> None:
    command = dump_command(url, path)
    program = shutil.which(command[0])
    if program is None:
        raise BadInput(
            [f"pg_dump: not found on PATH; install PostgreSQL's client, or run where it is: {shlex.join(command)}"]
        )
    # The password goes by the environment: a command line can be read by everybody on the machine.
    secret = {"PGPASSWORD": url.password} if url.password else {}
    done = subprocess.run([program, *command[1:]], env=passed_on(**secret), capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadInput([f"pg_dump: {line}" for line in done.stderr.splitlines()] or ["pg_dump: failed"])


def dump_command(url: URL, path: Path) -> list[str]:
    """What copies a PostgreSQL database to a file that pg_restore reads; without its password."""
    address = URL.create(
        "postgresql", username=url.username, host=url.host, port=url.port, database=url.database, query=url.query
    )
    return ["pg_dump", "--format=custom", f"--file={path}", f"--dbname={address.render_as_string()}"]
