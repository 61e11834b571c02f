"""What a clone promises: the commands of the README, pinned versions, one version number."""

import importlib.metadata
import os
import re
import tomllib
from pathlib import Path

import pytest

import app

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINS = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]


def plain(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_ci_runs_the_test_command_of_the_readme() -> None:
    commands = re.findall(r"^\.venv.*|^python3 -m venv.*", (ROOT / "README.md").read_text(), re.MULTILINE)
    script = ROOT / ".ci" / "run"
    assert len(commands) == 2
    assert script.read_text().splitlines()[-1] == commands[1]
    assert os.access(script, os.X_OK)


def test_constraints_hold_nothing_but_versions() -> None:
    assert [line for line in PINS if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []


@pytest.mark.parametrize(
    "requirement",
    [*PROJECT["dependencies"], *(name for extra in PROJECT["optional-dependencies"].values() for name in extra)],
)
def test_what_the_project_asks_for_is_pinned(requirement: str) -> None:
    pinned = {plain(line.partition("==")[0]) for line in PINS}
    assert plain(re.split(r"[\[<>=; ]", requirement)[0]) in pinned


def test_the_version_is_the_installed_one() -> None:
    assert app.__version__ == importlib.metadata.version("loopscope")
