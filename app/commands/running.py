"""`loopscope run`: one walk, printed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.commands import given

FORMATS = ("text", "json", "watch", "md", "mmd", "svg")


def add(commands: Any) -> None:
    run = commands.add_parser("run", help="run a flow and print its walk")
    run.add_argument("flow")
    given.walk_options(run)
    run.add_argument("--search", action="store_true", help="search other orders and lags for every verdict")
    run.add_argument(
        "--fact",
        action="append",
        default=[],
        metavar="NAME",
        dest="facts",
        help="tell this of the walk, too (repeatable)",
    )
    run.add_argument("--words", default="", metavar="NAME", help="tell it in other words, where the flow has some")
    run.add_argument("--format", choices=FORMATS, default="text")
    run.add_argument("--view", choices=("messages", "cluster", "timeline"), default="timeline")
    run.add_argument("--step", default="", help="the step that a picture or prose ends at")
    run.add_argument("-o", "--output", type=Path, metavar="FILE")
    run.set_defaults(run=_run)


def _run(asked: argparse.Namespace) -> int:
    from app.story.play import facts_of, play

    played = play(given.walk(asked))
    if asked.search:
        from app.story.searching import searched

        played = searched(played)
    facts = facts_of(played, asked.facts)
    given.write(_formatted(asked, played, facts), asked.output)
    return 0


def _formatted(asked: argparse.Namespace, played: Any, facts: Any) -> str:
    from app.story import report, text, watch
    from app.story.play import position

    n = position(played, asked.step) if asked.step else len(played.steps)
    match asked.format:
        case "json":
            return report.as_json(report.report(played, facts))
        case "watch":
            return report.as_json(watch.trace(played.walk))
        case "md":
            return text.markdown(played, n)
        case "mmd":
            from app.diagram import mermaid

            return mermaid(played.walk, n, played.flow)
        case "svg":
            from app.diagram import picture, render_svg

            return render_svg(picture(asked.view, played.walk, n, played.flow), standalone=True, theme="light")
        case _:
            return text.plain(played, facts)
