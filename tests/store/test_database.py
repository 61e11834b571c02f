"""Opening: where the database is, how it is set, what is refused, and what two writers do to each other."""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.errors import BadInput
from app.store import sessions
from app.store.database import Store
from app.store.sessions import StepTaken
from app.store.tables import Session

pytestmark = pytest.mark.databases("sqlite", "postgresql")

ROOT = Path(__file__).parents[2]


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    command: Sequence[str] = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("foreign_keys", 1), ("busy_timeout", 5000), ("synchronous", 1)],
)
def test_every_connection_is_set(store: Store, pragma: str, value: str | int) -> None:
    with store.engine.connect() as one, store.engine.connect() as another:
        assert one.exec_driver_sql(f"PRAGMA {pragma}").scalar() == value
        assert another.exec_driver_sql(f"PRAGMA {pragma}").scalar() == value


def test_the_environment_names_the_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOOPSCOPE_DATABASE_URL", f"sqlite:///{tmp_path}/named.db")
    store = Store()
    store.migrate()
    store.close()
    assert (tmp_path / "named.db").exists()


def test_without_a_name_it_lies_in_the_working_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LOOPSCOPE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    store = Store()
    store.migrate()
    store.close()
    assert (tmp_path / "loopscope.db").exists()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        pytest.param("loopscope.db", "not a database URL; one looks like 'sqlite:///loopscope.db'", id="a bare path"),
        pytest.param("sqlite://", "a database in memory keeps nothing", id="memory"),
        pytest.param("sqlite:///:memory:", "a database in memory keeps nothing", id="memory, spelt out"),
        pytest.param("oraclesql://host/db", "no driver for 'oraclesql' is installed", id="no such kind"),
    ],
)
def test_a_database_that_cannot_be_meant_is_refused_with_the_variable_named(url: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        Store(url)
    assert refused.value.problems[0].startswith("LOOPSCOPE_DATABASE_URL: ")
    assert said in refused.value.problems[0]


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/nowhere/loopscope.db")
    with pytest.raises(BadInput, match=r"cannot open .*nowhere/loopscope\.db: unable to open database file"):
        store.migrate()
    store.close()


def test_a_unit_of_work_that_raises_keeps_nothing(store: Store, session: Session) -> None:
    def rename_and_fail() -> None:
        with store.writing() as db:
            sessions.rename(db, edit_id=session.edit_id, title="never seen")
            raise KeyError

    with pytest.raises(KeyError):
        rename_and_fail()
    with store.reading() as db:
        assert sessions.get_for_reading(db, id=session.read_id).session.title == "Deleting web-1"


def test_a_reader_sees_one_state_and_hinders_no_writer(store: Store, session: Session) -> None:
    with store.reading() as before:
        assert sessions.get_for_reading(before, id=session.read_id).session.position == 0
        with store.writing() as db:
            sessions.set_position(db, edit_id=session.edit_id, position=7)
        before.expire_all()
        assert sessions.get_for_reading(before, id=session.read_id).session.position == 0
    with store.reading() as after:
        assert sessions.get_for_reading(after, id=session.read_id).session.position == 7


def test_eight_threads_that_write_at_once_all_succeed(store: Store, session: Session) -> None:
    def take(thread: int) -> None:
        for turn in range(25):
            step = StepTaken(n=thread * 25 + turn, step_id="clients.get:service~web", at_ms=turn, digest="0" * 16)
            with store.writing() as db:
                sessions.record_taken(db, edit_id=session.edit_id, steps=[step])
                sessions.set_position(db, edit_id=session.edit_id, position=step.n)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(take, range(8)))
    with store.reading() as db:
        assert [step.n for step in sessions.taken(db, session_id=session.id)] == list(range(200))


MIGRATE = """
import sys
from app.store.database import Store
Store(sys.argv[1]).migrate()
"""


def test_servers_that_start_at_once_on_a_new_database_all_find_it_ready(empty_url: str) -> None:
    url = empty_url
    with python(MIGRATE, url) as one, python(MIGRATE, url) as two, python(MIGRATE, url) as three:
        assert [server.wait(60) for server in (one, two, three)] == [0, 0, 0]


WALK_ON = """
import sys
from app.store import sessions
from app.store.database import Store
store = Store(sys.argv[1])
for n in range(1, 1_000_000):
    with store.writing() as db:
        step = sessions.StepTaken(n=n, step_id=f"clients.get:service~web~~{n}", at_ms=n, digest="0" * 16)
        sessions.record_taken(db, edit_id=sys.argv[2], steps=[step])
        sessions.set_position(db, edit_id=sys.argv[2], position=n)
    print(n, flush=True)
"""


def test_a_server_killed_at_any_instant_loses_no_step_that_it_acknowledged(store: Store, session: Session) -> None:
    with python(WALK_ON, store.url.render_as_string(), session.edit_id) as server:
        assert server.stdout is not None
        acknowledged = [int(server.stdout.readline()) for _ in range(50)]
        server.kill()
        # What it still printed before the signal reached it is acknowledged too; a torn last line is not.
        acknowledged += [int(line) for line in server.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    assert server.returncode == -9

    with store.reading() as db:
        kept = sessions.get_for_reading(db, id=session.read_id).session
        steps = [step.n for step in sessions.taken(db, session_id=session.id)]
        if store.engine.dialect.name == "sqlite":
            assert db.connection().exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    # One more may be kept than was acknowledged: the kill fell between the commit and the print.
    assert kept.position - acknowledged[-1] in (0, 1)
    assert steps == list(range(1, kept.position + 1))


HALF_DONE = """
import os, sys
from app.store import sessions
from app.store.database import Store
with Store(sys.argv[1]).writing() as db:
    sessions.set_position(db, edit_id=sys.argv[2], position=5)
    sessions.append_choice(db, edit_id=sys.argv[2], kind="do", text="5s delete pod/web-1", seen=0, position=5)
    os._exit(1)
"""


def test_a_server_that_dies_inside_a_unit_of_work_keeps_none_of_it(store: Store, session: Session) -> None:
    with python(HALF_DONE, store.url.render_as_string(), session.edit_id) as server:
        assert server.wait(60) == 1
    with store.reading() as db:
        assert sessions.get_for_reading(db, id=session.read_id).session.position == 0
        assert sessions.choices(db, session_id=session.id) == []


@pytest.mark.databases("sqlite")
def test_a_step_taken_costs_at_most_2_kb_of_disk(store: Store, session: Session, tmp_path: Path) -> None:
    """The log beside the database counts as well; 1,000 steps with long ids, each acknowledged by itself."""
    before = on_disk(tmp_path)
    for n in range(1, 1001):
        step_id = f"endpointslice-controller@node-1.update:endpointslice~shop~web-frontend-abcde~~{n}"
        with store.writing() as db:
            step = StepTaken(n=n, step_id=step_id, at_ms=n * 1000, digest=f"{n:016x}")
            sessions.record_taken(db, edit_id=session.edit_id, steps=[step])
            sessions.set_position(db, edit_id=session.edit_id, position=n)
    grown = on_disk(tmp_path) - before
    assert grown / 1000 <= 2048
    assert grown / 1000 >= len("endpointslice-controller@node-1.update:endpointslice~shop~web-frontend-abcde")


def on_disk(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())
