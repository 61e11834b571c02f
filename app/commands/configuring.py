"""`loopscope settings`: every environment variable that the server and the command line read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from app.configuration import VARIABLES, Variable

HEAD = """# Settings

Loopscope is configured by environment variables. This page is what `loopscope settings --format md` prints;
`loopscope settings` says the same with the values that are set. One that is set to nothing counts as not set, and a
value that is not allowed is refused, with the variable named.
"""


def add(commands: Any) -> None:
    settings = commands.add_parser("settings", help="list the environment variables that Loopscope reads")
    settings.add_argument("--format", choices=("text", "json", "md"), default="text")
    settings.set_defaults(run=_settings)


def _settings(asked: argparse.Namespace) -> int:
    from app.story.report import as_json

    match asked.format:
        case "json":
            told = as_json([_row(variable) for variable in VARIABLES])
        case "md":
            told = markdown(VARIABLES)
        case _:
            told = "\n".join(_plain(variable) for variable in VARIABLES)
    sys.stdout.write(told)
    return 0


def markdown(variables: Sequence[Variable[object]]) -> str:
    """The page about them."""
    parts = [
        f"\n## `{row.name}`\n\n{row.meaning}\n\n- Default: {f'`{row.default}`' if row.default else 'nothing'}\n"
        f"- Allowed: {row.allowed}\n"
        for row in variables
    ]
    return HEAD + "".join(parts)


def _row(variable: Variable[object]) -> dict[str, str | None]:
    return {
        "name": variable.name,
        "default": variable.default,
        "allowed": variable.allowed,
        "meaning": variable.meaning,
        "set": _shown(variable),
    }


def _plain(variable: Variable[object]) -> str:
    shown = _shown(variable)
    value = f"{variable.default or '(nothing)'} (default)" if shown is None else shown
    return f"{variable.name} = {value}\n    {variable.meaning}\n    Allowed: {variable.allowed}\n"


def _shown(variable: Variable[object]) -> str | None:
    """What it is set to, unless nobody should see it; None where it is not set."""
    text = variable.given()
    return "(set)" if text and variable.secret else text or None
