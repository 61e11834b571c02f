"""The settings are told from the code: on the command line, and on a page that must say the same."""

import json
from pathlib import Path

import pytest

from app.cli import main
from app.commands.configuring import markdown
from app.configuration import VARIABLES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


def test_the_page_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """`loopscope settings --format md > docs/settings.md` makes it so."""
    assert main(["settings", "--format", "md"]) == 0
    assert capsys.readouterr().out == PAGE.read_text() == markdown(VARIABLES)


def test_what_is_set_is_shown_and_a_password_is_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPSCOPE_LOG", "json")
    monkeypatch.setenv("LOOPSCOPE_DATABASE_URL", "postgresql://reader:hush@db/loopscope")
    assert main(["settings", "--format", "json"]) == 0
    found = {row["name"]: row["set"] for row in json.loads(capsys.readouterr().out)}
    assert (found["LOOPSCOPE_LOG"], found["LOOPSCOPE_DATABASE_URL"]) == ("json", "(set)")
    assert found["LOOPSCOPE_RETENTION"] is None
    assert main(["settings"]) == 0
    text = capsys.readouterr().out
    assert "LOOPSCOPE_LOG = json\n" in text
    assert "LOOPSCOPE_RETENTION = off (default)\n" in text
    assert "hush" not in text
