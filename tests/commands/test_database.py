"""`loopscope db` on the command line: what it prints, what it refuses, what it exits with."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import update

from app.cli import main
from app.store import sessions
from app.store.database import Store
from app.store.tables import Session, now

pytestmark = pytest.mark.databases("sqlite", "postgresql")


@pytest.fixture(autouse=True)
def database(database_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("LOOPSCOPE_DATABASE_URL", database_url)
    return database_url


def said(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """What a command printed: to standard output if all went well, else to standard error."""
    assert main(["db", *arguments]) == status
    found = capsys.readouterr()
    return found.out if status == 0 else found.err


def test_from_nothing_to_a_database_that_is_sound(
    capsys: pytest.CaptureFixture[str], empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPSCOPE_DATABASE_URL", empty_url)
    for task in ("check", "backup copy", "prune --older-than 90d"):
        assert "its tables are not made yet: `loopscope db upgrade`" in said(capsys, *task.split(), status=2)
    version = said(capsys, "upgrade")
    assert re.fullmatch(r"version \d{4}\n", version)
    assert said(capsys, "upgrade") == version
    checked = said(capsys, "check").splitlines()
    assert checked[0].endswith(version.strip())
    assert checked[1].split() == ["session", "0"]
    assert checked[-1] == "sound"


def test_pruning_says_first_what_it_would_do(capsys: pytest.CaptureFixture[str], database: str) -> None:
    store = Store(database)
    store.migrate()
    with store.writing() as db:
        sessions.create(db, owner="o", flow="sandbox", settings={}, engine_version="0.1.0", title="old")
        db.exec(update(Session).values(updated_at=now() - timedelta(days=40)))
    store.close()
    assert said(capsys, "prune", "--older-than", "41d") == "sessions taken out: 0; manifests taken out: 0\n"
    asked = ("prune", "--older-than", "39d")
    assert said(capsys, *asked, "--dry-run").startswith("sessions would be taken out: 1; ")
    assert said(capsys, *asked).startswith("sessions taken out: 1; ")
    assert said(capsys, *asked).startswith("sessions taken out: 0; ")


def test_the_age_comes_from_the_settings_where_none_is_given(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said(capsys, "upgrade")
    assert "--older-than: is not given, and LOOPSCOPE_RETENTION is off" in said(capsys, "prune", status=2)
    monkeypatch.setenv("LOOPSCOPE_RETENTION", "30d")
    assert said(capsys, "prune").startswith("sessions taken out: 0")
    assert said(capsys, "prune", "--older-than", "soon", status=2) == (
        "--older-than: found 'soon'; allowed: days, such as 90d\n"
    )


@pytest.mark.databases("sqlite")
def test_a_backup_says_where_it_is_and_how_long(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said(capsys, "upgrade")
    copy = tmp_path / "copy.db"
    assert said(capsys, "backup", str(copy)) == f"{copy}: {copy.stat().st_size} bytes\n"


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize("task", ["upgrade", "check", "prune --older-than 9d", "backup copy"])
def test_a_database_that_does_not_answer_is_told_without_its_password(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    monkeypatch.setenv("LOOPSCOPE_DATABASE_URL", "postgresql://reader:hush@127.0.0.1:1/loopscope")
    told = said(capsys, *task.split(), status=2)
    assert told.startswith("LOOPSCOPE_DATABASE_URL: cannot open postgresql://reader:***@127.0.0.1:1/loopscope: ")
    assert "hush" not in told
