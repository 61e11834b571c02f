"""`loopscope flows` and `loopscope check`: what there is to walk through, and whether it is sound."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    flows = commands.add_parser("flows", help="list the flows")
    flows.add_argument("--json", action="store_true", dest="as_json")
    flows.set_defaults(run=_flows)

    check = commands.add_parser("check", help="check every flow, and what of a coverage list they teach")
    check.add_argument("--coverage", type=Path, metavar="FILE")
    check.add_argument("--format", choices=("text", "json"), default="text")
    check.set_defaults(run=_check)


def _flows(asked: argparse.Namespace) -> int:
    from app.catalog.listing import listing
    from app.catalog.reading import flows
    from app.story.report import as_json

    rows = [listing(flow) for flow in flows().values()]
    if asked.as_json:
        sys.stdout.write(as_json(rows))
    else:
        for flow in flows().values():
            print(f"{flow.id:16} {flow.title}: {flow.summary}")
    return 0


def _check(asked: argparse.Namespace) -> int:
    from app.story.checks import check_all, coverage
    from app.story.report import as_json

    problems = check_all()
    if asked.coverage is not None:
        found = coverage(asked.coverage)
        if asked.format == "json":
            sys.stdout.write(as_json(found))
        else:
            print(f"covered {len(found['covered'])}, missing {len(found['missing'])}")
            print("\n".join(found["missing"]))
    elif asked.format == "json":
        sys.stdout.write(as_json({"problems": problems}))
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0
