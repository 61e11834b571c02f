"""`loopscope inspect`: what Kubernetes computes from manifests alone."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.commands import given
from app.kube.releases import CURRENT, NAMES, release


def add(commands: Any) -> None:
    inspect = commands.add_parser(
        "inspect",
        help="what Kubernetes computes from manifests, and what in them will cause trouble",
        description="Tells what Kubernetes computes from manifests without running anything, and what in them will "
        "cause trouble.",
        epilog="Exit status: 0 when nothing was found of the severity of --fail-on or worse, 1 when something was, "
        "2 when a manifest cannot be read.",
    )
    inspect.add_argument("-f", "--file", action="append", required=True, type=Path, metavar="FILE|DIR")
    inspect.add_argument(
        "--fail-on",
        choices=("error", "warning", "note", "never"),
        default="warning",
        help="the mildest finding that makes the exit status 1 (default: warning)",
    )
    inspect.add_argument(
        "--kubernetes",
        choices=NAMES,
        default=CURRENT.name,
        metavar="VERSION",
        help=f"the release that they are meant for, {NAMES[0]} to {NAMES[-1]} (default: {CURRENT.name})",
    )
    inspect.add_argument("--format", choices=("text", "json", "sarif"), default="text")
    inspect.add_argument("-o", "--output", type=Path, metavar="FILE")
    inspect.set_defaults(run=_inspect)


def _inspect(asked: argparse.Namespace) -> int:
    from app.inspect.inspecting import inspect
    from app.inspect.report import report
    from app.inspect.sarif import sarif
    from app.inspect.text import plain
    from app.story.report import as_json

    found = inspect(given.manifests(asked.file), release(asked.kubernetes))
    match asked.format:
        case "json":
            told = as_json(report(found))
        case "sarif":
            told = as_json(sarif(found))
        case _:
            told = plain(found)
    given.write(told, asked.output)
    return 1 if asked.fail_on != "never" and found.fails(asked.fail_on) else 0
