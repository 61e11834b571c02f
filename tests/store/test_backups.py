"""A copy made while others write is whole, of one instant, and works as the database itself."""

import os
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app.errors import BadInput
from app.store import sessions
from app.store.backups import back_up, dump_command, faults_of
from app.store.database import Store
from app.store.sessions import StepTaken
from app.store.tables import Session
from tests.databases import Cluster

SQLITE = pytest.mark.databases("sqlite")
POSTGRES = pytest.mark.databases("postgresql")


@pytest.fixture
def client_programs(postgres: Cluster, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of pg_dump and its like, which is now on PATH."""
    monkeypatch.setenv("PATH", f"{postgres.programs}{os.pathsep}{os.environ['PATH']}")
    return postgres.programs


@contextmanager
def stepping(store: Store, session: Session) -> Iterator[threading.Event]:
    """Somebody who takes one step after another; the event is set once some are taken."""
    stop, begun = threading.Event(), threading.Event()

    def walk() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            with store.writing() as db:
                step = StepTaken(n=n, step_id=f"s~~{n}", at_ms=n, digest="0" * 16)
                sessions.record_taken(db, edit_id=session.edit_id, steps=[step])
                sessions.set_position(db, edit_id=session.edit_id, position=n)
            if n == 20:
                begun.set()

    walker = threading.Thread(target=walk)
    walker.start()
    yield begun
    stop.set()
    walker.join()


def steps_of(store: Store, id: str) -> tuple[int, list[int]]:
    with store.reading() as db:
        found = sessions.get_for_reading(db, id=id).session
        return found.position, [step.n for step in sessions.taken(db, session_id=found.id)]


def is_whole(store: Store, session: Session, least: int) -> None:
    position, numbers = steps_of(store, session.edit_id)
    assert position >= least
    assert numbers == list(range(1, position + 1))


@SQLITE
def test_a_copy_of_a_file_that_is_written_to_is_one_state_of_it(store: Store, session: Session, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with stepping(store, session) as begun:
        assert begun.wait(60)
        back_up(store, copy)
        before = steps_of(store, session.edit_id)[0]
    restored = Store(f"sqlite:///{copy}")
    restored.migrate()
    is_whole(restored, session, 20)
    assert steps_of(restored, session.edit_id)[0] <= before
    with restored.writing() as db:
        sessions.rename(db, edit_id=session.edit_id, title="It goes on")
    restored.close()


@SQLITE
def test_a_copy_takes_the_place_of_the_one_before(store: Store, session: Session, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    back_up(store, copy)
    with store.writing() as db:
        sessions.set_position(db, edit_id=session.edit_id, position=5)
    back_up(store, copy)
    restored = Store(f"sqlite:///{copy}")
    assert steps_of(restored, session.edit_id)[0] == 5
    restored.close()
    assert sorted(path.name for path in tmp_path.iterdir() if "copy" in path.name and "-" not in path.name) == [
        "copy.db"
    ]


@SQLITE
def test_a_copy_that_cannot_be_written_leaves_nothing(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere/copy\.db: cannot be written: unable to open database"):
        back_up(store, tmp_path / "nowhere" / "copy.db")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInput, match="folder: cannot be written: Is a directory"):
        back_up(store, tmp_path / "folder")
    assert not list(tmp_path.glob("*.partial"))


@SQLITE
@pytest.mark.usefixtures("store")
def test_a_file_that_is_not_sound_is_told(tmp_path: Path) -> None:
    path = tmp_path / "loopscope.db"
    assert faults_of(path) == []
    # A connection that is not ours does not ask for foreign keys to be held.
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO choice VALUES (1, 99, 1, 'do', 'x')")
    assert faults_of(path) == ["a row of choice names no session"]


@POSTGRES
def test_a_dump_of_a_postgresql_that_is_written_to_is_one_state_of_it(
    store: Store, session: Session, empty_url: str, tmp_path: Path, client_programs: Path
) -> None:
    copy = tmp_path / "copy.dump"
    with stepping(store, session) as begun:
        assert begun.wait(60)
        back_up(store, copy)
    address = empty_url.replace("postgresql+psycopg://", "postgresql://")
    subprocess.run([client_programs / "pg_restore", f"--dbname={address}", str(copy)], check=True)
    restored = Store(empty_url)
    restored.migrate()
    is_whole(restored, session, 20)
    restored.close()


@POSTGRES
def test_where_pg_dump_is_not_found_it_says_what_to_run(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match=r"pg_dump: not found on PATH.*pg_dump --format=custom --file=.*--dbname="):
        back_up(store, tmp_path / "copy.dump")


def test_a_password_stands_on_no_command_line() -> None:
    url = Store("postgresql+psycopg://reader:hush@db.example/loopscope?sslmode=require").url
    assert dump_command(url, Path("copy.dump")) == [
        "pg_dump",
        "--format=custom",
        "--file=copy.dump",
        "--dbname=postgresql://reader@db.example/loopscope?sslmode=require",
    ]
