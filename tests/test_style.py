"""ruff and mypy pass over the whole checkout."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    "command",
    [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy", "app", "tests", "tools")],
    ids=" ".join,
)
def test_the_checkout_passes(command: tuple[str, ...]) -> None:
    done = subprocess.run((sys.executable, "-m", *command), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
