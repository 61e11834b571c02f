"""`loopscope db`: the tables brought up to date, what is old taken out, a copy made, and whether all is sound."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.configuration import RETENTION
from app.errors import BadInput

if TYPE_CHECKING:
    from app.store.database import Store

SINCE = "such as 90d"


def add(commands: Any) -> None:
    database = commands.add_parser(
        "db",
        help="upgrade, prune, back up or check the database",
        description="Works on the database of LOOPSCOPE_DATABASE_URL, also while servers use it.",
    )
    tasks = database.add_subparsers(required=True, metavar="TASK")

    upgrade = tasks.add_parser("upgrade", help="make the tables, or bring them to this version; serve does it, too")
    upgrade.set_defaults(run=_upgrade)

    prune = tasks.add_parser(
        "prune",
        help="take out what nobody has touched for long",
        description="Takes out sessions that nobody has touched for so long, with their choices, steps and notes, and "
        "then manifests that are as old and that no session uses. Links to them lead nowhere afterwards.",
    )
    prune.add_argument("--older-than", default="", metavar="DAYS", help=f"{SINCE}; without it, LOOPSCOPE_RETENTION")
    prune.add_argument("--dry-run", action="store_true", help="only say what would be taken out")
    prune.set_defaults(run=_prune)

    backup = tasks.add_parser(
        "backup",
        help="write a copy of the whole database to a file, while servers use it",
        description="SQLite: the file is a database, and restoring is to put it in its place while no server runs. "
        "PostgreSQL: pg_dump writes it, and pg_restore --clean --if-exists --dbname=… reads it back.",
    )
    backup.add_argument("file", type=Path, metavar="FILE")
    backup.set_defaults(run=_backup)

    check = tasks.add_parser("check", help="say what is kept, of which version, and whether it is sound")
    check.set_defaults(run=_check)


@contextmanager
def _opened(*, ready: bool = True) -> Iterator[Store]:
    """The database, closed afterwards; refused unless its tables are there, where they need to be."""
    from app.store.database import Store

    with closing(Store()) as store:
        if ready:
            store.check()
        yield store


def _upgrade(_: argparse.Namespace) -> int:
    with _opened(ready=False) as store:
        store.migrate()
        print(f"version {store.version()}")
    return 0


def _prune(asked: argparse.Namespace) -> int:
    from app.store.pruning import prune

    age = _age(asked.older_than)
    with _opened() as store:
        found = prune(store, older_than=age, dry_run=asked.dry_run)
    words = "would be taken out" if asked.dry_run else "taken out"
    print(f"sessions {words}: {found.sessions}; manifests {words}: {found.manifests}")
    return 0


def _age(text: str) -> timedelta:
    try:
        age = RETENTION.read(text) if text else RETENTION.get()
    except ValueError:
        raise BadInput([f"--older-than: found {text!r}; allowed: days, {SINCE}"]) from None
    if age is None:
        raise BadInput([f"--older-than: is not given, and LOOPSCOPE_RETENTION is off; allowed: days, {SINCE}"])
    return age


def _backup(asked: argparse.Namespace) -> int:
    from app.store.backups import back_up

    with _opened() as store:
        back_up(store, asked.file)
    print(f"{asked.file}: {asked.file.stat().st_size} bytes")
    return 0


def _check(_: argparse.Namespace) -> int:
    from app.store.backups import faults_of
    from app.store.tally import rows

    with _opened() as store:
        print(f"{store.engine.dialect.name}, version {store.version()}")
        with store.reading() as db:
            for name, count in rows(db).items():
                print(f"{name:10} {count}")
        faults = faults_of(Path(store.url.database or "")) if store.engine.dialect.name == "sqlite" else []
    print("\n".join(faults) if faults else "sound")
    return 1 if faults else 0
